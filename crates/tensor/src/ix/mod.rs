//! The one algebra of dims and indices: canonical polynomials with integer coefficients.
//!
//! An [`Ix`] is a sum of `coefficient * product of atoms`; an atom is a symbol, an axis of a
//! comprehension, a floor division or remainder, a minimum or maximum, or an element of an operand
//! (a gather). A dim is an `Ix` without axes. Equal expressions are equal values as far as the
//! constructors can see, so they *are* the simplifier:
//!
//! - division and remainder by `k` move out multiples of `k`;
//! - `c*k*(e/k) + c*(e%k)` joins to `c*e`;
//! - what is constant is computed.
//!
//! Arithmetic saturates at the range of `i64`; a size that large is refused where it is used.
//! Symbols stand for sizes: they are at least zero.

mod arithmetic;
mod atom;
mod show;
#[cfg(test)]
mod tests;

pub use atom::Atom;
pub use show::{Names, Positions, show_shape};

use arithmetic::join;
use std::sync::Arc;

/// A named size that is known only when a model runs.
pub type Sym = Arc<str>;

/// A product of atoms, sorted; empty for a constant term.
type Mono = Vec<Atom>;

/// A canonical polynomial over [`Atom`]s.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ix {
    terms: Arc<[(Mono, i64)]>,
    /// The number of atoms written out, nested ones too.
    weight: u32,
}

/// An expression of more atoms than this becomes [`Ix::intricate`].
const HEAVIEST: u32 = 2048;

/// The sizes of a tensor's axes.
pub type Shape = Vec<Ix>;

fn saturate(x: i128) -> i64 {
    x.clamp(i64::MIN as i128, i64::MAX as i128) as i64
}

impl Ix {
    /// The constant `c`.
    pub fn konst(c: i64) -> Self {
        let terms = if c == 0 { Arc::from([]) } else { Arc::from([(Vec::new(), c)]) };
        Self { terms, weight: 0 }
    }

    /// What stands for every expression that is too long to follow: a symbol that nothing binds.
    pub fn intricate() -> Self {
        Self::sym("too long an expression of sizes")
    }

    /// Whether [`Ix::intricate`] occurs in it.
    pub fn is_intricate(&self) -> bool {
        let too_long = Self::intricate();
        let mut found = *self == too_long;
        self.visit(&mut |a| found |= too_long.terms[0].0[0] == *a);
        found
    }

    /// Zero.
    pub fn zero() -> Self {
        Self::konst(0)
    }

    /// The symbol `name`.
    pub fn sym(name: impl Into<Sym>) -> Self {
        Self::atom(Atom::Sym(name.into()))
    }

    /// Axis number `a`.
    pub fn axis(a: u32) -> Self {
        Self::atom(Atom::Axis(a))
    }

    /// An element of integer operand `operand`.
    pub fn load(operand: u32, index: Vec<Ix>) -> Self {
        Self::atom(Atom::Load(operand, index))
    }

    /// A single atom.
    pub fn atom(a: Atom) -> Self {
        Self::of(vec![(vec![a], 1)])
    }

    /// The terms, sorted: each a product of atoms and its coefficient.
    pub fn terms(&self) -> &[(Vec<Atom>, i64)] {
        &self.terms
    }

