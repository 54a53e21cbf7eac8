//! Convolutions, plain and transposed.

use super::activation::Activation;
use super::linear::accumulator;
use super::sizes::{per_channel, same_shape, same_size};
use super::statistics::widen;
use super::windows::{Padding, Windows, ints, spatial, split};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::ops::Conv;
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Conv", 2..=3, &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"], |cx, c| {
        conv(cx, c, None)
    }),
    Row::new(
        "ConvTranspose",
        2..=3,
        &["auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"],
        conv_transpose,
    ),
    Row::new(
        "FusedConv",
        2..=4,
        &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides", "activation", "activation_params"],
        |cx, c| {
            let parameters = c.node.attr_floats("activation_params")?.unwrap_or_default();
            let parameters: Vec<f64> = parameters.iter().map(|p| f64::from(*p)).collect();
            conv(cx, c, Activation::of(c, &parameters)?)
        },
    )
    .domain("com.microsoft"),
];

/// ONNX `Conv` of `x [N, C, …]` with `w [M, C/group, taps…]`, without bias; the attributes are the
/// call's. Products are formed in `accumulate`, which is then the result's dtype.
pub fn convolution(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    x: ValueId,
    w: ValueId,
    accumulate: Option<DType>,
) -> Result<ValueId> {
    let (sx, sw) = (cx.b.shape(x)?, cx.b.shape(w)?);
    let n = spatial(sx.len(), 1)?;
    let windows = Windows::of(c, n)?;
    let taps = taps(c, &sw, n)?;
    let pads = (0..n).map(|i| windows.pads(i, &sx[2 + i], &taps[i])).collect();
    let conv = Conv {
        strides: windows.strides,
        dilations: windows.dilations,
        pads,
        groups: groups(c)?,
        accumulate,
        ..Conv::plain(n)
    };
    cx.b.apply(&conv, &[x, w])
}

/// The taps of weights, which `kernel_shape` may repeat.
fn taps(c: &Call<'_>, weights: &[Ix], n: usize) -> Result<Shape> {
    let taps = weights.get(2..).filter(|t| t.len() == n);
    let taps = taps.ok_or_else(|| c.invalid(format!("weights of rank {} for {n} spatial dims", weights.len())))?;
    if let Some(given) = c.ints("kernel_shape")?.filter(|k| !k.is_empty()) {
        let given: Shape = given.iter().map(|k| Ix::konst(*k)).collect();
        same_shape(&given, taps, "kernel_shape and the weights")?;
    }
    Ok(taps.to_vec())
}

fn groups(c: &Call<'_>) -> Result<i64> {
    match c.int("group", 1)? {
        g if g >= 1 => Ok(g),
        g => Err(c.invalid(format!("group = {g}, expected at least 1"))),
    }
}

fn conv(cx: &mut Cx<'_>, c: &Call<'_>, activation: Option<Activation>) -> Result<Vec<ValueId>> {
    let (x, w) = (c.x(0)?, c.x(1)?);
    let accumulate = accumulator(cx.b.dtype(x)?);
    let y = convolution(cx, c, x, w, accumulate)?;
    finish(cx, c, y, activation)
}

/// Adds bias and residual, applies the activation, and rounds to the input's dtype.
fn finish(cx: &mut Cx<'_>, c: &Call<'_>, y: ValueId, activation: Option<Activation>) -> Result<Vec<ValueId>> {
    let dtype = cx.b.dtype(c.x(0)?)?;
    let shape = cx.b.shape(y)?;
    let mut terms = vec![y];
    if let Some(bias) = c.opt(2) {
        let bias = per_channel(cx, bias, &shape[1], shape.len(), "bias and output channels")?;
        terms.push(widen(cx, bias)?);
    }
    if let Some(residual) = c.opt(3) {
        same_shape(&cx.b.shape(residual)?, &shape, "what is added to a convolution and its result")?;
        terms.push(widen(cx, residual)?);
    }
    if terms.len() == 1 && activation.is_none() {
        return Ok(vec![cx.b.cast(y, dtype)?]);
    }
    let y = cx.b.map_named(&c.node.op_type, &terms, |t| {
        let sum = t[1..].iter().fold(t[0].clone(), |sum, t| &sum + t);
        activation.map_or(sum.clone(), |f| f.apply(&sum)).cast(dtype)
    })?;
    Ok(vec![y])
}

