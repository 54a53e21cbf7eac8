//! Expressions as text.

use super::{Atom, Ix, Sym};
use std::fmt;

impl Ix {
    /// Writes the expression with axes named by `axis` and operands by `operand`.
    pub fn write(&self, f: &mut fmt::Formatter<'_>, names: &dyn Names) -> fmt::Result {
        if self.terms.is_empty() {
            return write!(f, "0");
        }
        let constants = self.terms.iter().filter(|(m, _)| m.is_empty());
        for (i, (m, c)) in self.terms.iter().filter(|(m, _)| !m.is_empty()).chain(constants).enumerate() {
            match (i, *c < 0) {
                (0, true) => write!(f, "-")?,
                (0, false) => {}
                (_, true) => write!(f, " - ")?,
                (_, false) => write!(f, " + ")?,
            }
            let size = c.unsigned_abs();
            if m.is_empty() || size != 1 {
                write!(f, "{size}")?;
            }
            for (k, a) in m.iter().enumerate() {
                if k > 0 || size != 1 {
                    write!(f, "*")?;
                }
                a.write(f, names)?;
            }
        }
        Ok(())
    }
}

impl Atom {
    fn write(&self, f: &mut fmt::Formatter<'_>, names: &dyn Names) -> fmt::Result {
        let pair = |f: &mut fmt::Formatter<'_>, open: &str, a: &Ix, mid: &str, b: &Ix, close: &str| {
            write!(f, "{open}")?;
            a.write(f, names)?;
            write!(f, "{mid}")?;
            b.write(f, names)?;
            write!(f, "{close}")
        };
        match self {
            Self::Sym(s) => write!(f, "{}", names.sym(s)),
            Self::Axis(a) => write!(f, "{}", names.axis(*a)),
            Self::Div(a, b) => pair(f, "div(", a, ", ", b, ")"),
            Self::Mod(a, b) => pair(f, "mod(", a, ", ", b, ")"),
            Self::Min(a, b) => pair(f, "min(", a, ", ", b, ")"),
            Self::Max(a, b) => pair(f, "max(", a, ", ", b, ")"),
            Self::Load(o, index) => {
                write!(f, "{}[", names.operand(*o))?;
                for (i, ix) in index.iter().enumerate() {
                    write!(f, "{}", if i > 0 { ", " } else { "" })?;
                    ix.write(f, names)?;
                }
                write!(f, "]")
            }
        }
    }
}

/// How axes and operands are called in printed expressions.
pub trait Names {
    /// The name of axis `a`.
    fn axis(&self, a: u32) -> String;
    /// The name of operand `o`.
    fn operand(&self, o: u32) -> String;
    /// The name of a symbol.
    fn sym(&self, s: &Sym) -> String {
        s.to_string()
    }
}

/// Axes as `#0`, operands as `$0`.
pub struct Positions;

impl Names for Positions {
    fn axis(&self, a: u32) -> String {
        format!("#{a}")
    }
    fn operand(&self, o: u32) -> String {
        format!("${o}")
    }
}

impl fmt::Display for Ix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &Positions)
    }
}
/// Prints a shape as `[N, 3, 224]`.
pub fn show_shape(shape: &[Ix]) -> String {
    let dims: Vec<String> = shape.iter().map(Ix::to_string).collect();
    format!("[{}]", dims.join(", "))
}
