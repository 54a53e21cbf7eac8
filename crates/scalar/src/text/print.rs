//! Expressions and indices as text.

use super::literal::literal;
use crate::{Func, Kind, Pred, Scalar};
use std::fmt::{self, Display};
use std::sync::Arc;
use tilewright_tensor::ix::{Ix, Names, Sym};

/// A string with quotes and escapes.
pub fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// Whether a name needs no quotes.
pub fn is_word(name: &str) -> bool {
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// A symbol: quoted where it is no plain word.
pub fn symbol(name: &str) -> String {
    if is_word(name) || name == "?" { name.to_string() } else { quoted(name) }
}

/// The names of the axes in scope, each once.
#[derive(Default)]
pub struct Scope(Vec<String>);

impl Names for Scope {
    fn axis(&self, a: u32) -> String {
        self.0.get(a as usize).cloned().unwrap_or_else(|| format!("#{a}"))
    }
    fn operand(&self, o: u32) -> String {
        format!("${o}")
    }
    fn sym(&self, s: &Sym) -> String {
        if self.0.iter().any(|a| **a == **s) { quoted(s) } else { symbol(s) }
    }
}

/// An index as text.
pub struct Shown<'a>(pub &'a Ix, pub &'a Scope);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}

/// Characters of an expression from which on parts are left out: what is shared is written at each place.
const LONGEST: usize = 1 << 22;

/// Precedence, loosest first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Guard,
    Sum,
    Product,
    Single,
}

impl Scope {
    /// Names made unique; axes whose names are no words are called `a`.
    pub fn new<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> Self {
        let mut scope = Self::default();
        for name in names {
            let base = if is_word(name) { name.to_string() } else { "a".to_string() };
            let mut unique = base.clone();
            let mut n = 0;
            while scope.0.contains(&unique) {
                n += 1;
                unique = format!("{base}_{n}");
            }
            scope.0.push(unique);
        }
        scope
    }

    /// Indices separated by commas.
    pub fn indices(&self, index: &[Ix]) -> String {
        index.iter().map(|e| Shown(e, self).to_string()).collect::<Vec<_>>().join(", ")
    }

    /// What stands for an axis, followed by its name where that differs: `i_1 "i"`.
    pub fn declared(&self, axis: u32, name: &str) -> String {
        let unique = self.axis(axis);
        if unique == name { unique } else { format!("{unique} {}", quoted(name)) }
    }

    /// An expression as text. What shares so much that it were longer than a few million characters is left out.
    pub fn expression(&self, s: &Scalar) -> String {
        let mut out = String::new();
        self.scalar(s, Level::Guard, &mut out);
        out
    }

    fn scalar(&self, s: &Scalar, level: Level, out: &mut String) {
        if out.len() > LONGEST {
            return out.push_str("...");
        }
        let own = match s.kind() {
            Kind::Where(..) => Level::Guard,
            Kind::Call(Func::Add | Func::Sub, _) => Level::Sum,
            Kind::Call(Func::Mul | Func::Div, _) => Level::Product,
            _ => Level::Single,
        };
        let (open, close) = if own < level { ("(", ")") } else { ("", "") };
        out.push_str(open);
        match s.kind() {
            Kind::Const(bits) => out.push_str(&literal(s.dtype(), *bits)),
            Kind::Index(e) => out.push_str(&format!("index({})", Shown(e, self))),
            Kind::Read(o, index) => out.push_str(&format!("${o}[{}]", self.indices(index))),
            Kind::Call(f, args) => self.call(*f, args, out),
            Kind::Where(preds, then, otherwise) => {
                self.scalar(then, Level::Sum, out);
                let preds: Vec<String> = preds.iter().map(|p| self.pred(p)).collect();
                out.push_str(&format!(" where ({}) else ", preds.join(", ")));
                self.scalar(otherwise, Level::Guard, out);
            }
        }
        out.push_str(close);
    }

    fn call(&self, f: Func, args: &[Scalar], out: &mut String) {
        let infix = match f {
            Func::Add => Some((" + ", Level::Sum, Level::Product)),
            Func::Sub => Some((" - ", Level::Sum, Level::Product)),
            Func::Mul => Some((" * ", Level::Product, Level::Single)),
            Func::Div => Some((" / ", Level::Product, Level::Single)),
            _ => None,
        };
        if let (Some((sign, left, right)), [a, b]) = (infix, args) {
            self.scalar(a, left, out);
            out.push_str(sign);
            return self.scalar(b, right, out);
        }
        out.push_str(f.name());
        out.push('(');
        if let Func::Cast(to, _) | Func::Bitcast(to) = f {
            out.push_str(&format!("{to}, "));
        }
        for (i, a) in args.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            self.scalar(a, Level::Guard, out);
        }
        out.push(')');
    }

    fn pred(&self, p: &Pred) -> String {
        let sign = if matches!(p, Pred::Ge0(_)) { "<=" } else { "==" };
        format!("0 {sign} {}", Shown(p.ix(), self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_tensor::DType;

    #[test]
    fn what_shares_much_is_cut_short() {
        let read = Scalar::read(0, DType::F32, vec![Ix::axis(0)]);
        let text = |n| Scope::default().expression(&(0..n).fold(read.clone(), |x, _| &x * &x));
        assert!(!text(16).contains("..."));
        let long = text(60);
        assert!(long.contains("...") && long.len() < LONGEST + 1000, "{}", long.len());
    }
}
