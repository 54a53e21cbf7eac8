//! Summed axes in quotients and remainders become two: `k = p * q + r`. The order of the points stays.

use std::sync::Arc;
use tilewright_graph::{Axis, Comp, Role};
use tilewright_tensor::ix::{Atom, Ix};

/// The most axes that are split.
const MOST: usize = 8;

/// The comprehension with those summed axes split that then need no quotient.
pub(super) fn unfolded(comp: &Comp) -> Comp {
    let mut comp = comp.clone();
    for _ in 0..MOST {
        let Some((axis, period)) = divided(&comp) else { break };
        let name: Arc<str> = format!("{}_rest", comp.axes[axis].name).into();
        let mut axes = comp.axes.clone();
        axes[axis].extent = axes[axis].extent.floor_div(&Ix::konst(period));
        axes.insert(axis + 1, Axis { name, extent: Ix::konst(period), role: Role::Reduce });
        let value = |a: usize| match a.cmp(&axis) {
            std::cmp::Ordering::Less => Ix::axis(a as u32),
            std::cmp::Ordering::Equal => Ix::axis(a as u32) * period + Ix::axis(a as u32 + 1),
            std::cmp::Ordering::Greater => Ix::axis(a as u32 + 1),
        };
        let values: Vec<Ix> = (0..comp.axes.len()).map(value).collect();
        comp = Comp::new(comp.name.clone(), axes, comp.combiner, comp.body.subst_axes(&values));
    }
    comp
}

/// A summed axis that stands alone in a quotient or remainder by a divisor of its extent.
fn divided(comp: &Comp) -> Option<(usize, i64)> {
    let mut found = None;
    comp.body.visit_ix(&mut |e| {
        e.visit(&mut |a| {
            let (Atom::Div(e, k) | Atom::Mod(e, k)) = a else { return };
            let (Some(axis), Some(k)) = (e.as_axis(), k.as_const()) else { return };
            let own = &comp.axes[axis as usize];
            let even = own.extent.as_const().is_some_and(|n| k > 1 && n > k && n % k == 0);
            if own.role == Role::Reduce && even {
                found = Some((axis as usize, k));
            }
        })
    });
    found
}
