//! Pooling over regions of interest.
//!
//! Regions are run-time values, so the windows differ from one region to the next: tables of places
//! (and weights) are made in the graph, one for each axis, and one product reads through both. A
//! region with fewer samples than the largest repeats its last one, with weight zero.

use super::sizes::same_size;
use super::statistics::wide;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{Interpolate, Iota, Place};
use tilewright_graph::{Combiner, Func, Mark, Op, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new(
        "RoiAlign",
        3..=3,
        &["coordinate_transformation_mode", "mode", "output_height", "output_width", "sampling_ratio", "spatial_scale"],
        roi_align,
    )
    .since(10),
    Row::new("MaxRoiPool", 2..=2, &["pooled_shape", "spatial_scale"], max_roi_pool),
];

/// Samples along one axis of a bin; more would be a region far beyond any image.
const MOST_SAMPLES: i64 = 1 << 16;

/// Attributes of `RoiAlign`.
struct Align {
    /// What is taken off the coordinates of regions.
    shift: f64,
    scale: f64,
    /// Samples along each axis of a bin; 0 for as many as the bin has elements.
    samples: i64,
    max: bool,
}

/// Tables along one axis.
struct Table {
    /// Places `[R, bins, taps]`, i64.
    places: ValueId,
    /// Weights `[R, bins, taps]`.
    weights: ValueId,
    /// Samples in a bin of each region, `[R, 1, 1]`, of the weights' dtype; not above 0 where the region is empty.
    samples: ValueId,
}

/// ONNX `RoiAlign`: `x [N, C, H, W]`, `rois [R, 4]`, `batch [R]` give `[R, C, height, width]`.
fn roi_align(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, rois, batch) = (c.x(0)?, c.x(1)?, c.x(2)?);
    let (tx, rois_shape, batch_shape) = (cx.b.tensor(x)?, cx.b.shape(rois)?, cx.b.shape(batch)?);
    if tx.rank() != 4 || rois_shape.len() != 2 || batch_shape.len() != 1 {
        return Err(Diagnostic::shape("RoiAlign takes [N, C, H, W], [R, 4] and [R]"));
    }
    same_size(&rois_shape[1], &4.into(), "columns of the regions")?;
    same_size(&rois_shape[0], &batch_shape[0], "regions and batch indices")?;
    let align = attributes(c)?;
    let bins = [c.int("output_height", 1)?, c.int("output_width", 1)?];
    if let Some(n) = bins.iter().find(|n| !(1..=MOST_SAMPLES).contains(*n)) {
        return Err(c.invalid(format!("an output of {n} places is out of bounds")));
    }
    let work = wide(tx.dtype);
    let (x, rois) = (cx.b.cast(x, work)?, cx.b.cast(rois, work)?);
    let rows = table(cx, rois, (1, bins[0], &tx.shape[2]), &align)?;
    let columns = table(cx, rois, (0, bins[1], &tx.shape[3]), &align)?;
    let combiner = if align.max { Combiner::Max } else { Combiner::Sum };
    let weights = [rows.weights, columns.weights];
    let y = pooled(cx, combiner, [x, batch], [rows.places, columns.places], &weights)?;
    let counts = [rows.samples, columns.samples].map(|v| cx.b.reshape(v, column(&rois_shape[0], 4)));
    let [down, across] = counts;
    let y = cx.b.map_named("RoiAlign", &[y, down?, across?], |a| {
        let (zero, one) = (a[0].lit(0.0), a[0].lit(1.0));
        let empty = a[1].le(&zero).or(&a[2].le(&zero));
        let count = if align.max { one } else { (&a[1] * &a[2]).maximum(&one) };
        empty.select(&zero, &(&a[0] / &count)).cast(tx.dtype)
    })?;
    Ok(vec![y])
}

