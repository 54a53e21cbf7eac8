//! Products of quantized matrices, accumulated in i32.

use super::super::linear::matmul;
use super::super::sizes::broadcasts_to;
use super::{Quantized, Target, dynamic, single};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("MatMulInteger", 2..=4, &[], |cx, c| {
        let (a, b) =
            (Side { x: c.x(0)?, scale: None, zero: c.opt(2) }, Side { x: c.x(1)?, scale: None, zero: c.opt(3) });
        let product = Product::of(cx, a, b)?;
        Ok(vec![product.sum])
    })
    .since(10),
    Row::new("QLinearMatMul", 8..=8, &[], qlinear_matmul).since(10),
    Row::new("MatMulIntegerToFloat", 4..=7, &[], |cx, c| {
        let a = Side { x: c.x(0)?, scale: c.opt(2), zero: c.opt(4) };
        let b = Side { x: c.x(1)?, scale: c.opt(3), zero: c.opt(5) };
        to_float(cx, c, [a, b], c.opt(6))
    })
    .domain("com.microsoft"),
    Row::new("DynamicQuantizeMatMul", 3..=5, &[], |cx, c| {
        let (x, scale, zero) = dynamic::quantize(&mut cx.b, c.x(0)?)?;
        let a = Side { x, scale: Some(scale), zero: Some(zero) };
        let b = Side { x: c.x(1)?, scale: c.opt(2), zero: c.opt(3) };
        to_float(cx, c, [a, b], c.opt(4))
    })
    .domain("com.microsoft"),
    Row::new("QGemm", 6..=9, &["alpha", "transA", "transB"], qgemm).domain("com.microsoft"),
];

/// A factor: quantized as a whole, by rows (on the left) or by columns (on the right).
struct Side {
    x: ValueId,
    scale: Option<ValueId>,
    zero: Option<ValueId>,
}

/// A product, and the scales of its factors as tensors that broadcast over it.
struct Product {
    sum: ValueId,
    scales: Vec<ValueId>,
}

impl Product {
    /// `(a - zero) @ (b - zero)`: in i32 for integers of 8 bits, in f32 for float8.
    fn of(cx: &mut Cx<'_>, a: Side, b: Side) -> Result<Self> {
        let accumulate = match (cx.b.dtype(a.x)?, cx.b.dtype(b.x)?) {
            (DType::I8 | DType::U8, DType::I8 | DType::U8) => DType::I32,
            (p, q) if p.is_float() && q.is_float() && p.bits() == 8 && q.bits() == 8 => DType::F32,
            (p, q) => return Err(Diagnostic::dtype(format!("a product of quantized {p} and {q}"))),
        };
        let mut scales = Vec::new();
        let mut factors = Vec::new();
        for (side, rows) in [(&a, true), (&b, false)] {
            let shape = cx.b.shape(side.x)?;
            let zero = side.zero.map(|z| lines(cx, z, &shape, rows)).transpose()?;
            let scale = side.scale.map(|s| lines(cx, s, &shape, rows)).transpose()?;
            factors.push(centered(cx, side.x, zero)?);
            scales.extend(scale);
        }
        Ok(Self { sum: matmul(cx, factors[0], factors[1], Some(accumulate))?, scales })
    }
}

/// `x - zero`, checked.
fn centered(cx: &mut Cx<'_>, x: ValueId, zero: Option<ValueId>) -> Result<ValueId> {
    let scale = cx.b.scalar(DType::F32, 1.0)?;
    let q = Quantized { x, scale, zero };
    q.check(cx)?;
    q.center(cx)
}

/// One parameter for the matrix, one for each row, or one for each column, as a tensor that broadcasts over it.
fn lines(cx: &mut Cx<'_>, v: ValueId, matrix: &[Ix], rows: bool) -> Result<ValueId> {
    let own = cx.b.shape(v)?;
    if own.iter().all(|n| n.is(1)) {
        return cx.b.reshape(v, vec![]);
    }
    let v = match rows && own.len() == 1 {
        true => cx.b.reshape(v, vec![own[0].clone(), Ix::konst(1)])?,
        false => v,
    };
    let mut one_each = matrix.to_vec();
    let crossed = if rows { matrix.len().checked_sub(1) } else { matrix.len().checked_sub(2) };
    if let Some(size) = crossed.and_then(|i| one_each.get_mut(i)) {
        *size = Ix::konst(1);
    }
    broadcasts_to(cx, v, &one_each, "parameters and lines of the matrix")?;
    Ok(v)
}

