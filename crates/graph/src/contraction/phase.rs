//! Phase split: a comprehension that divides its parallel axes becomes several that do not.
//!
//! An axis `u` of the result that stands in a quotient or remainder by `k` is written
//! `u = s*v + t` with `t < s`; for each phase `t` every index is affine in `v`. The gradient of a
//! convolution of stride 2 by its input turns into four dense convolutions:
//!
//! ```text
//! { u | sum i:2 : d[(u+1)/2 - i] * w[(u+1)%2 + 2i] where (u+1)%2 + 2i < 3 }
//!   u = 2v      ->  { v | sum i:1 : d[v] * w[1] }
//!   u = 2v + 1  ->  { v | sum i:2 : d[v+1-i] * w[2i] }
//! ```
//!
//! Where phases do not differ in their guards (channels per group), `t` stays an axis.

use crate::comp::{Axis, Combiner, Comp, Role};
use crate::diff::flow::guard;
use crate::diff::gcd;
use crate::diff::invert::solve;
use crate::diff::linear::Linear;
use crate::scalar::{Kind, Pred};
use std::sync::Arc;
use tilewright_tensor::ix::{Atom, Ix};

/// A part of a comprehension's result.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The comprehension of the part.
    pub comp: Comp,
    /// Where the part's points are in the whole result: for each dim `offset + stride*axis` over the
    /// parallel axes of `comp`.
    pub place: Vec<Ix>,
}

impl Phase {
    /// A comprehension as the only part of itself.
    pub fn whole(comp: &Comp) -> Self {
        Self { comp: comp.clone(), place: (0..comp.rank()).map(|d| Ix::axis(d as u32)).collect() }
    }

    /// Other axes: axis `a` becomes `values[a]`.
    fn over(&self, axes: Vec<Axis>, values: &[Ix]) -> Self {
        let comp = Comp::new(self.comp.name.clone(), axes, self.comp.combiner, self.comp.body.subst_axes(values));
        Self { comp: narrowed(comp), place: self.place.iter().map(|e| e.subst_axes(values)).collect() }
    }
}

/// More phases than this are not made.
const MOST: usize = 256;

/// The phases of a comprehension; together they fill the result. `None` when there are too many.
/// What is not affine in some other way stays so.
pub fn phases(comp: &Comp) -> Option<Vec<Phase>> {
    let mut whole = Phase::whole(comp);
    whole.comp = narrowed(solved(&whole.comp));
    let (mut open, mut done) = (vec![whole], Vec::new());
    while let Some(phase) = open.pop() {
        let Some((axis, period)) = divided(&phase.comp) else {
            done.push(phase);
            continue;
        };
        let merged = both(&phase, axis, period);
        match merged.filter(|m| !couples(&m.comp, axis as u32 + 1)) {
            Some(one) => open.push(one),
            None if open.len() + done.len() + period as usize > MOST => return None,
            None => open.extend((0..period).rev().map(|t| fixed(&phase, axis, period, t))),
        }
    }
    Some(done)
}

/// The first parallel axis in a quotient or remainder, and the period after which that repeats.
fn divided(comp: &Comp) -> Option<(usize, i64)> {
    let mut found = None;
    comp.body.visit_ix(&mut |e| {
        e.visit(&mut |a| {
            let (Atom::Div(e, k) | Atom::Mod(e, k)) = a else { return };
            let Some(k) = k.as_const().filter(|k| *k > 1) else { return };
            for axis in (0..comp.axes.len()).filter(|a| comp.axes[*a].role == Role::Parallel) {
                let c = e.affine_in(axis as u32).map_or(0, |(c, _)| c);
                if found.is_none() && c % k != 0 {
                    found = Some((axis, k / gcd(c, k)));
                }
            }
        })
    });
    found
}

/// `u = s*v + t` with both as axes, where the extent is a multiple of `s`.
fn both(phase: &Phase, axis: usize, period: i64) -> Option<Phase> {
    let s = Ix::konst(period);
    let extent = &phase.comp.axes[axis].extent;
    if !extent.modulo(&s).is(0) {
        return None;
    }
    let mut axes = phase.comp.axes.clone();
    let name: Arc<str> = format!("{}_phase", axes[axis].name).into();
    axes[axis].extent = extent.floor_div(&s);
    axes.insert(axis + 1, Axis { name, extent: s, role: Role::Parallel });
    let value = |a: usize| match a.cmp(&axis) {
        std::cmp::Ordering::Less => Ix::axis(a as u32),
        std::cmp::Ordering::Equal => Ix::axis(axis as u32) * period + Ix::axis(axis as u32 + 1),
        std::cmp::Ordering::Greater => Ix::axis(a as u32 + 1),
    };
    let values: Vec<Ix> = (0..phase.comp.axes.len()).map(value).collect();
    Some(phase.over(axes, &values))
}