fn attributes(c: &Call<'_>) -> Result<Align> {
    let default = if c.version < 16 { "output_half_pixel" } else { "half_pixel" };
    let shift = match c.str("coordinate_transformation_mode", default)? {
        "half_pixel" => 0.5,
        "output_half_pixel" => 0.0,
        other => return Err(c.invalid(format!("coordinate_transformation_mode \"{other}\" is none of the known ones"))),
    };
    let max = match c.str("mode", "avg")? {
        "avg" => false,
        "max" => true,
        other => return Err(c.invalid(format!("mode \"{other}\" is none of the known ones"))),
    };
    let samples = c.int("sampling_ratio", 0)?;
    if !(0..=MOST_SAMPLES).contains(&samples) {
        return Err(c.invalid(format!("sampling_ratio = {samples} is out of bounds")));
    }
    Ok(Align { shift, scale: c.float("spatial_scale", 1.0)?, samples, max })
}

/// `[n, 1, …]`.
fn column(n: &Ix, rank: usize) -> Shape {
    let mut shape = vec![n.clone()];
    shape.resize(rank, Ix::konst(1));
    shape
}

/// The table along the axis whose coordinates stand in columns `first` and `first + 2`: `bins` bins
/// over `size` elements.
fn table(cx: &mut Cx<'_>, rois: ValueId, (first, bins, size): (i64, i64, &Ix), align: &Align) -> Result<Table> {
    let regions = cx.b.shape(rois)?[0].clone();
    let scaled = |cx: &mut Cx<'_>, at: i64| {
        let v = cx.b.slice(rois, 1, at, 1)?;
        let v = cx.b.map_named("scaled", &[v], |a| &a[0] * &a[0].lit(align.scale) - align.shift)?;
        cx.b.reshape(v, column(&regions, 3))
    };
    let (start, end) = (scaled(cx, first)?, scaled(cx, first + 2)?);
    let bin = cx.b.map_named("bin", &[start, end], |a| {
        let extent = &a[1] - &a[0];
        let extent = if align.shift == 0.0 { extent.maximum(&extent.lit(1.0)) } else { extent };
        extent / bins as f64
    })?;
    let samples = cx.b.map_named("samples", &[bin], |a| match align.samples {
        0 => a[0].ceil(),
        n => a[0].lit(n as f64),
    })?;
    let most = if align.samples > 0 { align.samples.into() } else { largest(cx, samples)? };
    let bin_at = cx.b.apply(&Iota { shape: vec![bins.into(), 1.into()], axis: 0 }, &[])?;
    let sample_at = cx.b.apply(&Iota { shape: vec![most], axis: 0 }, &[])?;
    let operands = [start, bin, samples, bin_at, sample_at];
    let at = cx.b.map_named("coordinate", &operands, |a| {
        let like = &a[0];
        let last = (a[2].clone() - 1.0).maximum(&like.lit(0.0));
        let sample = a[4].cast(like.dtype()).minimum(&last);
        &(like + &(a[3].cast(like.dtype()) * a[1].clone())) + &((sample + 0.5) * a[1].clone() / a[2].clone())
    })?;
    let extra = cx.b.map_named("extra", &[samples, sample_at], |a| a[1].cast(a[0].dtype()).ge(&a[0]))?;
    let (places, weights) = neighbours(cx, [at, extra], size, align.max)?;
    Ok(Table { places, weights, samples })
}

/// The largest number of samples of a region, at least 1, as a size.
fn largest(cx: &mut Cx<'_>, samples: ValueId) -> Result<Ix> {
    let all = cx.b.reduce(samples, Combiner::Max, &[0, 1, 2], false)?;
    let (low, high) = (Scalar::int(DType::I64, 1), MOST_SAMPLES as f64);
    let fits = cx.b.map_named("fits", &[all], |a| a[0].le(&a[0].lit(high)))?;
    let all = cx.b.map_named("largest", &[all], |a| a[0].minimum(&a[0].lit(high)).cast(DType::I64).maximum(&low))?;
    let all = cx.b.reshape(all, vec![Ix::konst(1)])?;
    let ty = cx.b.ty(all).clone();
    let message = format!("a region of interest with more than {MOST_SAMPLES} samples in a bin");
    let all = cx.b.node1(Op::Mark(Mark::Assert(message.into())), &[all, fits], ty);
    Ok(cx.sizes(all)?.swap_remove(0))
}