/// ONNX `ConvTranspose`: the convolution's adjoint by its input, cut or extended to a given size.
fn conv_transpose(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, w) = (c.x(0)?, c.x(1)?);
    let (sx, sw) = (cx.b.shape(x)?, cx.b.shape(w)?);
    let n = spatial(sx.len(), 1)?;
    let windows = Windows::of(c, n)?;
    let taps = taps(c, &sw, n)?;
    let groups = groups(c)?;
    same_size(&sw[0], &sx[1], "channels of the weights and the input")?;
    let cuts = cuts(c, &windows, &sx[2..], &taps)?;
    let pads = (0..n).map(|i| {
        let (begin, size) = &cuts[i];
        let reach = windows.reach(i, &taps[i]);
        let stretched = (&sx[2 + i] - &Ix::konst(1)) * windows.strides[i] + 1;
        let before = &reach - &(begin + &Ix::konst(1));
        let after = size + &reach - 1 - &stretched - &before;
        (before, after)
    });
    let conv = Conv {
        pads: pads.collect(),
        input_dilations: windows.strides.clone(),
        dilations: windows.dilations.clone(),
        groups,
        transposed: true,
        accumulate: accumulator(cx.b.dtype(x)?),
        ..Conv::plain(n)
    };
    let y = cx.b.apply(&conv, &[x, w])?;
    finish(cx, c, y, None)
}

/// For each spatial dim: places cut off the beginning of the whole adjoint, and the result's size.
fn cuts(c: &Call<'_>, windows: &Windows, sizes: &[Ix], taps: &[Ix]) -> Result<Vec<(Ix, Ix)>> {
    let n = sizes.len();
    let extra = ints(c, "output_padding", n, 0)?;
    if let Some(e) = extra.iter().find(|e| **e < 0) {
        return Err(c.invalid(format!("output_padding holds {e}, expected at least 0")));
    }
    let fixed = fixed_sizes(c, n)?;
    let whole = |i: usize| (&sizes[i] - &Ix::konst(1)) * windows.strides[i] + &windows.reach(i, &taps[i]) + extra[i];
    let cut = |i: usize| {
        let wanted = match (&fixed, &windows.padding) {
            (Some(sizes), _) => Ix::konst(sizes[i]),
            (None, Padding::Same { .. }) => &sizes[i] * windows.strides[i],
            (None, padding) => {
                let (begin, end) = match padding {
                    Padding::Explicit(pads) => pads[i],
                    _ => (0, 0),
                };
                return (begin.into(), whole(i) - begin - end);
            }
        };
        // What is wanted may be more than the whole: then places are added, by the same rule.
        let lower = !matches!(windows.padding, Padding::Same { lower: false });
        (split(whole(i) - &wanted, lower).0, wanted)
    };
    let cuts: Vec<(Ix, Ix)> = (0..n).map(cut).collect();
    match cuts.iter().find(|(_, size)| size.as_const().is_some_and(|s| s < 1)) {
        Some((_, size)) => Err(c.invalid(format!("the result of a ConvTranspose would have the size {size}"))),
        None => Ok(cuts),
    }
}

/// The attribute `output_shape`; some exporters write the batch and channels into it too.
fn fixed_sizes<'a>(c: &Call<'a>, n: usize) -> Result<Option<&'a [i64]>> {
    let Some(list) = c.ints("output_shape")?.filter(|l| !l.is_empty()) else { return Ok(None) };
    let sizes = match list.len() {
        len if len == n => list,
        len if len == n + 2 => &list[2..],
        len => return Err(c.invalid(format!("output_shape has {len} entries, expected {n}"))),
    };
    match sizes.iter().find(|s| !(1..=1 << 40).contains(*s)) {
        Some(s) => Err(c.invalid(format!("output_shape holds {s}"))),
        None => Ok(Some(sizes)),
    }
}
