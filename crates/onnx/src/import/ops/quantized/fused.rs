//! ONNX Runtime's operators that dequantize, compute in f32, and quantize again.

use super::super::elementwise::sigmoid;
use super::super::pool::average_pool;
use super::super::statistics::mean;
use super::matmul::requantized;
use super::{Quantized, Target};
use crate::import::call::{axes, axis};
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("QLinearAdd", 7..=8, &[], |cx, c| {
        let operands = [floats(cx, c, 0)?, floats(cx, c, 3)?];
        let y = cx.b.map_named("QLinearAdd", &operands, |a| &a[0] + &a[1])?;
        quantize(cx, c, 6, y)
    })
    .domain("com.microsoft"),
    Row::new("QLinearMul", 7..=8, &[], qlinear_mul).domain("com.microsoft"),
    Row::new("QLinearSigmoid", 4..=5, &[], |cx, c| function(cx, c, sigmoid)).domain("com.microsoft"),
    Row::new("QLinearLeakyRelu", 4..=5, &["alpha"], |cx, c| {
        let alpha = c.float("alpha", 0.01)?;
        function(cx, c, |x| x.lt(&x.lit(0.0)).select(&(x * alpha), x))
    })
    .domain("com.microsoft"),
    Row::new("QLinearWhere", 9..=9, &[], |cx, c| {
        let operands = [c.x(0)?, floats(cx, c, 1)?, floats(cx, c, 4)?];
        let y = cx.b.map_named("QLinearWhere", &operands, |a| a[0].select(&a[1], &a[2]))?;
        quantize(cx, c, 7, y)
    })
    .domain("com.microsoft"),
    Row::new("QLinearConcat", 5..=MANY, &["axis"], concat).domain("com.microsoft"),
    Row::new("QLinearReduceMean", 4..=5, &["axes", "keepdims"], reduce_mean).domain("com.microsoft"),
    Row::new("QLinearGlobalAveragePool", 5..=5, &["channels_last"], |cx, c| {
        pool(cx, c, &mut |cx, x| {
            let spatial: Vec<usize> = (2..cx.b.rank(x)?).collect();
            mean(cx, x, &spatial, true)
        })
    })
    .domain("com.microsoft"),
    Row::new(
        "QLinearAveragePool",
        4..=5,
        &["auto_pad", "ceil_mode", "channels_last", "count_include_pad", "kernel_shape", "pads", "strides"],
        |cx, c| {
            pool(cx, c, &mut |cx, x| {
                let pooled = Call { node: c.node, inputs: vec![Some(x)], version: c.version };
                Ok(average_pool(cx, &pooled)?[0])
            })
        },
    )
    .domain("com.microsoft"),
];

/// The quantized tensor of operands `at` to `at + 2`, in f32.
fn floats(cx: &mut Cx<'_>, c: &Call<'_>, at: usize) -> Result<ValueId> {
    Quantized::whole(cx, c, at)?.dequantize(cx, DType::F32)
}

/// Quantizes by operands `at` and `at + 1`, to the dtype of the first operand unless a zero point says otherwise.
fn quantize(cx: &mut Cx<'_>, c: &Call<'_>, at: usize, y: ValueId) -> Result<Vec<ValueId>> {
    let default = if at == 0 { DType::U8 } else { cx.b.dtype(c.x(at - 3)?)? };
    let target = Target::of(cx, c, at, default)?;
    Ok(vec![target.quantize(cx, &c.node.op_type, y)?])
}

/// A function of one operand.
fn function(cx: &mut Cx<'_>, c: &Call<'_>, f: impl FnOnce(&Scalar) -> Scalar) -> Result<Vec<ValueId>> {
    let x = floats(cx, c, 0)?;
    let y = cx.b.map_named(&c.node.op_type, &[x], |a| f(&a[0]))?;
    quantize(cx, c, 3, y)
}

/// The product of integers, exact in i32.
fn qlinear_mul(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (a, b) = (Quantized::whole(cx, c, 0)?, Quantized::whole(cx, c, 3)?);
    let dtype = cx.b.dtype(a.x)?;
    let target = Target::of(cx, c, 6, dtype)?;
    let factors = [a.center(cx)?, b.center(cx)?];
    let product = |x: &[Scalar]| x[0].cast(DType::I32) * x[1].cast(DType::I32);
    let product = cx.b.map_named("product", &factors, product)?;
    Ok(vec![requantized(cx, c, product, &[a.scale, b.scale], &target)?])
}

/// Scale and zero point of the result come first, then three operands for each part.
fn concat(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    if c.inputs.len() % 3 != 2 {
        return Err(c.invalid(format!("QLinearConcat takes 2 operands and 3 for each part, found {}", c.inputs.len())));
    }
    let parts = (2..c.inputs.len()).step_by(3).map(|at| floats(cx, c, at)).collect::<Result<Vec<_>>>()?;
    let at = axis(c.node.required("axis", crate::Node::attr_int)?, cx.b.rank(parts[0])?)?;
    let y = cx.b.concat(&parts, at)?;
    quantize(cx, c, 0, y)
}

fn reduce_mean(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = floats(cx, c, 0)?;
    let rank = cx.b.rank(x)?;
    let over = match c.ints("axes")? {
        Some(list) if !list.is_empty() => axes(list, rank)?,
        _ => (0..rank).collect(),
    };
    let y = mean(cx, x, &over, c.flag("keepdims", true)?)?;
    quantize(cx, c, 3, y)
}

/// A function of `[N, C, …]`, which with `channels_last` the operand is not.
fn pool(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    f: &mut dyn FnMut(&mut Cx<'_>, ValueId) -> Result<ValueId>,
) -> Result<Vec<ValueId>> {
    let last = c.flag("channels_last", false)?;
    let mut x = floats(cx, c, 0)?;
    if last {
        x = channels_first(cx, x)?;
    }
    let mut y = f(cx, x)?;
    if last {
        y = channels_last(cx, y)?;
    }
    quantize(cx, c, 3, y)
}

/// `[N, …, C]` as `[N, C, …]`.
pub(super) fn channels_first(cx: &mut Cx<'_>, x: ValueId) -> Result<ValueId> {
    let mut order: Vec<usize> = (0..cx.b.rank(x)?).collect();
    if let Some(rest) = order.get_mut(1..).filter(|rest| !rest.is_empty()) {
        rest.rotate_right(1);
    }
    cx.b.permute(x, &order)
}

/// `[N, C, …]` as `[N, …, C]`.
pub(super) fn channels_last(cx: &mut Cx<'_>, x: ValueId) -> Result<ValueId> {
    let mut order: Vec<usize> = (0..cx.b.rank(x)?).collect();
    if let Some(rest) = order.get_mut(1..).filter(|rest| !rest.is_empty()) {
        rest.rotate_left(1);
    }
    cx.b.permute(x, &order)
}
