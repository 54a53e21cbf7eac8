//! Normalisation by statistics of batches, instances, groups and neighbours.

use super::sizes::{per_channel, same_size};
use super::statistics::{moments, wide};
use super::windows::spatial;
use crate::import::call::{axes, axis};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{ReduceWindow, WindowDim};
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, volume};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("InstanceNormalization", 3..=3, &["consumed_inputs", "epsilon"], instance_norm),
    Row::new("GroupNormalization", 3..=3, &["epsilon", "num_groups", "stash_type"], group_norm).since(18),
    Row::new("MeanVarianceNormalization", 1..=1, &["axes"], mean_variance_norm).since(9),
    Row::new("LpNormalization", 1..=1, &["axis", "p"], lp_norm),
    Row::new("LRN", 1..=1, &["alpha", "beta", "bias", "size"], lrn),
];

/// `(x - mean) / sqrt(variance + epsilon)` as an expression.
pub fn normalized(x: &Scalar, mean: &Scalar, variance: &Scalar, epsilon: f64) -> Scalar {
    (x - mean) / (variance + epsilon).sqrt()
}

/// ONNX `InstanceNormalization` of `[N, C, …]`: statistics over the spatial dims.
fn instance_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let (dtype, shape) = (cx.b.dtype(x)?, cx.b.shape(x)?);
    spatial(shape.len(), 1)?;
    let epsilon = c.float("epsilon", 1e-5)?;
    let work = wide(dtype);
    let mut operands = vec![cx.b.cast(x, work)?];
    let over: Vec<usize> = (2..shape.len()).collect();
    let (mean, variance) = moments(cx, operands[0], &over)?;
    operands.extend([mean, variance]);
    for i in [1, 2] {
        let v = per_channel(cx, c.x(i)?, &shape[1], shape.len(), "channels and their scale or bias")?;
        operands.push(cx.b.cast(v, work)?);
    }
    let y = cx.b.map_named("InstanceNormalization", &operands, |a| {
        (normalized(&a[0], &a[1], &a[2], epsilon) * a[3].clone() + a[4].clone()).cast(dtype)
    })?;
    Ok(vec![y])
}

/// ONNX `GroupNormalization` of `[N, C, …]`: statistics over groups of neighbouring channels. Scale
/// and bias belong to groups before opset 21, to channels from it on.
fn group_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let (dtype, shape) = (cx.b.dtype(x)?, cx.b.shape(x)?);
    spatial(shape.len(), 0)?;
    let groups = c.node.required("num_groups", crate::Node::attr_int)?;
    if groups < 1 {
        return Err(c.invalid(format!("num_groups = {groups}, expected at least 1")));
    }
    let g = Ix::konst(groups);
    same_size(&shape[1].modulo(&g), &Ix::zero(), "channels left over by num_groups")?;
    let epsilon = c.float("epsilon", 1e-5)?;
    let work = stash(c, dtype)?;
    let wide_x = cx.b.cast(x, work)?;
    let size = shape[1].floor_div(&g);
    let grouped = vec![shape[0].clone(), g.clone(), &size * &volume(&shape[2..])];
    let grouped = cx.b.reshape(wide_x, grouped)?;
    let (mean, variance) = moments(cx, grouped, &[2])?;
    let y = cx.b.map_named("normalized", &[grouped, mean, variance], |a| {
        normalized(&a[0], &a[1], &a[2], epsilon).cast(dtype)
    })?;
    let by_group = c.version < 21;
    let y = if by_group { y } else { cx.b.reshape(y, shape.clone())? };
    let (channels, rank) = if by_group { (g, 3) } else { (shape[1].clone(), shape.len()) };
    let mut operands = vec![y];
    for i in [1, 2] {
        operands.push(per_channel(cx, c.x(i)?, &channels, rank, "scale or bias and what it belongs to")?);
    }
    let y = cx.b.map_named("GroupNormalization", &operands, |a| &(&a[0] * &a[1]) + &a[2])?;
    Ok(vec![cx.b.reshape(y, shape)?])
}

/// The dtype of the first stage of a normalisation: what `stash_type` names, but never narrower
/// than f32 or than the input.
pub fn stash(c: &Call<'_>, dtype: DType) -> Result<DType> {
    let named = c.dtype("stash_type")?.unwrap_or(DType::F32);
    if !named.is_float() {
        return Err(c.invalid(format!("stash_type names {named}, expected a float dtype")));
    }
    Ok(if named == DType::F64 || dtype == DType::F64 { DType::F64 } else { DType::F32 })
}

/// ONNX `MeanVarianceNormalization`: `(x - mean) / (sqrt(variance) + 1e-9)`.
fn mean_variance_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let dtype = cx.b.dtype(x)?;
    let over = axes(c.ints("axes")?.unwrap_or(&[0, 2, 3]), cx.b.rank(x)?)?;
    let x = cx.b.cast(x, wide(dtype))?;
    let (mean, variance) = moments(cx, x, &over)?;
    let y = cx.b.map_named("MeanVarianceNormalization", &[x, mean, variance], |a| {
        ((&a[0] - &a[1]) / (a[2].sqrt() + 1e-9)).cast(dtype)
    })?;
    Ok(vec![y])
}

/// ONNX `LpNormalization`: divided by the norm along an axis; zero where that is zero.
fn lp_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let dtype = cx.b.dtype(x)?;
    let axis = axis(c.int("axis", -1)?, cx.b.rank(x)?)?;
    let p = c.int("p", 2)?;
    if !matches!(p, 1 | 2) {
        return Err(c.invalid(format!("p = {p}, expected 1 or 2")));
    }
    let x = cx.b.cast(x, wide(dtype))?;
    let powers = cx.b.map_named("power", &[x], |a| if p == 1 { a[0].abs() } else { &a[0] * &a[0] })?;
    let sums = cx.b.reduce(powers, Combiner::Sum, &[axis], true)?;
    let y = cx.b.map_named("LpNormalization", &[x, sums], |a| {
        let norm = if p == 1 { a[1].clone() } else { a[1].sqrt() };
        let zero = norm.lit(0.0);
        norm.equals(&zero).select(&zero, &(&a[0] / &norm)).cast(dtype)
    })?;
    Ok(vec![y])
}

/// ONNX `LRN` of `[N, C, …]`: divided by a power of the mean square of neighbouring channels.
fn lrn(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let (dtype, rank) = (cx.b.dtype(x)?, cx.b.rank(x)?);
    spatial(rank, 0)?;
    let size = c.node.required("size", crate::Node::attr_int)?;
    if !(1..=1 << 20).contains(&size) {
        return Err(c.invalid(format!("size = {size} is out of bounds")));
    }
    let (alpha, beta, bias) = (c.float("alpha", 1e-4)?, c.float("beta", 0.75)?, c.float("bias", 1.0)?);
    let x = cx.b.cast(x, wide(dtype))?;
    let squares = cx.b.map_named("square", &[x], |a| &a[0] * &a[0])?;
    let dim = |size: i64, before: i64| WindowDim {
        size,
        stride: 1,
        dilation: 1,
        pads: (before.into(), (size - 1 - before).into()),
        count: None,
    };
    let mut dims = vec![dim(size, (size - 1) / 2)];
    dims.resize(rank - 1, dim(1, 0));
    let sums = cx.b.apply(&ReduceWindow { combiner: Combiner::Sum, dims }, &[squares])?;
    let y = cx.b.map_named("LRN", &[x, sums], |a| {
        let base = &a[1] * (alpha / size as f64) + bias;
        (&a[0] / &base.pow(&base.lit(beta))).cast(dtype)
    })?;
    Ok(vec![y])
}
