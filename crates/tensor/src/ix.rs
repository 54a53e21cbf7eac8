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

use std::fmt;
use std::sync::Arc;

/// A named size that is known only when a model runs.
pub type Sym = Arc<str>;

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

/// A product of atoms, sorted; empty for a constant term.
type Mono = Vec<Atom>;

/// A canonical polynomial over [`Atom`]s.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ix(Arc<[(Mono, i64)]>);

/// The sizes of a tensor's axes.
pub type Shape = Vec<Ix>;

fn saturate(x: i128) -> i64 {
    x.clamp(i64::MIN as i128, i64::MAX as i128) as i64
}

impl Ix {
    /// The constant `c`.
    pub fn konst(c: i64) -> Self {
        if c == 0 { Self(Arc::from([])) } else { Self(Arc::from([(Vec::new(), c)])) }
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
        Self(Arc::from([(vec![a], 1)]))
    }

    /// The terms, sorted: each a product of atoms and its coefficient.
    pub fn terms(&self) -> &[(Vec<Atom>, i64)] {
        &self.0
    }

    /// The value, if this is a constant.
    pub fn as_const(&self) -> Option<i64> {
        match &*self.0 {
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
        match &*self.0 {
            [(m, 1)] => match m.as_slice() {
                [Atom::Axis(a)] => Some(*a),
                _ => None,
            },
            _ => None,
        }
    }

    /// The symbol, if this is a bare symbol.
    pub fn as_sym(&self) -> Option<&Sym> {
        match &*self.0 {
            [(m, 1)] => match m.as_slice() {
                [Atom::Sym(s)] => Some(s),
                _ => None,
            },
            _ => None,
        }
    }

    /// The constant term.
    pub fn constant_term(&self) -> i64 {
        self.0.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c)
    }

