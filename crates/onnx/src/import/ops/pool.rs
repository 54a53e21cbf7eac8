//! Pooling over sliding windows and over whole channels.

use super::statistics::{mean, widen};
use super::windows::{Padding, Windows, spatial};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{ReduceWindow, WindowDim, WindowPlaces};
use tilewright_graph::{Combiner, Func, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape, volume};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new(
        "AveragePool",
        1..=1,
        &["auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"],
        average_pool,
    ),
    Row::new(
        "MaxPool",
        1..=1,
        &["auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"],
        max_pool,
    )
    .outputs(1..=2),
    Row::new("LpPool", 1..=1, &["auto_pad", "ceil_mode", "dilations", "kernel_shape", "p", "pads", "strides"], lp_pool),
    Row::new("GlobalAveragePool", 1..=1, &[], |cx, c| {
        let (x, axes) = (c.x(0)?, whole(cx, c)?);
        Ok(vec![mean(cx, x, &axes, true)?])
    }),
    Row::new("GlobalMaxPool", 1..=1, &[], |cx, c| {
        let (x, axes) = (c.x(0)?, whole(cx, c)?);
        Ok(vec![cx.b.reduce(x, Combiner::Max, &axes, true)?])
    }),
    Row::new("GlobalLpPool", 1..=1, &["p"], |cx, c| {
        let axes = whole(cx, c)?;
        lp(cx, c, &mut |cx, powers| cx.b.reduce(powers, Combiner::Sum, &axes, true))
    }),
];

/// Windows with more taps serve nothing and would run for hours.
const MOST_TAPS: i64 = 1 << 26;

/// The spatial axes.
fn whole(cx: &Cx<'_>, c: &Call<'_>) -> Result<Vec<usize>> {
    let rank = cx.b.rank(c.x(0)?)?;
    spatial(rank, 0)?;
    Ok((2..rank).collect())
}

/// The windows of a pool over the spatial dims of `x`.
fn windows(cx: &Cx<'_>, c: &Call<'_>) -> Result<Vec<WindowDim>> {
    let shape = cx.b.shape(c.x(0)?)?;
    let n = spatial(shape.len(), 1)?;
    let kernel = c.ints("kernel_shape")?.ok_or_else(|| c.invalid("attribute \"kernel_shape\" is required"))?;
    if kernel.len() != n {
        return Err(c.invalid(format!("kernel_shape has {} entries for {n} spatial dims", kernel.len())));
    }
    let taps = kernel.iter().try_fold(1i64, |n, k| if *k < 1 { None } else { n.checked_mul(*k) });
    if taps.is_none_or(|n| n > MOST_TAPS) {
        return Err(c.invalid(format!("kernel_shape {kernel:?} is out of bounds")));
    }
    let windows = Windows::of(c, n)?;
    let ceil = c.flag("ceil_mode", false)?;
    (0..n).map(|i| window(&windows, i, &shape[2 + i], kernel[i], ceil)).collect()
}

fn window(windows: &Windows, i: usize, size: &Ix, taps: i64, ceil: bool) -> Result<WindowDim> {
    let stride = Ix::konst(windows.strides[i]);
    let reach = windows.reach(i, &taps.into());
    let (before, after) = windows.pads(i, size, &taps.into());
    let count = match &windows.padding {
        Padding::Same { .. } => Some(windows.same_count(i, size)),
        Padding::Explicit(_) if ceil => {
            // A last window that would start in the padding behind the elements is dropped.
            let all = (&(size + &before) + &after - &reach).ceil_div(&stride);
            let started = (size + &before - 1).floor_div(&stride);
            Some(all.min_with(&started) + 1)
        }
        _ => None,
    };
    Ok(WindowDim {
        size: taps,
        stride: windows.strides[i],
        dilation: windows.dilations[i],
        pads: (before, after),
        count,
    })
}

pub fn average_pool(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let (dtype, shape) = (cx.b.dtype(x)?, cx.b.shape(x)?);
    let dims = windows(cx, c)?;
    let include = c.flag("count_include_pad", false)?;
    let x = widen(cx, x)?;
    let dividend = cx.b.apply(&ReduceWindow { combiner: Combiner::Sum, dims: dims.clone() }, &[x])?;
    let divisor = divisor(cx, &dims, &shape[2..], include)?;
    let y = cx.b.map_named("AveragePool", &[dividend, divisor], |a| (&a[0] / &a[1].cast(a[0].dtype())).cast(dtype))?;
    Ok(vec![y])
}

