//! Sums, products, quotients, minima and maxima of expressions, in canonical form.

use super::{Atom, HEAVIEST, Ix, Mono, saturate};

impl Ix {
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
    pub(super) fn sign(&self) -> Option<i32> {
        let symbolic = self.terms.iter().all(|(m, _)| m.iter().all(Atom::is_size));
        if !symbolic {
            return None;
        }
        if self.terms.is_empty() {
            Some(0)
        } else if self.terms.iter().all(|(_, c)| *c >= 0) {
            Some(1)
        } else if self.terms.iter().all(|(_, c)| *c <= 0) {
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
        let [(km, kc)] = &*k.terms else { return (Self::zero(), self.clone()) };
        let (mut out, mut rest) = (Vec::new(), Vec::new());
        for (m, c) in self.terms.iter() {
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
pub(super) fn join(terms: &[(Mono, i64)]) -> Option<Vec<(Mono, i64)>> {
    for (i, (m, c)) in terms.iter().enumerate() {
        for (at, a) in m.iter().enumerate() {
            let Atom::Mod(e, k) = a else { continue };
            let [(km, kc)] = &*k.terms else { continue };
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
            for (em, ec) in e.terms.iter() {
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
fn add(a: &Ix, b: &Ix, scale: i64) -> Ix {
    let scaled = b.terms.iter().map(|(m, c)| (m.clone(), saturate(*c as i128 * scale as i128)));
    Ix::from_terms(a.terms.iter().cloned().chain(scaled).collect())
}

fn mul(a: &Ix, b: &Ix) -> Ix {
    let lengths = (a.terms.len() as u32, b.terms.len() as u32);
    if a.weight * lengths.1 + b.weight * lengths.0 > HEAVIEST {
        return Ix::intricate();
    }
    let mut terms = Vec::with_capacity(a.terms.len() * b.terms.len());
    for (am, ac) in a.terms.iter() {
        for (bm, bc) in b.terms.iter() {
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
