//! A term of an adjoint: one read's flow, gathered at every place of the operand.

use super::flow::{Flow, guard};
use super::invert::{invert, loads, named_axes};
use crate::comp::{Comp, Role};
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::Func;
use std::sync::Arc;
use tilewright_tensor::ix::Ix;

/// The comprehension `{ u | sum residual : Where(guards, adjoint, 0) }` over the places `u` of an
/// operand of dims `shape`. The flow is over `domain`, whose first `parallel` axes are those of the
/// result. The dtype may be wider than the operand's: a cast belongs after the sum.
pub fn term(name: impl Into<Arc<str>>, domain: &[Ix], parallel: usize, flow: &Flow, shape: &[Ix]) -> Comp {
    let (preds, value) = guard(&flow.adjoint);
    let (zeros, own): (Vec<Pred>, Vec<Pred>) = preds.into_iter().partition(|p| matches!(p, Pred::Eq0(e) if !loads(e)));
    let zeros: Vec<Ix> = zeros.iter().map(|p| p.ix().clone()).collect();
    let inverse = invert(shape, domain, parallel, &flow.index, &zeros);
    let axes = inverse.axes.clone();
    let at = |e: &Ix| at_place(e, &flow.index, shape).unwrap_or_else(|| e.subst_axes(&axes));
    inverse.gathered(name.into(), &named_axes("u", shape, Role::Parallel), (&own, &wide(value)), &at)
}

/// The value without a cast to a narrower float.
fn wide(value: Scalar) -> Scalar {
    match value.kind() {
        Kind::Call(Func::Cast(to, _), args) if args[0].dtype().is_float() && args[0].dtype().bits() > to.bits() => {
            args[0].clone()
        }
        _ => value,
    }
}

/// An expression that is a dim of `index` up to a shift (or a sign): at the solutions that dim is
/// the place itself, so the forward guard of the read vanishes.
fn at_place(e: &Ix, index: &[Ix], shape: &[Ix]) -> Option<Ix> {
    let computed = |i: &Ix| !i.is_dim() && i.as_axis().is_none();
    index.iter().enumerate().filter(|(_, i)| computed(i)).find_map(|(d, i)| {
        let place = if shape[d].is(1) { Ix::zero() } else { Ix::axis(d as u32) };
        let (shift, mirror) = (e - i, e + i);
        if shift.is_dim() {
            return Some(place + shift);
        }
        mirror.is_dim().then(|| mirror - place)
    })
}
