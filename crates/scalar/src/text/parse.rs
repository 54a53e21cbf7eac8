//! Reads expressions and indices.

use super::lexer::Token;
use super::literal::bits_of;
use super::reader::Parser;
use crate::{Func, Overflow, Pred, Scalar};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The longest path through an expression, and the most terms of an index.
const MAX_DEPTH: usize = 2000;
const MAX_TERMS: usize = 256;

/// What names mean in an expression.
pub struct Names<'a> {
    /// The names of axes.
    pub axes: Vec<String>,
    /// The dtypes of operands; none of what is no tensor.
    pub operands: &'a [Option<DType>],
}

/// Sizes see neither axes nor operands.
const NO_NAMES: Names<'static> = Names { axes: Vec::new(), operands: &[] };

/// An expression and the length of its longest path.
type Deep = (Scalar, usize);

impl Parser<'_> {
    /// An expression.
    pub fn expression(&mut self, scope: &Names<'_>) -> Result<Scalar> {
        self.guards(scope).map(|found| found.0)
    }

    /// Guards, right to left: `a where (p) else b where (q) else c`.
    fn guards(&mut self, scope: &Names<'_>) -> Result<Deep> {
        let mut arms = Vec::new();
        let mut last = loop {
            let value = self.sum(scope)?;
            if !self.eat_word("where")? {
                break value;
            }
            self.expect("(")?;
            let preds = self.list(")", &mut |p| p.pred(scope))?;
            self.word_is("else")?;
            arms.push((preds, value));
        };
        for (preds, (then, depth)) in arms.into_iter().rev() {
            let depth = self.deeper(depth.max(last.1))?;
            last = (Scalar::guarded(preds, then, last.0), depth);
        }
        Ok(last)
    }

    fn deeper(&self, depth: usize) -> Result<usize> {
        if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(self.error(self.start(), "the expression is too deep")) }
    }

    fn pred(&mut self, scope: &Names<'_>) -> Result<Pred> {
        if !matches!(self.token, Token::Number("0")) {
            return self.unexpected("`0 <=` or `0 ==`");
        }
        self.advance()?;
        if self.eat("<=")? {
            return self.index(scope).map(Pred::Ge0);
        }
        self.expect("==")?;
        self.index(scope).map(Pred::Eq0)
    }

    fn sum(&mut self, scope: &Names<'_>) -> Result<Deep> {
        self.infix(scope, &[("+", Func::Add), ("-", Func::Sub)], Self::product)
    }

    fn product(&mut self, scope: &Names<'_>) -> Result<Deep> {
        self.infix(scope, &[("*", Func::Mul), ("/", Func::Div)], Self::single)
    }

    fn infix(
        &mut self,
        scope: &Names<'_>,
        functions: &[(&str, Func)],
        operand: fn(&mut Self, &Names<'_>) -> Result<Deep>,
    ) -> Result<Deep> {
        let mut left = operand(self, scope)?;
        'more: loop {
            for (sign, f) in functions {
                let start = self.start();
                if self.eat(sign)? {
                    let right = operand(self, scope)?;
                    left = self.apply(*f, vec![left, right], start)?;
                    continue 'more;
                }
            }
            return Ok(left);
        }
    }

    fn apply(&self, f: Func, args: Vec<Deep>, start: usize) -> Result<Deep> {
        let depth = self.deeper(args.iter().map(|a| a.1).max().unwrap_or(0))?;
        let args: Vec<Scalar> = args.into_iter().map(|a| a.0).collect();
        f.check(&args).map_err(|e| self.error(start, &e.message))?;
        Ok((Scalar::call(f, args), depth))
    }

    /// A literal, a read, an index as a value, a function, or anything in parentheses.
    fn single(&mut self, scope: &Names<'_>) -> Result<Deep> {
        let start = self.start();
        if self.eat("(")? {
            let inner = self.nested(|p| p.guards(scope))?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("$")? {
            return self.read(scope, start).map(|s| (s, 1));
        }
        match self.token {
            Token::Word("index") => {
                self.advance()?;
                self.expect("(")?;
                let index = self.index(scope)?;
                self.expect(")")?;
                Ok((Scalar::index(index), 1))
            }
            Token::Word(word) if !matches!(word, "true" | "false" | "inf" | "NaN") => self.call(scope, word),
            _ => self.literal().map(|s| (s, 1)),
        }
    }

    fn read(&mut self, scope: &Names<'_>, start: usize) -> Result<Scalar> {
        let operand: u32 = self.integer()?;
        let Some(dtype) = scope.operands.get(operand as usize).copied().flatten() else {
            return Err(self.error(start, &format!("there is no tensor ${operand}")));
        };
        self.expect("[")?;
        Ok(Scalar::read(operand, dtype, self.list("]", &mut |p| p.index(scope))?))
    }

    fn call(&mut self, scope: &Names<'_>, word: &str) -> Result<Deep> {
        let start = self.start();
        let conversion = matches!(word, "cast" | "cast_special" | "bitcast");
        if !conversion && Func::named(word).is_none() {
            return self.unexpected("an expression");
        }
        self.advance()?;
        self.expect("(")?;
        let f = match word {
            "cast" => Func::Cast(self.converted()?, Overflow::Saturate),
            "cast_special" => Func::Cast(self.converted()?, Overflow::Special),
            "bitcast" => Func::Bitcast(self.converted()?),
            _ => match Func::named(word) {
                Some(f) => f,
                None => return self.unexpected("a function"),
            },
        };
        let args = self.nested(|p| p.list(")", &mut |p| p.guards(scope)))?;
        self.apply(f, args, start)
    }

    /// The dtype of a conversion and a comma.
    fn converted(&mut self) -> Result<DType> {
        let to = self.dtype()?;
        self.expect(",")?;
        Ok(to)
    }

    fn literal(&mut self) -> Result<Scalar> {
        let start = self.start();
        if let Some(text) = self.eat_text()? {
            return match text.is_empty() {
                true => Ok(Scalar::int(DType::String, 0)),
                false => Err(self.error(start, "the only literal string is the empty one")),
            };
        }
        if let Some(digits) = self.eat_hex()? {
            self.expect(":")?;
            let dtype = self.dtype()?;
            let bits = u64::from_str_radix(digits, 16).map_err(|_| self.error(start, "bits are out of range"))?;
            return Ok(Scalar::from_bits(dtype, bits));
        }
        let text = match self.token {
            Token::Number(_) | Token::Word(_) | Token::Punct("-") => self.number_text()?,
            _ => return self.unexpected("an expression"),
        };
        let dtype = if matches!(&*text, "true" | "false") {
            DType::Bool
        } else {
            self.expect(":")?;
            self.dtype()?
        };
        let bits = bits_of(dtype, &text).ok_or_else(|| self.error(start, &format!("{text} is no {dtype}")))?;
        Ok(Scalar::from_bits(dtype, bits))
    }

    /// An index without axes.
    pub fn size(&mut self) -> Result<Ix> {
        self.index(&NO_NAMES)
    }

    /// An index.
    pub fn index(&mut self, scope: &Names<'_>) -> Result<Ix> {
        self.nested(|p| {
            let mut negative = p.eat("-")?;
            let mut sum = Ix::zero();
            for _ in 0..MAX_TERMS {
                let term = p.term(scope, negative)?;
                sum = p.followed(sum + term)?;
                negative = match p.token {
                    Token::Punct("+") => false,
                    Token::Punct("-") => true,
                    _ => return Ok(sum),
                };
                p.advance()?;
            }
            Err(p.error(p.start(), "the index has too many terms"))
        })
    }

    fn followed(&self, index: Ix) -> Result<Ix> {
        if index.is_intricate() { Err(self.error(self.start(), "the index has too many terms")) } else { Ok(index) }
    }

    /// `3`, `3*i*j` or `i*j`, under a sign.
    fn term(&mut self, scope: &Names<'_>, negative: bool) -> Result<Ix> {
        let sign = if negative { -1 } else { 1 };
        let mut product = match self.token {
            Token::Number(digits) => {
                let value = digits.parse::<i128>().ok().and_then(|c| i64::try_from(sign * c).ok());
                let value = value.ok_or_else(|| self.error(self.start(), &format!("{digits} is no 64-bit integer")))?;
                self.advance()?;
                Ix::konst(value)
            }
            _ => self.atom(scope)? * sign as i64,
        };
        for _ in 0..MAX_TERMS {
            if !self.eat("*")? {
                return Ok(product);
            }
            let factor = self.atom(scope)?;
            product = self.followed(product * factor)?;
        }
        Err(self.error(self.start(), "the product has too many factors"))
    }

    fn atom(&mut self, scope: &Names<'_>) -> Result<Ix> {
        if self.eat("?")? {
            return Ok(Ix::sym("?"));
        }
        if let Some(name) = self.eat_text()? {
            return Ok(Ix::sym(name));
        }
        if self.eat("$")? {
            let operand = self.integer()?;
            self.expect("[")?;
            return Ok(Ix::load(operand, self.list("]", &mut |p| p.index(scope))?));
        }
        let start = self.start();
        let word = self.word("an index")?;
        if !self.eat("(")? {
            let axis = scope.axes.iter().position(|a| a == word);
            return Ok(axis.map_or_else(|| Ix::sym(word), |a| Ix::axis(a as u32)));
        }
        let a = self.index(scope)?;
        self.expect(",")?;
        let b = self.index(scope)?;
        self.expect(")")?;
        match word {
            "div" => Ok(a.floor_div(&b)),
            "mod" => Ok(a.modulo(&b)),
            "min" => Ok(a.min_with(&b)),
            "max" => Ok(a.max_with(&b)),
            _ => Err(self.error(start, &format!("no function of indices is called `{word}`"))),
        }
    }
}
