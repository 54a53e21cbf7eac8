//! CropAndResize: regions of images, each resized to one size with corners aligned.

use crate::import::ops::resize::kernel::Kernel;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{Interpolate, Iota, Place};
use tilewright_graph::{Combiner, Func, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Coordinates, places and weights of all regions along one axis.
struct Table {
    /// Whether a place of a region is outside the image, `[R, places]`.
    outside: ValueId,
    /// `[R, places, taps]`, i64.
    places: ValueId,
    /// `[R, places, taps]`.
    weights: ValueId,
}

/// `CropAndResize` of com.microsoft: `x [N, C, H, W]`, `rois [R, 4]` as shares `y1, x1, y2, x2` of
/// the image, `batch [R]` and a size `[2]` give `[R, C, height, width]`.
pub fn crop_and_resize(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, rois, batch) = (call.x(0)?, call.x(1)?, call.x(2)?);
    let (tx, tr) = (cx.b.tensor(x)?, cx.b.tensor(rois)?);
    if tx.rank() != 4 || tr.rank() != 2 || cx.b.rank(batch)? != 1 || !tx.dtype.is_float() {
        return Err(Diagnostic::shape("CropAndResize takes floats [N, C, H, W], [R, 4] and [R]"));
    }
    let linear = match call.str("mode", "bilinear")? {
        "bilinear" => true,
        "nearest" => false,
        other => return Err(call.invalid(format!("mode \"{other}\" of CropAndResize"))),
    };
    let rois = cx.check_equal(rois, &tr.shape[1], &Ix::konst(4), "columns of the regions")?;
    let [height, width]: [Ix; 2] = cx.sizes(call.x(3)?)?.try_into().map_err(|_| call.invalid("the size takes two"))?;
    let work = if tx.dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let (x, rois) = (cx.b.cast(x, work)?, cx.b.cast(rois, work)?);
    let rows = table(cx, rois, (0, &height, &tx.shape[2]), linear)?;
    let columns = table(cx, rois, (1, &width, &tx.shape[3]), linear)?;
    let batch = cx.count_from_start(batch, &tx.shape[0])?;
    let labels = |ls: &str| ls.chars().map(Place::Label).collect::<Vec<_>>();
    let table = |at: usize, ls: &str| Place::Table(at, ls.chars().collect());
    let image = vec![table(3, "r"), Place::Label('c'), table(4, "rhs"), table(5, "rwt")];
    let factors = vec![image, labels("rhs"), labels("rwt")];
    let op = Interpolate { combiner: Combiner::Sum, factors, output: "rchw".chars().collect() };
    let y = cx.b.apply(&op, &[x, rows.weights, columns.weights, batch, rows.places, columns.places])?;
    let regions = &tr.shape[0];
    let down = cx.b.reshape(rows.outside, vec![regions.clone(), 1.into(), height, 1.into()])?;
    let across = cx.b.reshape(columns.outside, vec![regions.clone(), 1.into(), 1.into(), width])?;
    let value = call.float("extrapolation_value", 0.0)?;
    let y = cx.b.map_named("extrapolate", &[y, down, across], |a| a[1].or(&a[2]).select(&a[0].lit(value), &a[0]))?;
    Ok(vec![cx.b.cast(y, tx.dtype)?])
}

/// The tables along the axis whose bounds stand in columns `first` and `first + 2`: `n` places of
/// every region, over an image of `size`.
fn table(cx: &mut Cx<'_>, rois: ValueId, (first, n, size): (i64, &Ix, &Ix), linear: bool) -> Result<Table> {
    let dtype = cx.b.dtype(rois)?;
    let start = cx.b.slice(rois, 1, first, 1)?;
    let end = cx.b.slice(rois, 1, first + 2, 1)?;
    let i = cx.b.apply(&Iota { shape: vec![n.clone()], axis: 0 }, &[])?;
    let last = Scalar::index(size - &Ix::konst(1)).cast(dtype);
    let gaps = Scalar::index(n - &Ix::konst(1)).cast(dtype);
    let at = cx.b.map_named("source", &[start, end, i], |a| {
        let step = (&a[1] - &a[0]) * last.clone() / gaps.clone();
        let spread = &a[0] * &last + a[2].cast(dtype) * step;
        let centre = (&a[0] + &a[1]) * 0.5 * last.clone();
        gaps.gt(&gaps.lit(0.0)).select(&spread, &centre)
    })?;
    let outside = cx.b.map_named("outside", &[at], |a| a[0].lt(&a[0].lit(0.0)).or(&a[0].gt(&last)))?;
    let mut shape = cx.b.shape(at)?;
    shape.push(Ix::konst(1));
    let at = cx.b.reshape(at, shape)?;
    let taps = cx.b.apply(&Iota { shape: vec![Ix::konst(if linear { 2 } else { 1 })], axis: 0 }, &[])?;
    let place = cx.b.map_named("taps", &[at, taps], |a| match linear {
        true => a[0].floor() + a[1].cast(dtype),
        false => nearest(&a[0]) + a[1].cast(dtype),
    })?;
    let weights = cx.b.map_named("weights", &[at, place], |a| match linear {
        true => Kernel::Linear.weight(&(&a[1] - &a[0])),
        false => a[1].lit(1.0),
    })?;
    let places = cx.b.map_named("clamp", &[place], |a| {
        a[0].minimum(&last).maximum(&a[0].lit(0.0)).cast(DType::I64).maximum(&Scalar::int(DType::I64, 0))
    })?;
    Ok(Table { outside, places, weights })
}

/// To the nearest integer, halves away from zero.
fn nearest(x: &Scalar) -> Scalar {
    Scalar::call(Func::Sign, vec![x.clone()]) * (x.abs() + 0.5).floor()
}
