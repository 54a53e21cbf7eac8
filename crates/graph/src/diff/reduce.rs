//! The derivative of a comprehension's result by its body, for every combiner.
//!
//! | combiner | derivative of `out[p]` by `body(p, r)` |
//! |---|---|
//! | map, sum | 1 |
//! | max, min over windows | 1 at the first of equal ones |
//! | max, min over whole axes | 1 divided by the number of equal ones, at each |
//! | prod | the product of the others |
//! | any, all, arg | their results are not floats: nothing flows |
//! | running sum | the running sum of the cotangent the other way |
//! | running prod | the running product without the value, summed the other way |
//!
//! Where the largest is NaN nothing flows. The second derivative of a product is right except where
//! exactly two factors are 0.

use super::site::Site;
use crate::builder::Builder;
use crate::comp::{Axis, Combiner, Comp, Role};
use crate::graph::ValueId;
use crate::scalar::{Kind, Scalar};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// The gradients of the wanted inputs of a comprehension, given its result and the cotangent of
/// that.
pub(super) fn pull(
    b: &mut Builder,
    comp: &Comp,
    inputs: &[ValueId],
    ends: [ValueId; 2],
    wanted: &[bool],
) -> Result<Vec<Option<ValueId>>> {
    let at = (0..comp.rank()).map(|p| Ix::axis(p as u32)).collect();
    let parts = (comp.name.clone(), comp.axes.clone(), at, comp.body.clone());
    let mut site = Site::new(parts, inputs, ends);
    let seed = match (comp.combiner, comp.scan_axis()) {
        (Combiner::Map | Combiner::Sum, None) => site.cotangent(),
        (Combiner::Max | Combiner::Min, None) if windowed(comp) => first_tie(b, &mut site, comp.combiner),
        (Combiner::Max | Combiner::Min, None) => even_split(b, &mut site),
        (Combiner::Prod, None) => others(b, &mut site),
        (Combiner::Sum, Some(_)) => {
            let d = site.cotangent();
            site.keep(b, reversed(&comp.axes), Combiner::Sum, d)
        }
        (Combiner::Prod, Some(s)) => running_others(b, &mut site, s),
        (combiner, _) => {
            let name = combiner.name();
            return Err(Diagnostic::unsupported(format!("not differentiable because a running {name} has no rule")));
        }
    };
    let result = (comp.combiner == Combiner::Map).then(|| site.result());
    site.pull(b, seed, result, wanted)
}

/// Whether windows slide: some index mixes a result's axis with a reduction axis.
fn windowed(comp: &Comp) -> bool {
    let rank = comp.rank() as u32;
    let any = |e: &Ix, axes: std::ops::Range<u32>| axes.into_iter().any(|a| e.uses_axis(a));
    let mut found = false;
    comp.body.visit(&mut |s| {
        if let Kind::Read(_, index) = s.kind() {
            found |= index.iter().any(|e| any(e, 0..rank) && any(e, rank..comp.axes.len() as u32));
        }
    });
    found
}

/// The position of the winner is a comprehension of its own.
fn first_tie(b: &mut Builder, site: &mut Site, combiner: Combiner) -> Scalar {
    let position = match combiner {
        Combiner::Max => Combiner::ArgMax { last: false },
        _ => Combiner::ArgMin { last: false },
    };
    let winner = site.keep(b, site.axes.clone(), position, site.body.clone());
    let own = Scalar::index(site.order(Role::Reduce));
    let hit = winner.equals(&own).and(&site.body.equals(&site.result()));
    let d = site.cotangent();
    hit.select(&d, &d.lit(0.0))
}

fn even_split(b: &mut Builder, site: &mut Site) -> Scalar {
    let count = site.keep(b, site.axes.clone(), Combiner::Sum, site.winners());
    site.share(count)
}

fn others(b: &mut Builder, site: &mut Site) -> Scalar {
    let zeros = site.keep(b, site.axes.clone(), Combiner::Sum, site.absences());
    let rest = site.keep(b, site.axes.clone(), Combiner::Prod, site.presences());
    site.co_factor(zeros, rest)
}

/// A value that is not 0 is divided out of the products after it. The first 0 is left out of a
/// second running product; later zeros get nothing.
fn running_others(b: &mut Builder, site: &mut Site, scan: usize) -> Scalar {
    let x = site.body.clone();
    let (one, zero) = (x.lit(1.0), x.lit(0.0));
    let absent = x.equals(&zero);
    let mut before = site.axes.clone();
    if let Role::Scan { exclusive, .. } = &mut before[scan].role {
        *exclusive = true;
    }
    let zeros = site.keep(b, before, Combiner::Sum, absent.select(&one, &zero));
    let first = absent.and(&zeros.equals(&zero));
    let without = site.keep(b, site.axes.clone(), Combiner::Prod, first.select(&one, &x));
    let back = reversed(&site.axes);
    let (d, result) = (site.cotangent(), site.result());
    let present = site.keep(b, back.clone(), Combiner::Sum, &d * &result);
    let missing = site.keep(b, back, Combiner::Sum, d * without);
    absent.select(&first.select(&missing, &zero), &(present / x))
}

/// The axes with the scanned one running the other way.
fn reversed(axes: &[Axis]) -> Vec<Axis> {
    let turn = |role: Role| match role {
        Role::Scan { reverse, exclusive } => Role::Scan { reverse: !reverse, exclusive },
        other => other,
    };
    axes.iter().map(|a| Axis { role: turn(a.role), ..a.clone() }).collect()
}
