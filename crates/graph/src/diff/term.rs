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
    inverse.gathered(name.into(), &named_axes("u", shape, Role::Parallel), (&own, &wide(value)), &axes)
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