/// The number of taps of every window that count: those on elements, or on padding too. A tap that
/// `ceil_mode` lets reach beyond the padding never counts.
fn divisor(cx: &mut Cx<'_>, dims: &[WindowDim], sizes: &[Ix], include: bool) -> Result<ValueId> {
    let mut product = cx.b.scalar(DType::F32, 1.0)?;
    for (i, (w, size)) in dims.iter().zip(sizes).enumerate() {
        let (before, after) = &w.pads;
        let (counted, pads) = match include {
            true => (&(size + before) + after, (Ix::zero(), Ix::zero())),
            false => (size.clone(), w.pads.clone()),
        };
        let one = cx.b.scalar(DType::F32, 1.0)?;
        let ones = cx.b.broadcast(one, vec![counted])?;
        let along = ReduceWindow { combiner: Combiner::Sum, dims: vec![WindowDim { pads, ..w.clone() }] };
        let along = cx.b.apply(&along, &[ones])?;
        let mut shape = cx.b.shape(along)?;
        shape.resize(dims.len() - i, Ix::konst(1));
        let along = cx.b.reshape(along, shape)?;
        product = cx.b.map_named("taps", &[product, along], |a| &a[0] * &a[1])?;
    }
    Ok(product)
}

fn max_pool(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let dims = windows(cx, c)?;
    let y = cx.b.apply(&ReduceWindow { combiner: Combiner::Max, dims: dims.clone() }, &[x])?;
    if !c.wants(1) {
        return Ok(vec![y]);
    }
    let shape = cx.b.shape(x)?;
    let strides = match c.int("storage_order", 0)? {
        0 => row_major(&shape),
        1 => column_major(&shape),
        other => return Err(c.invalid(format!("storage_order = {other}, expected 0 or 1"))),
    };
    let keys = cx.b.map_named("order", &[x], |a| order_key(&a[0]))?;
    let taps = cx.b.apply(&ReduceWindow { combiner: Combiner::ArgMax { last: false }, dims: dims.clone() }, &[keys])?;
    let places = cx.b.apply(&WindowPlaces { dims, sizes: shape, strides }, &[taps])?;
    Ok(vec![y, places])
}

fn row_major(shape: &[Ix]) -> Shape {
    (0..shape.len()).map(|i| volume(&shape[i + 1..])).collect()
}

/// Batch and channels in row-major order, the spatial dims of each channel in column-major order.
fn column_major(shape: &[Ix]) -> Shape {
    (0..shape.len()).map(|i| if i < 2 { volume(&shape[i + 1..]) } else { volume(&shape[2..i]) }).collect()
}

/// An i64 that orders values as `max` does, with NaN first of all, and above the lowest i64, which
/// is what an absent tap reads as: so padding never wins over an element.
fn order_key(x: &Scalar) -> Scalar {
    if !x.dtype().is_float() {
        return x.cast(DType::I64);
    }
    // Adding zero makes both zeros equal.
    let wide = x.cast(DType::F64) + 0.0;
    let bits = Scalar::call(Func::Bitcast(DType::I64), vec![wide]);
    let magnitude = Scalar::int(DType::I64, i64::MAX);
    let flipped = Scalar::call(Func::Xor, vec![bits.clone(), magnitude.clone()]);
    let key = bits.lt(&bits.lit(0.0)).select(&flipped, &bits);
    x.is_nan().select(&magnitude, &key)
}

fn lp_pool(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let dims = windows(cx, c)?;
    lp(cx, c, &mut |cx, powers| cx.b.apply(&ReduceWindow { combiner: Combiner::Sum, dims: dims.clone() }, &[powers]))
}

/// The `p`-th root of sums, as `sum` forms them, of the `p`-th powers of absolute values.
fn lp(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    sum: &mut dyn FnMut(&mut Cx<'_>, ValueId) -> Result<ValueId>,
) -> Result<Vec<ValueId>> {
    let p = if c.version < 2 { c.float("p", 2.0)? } else { c.int("p", 2)? as f64 };
    if p.is_nan() || p <= 0.0 {
        return Err(c.invalid(format!("p = {p}, expected a positive number")));
    }
    let x = c.x(0)?;
    let dtype = cx.b.dtype(x)?;
    let x = widen(cx, x)?;
    let powers = cx.b.map_named("power", &[x], |a| match p {
        1.0 => a[0].abs(),
        2.0 => &a[0] * &a[0],
        _ => a[0].abs().pow(&a[0].lit(p)),
    })?;
    let sums = sum(cx, powers)?;
    let y = cx.b.map_named("root", &[sums], |a| {
        match p {
            1.0 => a[0].clone(),
            2.0 => a[0].sqrt(),
            _ => a[0].pow(&a[0].lit(1.0 / p)),
        }
        .cast(dtype)
    })?;
    Ok(vec![y])
}
