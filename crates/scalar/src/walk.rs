//! Walks of expressions, which meet each node once, however many share it.

use crate::expr::{Kind, Scalar};
use crate::pred::Pred;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix};

/// What nodes that may be shared have become, by where they are.
#[derive(Default)]
struct Known(HashMap<*const Kind, Scalar>);

impl Known {
    fn once(&mut self, s: &Scalar, make: impl FnOnce(&mut Self) -> Scalar) -> Scalar {
        if Arc::strong_count(&s.0) == 1 {
            return make(self);
        }
        let key = std::ptr::from_ref(s.kind());
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let made = make(self);
        self.0.insert(key, made.clone());
        made
    }
}

/// How a body is rebuilt.
struct Rewrite<'a> {
    ix: &'a dyn Fn(&Ix) -> Ix,
    read: &'a dyn Fn(u32, DType, Vec<Ix>) -> Scalar,
}

impl Rewrite<'_> {
    fn node(&self, s: &Scalar, known: &mut Known) -> Scalar {
        let ix = self.ix;
        match s.kind() {
            Kind::Const(_) => s.clone(),
            Kind::Index(e) => Scalar::index(ix(e)),
            Kind::Read(o, index) => (self.read)(*o, s.dtype(), index.iter().map(ix).collect()),
            Kind::Call(f, args) => {
                known.once(s, |known| Scalar::call(*f, args.iter().map(|a| self.node(a, known)).collect()))
            }
            Kind::Where(preds, t, f) => known.once(s, |known| {
                let preds = preds.iter().map(|p| p.map(ix)).collect();
                Scalar::guarded(preds, self.node(t, known), self.node(f, known))
            }),
        }
    }
}

/// An expression without the guards that axes within some extents decide.
fn simple(s: &Scalar, extents: &[Ix], known: &mut Known) -> Scalar {
    match s.kind() {
        Kind::Where(preds, t, f) => known.once(s, |known| {
            let preds: Vec<Pred> = preds.iter().map(|p| p.map(&|e| e.simplify(extents))).collect();
            let outcomes: Vec<Option<bool>> = preds.iter().map(|p| p.decide(extents)).collect();
            let f = simple(f, extents, known);
            if outcomes.contains(&Some(false)) {
                return f;
            }
            let open = preds.into_iter().zip(outcomes).filter(|(_, o)| o.is_none()).map(|(p, _)| p).collect();
            Scalar::guarded(open, simple(t, extents, known), f)
        }),
        Kind::Call(func, args) => {
            known.once(s, |known| Scalar::call(*func, args.iter().map(|a| simple(a, extents, known)).collect()))
        }
        _ => s.map_ix(&|e| e.simplify(extents)),
    }
}

fn visit(s: &Scalar, seen: &mut HashSet<*const Kind>, f: &mut dyn FnMut(&Scalar)) {
    if Arc::strong_count(&s.0) > 1 && !seen.insert(std::ptr::from_ref(s.kind())) {
        return;
    }
    f(s);
    s.kind().children().for_each(|child| visit(child, seen, f));
}

impl Scalar {
    /// Rebuilds the expression: indices by `ix`, reads by `read` (given operand, dtype and the
    /// rewritten index).
    pub fn rewrite(&self, ix: &dyn Fn(&Ix) -> Ix, read: &dyn Fn(u32, DType, Vec<Ix>) -> Scalar) -> Self {
        Rewrite { ix, read }.node(self, &mut Known::default())
    }

    /// Rebuilds the expression with every index rewritten.
    pub fn map_ix(&self, ix: &dyn Fn(&Ix) -> Ix) -> Self {
        self.rewrite(ix, &|o, d, index| Self::read(o, d, index))
    }

    /// Replaces axis `a` by `axes[a]`.
    pub fn subst_axes(&self, axes: &[Ix]) -> Self {
        self.map_ix(&|e| e.subst_axes(axes))
    }

