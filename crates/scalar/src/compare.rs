//! Equality and order of expressions: those of their trees, found without a walk of the trees. Pairs that many share are
//! compared once.

use crate::expr::{Expr, Kind, Scalar};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

/// Pairs that have been met. One met again is of equals: the walk ends at the first difference, and no expression is below
/// itself.
#[derive(Default)]
struct Seen(HashSet<[*const Expr; 2]>);

impl Seen {
    /// Whether two expressions are one, or have been met before.
    fn before(&mut self, a: &Arc<Expr>, b: &Arc<Expr>) -> bool {
        Arc::ptr_eq(a, b) || !self.0.insert([Arc::as_ptr(a), Arc::as_ptr(b)])
    }

    fn same(&mut self, Scalar(a): &Scalar, Scalar(b): &Scalar) -> bool {
        if a.hash != b.hash || a.dtype != b.dtype {
            return false;
        }
        if self.before(a, b) {
            return true;
        }
        let alike = match (&a.kind, &b.kind) {
            (Kind::Call(f, x), Kind::Call(g, y)) => f == g && x.len() == y.len(),
            (Kind::Where(p, ..), Kind::Where(q, ..)) => p == q,
            (x, y) => return x == y,
        };
        alike && a.kind.children().zip(b.kind.children()).all(|(x, y)| self.same(x, y))
    }

    /// By dtype and kind; calls by their function, then the arguments, then their number; guards by the predicates first.
    fn order(&mut self, Scalar(a): &Scalar, Scalar(b): &Scalar) -> Ordering {
        if self.before(a, b) {
            return Ordering::Equal;
        }
        let first = match (&a.kind, &b.kind) {
            (Kind::Call(f, _), Kind::Call(g, _)) => f.cmp(g),
            (Kind::Where(p, ..), Kind::Where(q, ..)) => p.cmp(q),
            // No expression is below both: of two kinds the names differ.
            (x, y) => x.cmp(y),
        };
        let pairs = || a.kind.children().zip(b.kind.children());
        let below =
            |seen: &mut Self| pairs().map(|(x, y)| seen.order(x, y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal);
        let counts = || a.kind.children().count().cmp(&b.kind.children().count());
        a.dtype.cmp(&b.dtype).then(first).then_with(|| below(self)).then_with(counts)
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.hash == other.0.hash && Seen::default().same(self, other)
    }
}

impl Eq for Scalar {}

impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> Ordering {
        Seen::default().order(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::func::Func;
    use crate::pred::Pred;
    use tilewright_tensor::DType;
    use tilewright_tensor::ix::Ix;

    /// Expressions of every kind, of which some share parts; made anew by each call.
    fn expressions() -> Vec<Scalar> {
        let read = |o: u32, dtype: DType| Scalar::read(o, dtype, vec![Ix::axis(o)]);
        let mut all = vec![read(0, DType::F32), read(1, DType::F32), read(0, DType::I64), Scalar::index(Ix::axis(1))];
        all.extend([0.0, -0.0, 1.0, f64::NAN].map(|x| Scalar::konst(DType::F32, x)));
        let (a, b) = (all[0].clone(), all[1].clone());
        for func in [Func::Add, Func::Max] {
            let pairs = [[&a, &b], [&b, &a], [&a, &a], [&all[6].clone(), &b]];
            all.extend(pairs.map(|[x, y]| Scalar::call(func, vec![x.clone(), y.clone()])));
        }
        all.push(Scalar::call(Func::Exp, vec![a.clone()]));
        all.push(Scalar::call(Func::Exp, vec![all[8].clone()]));
        for guard in [Pred::Ge0(Ix::axis(0)), Pred::Eq0(Ix::axis(0))] {
            all.push(Scalar::guarded(vec![guard.clone()], a.clone(), b.clone()));
            all.push(Scalar::guarded(vec![guard], b.clone(), a.clone()));
        }
        all
    }

    /// A call whose two arguments are one, so many times.
    fn doubled(levels: usize, leaf: f64) -> Scalar {
        let leaf = Scalar::read(0, DType::F32, vec![]) * leaf;
        (0..levels).fold(leaf, |x, _| Scalar::call(Func::Add, vec![x.clone(), x]))
    }

    #[test]
    fn the_order_is_total_and_that_of_the_trees() {
        let (all, again) = (expressions(), expressions());
        for (i, x) in all.iter().enumerate() {
            for (j, y) in again.iter().enumerate() {
                assert_eq!(x.cmp(y), y.cmp(x).reverse());
                assert_eq!(x.cmp(y).is_eq(), x == y);
                assert_eq!(x == y, i == j, "{x:?} {y:?}");
                for z in all.iter().filter(|z| x <= y && y <= *z) {
                    assert!(x <= z);
                }
                let tree = (x.dtype(), x.kind()).cmp(&(y.dtype(), y.kind()));
                assert_eq!(x.cmp(y), tree);
            }
        }
    }

    #[test]
    fn what_is_shared_is_compared_once() {
        let [one, other, more] = [doubled(200, 2.0), doubled(200, 2.0), doubled(200, 3.0)];
        assert_eq!(one, other);
        assert_eq!(one.cmp(&other), Ordering::Equal);
        assert_eq!([one.cmp(&more), more.cmp(&one)], [Ordering::Less, Ordering::Greater]);
    }
}