/// The elements on both sides of coordinates `at [R, bins, samples]` along an axis of `size`, and
/// their weights: those of one kind first, then the others. Coordinates more than one place outside
/// count as zero, and so do, unless the largest is wanted, extra samples.
fn neighbours(cx: &mut Cx<'_>, [at, extra]: [ValueId; 2], size: &Ix, max: bool) -> Result<(ValueId, ValueId)> {
    let size = Scalar::index(size.clone());
    let last = size.clone() - 1.0;
    let outside = |at: &Scalar| at.lt(&at.lit(-1.0)).or(&at.gt(&size.cast(at.dtype())));
    let low = |at: &Scalar| at.maximum(&at.lit(0.0)).cast(DType::I64).minimum(&last);
    let side = |cx: &mut Cx<'_>, next: bool| -> Result<(ValueId, ValueId)> {
        let places = cx.b.map_named("place", &[at], |a| {
            let low = low(&a[0]);
            let place = if next { (low + 1.0).minimum(&last) } else { low };
            outside(&a[0]).select(&place.lit(0.0), &place)
        })?;
        let weights = cx.b.map_named("weight", &[at, extra], |a| {
            let (at, zero, one) = (a[0].maximum(&a[0].lit(0.0)), a[0].lit(0.0), a[0].lit(1.0));
            let low = low(&a[0]).cast(at.dtype());
            let part = low.ge(&last.cast(at.dtype())).select(&zero, &(&at - &low));
            let weight = if next { part } else { one - part };
            let absent = outside(&a[0]);
            let absent = if max { absent } else { absent.or(&a[1]) };
            absent.select(&zero, &weight)
        })?;
        Ok((places, weights))
    };
    let ((p, w), (q, v)) = (side(cx, false)?, side(cx, true)?);
    Ok((cx.b.concat(&[p, q], 2)?, cx.b.concat(&[w, v], 2)?))
}

/// Combines the elements of `x [N, C, H, W]` at `places`, tables of rows and of columns, times
/// `weights` if there are any, for the image that `batch [R]` names.
fn pooled(
    cx: &mut Cx<'_>,
    combiner: Combiner,
    [x, batch]: [ValueId; 2],
    places: [ValueId; 2],
    weights: &[ValueId],
) -> Result<ValueId> {
    let first = 1 + weights.len();
    let table = |i: usize, labels: &str| Place::Table(first + i, labels.chars().collect());
    let mut factors = vec![vec![table(0, "r"), Place::Label('c'), table(1, "rhs"), table(2, "rwt")]];
    let labels = |ls: &str| ls.chars().map(Place::Label).collect::<Vec<_>>();
    factors.extend([labels("rhs"), labels("rwt")].into_iter().take(weights.len()));
    let mut operands = vec![x];
    operands.extend(weights);
    operands.extend([batch, places[0], places[1]]);
    cx.b.apply(&Interpolate { combiner, factors, output: "rchw".chars().collect() }, &operands)
}

