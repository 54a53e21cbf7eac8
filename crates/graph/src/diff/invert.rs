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
    /// Expressions over the domain, and the known axes that they are equal to.
    pub equal: Vec<(Ix, Ix)>,
}

impl Inverse {
    /// The comprehension over `places` (the known axes) that sums, over the residual axes, `value`
    /// where the guards and `preds` hold. Both are over axes that become `values`.
    pub fn gathered(self, name: Arc<str>, places: &[Axis], (preds, value): (&[Pred], &Scalar), values: &[Ix]) -> Comp {
        let at = |e: &Ix| self.known(e).unwrap_or_else(|| e.subst_axes(values));
        // A gather in a guard is legal only where the other guards hold.
        let (gathers, plain): (Vec<Pred>, Vec<Pred>) = self.guards.iter().cloned().partition(|p| loads(p.ix()));
        let own = preds.iter().map(|p| p.map(&at));
        let guards = plain.into_iter().chain(own).chain(gathers).collect();
        let value = value.map_ix(&at);
        let zero = value.lit(0.0);
        let residual = named_axes("k", &self.residual, Role::Reduce);
        let combiner = if residual.is_empty() { Combiner::Map } else { Combiner::Sum };
        Comp::new(name, [places, &residual].concat(), combiner, Scalar::guarded(guards, value, zero))
    }

    /// An expression that is known up to a shift (or a sign): so the forward guard of a read vanishes.
    fn known(&self, e: &Ix) -> Option<Ix> {
        self.equal.iter().find_map(|(own, place)| {
            let (shift, mirror) = (e - own, e + own);
            if shift.is_dim() {
                return Some(place + &shift);
            }
            mirror.is_dim().then(|| &mirror - place)
        })
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
    let places: Vec<Ix> = (0..shape.len()).map(place).collect();
    let (mut equations, joined) = rejoin(index, &places, shape, &own);
    equations.extend(zeros.iter().map(|e| e.subst_axes(&own)));
    let inverse = solve(shape, domain, parallel, equations);
    let exact = |d: &usize| !joined[*d] && !index[*d].is_dim() && index[*d].as_axis().is_none();
    let equal = (0..shape.len()).filter(exact).map(|d| (index[d].clone(), places[d].clone())).collect();
    Inverse { equal, ..inverse }
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

/// The equations `index = places`, and whether a dim is part of a joined one. Equal index tuples
/// inside a shape are equal offsets: runs of dims with quotients and remainders become one equation
/// where that makes those vanish, and no axis with them.
fn rejoin(index: &[Ix], places: &[Ix], shape: &[Ix], own: &[Ix]) -> (Vec<Ix>, Vec<bool>) {
    let (mut out, mut joined) = (Vec::with_capacity(index.len()), vec![false; index.len()]);
    let mut d = 0;
    while d < index.len() {
        let run = d..d + index[d..].iter().take_while(|e| divides(e)).count().max(1);
        let offset = |ixs: &[Ix]| run.clone().fold(Ix::zero(), |at, i| &(&at * &shape[i]) + &ixs[i]);
        let whole = if run.len() > 1 { flatten(&offset(index)) } else { index[d].clone() };
        let keeps = |a: u32| whole.uses_axis(a) || !index[run.clone()].iter().any(|e| e.uses_axis(a));
        if run.len() > 1 && !divides(&whole) && (0..own.len() as u32).all(keeps) {
            out.push(whole.subst_axes(own) - offset(places));
            joined[run.clone()].fill(true);
            d = run.end;
        } else {
            out.push(index[d].subst_axes(own) - places[d].clone());
            d += 1;
        }
    }
    (out, joined)
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