    /// The value, if this is a constant.
    pub fn as_const(&self) -> Option<i64> {
        match &*self.terms {
            [] => Some(0),
            [(m, c)] if m.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// Whether this is the constant `c`.
    pub fn is(&self, c: i64) -> bool {
        self.as_const() == Some(c)
    }

    /// The axis, if this is a bare axis.
    pub fn as_axis(&self) -> Option<u32> {
        match &*self.terms {
            [(m, 1)] => match m.as_slice() {
                [Atom::Axis(a)] => Some(*a),
                _ => None,
            },
            _ => None,
        }
    }

    /// The symbol, if this is a bare symbol.
    pub fn as_sym(&self) -> Option<&Sym> {
        match &*self.terms {
            [(m, 1)] => match m.as_slice() {
                [Atom::Sym(s)] => Some(s),
                _ => None,
            },
            _ => None,
        }
    }

    /// The constant term.
    pub fn constant_term(&self) -> i64 {
        self.terms.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c)
    }

    fn of(terms: Vec<(Mono, i64)>) -> Self {
        let atoms = terms.iter().flat_map(|(m, _)| m);
        let weight = atoms.fold(0u32, |sum, a| sum.saturating_add(1).saturating_add(a.weight()));
        if weight > HEAVIEST { Self::intricate() } else { Self { terms: terms.into(), weight } }
    }

    fn from_terms(mut terms: Vec<(Mono, i64)>) -> Self {
        if let [(m, c)] = &terms[..]
            && m.is_empty()
        {
            return Self::konst(*c);
        }
        loop {
            terms.sort();
            let mut merged: Vec<(Mono, i64)> = Vec::with_capacity(terms.len());
            for (m, c) in terms {
                match merged.last_mut() {
                    Some((last, sum)) if *last == m => *sum = saturate(*sum as i128 + c as i128),
                    _ => merged.push((m, c)),
                }
            }
            merged.retain(|(_, c)| *c != 0);
            match join(&merged) {
                Some(next) => terms = next,
                None => return Self::of(merged),
            }
        }
    }

    /// Rebuilds the expression with each atom replaced where `f` gives something.
    pub fn subst(&self, f: &dyn Fn(&Atom) -> Option<Ix>) -> Ix {
        match &self.terms[..] {
            [] => return self.clone(),
            [(m, 1)] if m.len() == 1 => return f(&m[0]).unwrap_or_else(|| m[0].rebuild(f)),
            [(m, _)] if m.is_empty() => return self.clone(),
            _ => {}
        }
        let mut sum: Vec<(Mono, i64)> = Vec::new();
        for (m, c) in self.terms.iter() {
            let mut product = Self::konst(*c);
            for a in m {
                let new = f(a).unwrap_or_else(|| a.rebuild(f));
                product = &product * &new;
            }
            sum.extend(product.terms.iter().cloned());
        }
        Self::from_terms(sum)
    }

    /// Replaces axis `a` by `axes[a]`.
    pub fn subst_axes(&self, axes: &[Ix]) -> Ix {
        if self.terms.iter().all(|(m, _)| m.is_empty()) {
            return self.clone();
        }
        self.subst(&|a| match a {
            Atom::Axis(i) => axes.get(*i as usize).cloned(),
            _ => None,
        })
    }

    /// Replaces the symbols that `f` knows.
    pub fn subst_syms(&self, f: &dyn Fn(&Sym) -> Option<Ix>) -> Ix {
        if self.terms.iter().all(|(m, _)| m.is_empty()) {
            return self.clone();
        }
        self.subst(&|a| match a {
            Atom::Sym(s) => f(s),
            _ => None,
        })
    }

    /// Visits every atom, also inside other atoms.
    pub fn visit(&self, f: &mut dyn FnMut(&Atom)) {
        for (m, _) in self.terms.iter() {
            for a in m {
                f(a);
                a.parts(&mut |ix| ix.visit(f));
            }
        }
    }

    /// Whether axis `a` occurs.
    pub fn uses_axis(&self, a: u32) -> bool {
        let mut found = false;
        self.visit(&mut |x| found |= *x == Atom::Axis(a));
        found
    }

    /// Whether any axis or operand element occurs; a dim has none.
    pub fn is_dim(&self) -> bool {
        let mut dim = true;
        self.visit(&mut |x| dim &= !matches!(x, Atom::Axis(_) | Atom::Load(..)));
        dim
    }

    /// All symbols that occur, in order of appearance, with repetitions.
    pub fn syms(&self) -> Vec<Sym> {
        let mut out = Vec::new();
        self.visit(&mut |x| {
            if let Atom::Sym(s) = x {
                out.push(s.clone());
            }
        });
        out
    }

    /// `self = coefficient * axis + rest` with a `rest` free of that axis, if it is so.
    pub fn affine_in(&self, axis: u32) -> Option<(i64, Ix)> {
        let (mut coefficient, mut rest) = (0, Vec::new());
        for (m, c) in self.terms.iter() {
            match m.as_slice() {
                [Atom::Axis(a)] if *a == axis => coefficient = *c,
                _ if m.iter().any(|a| a.uses(axis)) => return None,
                _ => rest.push((m.clone(), *c)),
            }
        }
        Some((coefficient, Self::from_terms(rest)))
    }

    /// Lower and upper bound (inclusive) over `axis a in 0..extents[a]`, as dims. `None` where an
    /// operand's element or a product of unknown sign stands in the way.
    pub fn range(&self, extents: &[Ix]) -> Option<(Ix, Ix)> {
        let (mut low, mut high) = (Self::zero(), Self::zero());
        for (m, c) in self.terms.iter() {
            let (mut l, mut h) = (Self::konst(1), Self::konst(1));
            for (i, a) in m.iter().enumerate() {
                let (al, ah) = a.range(extents)?;
                if i == 0 {
                    (l, h) = (al, ah);
                    continue;
                }
                if !l.is_size() || !al.is_size() {
                    return None;
                }
                (l, h) = (&l * &al, &h * &ah);
            }
            if *c < 0 {
                std::mem::swap(&mut l, &mut h);
            }
            let c = Self::konst(*c);
            (low, high) = (&low + &(&l * &c), &high + &(&h * &c));
        }
        Some((low, high))
    }

    /// Whether `self >= 0` over all axes and symbols: `Some(true)` proved, `Some(false)` refuted
    /// everywhere, `None` not decided.
    pub fn ge0(&self, extents: &[Ix]) -> Option<bool> {
        let (low, high) = self.range(extents)?;
        if low.is_size() {
            return Some(true);
        }
        let negative = &high + &Self::konst(1);
        matches!(negative.sign(), Some(0 | -1)).then_some(false)
    }

    /// Rebuilds the expression, dropping divisions and remainders whose argument fits `0..divisor`
    /// over the axes.
    pub fn simplify(&self, extents: &[Ix]) -> Ix {
        let nested = |m: &Mono| m.iter().any(|a| !matches!(a, Atom::Sym(_) | Atom::Axis(_)));
        if !self.terms.iter().any(|(m, _)| nested(m)) {
            return self.clone();
        }
        let fits = |e: &Ix, k: &Ix| {
            let below = &(k - &Self::konst(1)) - e;
            e.ge0(extents) == Some(true) && below.ge0(extents) == Some(true)
        };
        self.subst(&|a| match a {
            Atom::Div(e, k) => {
                let e = e.simplify(extents);
                Some(if fits(&e, k) { Self::zero() } else { e.floor_div(k) })
            }
            Atom::Mod(e, k) => {
                let e = e.simplify(extents);
                Some(if fits(&e, k) { e } else { e.modulo(k) })
            }
            Atom::Load(o, ix) => Some(Self::load(*o, ix.iter().map(|i| i.simplify(extents)).collect())),
            _ => None,
        })
    }

    /// The value when symbols and axes are known and no operand element occurs.
    pub fn eval(&self, atom: &dyn Fn(&Atom) -> Option<i64>) -> Option<i64> {
        let mut sum = 0i128;
        for (m, c) in self.terms.iter() {
            let mut product = *c as i128;
            for a in m {
                product = product.saturating_mul(a.eval(atom)? as i128);
            }
            sum = sum.saturating_add(product);
        }
        Some(saturate(sum))
    }
}

impl From<i64> for Ix {
    fn from(c: i64) -> Self {
        Self::konst(c)
    }
}

impl From<i32> for Ix {
    fn from(c: i32) -> Self {
        Self::konst(c.into())
    }
}

impl From<usize> for Ix {
    fn from(c: usize) -> Self {
        Self::konst(i64::try_from(c).unwrap_or(i64::MAX))
    }
}
/// The number of elements of a shape.
pub fn volume(shape: &[Ix]) -> Ix {
    shape.iter().fold(Ix::konst(1), |n, d| &n * d)
}
