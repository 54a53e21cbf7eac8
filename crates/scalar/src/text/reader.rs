//! The tokens of a text in the hands of a recursive descent.

use super::lexer::{Lexer, Token};
use super::literal::bits_of;
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::DType;

/// How deep texts may nest, so that none overflows the stack.
pub const MAX_NESTING: usize = 200;

/// A recursive descent with one token in hand.
///
/// # Errors
/// Of every method: what is expected and what is found instead, with line and column.
pub struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token in hand.
    pub token: Token<'t>,
    start: usize,
    nesting: usize,
}

impl<'t> Parser<'t> {
    /// The first token of a text in hand.
    pub fn new(text: &'t str) -> Result<Self> {
        let mut p = Self { lexer: Lexer::new(text), token: Token::End, start: 0, nesting: 0 };
        p.advance()?;
        Ok(p)
    }

    /// Takes the token in hand.
    pub fn advance(&mut self) -> Result<Token<'t>> {
        let (next, start) = self.lexer.next()?;
        self.start = start;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// Where the token in hand starts.
    pub fn start(&self) -> usize {
        self.start
    }

    /// An error at a place.
    pub fn error(&self, at: usize, message: &str) -> Box<Diagnostic> {
        self.lexer.error(at, message)
    }

    /// An error at the token in hand.
    pub fn unexpected<T>(&self, expected: &str) -> Result<T> {
        let found = match &self.token {
            Token::Word(w) | Token::Number(w) => format!("`{w}`"),
            Token::Hex(digits) => format!("`0x{}`", &digits[..digits.len().min(8)]),
            Token::Text(t) => format!("{:?}", t.chars().take(40).collect::<String>()),
            Token::Punct(p) => format!("`{p}`"),
            Token::End => "the end".to_string(),
        };
        Err(self.error(self.start, &format!("expected {expected}, found {found}")))
    }

    /// Runs `f` one level deeper.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting == MAX_NESTING {
            return Err(Diagnostic { code: Code::Limit, ..*self.error(self.start, "nested too deeply") }.into());
        }
        self.nesting += 1;
        let out = f(self);
        self.nesting -= 1;
        out
    }

    /// Takes punctuation if it is in hand.
    pub fn eat(&mut self, punct: &str) -> Result<bool> {
        let here = matches!(self.token, Token::Punct(p) if p == punct);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    /// Takes punctuation.
    pub fn expect(&mut self, punct: &str) -> Result<()> {
        if self.eat(punct)? { Ok(()) } else { self.unexpected(&format!("`{punct}`")) }
    }

    /// Takes a certain word if it is in hand.
    pub fn eat_word(&mut self, word: &str) -> Result<bool> {
        let here = matches!(self.token, Token::Word(w) if w == word);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    /// Takes a certain word.
    pub fn word_is(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word)? { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    /// Takes a word.
    pub fn word(&mut self, expected: &str) -> Result<&'t str> {
        match self.token {
            Token::Word(w) => self.advance().map(|_| w),
            _ => self.unexpected(expected),
        }
    }

    /// A string if one is in hand.
    pub fn eat_text(&mut self) -> Result<Option<String>> {
        if !matches!(self.token, Token::Text(_)) {
            return Ok(None);
        }
        match self.advance()? {
            Token::Text(t) => Ok(Some(t)),
            _ => Ok(None),
        }
    }

    /// Takes a string.
    pub fn text(&mut self) -> Result<String> {
        match self.eat_text()? {
            Some(t) => Ok(t),
            None => self.unexpected("a string"),
        }
    }

    /// The digits after `0x` if they are in hand.
    pub fn eat_hex(&mut self) -> Result<Option<&'t str>> {
        match self.token {
            Token::Hex(digits) => self.advance().map(|_| Some(digits)),
            _ => Ok(None),
        }
    }

    /// A number with its sign, also `inf` and `NaN`, `true` and `false`.
    pub fn number_text(&mut self) -> Result<String> {
        let sign = if self.eat("-")? { "-" } else { "" };
        match self.token {
            Token::Number(n) | Token::Word(n @ ("inf" | "NaN" | "true" | "false")) => {
                self.advance().map(|_| format!("{sign}{n}"))
            }
            _ => self.unexpected("a number"),
        }
    }

    /// The bits of a number as a lane of a dtype.
    pub fn number(&mut self, dtype: DType) -> Result<u64> {
        let start = self.start;
        let text = self.number_text()?;
        bits_of(dtype, &text).ok_or_else(|| self.error(start, &format!("{text} is no {dtype}")))
    }

    /// Takes an integer.
    pub fn integer<T: std::str::FromStr>(&mut self) -> Result<T> {
        let start = self.start;
        let text = self.number_text()?;
        text.parse().map_err(|_| self.error(start, &format!("{text} is out of range")))
    }

    /// Takes the name of a dtype.
    pub fn dtype(&mut self) -> Result<DType> {
        match self.token {
            Token::Word(w) => match DType::parse(w) {
                Some(d) => self.advance().map(|_| d),
                None => self.unexpected("a dtype"),
            },
            _ => self.unexpected("a dtype"),
        }
    }

    /// Items between commas up to and with `close`.
    pub fn list<T>(&mut self, close: &str, item: &mut dyn FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        if self.eat(close)? {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.eat(close)? {
                return Ok(out);
            }
            if !self.eat(",")? {
                return self.unexpected(&format!("`,` or `{close}`"));
            }
        }
    }
}
