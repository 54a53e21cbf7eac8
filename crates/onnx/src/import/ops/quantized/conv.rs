//! Convolutions of quantized tensors, accumulated in i32.

use super::super::conv::convolution;
use super::super::sizes::per_channel;
use super::matmul::requantized;
use super::{Quantized, Target, single};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

const ATTRIBUTES: &[&str] = &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"];

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("ConvInteger", 2..=4, ATTRIBUTES, |cx, c| {
        let (x, w) = (center(cx, c.x(0)?, c.opt(2))?, c.x(1)?);
        let zero = c.opt(3).map(|z| of_outputs(cx, z, w)).transpose()?;
        let w = center_by(cx, w, zero)?;
        Ok(vec![convolution(cx, c, x, w, Some(DType::I32))?])
    })
    .since(10),
    Row::new("QLinearConv", 8..=9, ATTRIBUTES, |cx, c| Ok(vec![qlinear_conv(cx, c, c.x(0)?)?])).since(10),
    Row::new(
        "QLinearConv",
        8..=9,
        &["auto_pad", "channels_last", "dilations", "group", "kernel_shape", "pads", "strides"],
        |cx, c| {
            let x = c.x(0)?;
            if !c.flag("channels_last", false)? {
                return Ok(vec![qlinear_conv(cx, c, x)?]);
            }
            let x = super::fused::channels_first(cx, x)?;
            let y = qlinear_conv(cx, c, x)?;
            Ok(vec![super::fused::channels_last(cx, y)?])
        },
    )
    .domain("com.microsoft"),
];

/// `x - zero` with one zero point for the whole tensor.
fn center(cx: &mut Cx<'_>, x: ValueId, zero: Option<ValueId>) -> Result<ValueId> {
    let zero = zero.map(|z| single(cx, z, "the zero point of x")).transpose()?;
    center_by(cx, x, zero)
}

/// `x - zero`, where the zero point broadcasts over `x`; both must be of 8 bits.
fn center_by(cx: &mut Cx<'_>, x: ValueId, zero: Option<ValueId>) -> Result<ValueId> {
    let dtype = cx.b.dtype(x)?;
    if !matches!(dtype, DType::I8 | DType::U8) {
        return Err(Diagnostic::dtype(format!("a quantized convolution does not take {dtype}")));
    }
    let scale = cx.b.scalar(DType::F32, 1.0)?;
    let q = Quantized { x, scale, zero };
    q.check(cx)?;
    q.center(cx)
}

/// A parameter of the weights, of which there is one or one for each output channel, as a tensor that broadcasts over
/// the weights.
fn of_outputs(cx: &mut Cx<'_>, v: ValueId, weights: ValueId) -> Result<ValueId> {
    let own = cx.b.shape(v)?;
    if own.iter().all(|n| n.is(1)) {
        return cx.b.reshape(v, vec![]);
    }
    let shape = cx.b.shape(weights)?;
    let channels = shape.first().ok_or_else(|| Diagnostic::shape("weights without dims"))?;
    per_channel(cx, v, channels, shape.len() + 1, "parameters and output channels")
}

/// ONNX `QLinearConv`: `saturate(round((sum + bias) * (x_scale * w_scale / y_scale)) + y_zero)`; the bias is i32 in
/// units of `x_scale * w_scale`.
fn qlinear_conv(cx: &mut Cx<'_>, c: &Call<'_>, x: ValueId) -> Result<ValueId> {
    let default = cx.b.dtype(x)?;
    let x_scale = single(cx, c.x(1)?, "the scale of x")?;
    let x = center(cx, x, c.opt(2))?;
    let w = c.x(3)?;
    let w_zero = c.opt(5).map(|z| of_outputs(cx, z, w)).transpose()?;
    let w_centered = center_by(cx, w, w_zero)?;
    let target = Target::of(cx, c, 6, default)?;
    let mut sum = convolution(cx, c, x, w_centered, Some(DType::I32))?;
    let shape = cx.b.shape(sum)?;
    if let Some(bias) = c.opt(8) {
        let bias = per_channel(cx, bias, &shape[1], shape.len(), "bias and output channels")?;
        sum = cx.b.map_named("bias", &[sum, bias], |a| &a[0] + &a[1])?;
    }
    let mut w_scale = c.x(4)?;
    w_scale = match cx.b.shape(w_scale)?.iter().all(|n: &Ix| n.is(1)) {
        true => cx.b.reshape(w_scale, vec![])?,
        false => per_channel(cx, w_scale, &shape[1], shape.len(), "scales and output channels")?,
    };
    requantized(cx, c, sum, &[x_scale, w_scale], &target)
}