/// `u = s*v + t` for one `t`.
fn fixed(phase: &Phase, axis: usize, period: i64, t: i64) -> Phase {
    let mut axes = phase.comp.axes.clone();
    axes[axis].extent = (axes[axis].extent.clone() - Ix::konst(t)).ceil_div(&Ix::konst(period));
    let mut values: Vec<Ix> = (0..axes.len()).map(|a| Ix::axis(a as u32)).collect();
    values[axis] = Ix::axis(axis as u32) * period + t;
    phase.over(axes, &values)
}

/// Whether an axis stands in a predicate, or still in a quotient or remainder.
fn couples(comp: &Comp, axis: u32) -> bool {
    let mut found = false;
    comp.body.visit(&mut |s| {
        if let Kind::Where(preds, ..) = s.kind() {
            found |= preds.iter().any(|p| p.ix().uses_axis(axis));
        }
    });
    comp.body.visit_ix(&mut |e| {
        e.visit(&mut |a| found |= matches!(a, Atom::Div(e, _) | Atom::Mod(e, _) if e.uses_axis(axis)));
    });
    found
}

/// A sum without the points that an equation among its predicates rules out.
fn solved(comp: &Comp) -> Comp {
    let rank = comp.rank();
    let (preds, value) = guard(&comp.body);
    let reduction = |e: &Ix| (rank..comp.axes.len()).any(|a| e.uses_axis(a as u32));
    let (zeros, rest): (Vec<Pred>, Vec<Pred>) =
        preds.into_iter().partition(|p| matches!(p, Pred::Eq0(e) if reduction(e)));
    if comp.combiner != Combiner::Sum || comp.scan_axis().is_some() || zeros.is_empty() {
        return comp.clone();
    }
    let extents = comp.extents();
    let (known, domain) = extents.split_at(rank);
    let inverse = solve(known, domain, 0, zeros.iter().map(|p| p.ix().clone()).collect());
    let values: Vec<Ix> = (0..rank).map(|p| Ix::axis(p as u32)).chain(inverse.axes.clone()).collect();
    inverse.gathered(comp.name.clone(), &comp.axes[..rank], (&rest, &value), &values)
}

/// A sum whose reduction axes run only where the predicates on them alone hold; a map to 0 where
/// nothing is summed.
fn narrowed(mut comp: Comp) -> Comp {
    let rank = comp.rank();
    if comp.combiner == Combiner::Sum && comp.scan_axis().is_none() {
        for a in rank..comp.axes.len() {
            comp = with_bounds(comp, a);
        }
        let nothing = comp.body.is(0.0) || comp.axes[rank..].iter().any(|a| a.extent.is(0));
        if nothing {
            let zero = comp.body.lit(0.0);
            comp = Comp::new(comp.name, comp.axes[..rank].to_vec(), Combiner::Map, zero);
        }
    }
    comp
}

/// The sum with axis `a` cut to the bounds that predicates on it alone give.
fn with_bounds(comp: Comp, a: usize) -> Comp {
    let Some(extent) = comp.axes[a].extent.as_const() else { return comp };
    let (mut low, mut high) = (0, extent - 1);
    for p in guard(&comp.body).0 {
        let Pred::Ge0(e) = &p else { continue };
        let Some(form) = Linear::of(e, &|_| true) else { continue };
        let ([(axis, c)], Some(b)) = (form.terms.as_slice(), form.rest.as_const()) else { continue };
        match c.as_const() {
            Some(c) if *axis as usize == a && c > 0 => low = low.max(b.div_euclid(c).saturating_neg()),
            Some(c) if *axis as usize == a && c < 0 => high = high.min(b.div_euclid(c.saturating_neg())),
            _ => {}
        }
    }
    if (low, high) == (0, extent - 1) {
        return comp;
    }
    let mut axes = comp.axes.clone();
    axes[a].extent = Ix::konst(high.saturating_sub(low).saturating_add(1).max(0));
    let mut values: Vec<Ix> = (0..axes.len()).map(|a| Ix::axis(a as u32)).collect();
    values[a] = &values[a] + &Ix::konst(low);
    Comp::new(comp.name, axes, comp.combiner, comp.body.subst_axes(&values))
}