/// The product of scales, in f32.
fn scaled(scales: &[Scalar]) -> Scalar {
    let mut factors = scales.iter().map(|s| s.cast(DType::F32));
    let first = factors.next().unwrap_or_else(|| Scalar::konst(DType::F32, 1.0));
    factors.fold(first, |a, b| a * b)
}

/// ONNX `QLinearMatMul`: `saturate(round(sum * (a_scale * b_scale / y_scale)) + y_zero)`.
fn qlinear_matmul(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let a = Side { x: c.x(0)?, scale: Some(c.x(1)?), zero: c.opt(2) };
    let b = Side { x: c.x(3)?, scale: Some(c.x(4)?), zero: c.opt(5) };
    let default = cx.b.dtype(a.x)?;
    let target = Target::of(cx, c, 6, default)?;
    let product = Product::of(cx, a, b)?;
    Ok(vec![requantized(cx, c, product.sum, &product.scales, &target)?])
}

/// A sum in i32 or f32 whose elements are worth the product of scales, quantized.
pub(super) fn requantized(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    sum: ValueId,
    scales: &[ValueId],
    target: &Target,
) -> Result<ValueId> {
    let operands: Vec<ValueId> = [sum].into_iter().chain(scales.iter().copied()).chain(target.operands()).collect();
    cx.b.map_named(&c.node.op_type, &operands, |a| {
        let (scales, own) = a[1..].split_at(scales.len());
        let factor = scaled(scales) / own[0].cast(DType::F32);
        super::scalar::quantized(&(a[0].cast(DType::F32) * factor), own.get(1), target.dtype)
    })
}

/// The product of two quantized matrices in the dtype of the right one's scale, with a bias of each column.
fn to_float(cx: &mut Cx<'_>, c: &Call<'_>, [a, b]: [Side; 2], bias: Option<ValueId>) -> Result<Vec<ValueId>> {
    let (Some(a_scale), Some(b_scale)) = (a.scale, b.scale) else { return Err(c.invalid("a scale is absent")) };
    let a = Side { scale: Some(single(cx, a_scale, "the scale of A")?), ..a };
    let dtype = cx.b.dtype(b_scale)?;
    let product = Product::of(cx, a, b)?;
    let mut operands = vec![product.sum];
    operands.extend(&product.scales);
    if let Some(bias) = bias {
        broadcasts_to(cx, bias, &cx.b.shape(product.sum)?, "the bias and the product")?;
        operands.push(bias);
    }
    let scales = product.scales.len();
    let y = cx.b.map_named(&c.node.op_type, &operands, |x| {
        let y = x[0].cast(DType::F32) * scaled(&x[1..=scales]);
        x.get(scales + 1).map_or(y.clone(), |bias| y + bias.cast(DType::F32)).cast(dtype)
    })?;
    Ok(vec![y])
}

/// ONNX Runtime's `QGemm`: `alpha * A * B + C` over quantized matrices, quantized again if a scale of the result is
/// given, else f32. `C` is i32 in units of the product's scale.
fn qgemm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let alpha = c.float("alpha", 1.0)?;
    let turned = |cx: &mut Cx<'_>, x: ValueId, turn: bool| match (turn, cx.b.rank(x)?) {
        (_, rank) if rank != 2 => Err(Diagnostic::shape(format!("QGemm takes matrices, found rank {rank}"))),
        (true, _) => cx.b.permute(x, &[1, 0]),
        (false, _) => Ok(x),
    };
    let a_scale = single(cx, c.x(1)?, "the scale of A")?;
    let a = Side { x: turned(cx, c.x(0)?, c.flag("transA", false)?)?, scale: Some(a_scale), zero: c.opt(2) };
    let b = Side { x: turned(cx, c.x(3)?, c.flag("transB", false)?)?, scale: Some(c.x(4)?), zero: c.opt(5) };
    let dtype = cx.b.dtype(a.x)?;
    let product = Product::of(cx, a, b)?;
    let mut sum = product.sum;
    if let Some(bias) = c.opt(6) {
        broadcasts_to(cx, bias, &cx.b.shape(sum)?, "C of QGemm and the product")?;
        sum = cx.b.map_named("bias", &[sum, bias], |x| &x[0] + &x[1])?;
    }
    let scales = product.scales;
    let unit = cx.b.map_named("unit", &scales, |s| scaled(s) * alpha)?;
    match c.opt(7) {
        Some(_) => {
            let target = Target::of(cx, c, 7, dtype)?;
            Ok(vec![requantized(cx, c, sum, &[unit], &target)?])
        }
        None => Ok(vec![cx.b.map_named("QGemm", &[sum, unit], |x| x[0].cast(DType::F32) * x[1].clone())?]),
    }
}
