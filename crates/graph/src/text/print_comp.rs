//! Comprehensions and expressions as text.

use super::literal::literal;
use super::{is_word, print::quoted};
use crate::comp::{Combiner, Comp, Role};
use crate::op::Scatter;
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::Func;
use std::fmt::{self, Display};
use std::sync::Arc;
use tilewright_tensor::ix::{Ix, Names, Sym};

/// A symbol: quoted where it is no plain word.
pub(super) fn symbol(name: &str) -> String {
    if is_word(name) || name == "?" { name.to_string() } else { quoted(name) }
}

/// The names of the axes in scope, each once.
#[derive(Default)]
pub(super) struct Scope(Vec<String>);

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
pub(super) struct Shown<'a>(pub &'a Ix, pub &'a Scope);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}

/// Precedence, loosest first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Guard,
    Sum,
    Product,
    Single,
}

impl Scope {
    fn new<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> Self {
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
    pub(super) fn indices(&self, index: &[Ix]) -> String {
        index.iter().map(|e| Shown(e, self).to_string()).collect::<Vec<_>>().join(", ")
    }

    /// `i:4`, or `i_1 "i":4` for the second axis called `i`.
    fn axis_with_extent(&self, a: usize, name: &str, extent: &Ix) -> String {
        let unique = &self.0[a];
        let own = if unique == name { String::new() } else { format!(" {}", quoted(name)) };
        format!("{unique}{own}:{}", Shown(extent, self))
    }

    fn scalar(&self, s: &Scalar, level: Level, out: &mut String) {
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

/// `{ i:N, j:64 | sum k:768 : $0[i, k] * $1[k, j] }`.
pub(super) fn comp(c: &Comp) -> String {
    let scope = Scope::new(c.axes.iter().map(|a| &a.name));
    let axes = c.axes.iter().enumerate().map(|(i, a)| {
        let role = match a.role {
            Role::Scan { reverse, exclusive } => {
                format!(" scan{}{}", if reverse { " reverse" } else { "" }, if exclusive { " exclusive" } else { "" })
            }
            _ => String::new(),
        };
        scope.axis_with_extent(i, &a.name, &a.extent) + &role
    });
    let axes: Vec<String> = axes.collect();
    let (parallel, reduced) = axes.split_at(c.rank());
    let mut out = format!("{{ {} ", parallel.join(", "));
    if c.combiner != Combiner::Map || !reduced.is_empty() {
        let space = if reduced.is_empty() { "" } else { " " };
        out.push_str(&format!("| {}{space}{} ", c.combiner.name(), reduced.join(", ")));
    }
    out.push_str(": ");
    scope.scalar(&c.body, Level::Guard, &mut out);
    for check in &c.checks {
        let (left, right) = (Shown(&check.left, &scope), Shown(&check.right, &scope));
        out.push_str(&format!(" ; {left} == {right} {}", quoted(&check.about)));
    }
    out + " }"
}

/// `{ i:4, j:3 : out[$1[i], j] <- $2[i, j] }`.
pub(super) fn scatter(s: &Scatter) -> String {
    let scope = Scope::new(s.axes.iter().map(|(name, _)| name));
    let axes = s.axes.iter().enumerate().map(|(i, (name, extent))| scope.axis_with_extent(i, name, extent));
    let axes = axes.collect::<Vec<_>>().join(", ");
    let mut out = format!("{{ {axes} : out[{}] <- ", scope.indices(&s.index));
    scope.scalar(&s.body, Level::Guard, &mut out);
    out + " }"
}

impl Display for Comp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&comp(self))
    }
}
