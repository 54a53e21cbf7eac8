//! Means and variances, formed in f32 or wider.

use crate::import::Cx;
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, volume};

/// The dtype in which sums of squares, means and products of a dtype are formed: f32 for narrower
/// floats, else the dtype itself.
pub fn wide(dtype: DType) -> DType {
    if dtype.is_float() && dtype.bits() < 32 { DType::F32 } else { dtype }
}

/// A value in its [`wide`] dtype.
pub fn widen(cx: &mut Cx<'_>, x: ValueId) -> Result<ValueId> {
    let dtype = wide(cx.b.dtype(x)?);
    cx.b.cast(x, dtype)
}

/// The mean over axes. Integers divide toward zero; the mean of nothing is NaN, or 0 for integers.
pub fn mean(cx: &mut Cx<'_>, x: ValueId, axes: &[usize], keep: bool) -> Result<ValueId> {
    let dtype = cx.b.dtype(x)?;
    let x = widen(cx, x)?;
    let shape = cx.b.shape(x)?;
    let dims: Vec<Ix> = axes.iter().map(|a| shape[*a].clone()).collect();
    let sum = cx.b.reduce(x, Combiner::Sum, axes, keep)?;
    let n = Scalar::index(volume(&dims));
    cx.b.map_named("mean", &[sum], |a| (&a[0] / &n.cast(a[0].dtype())).cast(dtype))
}

/// Mean and variance (of the whole population) over axes, which stay with size 1. Two passes: the
/// variance is the mean square of the distances from the mean, so it is never negative.
pub fn moments(cx: &mut Cx<'_>, x: ValueId, axes: &[usize]) -> Result<(ValueId, ValueId)> {
    let center = mean(cx, x, axes, true)?;
    let squares = cx.b.map_named("squared_distance", &[x, center], |a| {
        let d = &a[0] - &a[1];
        &d * &d
    })?;
    Ok((center, mean(cx, squares, axes, true)?))
}
