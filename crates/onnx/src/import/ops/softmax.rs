//! Softmax and its relatives.
//!
//! Before opset 13 they work on a matrix: the dims from `axis` on are one row. From 13 on `axis` is
//! one dim.

use super::statistics::widen;
use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::Iota;
use tilewright_graph::{Combiner, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::{Ix, volume};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Softmax", 1..=1, &["axis"], |cx, c| {
        let (x, axes) = (c.x(0)?, axes(cx, c)?);
        Ok(vec![softmax(cx, x, &axes)?])
    }),
    Row::new("LogSoftmax", 1..=1, &["axis"], |cx, c| {
        let (x, axes) = (c.x(0)?, axes(cx, c)?);
        Ok(vec![log_softmax(cx, x, &axes)?])
    }),
    Row::new("Hardmax", 1..=1, &["axis"], hardmax),
];

/// The axes that are normalised together.
fn axes(cx: &Cx<'_>, c: &Call<'_>) -> Result<Vec<usize>> {
    let rank = cx.b.rank(c.x(0)?)?;
    if c.version < 13 {
        let first = axis(c.int("axis", 1)?, rank)?;
        return Ok((first..rank).collect());
    }
    Ok(vec![axis(c.int("axis", -1)?, rank)?])
}

/// `exp(x) / sum(exp(x))` over axes together: one division for each sum, which is at least 1. A row of nothing but `-inf`
/// is NaN.
pub fn softmax(cx: &mut Cx<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let dtype = cx.b.dtype(x)?;
    let x = widen(cx, x)?;
    let largest = cx.b.reduce(x, Combiner::Max, axes, true)?;
    let exp = cx.b.map_named("exp", &[x, largest], |a| (&a[0] - &a[1]).exp())?;
    let sum = cx.b.reduce(exp, Combiner::Sum, axes, true)?;
    let inverse = cx.b.map_named("inverse", &[sum], |a| a[0].lit(1.0) / a[0].clone())?;
    cx.b.map_named("softmax", &[exp, inverse], |a| (&a[0] * &a[1]).cast(dtype))
}

/// The logarithm of [`softmax`], without forming it.
pub fn log_softmax(cx: &mut Cx<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId> {
    let dtype = cx.b.dtype(x)?;
    let x = widen(cx, x)?;
    let largest = cx.b.reduce(x, Combiner::Max, axes, true)?;
    let exp = cx.b.map_named("exp", &[x, largest], |a| (&a[0] - &a[1]).exp())?;
    let sum = cx.b.reduce(exp, Combiner::Sum, axes, true)?;
    cx.b.map_named("log_softmax", &[x, largest, sum], |a| (&a[0] - &a[1] - a[2].ln()).cast(dtype))
}

/// One at the first of the largest elements, zero elsewhere.
fn hardmax(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, axes) = (c.x(0)?, axes(cx, c)?);
    let (dtype, shape) = (cx.b.dtype(x)?, cx.b.shape(x)?);
    let (first, last) = (axes[0], axes[axes.len() - 1]);
    let matrix = vec![volume(&shape[..first]), volume(&shape[first..=last]), volume(&shape[last + 1..])];
    let flat = cx.b.reshape(x, matrix.clone())?;
    let best = cx.b.reduce(flat, Combiner::ArgMax { last: false }, &[1], true)?;
    let place = cx.b.apply(&Iota { shape: vec![matrix[1].clone(), Ix::konst(1)], axis: 0 }, &[])?;
    let y = cx.b.map_named("Hardmax", &[best, place], |a| a[0].equals(&a[1]).cast(dtype))?;
    Ok(vec![cx.b.reshape(y, shape)?])
}