    fn from_terms(mut terms: Vec<(Mono, i64)>) -> Self {
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
                None => return Self(merged.into()),
            }
        }
    }

    /// `self / k`, rounded down. `k` must be positive and free of axes; division by zero gives zero.
    pub fn floor_div(&self, k: &Ix) -> Ix {
        if k.is(1) {
            return self.clone();
        }
        if k.is(0) {
            return Self::zero();
        }
        if let (Some(a), Some(b)) = (self.as_const(), k.as_const()) {
            return Self::konst(a.checked_div_euclid(b).unwrap_or(i64::MAX));
        }
        let (out, rest) = self.split_multiples(k);
        if rest.in_range_of(k) {
            return out;
        }
        &out + &Self::atom(Atom::Div(rest, k.clone()))
    }

    /// `self - k * (self / k)`, in `0..k`; by zero it gives zero.
    pub fn modulo(&self, k: &Ix) -> Ix {
        if k.is(1) || k.is(0) {
            return Self::zero();
        }
        if let (Some(a), Some(b)) = (self.as_const(), k.as_const()) {
            return Self::konst(a.checked_rem_euclid(b).unwrap_or(0));
        }
        let (_, rest) = self.split_multiples(k);
        if rest.in_range_of(k) {
            return rest;
        }
        Self::atom(Atom::Mod(rest, k.clone()))
    }

    /// `self / k`, rounded up.
    pub fn ceil_div(&self, k: &Ix) -> Ix {
        (self + &(k - &Self::konst(1))).floor_div(k)
    }

    /// The smaller of the two.
    pub fn min_with(&self, other: &Ix) -> Ix {
        match (self - other).sign() {
            Some(s) if s <= 0 => self.clone(),
            Some(_) => other.clone(),
            None => Self::ordered(self, other, Atom::Min),
        }
    }

    /// The larger of the two.
    pub fn max_with(&self, other: &Ix) -> Ix {
        match (self - other).sign() {
            Some(s) if s >= 0 => self.clone(),
            Some(_) => other.clone(),
            None => Self::ordered(self, other, Atom::Max),
        }
    }

    fn ordered(a: &Ix, b: &Ix, make: fn(Ix, Ix) -> Atom) -> Ix {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        Self::atom(make(a.clone(), b.clone()))
    }

    /// The sign where it is the same for all symbols (which are at least zero) and no axis occurs:
    /// `Some(1)` means at least zero, `Some(-1)` at most zero,
    /// `Some(0)` zero.
    fn sign(&self) -> Option<i32> {
        let symbolic = self.0.iter().all(|(m, _)| m.iter().all(Atom::is_size));
        if !symbolic {
            return None;
        }
        if self.0.is_empty() {
            Some(0)
        } else if self.0.iter().all(|(_, c)| *c >= 0) {
            Some(1)
        } else if self.0.iter().all(|(_, c)| *c <= 0) {
            Some(-1)
        } else {
            None
        }
    }

    /// Whether the value is at least zero whatever the symbols are, and free of axes.
    pub fn is_size(&self) -> bool {
        matches!(self.sign(), Some(0 | 1))
    }

    /// Whether `0 <= self < k` for constants.
    fn in_range_of(&self, k: &Ix) -> bool {
        match (self.as_const(), k.as_const()) {
            (Some(0), _) => true,
            (Some(a), Some(b)) => (0..b).contains(&a),
            _ => false,
        }
    }

    /// Splits `self = k * out + rest`; for a constant `k` the constant of `rest` lies in `0..k`.
    fn split_multiples(&self, k: &Ix) -> (Ix, Ix) {
        let [(km, kc)] = &*k.0 else { return (Self::zero(), self.clone()) };
        let (mut out, mut rest) = (Vec::new(), Vec::new());
        for (m, c) in self.0.iter() {
            match remove_factors(m, km) {
                Some(left) if c.checked_rem(*kc) == Some(0) => out.push((left, c / kc)),
                Some(left) if m.is_empty() => {
                    out.push((left, c.checked_div_euclid(*kc).unwrap_or(i64::MAX)));
                    rest.push((Vec::new(), c.checked_rem_euclid(*kc).unwrap_or(0)));
                }
                _ => rest.push((m.clone(), *c)),
            }
        }
        (Self::from_terms(out), Self::from_terms(rest))
    }

    /// Rebuilds the expression with each atom replaced where `f` gives something.
    pub fn subst(&self, f: &dyn Fn(&Atom) -> Option<Ix>) -> Ix {
        let mut sum: Vec<(Mono, i64)> = Vec::new();
        for (m, c) in self.0.iter() {
            let mut product = Self::konst(*c);
            for a in m {
                let new = f(a).unwrap_or_else(|| a.rebuild(f));
                product = &product * &new;
            }
            sum.extend(product.0.iter().cloned());
        }
        Self::from_terms(sum)
    }

    /// Replaces axis `a` by `axes[a]`.
    pub fn subst_axes(&self, axes: &[Ix]) -> Ix {
        if self.0.iter().all(|(m, _)| m.is_empty()) {
            return self.clone();
        }
        self.subst(&|a| match a {
            Atom::Axis(i) => axes.get(*i as usize).cloned(),
            _ => None,
        })
    }

    /// Replaces the symbols that `f` knows.
    pub fn subst_syms(&self, f: &dyn Fn(&Sym) -> Option<Ix>) -> Ix {
        if self.0.iter().all(|(m, _)| m.is_empty()) {
            return self.clone();
        }
        self.subst(&|a| match a {
            Atom::Sym(s) => f(s),
            _ => None,
        })
    }

    /// Visits every atom, also inside other atoms.
    pub fn visit(&self, f: &mut dyn FnMut(&Atom)) {
        for (m, _) in self.0.iter() {
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
        for (m, c) in self.0.iter() {
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
        for (m, c) in self.0.iter() {
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
        if !self.0.iter().any(|(m, _)| nested(m)) {
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
        for (m, c) in self.0.iter() {
            let mut product = *c as i128;
            for a in m {
                product = product.saturating_mul(a.eval(atom)? as i128);
            }
            sum = sum.saturating_add(product);
        }
        Some(saturate(sum))
    }

    /// Writes the expression with axes named by `axis` and operands by `operand`.
    pub fn write(&self, f: &mut fmt::Formatter<'_>, names: &dyn Names) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "0");
        }
        let constants = self.0.iter().filter(|(m, _)| m.is_empty());
        for (i, (m, c)) in self.0.iter().filter(|(m, _)| !m.is_empty()).chain(constants).enumerate() {
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

/// Takes the factors `remove` out of `from`; `None` when one is missing.
fn remove_factors(from: &Mono, remove: &Mono) -> Option<Mono> {
    let mut left = from.clone();
    for a in remove {
        let at = left.iter().position(|x| x == a)?;
        left.remove(at);
    }
    Some(left)
}

/// Finds one pair `c*k*(e/k) + c*(e%k)` and replaces it by `c*e`.
fn join(terms: &[(Mono, i64)]) -> Option<Vec<(Mono, i64)>> {
    for (i, (m, c)) in terms.iter().enumerate() {
        for (at, a) in m.iter().enumerate() {
            let Atom::Mod(e, k) = a else { continue };
            let [(km, kc)] = &*k.0 else { continue };
            let mut others = m.clone();
            others.remove(at);
            let mut partner = others.clone();
            partner.push(Atom::Div(e.clone(), k.clone()));
            partner.extend(km.iter().cloned());
            partner.sort();
            let wanted = saturate(*c as i128 * *kc as i128);
            let Some(j) = terms.iter().position(|(pm, pc)| *pm == partner && *pc == wanted) else { continue };
            let mut out: Vec<_> =
                terms.iter().enumerate().filter(|(n, _)| *n != i && *n != j).map(|(_, t)| t.clone()).collect();
            for (em, ec) in e.0.iter() {
                let mut product = others.clone();
                product.extend(em.iter().cloned());
                product.sort();
                out.push((product, saturate(*ec as i128 * *c as i128)));
            }
            return Some(out);
        }
    }
    None
}

impl Atom {
    /// Whether the value is a size: at least zero whatever the symbols are, and free of axes.
    fn is_size(&self) -> bool {
        match self {
            Self::Sym(_) => true,
            Self::Axis(_) | Self::Load(..) => false,
            Self::Div(e, _) => e.is_size(),
            Self::Mod(e, k) => e.is_dim() && k.is_dim(),
            Self::Min(a, b) => a.is_size() && b.is_size(),
            Self::Max(a, b) => a.is_dim() && b.is_dim() && (a.is_size() || b.is_size()),
        }
    }

    fn parts(&self, f: &mut dyn FnMut(&Ix)) {
        match self {
            Self::Sym(_) | Self::Axis(_) => {}
            Self::Div(a, b) | Self::Mod(a, b) | Self::Min(a, b) | Self::Max(a, b) => {
                f(a);
                f(b);
            }
            Self::Load(_, ix) => ix.iter().for_each(f),
        }
    }

    fn uses(&self, axis: u32) -> bool {
        let mut found = *self == Self::Axis(axis);
        self.parts(&mut |ix| found |= ix.uses_axis(axis));
        found
    }

    fn rebuild(&self, f: &dyn Fn(&Atom) -> Option<Ix>) -> Ix {
        match self {
            Self::Sym(_) | Self::Axis(_) => Ix::atom(self.clone()),
            Self::Div(a, b) => a.subst(f).floor_div(&b.subst(f)),
            Self::Mod(a, b) => a.subst(f).modulo(&b.subst(f)),
            Self::Min(a, b) => a.subst(f).min_with(&b.subst(f)),
            Self::Max(a, b) => a.subst(f).max_with(&b.subst(f)),
            Self::Load(o, ix) => Ix::load(*o, ix.iter().map(|i| i.subst(f)).collect()),
        }
    }

    fn range(&self, extents: &[Ix]) -> Option<(Ix, Ix)> {
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
    fn eval(&self, leaf: &dyn Fn(&Atom) -> Option<i64>) -> Option<i64> {
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

fn add(a: &Ix, b: &Ix, scale: i64) -> Ix {
    let scaled = b.0.iter().map(|(m, c)| (m.clone(), saturate(*c as i128 * scale as i128)));
    Ix::from_terms(a.0.iter().cloned().chain(scaled).collect())
}

fn mul(a: &Ix, b: &Ix) -> Ix {
    let mut terms = Vec::with_capacity(a.0.len() * b.0.len());
    for (am, ac) in a.0.iter() {
        for (bm, bc) in b.0.iter() {
            let mut m = am.clone();
            m.extend(bm.iter().cloned());
            m.sort();
            terms.push((m, saturate(*ac as i128 * *bc as i128)));
        }
    }
    Ix::from_terms(terms)
}

macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl std::ops::$trait<&Ix> for &Ix {
            type Output = Ix;
            fn $method(self, other: &Ix) -> Ix {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl std::ops::$trait<Ix> for Ix {
            type Output = Ix;
            fn $method(self, other: Ix) -> Ix {
                std::ops::$trait::$method(&self, &other)
            }
        }
        impl std::ops::$trait<&Ix> for Ix {
            type Output = Ix;
            fn $method(self, other: &Ix) -> Ix {
                std::ops::$trait::$method(&self, other)
            }
        }
        impl std::ops::$trait<i64> for Ix {
            type Output = Ix;
            fn $method(self, other: i64) -> Ix {
                std::ops::$trait::$method(&self, &Ix::konst(other))
            }
        }
        impl std::ops::$trait<i64> for &Ix {
            type Output = Ix;
            fn $method(self, other: i64) -> Ix {
                std::ops::$trait::$method(self, &Ix::konst(other))
            }
        }
    };
}
operator!(Add, add, |a, b| add(a, b, 1));
operator!(Sub, sub, |a, b| add(a, b, -1));
operator!(Mul, mul, |a, b| mul(a, b));

impl std::ops::Neg for Ix {
    type Output = Ix;
    fn neg(self) -> Ix {
        add(&Ix::zero(), &self, -1)
    }
}

/// The number of elements of a shape.
pub fn volume(shape: &[Ix]) -> Ix {
    shape.iter().fold(Ix::konst(1), |n, d| &n * d)
}

/// Prints a shape as `[N, 3, 224]`.
pub fn show_shape(shape: &[Ix]) -> String {
    let dims: Vec<String> = shape.iter().map(Ix::to_string).collect();
    format!("[{}]", dims.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Ix {
        Ix::sym("n")
    }

    #[test]
    fn equal_expressions_are_equal_values() {
        let (a, b) = (Ix::axis(0), Ix::axis(1));
        assert_eq!((&a + &b) * (&a - &b), &a * &a - &b * &b);
        assert_eq!((&a * 4 + &b).floor_div(&Ix::konst(2)), &a * 2 + b.floor_div(&Ix::konst(2)));
        assert_eq!((&a * 4 + 7).modulo(&Ix::konst(4)), Ix::konst(3));
        assert_eq!((&n() * &a + &b).floor_div(&n()), &a + &b.floor_div(&n()));
        assert!((&a - &a).is(0));
    }

    #[test]
    fn quotient_and_remainder_join() {
        let e = Ix::axis(0) * 4 + Ix::axis(1);
        for k in [Ix::konst(6), n(), n() * 3] {
            let joined = &e.floor_div(&k) * &k + e.modulo(&k);
            assert_eq!(joined, e);
        }
    }

    #[test]
    fn ranges_prove_bounds() {
        let extents = [n(), Ix::konst(3)];
        let e = Ix::axis(0) + Ix::axis(1);
        let (low, high) = e.range(&extents).unwrap();
        assert!(low.is(0));
        assert_eq!(high, n() + 1);
        assert_eq!((n() + 1 - &e).ge0(&extents), Some(true));
        assert_eq!((n() - &e).ge0(&extents), None);
        assert_eq!((Ix::konst(-1) - &e).ge0(&extents), Some(false));
        assert_eq!((Ix::axis(0) * 3 + Ix::axis(1)).floor_div(&Ix::konst(3)).simplify(&extents), Ix::axis(0));
        assert_eq!(Ix::axis(1).modulo(&Ix::konst(4)).simplify(&extents), Ix::axis(1));
    }

    #[test]
    fn evaluation_agrees_with_construction_at_random() {
        let mut seed = 1u64;
        let mut next = |m: i64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) as i64) % m
        };
        for _ in 0..3000 {
            let values = [next(7), next(5)];
            let leaf = |a: &Atom| match a {
                Atom::Axis(i) => Some(values[*i as usize]),
                _ => None,
            };
            let (mut e, mut v) = (Ix::axis(0), values[0]);
            for _ in 0..5 {
                let (o, ov) = if next(2) == 0 { (Ix::axis(1), values[1]) } else { (Ix::konst(3), 3) };
                let k = 1 + next(5);
                (e, v) = match next(7) {
                    0 => (&e + &o, v + ov),
                    1 => (&e - &o, v - ov),
                    2 => (&e * k, v * k),
                    3 => (e.floor_div(&Ix::konst(k)), v.div_euclid(k)),
                    4 => (e.modulo(&Ix::konst(k)), v.rem_euclid(k)),
                    5 => (e.min_with(&o), v.min(ov)),
                    _ => (e.max_with(&o), v.max(ov)),
                };
                assert_eq!(e.eval(&leaf), Some(v), "{e}");
                let s = e.simplify(&[Ix::konst(7), Ix::konst(5)]);
                assert_eq!(s.eval(&leaf), Some(v), "{e} -> {s}");
            }
        }
    }

    #[test]
    fn overflow_saturates() {
        let big = Ix::konst(i64::MAX);
        assert_eq!((&big * &big).as_const(), Some(i64::MAX));
    }

    #[test]
    fn division_by_zero_is_zero() {
        for e in [Ix::axis(0) + 4, n(), Ix::konst(7)] {
            assert!(e.floor_div(&Ix::zero()).is(0) && e.modulo(&Ix::zero()).is(0), "{e}");
        }
    }
}