/// ONNX `MaxRoiPool`: `x [N, C, H, W]`, `rois [R, 5]` of a batch index and two corners, which round
/// to whole elements, halves away from zero, and belong to the region.
fn max_roi_pool(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, rois) = (c.x(0)?, c.x(1)?);
    let (tx, rois_shape) = (cx.b.tensor(x)?, cx.b.shape(rois)?);
    if tx.rank() != 4 || rois_shape.len() != 2 {
        return Err(Diagnostic::shape("MaxRoiPool takes [N, C, H, W] and [R, 5]"));
    }
    same_size(&rois_shape[1], &5.into(), "columns of the regions")?;
    let bins = c.node.required("pooled_shape", crate::Node::attr_ints)?;
    let &[height, width] = bins else {
        return Err(c.invalid(format!("pooled_shape has {} entries, expected 2", bins.len())));
    };
    if !(1..=MOST_SAMPLES).contains(&height) || !(1..=MOST_SAMPLES).contains(&width) {
        return Err(c.invalid(format!("pooled_shape {bins:?} is out of bounds")));
    }
    let scale = c.float("spatial_scale", 1.0)?;
    let rois = cx.b.cast(rois, wide(tx.dtype))?;
    let batch = cx.b.slice(rois, 1, 0, 1)?;
    let batch = cx.b.cast(batch, DType::I64)?;
    let batch = cx.b.reshape(batch, rois_shape[..1].to_vec())?;
    let (rows, no_rows) = bin_places(cx, rois, (2, height, &tx.shape[2]), scale)?;
    let (columns, no_columns) = bin_places(cx, rois, (1, width, &tx.shape[3]), scale)?;
    let y = pooled(cx, Combiner::Max, [x, batch], [rows, columns], &[])?;
    let r = &rois_shape[0];
    let no_rows = cx.b.reshape(no_rows, vec![r.clone(), 1.into(), height.into(), 1.into()])?;
    let no_columns = cx.b.reshape(no_columns, vec![r.clone(), 1.into(), 1.into(), width.into()])?;
    let y =
        cx.b.map_named("MaxRoiPool", &[y, no_rows, no_columns], |a| a[1].or(&a[2]).select(&a[0].lit(0.0), &a[0]))?;
    Ok(vec![y])
}

/// The places `[R, bins, places]` of every bin along the axis whose coordinates stand in columns
/// `first` and `first + 2`, the last repeated; and whether a bin `[R, bins, 1]` has none.
fn bin_places(
    cx: &mut Cx<'_>,
    rois: ValueId,
    (first, bins, size): (i64, i64, &Ix),
    scale: f64,
) -> Result<(ValueId, ValueId)> {
    let regions = cx.b.shape(rois)?[0].clone();
    let corner = |cx: &mut Cx<'_>, at: i64| {
        let v = cx.b.slice(rois, 1, at, 1)?;
        let v = cx.b.map_named("corner", &[v], |a| round_away(&(&a[0] * &a[0].lit(scale))))?;
        cx.b.reshape(v, column(&regions, 3))
    };
    let (start, end) = (corner(cx, first)?, corner(cx, first + 2)?);
    let bin_at = cx.b.apply(&Iota { shape: vec![bins.into(), 1.into()], axis: 0 }, &[])?;
    let size = Scalar::index(size.clone());
    let edge = |cx: &mut Cx<'_>, end_of_bin: bool| {
        cx.b.map_named("edge", &[start, end, bin_at], |a| {
            let bin = (&a[1] - &a[0] + 1.0).maximum(&a[0].lit(1.0)) / bins as f64;
            let at = a[2].cast(bin.dtype());
            let at = if end_of_bin { ((at + 1.0) * bin).ceil() } else { (at * bin).floor() };
            (at + a[0].clone()).cast(DType::I64).maximum(&Scalar::int(DType::I64, 0)).minimum(&size)
        })
    };
    let (from, to) = (edge(cx, false)?, edge(cx, true)?);
    let empty = cx.b.map_named("empty", &[from, to], |a| a[0].ge(&a[1]))?;
    let lengths = cx.b.map_named("length", &[from, to], |a| (&a[1] - &a[0]).cast(DType::F32))?;
    let most = largest(cx, lengths)?;
    let step = cx.b.apply(&Iota { shape: vec![most], axis: 0 }, &[])?;
    let places = cx.b.map_named("place", &[from, to, step], |a| {
        let last = (a[1].clone() - 1.0).maximum(&a[0].lit(0.0)).minimum(&(size.clone() - 1.0));
        (&a[0] + &a[2]).minimum(&last)
    })?;
    Ok((places, empty))
}

/// The nearest integer, halves away from zero.
fn round_away(x: &Scalar) -> Scalar {
    let sign = Scalar::call(Func::Sign, vec![x.clone()]);
    sign * (x.abs() + 0.5).floor()
}
