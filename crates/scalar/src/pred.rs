//! Predicates: the tests that guards of expressions are made of.

use tilewright_tensor::ix::Ix;

/// A predicate over axes and symbols (and gathered elements); guards are conjunctions of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pred {
    /// The expression is at least zero.
    Ge0(Ix),
    /// The expression is zero.
    Eq0(Ix),
}

impl Pred {
    /// `0 <= ix`.
    pub fn at_least_zero(ix: Ix) -> Self {
        Self::Ge0(ix)
    }

    /// `a < b`.
    pub fn less(a: &Ix, b: &Ix) -> Self {
        Self::Ge0(&(b - a) - &Ix::konst(1))
    }

    /// `0 <= ix < size`.
    pub fn within(ix: &Ix, size: &Ix) -> [Self; 2] {
        [Self::Ge0(ix.clone()), Self::less(ix, size)]
    }

    /// The expression tested.
    pub fn ix(&self) -> &Ix {
        match self {
            Self::Ge0(e) | Self::Eq0(e) => e,
        }
    }

    /// The same test of a rewritten expression.
    pub fn map(&self, f: &dyn Fn(&Ix) -> Ix) -> Self {
        match self {
            Self::Ge0(e) => Self::Ge0(f(e)),
            Self::Eq0(e) => Self::Eq0(f(e)),
        }
    }

    /// Whether the test holds for a value of the expression.
    pub fn holds(&self, value: i64) -> bool {
        match self {
            Self::Ge0(_) => value >= 0,
            Self::Eq0(_) => value == 0,
        }
    }

    /// The outcome where it is the same over all axes (`axis a in 0..extents[a]`) and symbols.
    pub fn decide(&self, extents: &[Ix]) -> Option<bool> {
        match self {
            Self::Ge0(e) => e.ge0(extents),
            Self::Eq0(e) => {
                if e.is(0) {
                    return Some(true);
                }
                let (low, high) = (e - &Ix::konst(1), Ix::konst(-1) - e);
                let apart = low.ge0(extents) == Some(true) || high.ge0(extents) == Some(true);
                apart.then_some(false)
            }
        }
    }
}
