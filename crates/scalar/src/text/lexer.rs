//! Tokens of text forms, one at a time.

use tilewright_support::{Diagnostic, Result};

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token<'t> {
    /// A plain word.
    Word(&'t str),
    /// An unsigned decimal number.
    Number(&'t str),
    /// The digits after `0x`.
    Hex(&'t str),
    /// A string, unescaped.
    Text(String),
    /// Punctuation.
    Punct(&'static str),
    /// The end of the text.
    End,
}

/// Punctuation, longer before shorter.
const PUNCT: [&str; 23] = [
    "...", "==", "<=", "<-", "%", "$", "(", ")", "[", "]", "{", "}", ":", ",", ";", "|", "=", "+", "-", "*", "/", "@",
    "?",
];

/// A text and a place in it.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token and where it starts.
    pub(super) fn next(&mut self) -> Result<(Token<'t>, usize)> {
        self.skip_blank();
        let start = self.at;
        let rest = &self.text[start..];
        let token = match rest.as_bytes() {
            [] => Token::End,
            [b'"', ..] => return self.string(start).map(|t| (t, start)),
            [b'0', b'x', ..] => {
                self.at += 2;
                Token::Hex(self.take_while(|b| b.is_ascii_hexdigit()))
            }
            [b'0'..=b'9', ..] => self.number(),
            [b, ..] if b.is_ascii_alphabetic() || *b == b'_' => {
                Token::Word(self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.'))
            }
            _ => match PUNCT.iter().find(|p| rest.starts_with(**p)) {
                Some(p) => {
                    self.at += p.len();
                    Token::Punct(p)
                }
                None => {
                    let c = rest.chars().next().unwrap_or(' ');
                    return Err(self.error(start, &format!("unexpected character {c:?}")));
                }
            },
        };
        Ok((token, start))
    }

    /// An error at a place: `line 3, column 7: message`.
    pub(super) fn error(&self, at: usize, message: &str) -> Box<Diagnostic> {
        let before = &self.text[..at];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
        Diagnostic::invalid(format!("line {line}, column {column}: {message}"))
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(|b| b.is_ascii_whitespace());
            if !self.text[self.at..].starts_with("//") {
                return;
            }
            self.take_while(|b| b != b'\n');
        }
    }

    fn take_while(&mut self, f: impl Fn(u8) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.bytes().position(|b| !f(b)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Digits, a fraction, an exponent.
    fn number(&mut self) -> Token<'t> {
        let start = self.at;
        self.take_while(|b| b.is_ascii_digit());
        let rest = &self.text.as_bytes()[self.at..];
        if matches!(rest, [b'.', b'0'..=b'9', ..]) {
            self.at += 1;
            self.take_while(|b| b.is_ascii_digit());
        }
        let rest = &self.text.as_bytes()[self.at..];
        let sign = matches!(rest, [b'e', b'+' | b'-', ..]) as usize;
        if rest.first() == Some(&b'e') && rest.get(1 + sign).is_some_and(u8::is_ascii_digit) {
            self.at += 1 + sign;
            self.take_while(|b| b.is_ascii_digit());
        }
        Token::Number(&self.text[start..self.at])
    }

    /// A string with the escapes that Rust's debug form prints.
    fn string(&mut self, start: usize) -> Result<Token<'t>> {
        let mut out = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((i, c)) = chars.next() {
            let escape = match c {
                '"' => {
                    self.at = start + 1 + i + 1;
                    return Ok(Token::Text(out));
                }
                '\\' => chars.next().map(|(_, c)| c),
                _ => {
                    out.push(c);
                    continue;
                }
            };
            let unescaped = match escape {
                Some('n') => Some('\n'),
                Some('r') => Some('\r'),
                Some('t') => Some('\t'),
                Some('0') => Some('\0'),
                Some(c @ ('"' | '\\' | '\'')) => Some(c),
                Some('u') => {
                    let digits: String = chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}').take(8).collect();
                    let code = digits.strip_prefix('{').and_then(|d| u32::from_str_radix(d, 16).ok());
                    code.and_then(char::from_u32)
                }
                _ => None,
            };
            out.push(unescaped.ok_or_else(|| self.error(start + 1 + i, "unknown escape in a string"))?);
        }
        Err(self.error(start, "a string without an end"))
    }
}
