//! The factors of which terms are made.

use super::{Ix, Sym};

/// One factor of a term.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A run-time size.
    Sym(Sym),
    /// An axis of the comprehension that the expression stands in, by position.
    Axis(u32),
    /// Floor division by an axis-free, positive divisor.
    Div(Ix, Ix),
    /// Remainder of [`Atom::Div`], in `0..divisor`.
    Mod(Ix, Ix),
    /// The smaller of two.
    Min(Ix, Ix),
    /// The larger of two.
    Max(Ix, Ix),
    /// An element of an integer operand of the comprehension, by operand position.
    Load(u32, Vec<Ix>),
}

impl Atom {
    /// Whether the value is a size: at least zero whatever the symbols are, and free of axes.
    pub(super) fn is_size(&self) -> bool {
        match self {
            Self::Sym(_) => true,
            Self::Axis(_) | Self::Load(..) => false,
            Self::Div(e, _) => e.is_size(),
            Self::Mod(e, k) => e.is_dim() && k.is_dim(),
            Self::Min(a, b) => a.is_size() && b.is_size(),
            Self::Max(a, b) => a.is_dim() && b.is_dim() && (a.is_size() || b.is_size()),
        }
    }

    /// The atoms of its parts.
    pub(super) fn weight(&self) -> u32 {
        let mut sum = 0u32;
        self.parts(&mut |ix| sum = sum.saturating_add(ix.weight));
        sum
    }

    pub(super) fn parts(&self, f: &mut dyn FnMut(&Ix)) {
        match self {
            Self::Sym(_) | Self::Axis(_) => {}
            Self::Div(a, b) | Self::Mod(a, b) | Self::Min(a, b) | Self::Max(a, b) => {
                f(a);
                f(b);
            }
            Self::Load(_, ix) => ix.iter().for_each(f),
        }
    }

    pub(super) fn uses(&self, axis: u32) -> bool {
        let mut found = *self == Self::Axis(axis);
        self.parts(&mut |ix| found |= ix.uses_axis(axis));
        found
    }

    pub(super) fn rebuild(&self, f: &dyn Fn(&Atom) -> Option<Ix>) -> Ix {
        match self {
            Self::Sym(_) | Self::Axis(_) => Ix::atom(self.clone()),
            Self::Div(a, b) => a.subst(f).floor_div(&b.subst(f)),
            Self::Mod(a, b) => a.subst(f).modulo(&b.subst(f)),
            Self::Min(a, b) => a.subst(f).min_with(&b.subst(f)),
            Self::Max(a, b) => a.subst(f).max_with(&b.subst(f)),
            Self::Load(o, ix) => Ix::load(*o, ix.iter().map(|i| i.subst(f)).collect()),
        }
    }

    pub(super) fn range(&self, extents: &[Ix]) -> Option<(Ix, Ix)> {
        let one = Ix::konst(1);
        match self {
            Self::Sym(_) => Some((Ix::atom(self.clone()), Ix::atom(self.clone()))),
            Self::Axis(a) => Some((Ix::zero(), extents.get(*a as usize)? - &one)),
            Self::Div(e, k) => e.range(extents).map(|(l, h)| (l.floor_div(k), h.floor_div(k))),
            Self::Mod(_, k) => Some((Ix::zero(), k - &one)),
            Self::Min(a, b) => {
                let ((al, ah), (bl, bh)) = (a.range(extents)?, b.range(extents)?);
                Some((al.min_with(&bl), ah.min_with(&bh)))
            }
            Self::Max(a, b) => {
                let ((al, ah), (bl, bh)) = (a.range(extents)?, b.range(extents)?);
                Some((al.max_with(&bl), ah.max_with(&bh)))
            }
            Self::Load(..) => None,
        }
    }

    /// The value of this atom; `leaf` gives symbols, axes and operand elements.
    pub(super) fn eval(&self, leaf: &dyn Fn(&Atom) -> Option<i64>) -> Option<i64> {
        match self {
            Self::Sym(_) | Self::Axis(_) | Self::Load(..) => leaf(self),
            Self::Div(a, b) => {
                let (a, b) = (a.eval(leaf)?, b.eval(leaf)?);
                Some(if b == 0 { 0 } else { a.checked_div_euclid(b).unwrap_or(i64::MAX) })
            }
            Self::Mod(a, b) => {
                let (a, b) = (a.eval(leaf)?, b.eval(leaf)?);
                Some(if b == 0 { 0 } else { a.checked_rem_euclid(b).unwrap_or(0) })
            }
            Self::Min(a, b) => Some(a.eval(leaf)?.min(b.eval(leaf)?)),
            Self::Max(a, b) => Some(a.eval(leaf)?.max(b.eval(leaf)?)),
        }
    }
}
