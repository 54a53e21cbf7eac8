//! Inversion of index maps: the points of a domain that reach a given place.

use super::system::System;
use crate::comp::{Axis, Combiner, Comp, Role};
use crate::scalar::{Pred, Scalar};
use std::sync::Arc;
use tilewright_tensor::ix::{Atom, Ix};

/// The points of a domain that satisfy a system of equations.
#[derive(Clone, Debug)]
pub struct Inverse {
    /// Every axis of the domain, in terms of the known axes and, after them, the residual ones.
    pub axes: Vec<Ix>,
    /// The extents of the residual axes.
    pub residual: Vec<Ix>,
    /// What holds of exactly the solutions.
    pub guards: Vec<Pred>,
}

impl Inverse {
    /// The comprehension over `places` (the known axes) that sums, over the residual axes, `value`
    /// where the guards and `preds` hold. Both are over the domain and are moved by `at`.
    pub fn gathered(
        self,
        name: Arc<str>,
        places: &[Axis],
        (preds, value): (&[Pred], &Scalar),
        at: &dyn Fn(&Ix) -> Ix,
    ) -> Comp {
        // A gather in a guard is legal only where the other guards hold.
        let (gathers, plain): (Vec<Pred>, Vec<Pred>) = self.guards.into_iter().partition(|p| loads(p.ix()));
        let own = preds.iter().map(|p| p.map(at));
        let guards = plain.into_iter().chain(own).chain(gathers).collect();
        let value = value.map_ix(at);
        let zero = value.lit(0.0);
        let residual = named_axes("k", &self.residual, Role::Reduce);
        let combiner = if residual.is_empty() { Combiner::Map } else { Combiner::Sum };
        Comp::new(name, [places, &residual].concat(), combiner, Scalar::guarded(guards, value, zero))
    }
}

/// Axes `<letter>0`, `<letter>1`, … of given extents.
pub fn named_axes(letter: &str, extents: &[Ix], role: Role) -> Vec<Axis> {
    let named = |(i, e): (usize, &Ix)| Axis { name: format!("{letter}{i}").into(), extent: e.clone(), role };
    extents.iter().enumerate().map(named).collect()
}

/// Whether operand elements occur.
pub(super) fn loads(e: &Ix) -> bool {
    let mut found = false;
    e.visit(&mut |a| found |= matches!(a, Atom::Load(..)));
    found
}

/// The points with `index = place`: the places of `shape` are known (axis `d` for dim `d`, 0 where
/// the size is 1), the axes of `domain` are not, and `zeros` over them are 0 too. The first
/// `parallel` axes of the domain are eliminated before the others.
pub fn invert(shape: &[Ix], domain: &[Ix], parallel: usize, index: &[Ix], zeros: &[Ix]) -> Inverse {
    let own: Vec<Ix> = (0..domain.len()).map(|a| Ix::axis((shape.len() + a) as u32)).collect();
    let place = |d: usize| if shape[d].is(1) { Ix::zero() } else { Ix::axis(d as u32) };
    let moved: Vec<Ix> = index.iter().map(|e| e.subst_axes(&own)).collect();
    let mut equations = rejoin(&moved, &(0..shape.len()).map(place).collect::<Vec<_>>(), shape);
    equations.extend(zeros.iter().map(|e| e.subst_axes(&own)));
    solve(shape, domain, parallel, equations)
}

/// Solves `equations`, each an expression that is 0, over known axes and then those of `domain`.
pub fn solve(known: &[Ix], domain: &[Ix], parallel: usize, equations: Vec<Ix>) -> Inverse {
    let system = System::new(known, domain, parallel, equations);
    let solved = system.clone().run(true);
    let system = solved.or_else(|| system.clone().run(false)).unwrap_or_else(|| system.masked());
    system.finish(domain.len())
}

fn divides(e: &Ix) -> bool {
    let mut found = false;
    e.visit(&mut |a| found |= matches!(a, Atom::Div(..) | Atom::Mod(..)));
    found
}

/// Equal index tuples inside a shape are equal offsets: runs of dims with quotients and remainders
/// become one equation where that makes those vanish.
fn rejoin(index: &[Ix], places: &[Ix], shape: &[Ix]) -> Vec<Ix> {
    let mut out = Vec::with_capacity(index.len());
    let mut d = 0;
    while d < index.len() {
        let run = index[d..].iter().take_while(|e| divides(e)).count();
        let offset = |ixs: &[Ix]| (d..d + run).fold(Ix::zero(), |at, i| &(&at * &shape[i]) + &ixs[i]);
        let joined = if run > 1 { flatten(&offset(index)) } else { Ix::zero() };
        if run > 1 && !divides(&joined) {
            out.push(joined - offset(places));
            d += run;
        } else {
            out.push(&index[d] - &places[d]);
            d += 1;
        }
    }
    out
}

/// Remainders as differences, quotients of quotients as one: equal expressions cancel.
fn flatten(e: &Ix) -> Ix {
    e.subst(&|a| match a {
        Atom::Div(e, k) => Some(divided(&flatten(e), k)),
        Atom::Mod(e, k) => {
            let e = flatten(e);
            Some(&e - &(&divided(&e, k) * k))
        }
        _ => None,
    })
}

/// `e / k` where `(rest + g/j) / k` is written `(j*rest + g) / (j*k)`.
fn divided(e: &Ix, k: &Ix) -> Ix {
    let inner = e.terms().iter().find_map(|(m, c)| match (m.as_slice(), c) {
        ([Atom::Div(g, j)], 1) => Some((Ix::atom(m[0].clone()), g, j)),
        _ => None,
    });
    match inner {
        Some((quotient, g, j)) => divided(&(&(&(e - &quotient) * j) + g), &(j * k)),
        None => e.floor_div(k),
    }
}
