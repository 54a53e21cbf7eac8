//! QuantizeLinear and DequantizeLinear.

use super::super::elementwise::is_real;
use super::granularity::Granularity;
use super::{Quantized, is_quantized, scalar};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::scalars::Overflow;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

const QUANTIZE: &[&str] = &["axis", "block_size", "output_dtype", "precision", "saturate"];
const DEQUANTIZE: &[&str] = &["axis", "block_size", "output_dtype"];

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("QuantizeLinear", 2..=3, QUANTIZE, quantize).since(10),
    Row::new("QuantizeLinear", 2..=3, QUANTIZE, quantize).domain("com.microsoft"),
    Row::new("DequantizeLinear", 2..=3, DEQUANTIZE, dequantize).since(10),
    Row::new("DequantizeLinear", 2..=3, DEQUANTIZE, dequantize).domain("com.microsoft"),
];

/// A dtype attribute in which 0 stands for none.
fn dtype(c: &Call<'_>, name: &str) -> Result<Option<DType>> {
    if c.int(name, 0)? == 0 { Ok(None) } else { c.dtype(name) }
}

/// ONNX `QuantizeLinear`: `saturate(round(x / scale) + zero)`. The quotient is formed in `precision`, or the scale's
/// dtype; for scales that are no arithmetic floats, in f32 or (integers) f64.
fn quantize(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, scale, zero) = (c.x(0)?, c.x(1)?, c.opt(2));
    let to = target(cx, c, zero)?;
    let ty = cx.b.tensor(x)?;
    if !is_real(ty.dtype) && ty.dtype != DType::I32 {
        return Err(Diagnostic::dtype(format!("QuantizeLinear does not take {}", ty.dtype)));
    }
    let precision = match (dtype(c, "precision")?, cx.b.dtype(scale)?) {
        (Some(given), _) if is_real(given) => given,
        (Some(given), _) => return Err(c.invalid(format!("precision {given} is no float"))),
        (None, DType::F8E8M0) => DType::F32,
        (None, DType::I32) => DType::F64,
        (None, own) if is_real(own) => own,
        (None, own) => return Err(Diagnostic::dtype(format!("QuantizeLinear does not take a scale of {own}"))),
    };
    let overflow = if c.flag("saturate", true)? { Overflow::Saturate } else { Overflow::Special };
    let granularity = Granularity::of(c)?;
    let mut operands = vec![x, granularity.spread(cx, scale, &ty.shape)?];
    if let Some(zero) = zero {
        operands.push(granularity.spread(cx, zero, &ty.shape)?);
    }
    let y = cx.b.map_named("QuantizeLinear", &operands, |a| {
        let quotient = a[0].cast(precision) / a[1].cast(precision);
        match to.is_float() {
            true => scalar::narrowed(&quotient, a.get(2), to, overflow),
            false => scalar::quantized(&quotient, a.get(2), to),
        }
    })?;
    Ok(vec![y])
}

/// The dtype of a `QuantizeLinear`'s result.
fn target(cx: &Cx<'_>, c: &Call<'_>, zero: Option<ValueId>) -> Result<DType> {
    let given = dtype(c, "output_dtype")?;
    let to = match (zero.map(|z| cx.b.dtype(z)).transpose()?, given) {
        (Some(own), Some(given)) if own != given => {
            return Err(c.invalid(format!("output_dtype {given} beside a zero point of {own}")));
        }
        (own, given) => own.or(given).unwrap_or(DType::U8),
    };
    match is_quantized(to) {
        true => Ok(to),
        false => Err(Diagnostic::dtype(format!("QuantizeLinear does not give {to}"))),
    }
}

/// ONNX `DequantizeLinear`: `(x - zero) * scale`, formed in f32 and rounded once.
fn dequantize(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let shape = cx.b.shape(x)?;
    let granularity = Granularity::of(c)?;
    let scale = granularity.spread(cx, c.x(1)?, &shape)?;
    let zero = c.opt(2).map(|z| granularity.spread(cx, z, &shape)).transpose()?;
    let q = Quantized { x, scale, zero };
    q.check(cx)?;
    let to = dtype(c, "output_dtype")?.map_or_else(|| cx.b.dtype(scale), Ok)?;
    if !is_real(to) {
        return Err(Diagnostic::dtype(format!("DequantizeLinear does not give {to}")));
    }
    Ok(vec![q.dequantize(cx, to)?])
}