    /// Renumbers the operands, also inside indices.
    pub fn map_operands(&self, to: &dyn Fn(u32) -> u32) -> Self {
        let ix = |e: &Ix| map_loads(e, to);
        self.rewrite(&ix, &|o, d, index| Self::read(to(o), d, index))
    }

    /// Drops guards that `0 <= axis a < extents[a]` decides, and simplifies indices likewise.
    pub fn simplify(&self, extents: &[Ix]) -> Self {
        simple(self, extents, &mut Known::default())
    }

    /// Visits every node, parents first; one that is shared once.
    pub fn visit(&self, f: &mut dyn FnMut(&Scalar)) {
        visit(self, &mut HashSet::new(), f);
    }

    /// Visits every index expression: of reads, values and predicates.
    pub fn visit_ix(&self, f: &mut dyn FnMut(&Ix)) {
        self.visit(&mut |s| match s.kind() {
            Kind::Index(e) => f(e),
            Kind::Read(_, index) => index.iter().for_each(&mut *f),
            Kind::Where(preds, ..) => preds.iter().for_each(|p| f(p.ix())),
            Kind::Const(_) | Kind::Call(..) => {}
        });
    }
}

/// Renumbers the operands of gathered elements inside an index.
pub fn map_loads(e: &Ix, to: &dyn Fn(u32) -> u32) -> Ix {
    e.subst(&|a| match a {
        Atom::Load(o, index) => Some(Ix::load(to(*o), index.iter().map(|i| map_loads(i, to)).collect())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::func::Func;

    fn read() -> Scalar {
        Scalar::read(0, DType::F32, vec![Ix::axis(0)])
    }

    /// Walks meet 60 nodes of a value doubled 60 times, not 2^60.
    #[test]
    fn what_is_shared_is_walked_once() {
        let guard = vec![Pred::Ge0(&Ix::axis(0) - &Ix::konst(1))];
        let twice = |x: Scalar| Scalar::call(Func::Add, vec![x.clone(), x]);
        let body = (0..60).fold(read(), |x, n| match n % 10 {
            9 => Scalar::guarded(guard.clone(), twice(x.clone()), x),
            _ => twice(x),
        });
        let start = std::time::Instant::now();
        let mut nodes = 0;
        body.visit(&mut |_| nodes += 1);
        assert_eq!(nodes, 67);
        let moved = body.subst_axes(&[&Ix::axis(0) * 1 + 1]).map_operands(&|o| o + 1);
        let open = moved.simplify(&[Ix::konst(9)]);
        assert!(open.check(&[(DType::F32, 1), (DType::F32, 1)]).is_ok());
        assert!(moved != body && open.depth() == 61);
        assert!(start.elapsed().as_secs_f64() < 1.0);
    }

    /// What a guard fills in is multiplied, unless it is declared to be absent.
    #[test]
    fn zeros_of_guards_are_multiplied() {
        let (x, w) = (read(), Scalar::read(1, DType::F32, vec![]));
        let inner = Scalar::guarded(vec![Pred::Ge0(&Ix::axis(0) - &Ix::konst(3))], x.clone(), x.lit(0.0));
        let outer = Scalar::guarded(vec![Pred::Ge0(Ix::axis(0))], inner.clone(), x.lit(1.0));
        let product = (&outer * &w).simplify(&[Ix::konst(9)]);
        assert_eq!(product, &inner * &w);
        assert!(matches!(product.kind(), Kind::Call(Func::Mul, _)));
        assert!(matches!(inner.taps(&w).kind(), Kind::Where(..)) && matches!(w.taps(&inner).kind(), Kind::Where(..)));
        // Of integers nothing changes.
        let n = Scalar::read(0, DType::I64, vec![Ix::axis(0)]);
        let guarded = Scalar::guarded(vec![Pred::Ge0(&Ix::axis(0) - &Ix::konst(3))], n.clone(), n.lit(0.0));
        assert!(matches!((guarded * n).kind(), Kind::Where(..)));
    }
}
