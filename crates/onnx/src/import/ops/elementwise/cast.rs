//! Conversions between dtypes, and the identity.

use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::opaque::{StringFunction, Strings};
use tilewright_graph::scalars::Overflow;
use tilewright_graph::{Func, Scalar, Type, ValueId, ops};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::convert::ScaleRounding;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Cast", 1..=1, &["round_mode", "saturate", "to"], |cx, c| {
        let to = target(c)?;
        Ok(vec![cast_as(cx, c, c.x(0)?, to)?])
    }),
    Row::new("CastLike", 2..=2, &["round_mode", "saturate"], |cx, c| {
        let to = match cx.b.ty(c.x(1)?) {
            Type::Tensor(t) => t.dtype,
            Type::Dynamic(dtype) => *dtype,
            other => return Err(c.invalid(format!("CastLike takes a tensor, found {other}"))),
        };
        Ok(vec![cast_as(cx, c, c.x(0)?, to)?])
    })
    .since(15),
    Row::new("BitCast", 1..=1, &["to"], bitcast).since(26),
    Row::new("Identity", 1..=1, &[], |_, c| Ok(vec![c.x(0)?])),
];

/// The attribute `to`: the number of a dtype, in version 1 its name.
fn target(c: &Call<'_>) -> Result<DType> {
    if c.version >= 6 {
        return c.dtype("to")?.ok_or_else(|| c.invalid("attribute \"to\" is required but missing"));
    }
    Ok(match c.str("to", "")? {
        "BOOL" => DType::Bool,
        "INT8" => DType::I8,
        "INT16" => DType::I16,
        "INT32" => DType::I32,
        "INT64" => DType::I64,
        "UINT8" => DType::U8,
        "UINT16" => DType::U16,
        "UINT32" => DType::U32,
        "UINT64" => DType::U64,
        "FLOAT16" => DType::F16,
        "FLOAT" => DType::F32,
        "DOUBLE" => DType::F64,
        other => return Err(c.invalid(format!("attribute \"to\" = \"{other}\" is no dtype of Cast-1"))),
    })
}

/// [`cast`] by the attributes of a call.
fn cast_as(cx: &mut Cx<'_>, c: &Call<'_>, x: ValueId, to: DType) -> Result<ValueId> {
    let overflow = if c.flag("saturate", true)? { Overflow::Saturate } else { Overflow::Special };
    let rounding = match c.str("round_mode", "up")? {
        "up" => ScaleRounding::Up,
        "down" => ScaleRounding::Down,
        "nearest" => ScaleRounding::Nearest,
        other => return Err(c.invalid(format!("round_mode \"{other}\" is none of up, down, nearest"))),
    };
    cast(cx, x, to, overflow, rounding)
}

/// ONNX `Cast` between any dtypes. `rounding` concerns f8e8m0 alone.
fn cast(cx: &mut Cx<'_>, x: ValueId, to: DType, overflow: Overflow, rounding: ScaleRounding) -> Result<ValueId> {
    let from = cx.b.dtype(x)?;
    if from == to {
        return Ok(x);
    }
    if to == DType::String {
        return Ok(cx.b.opaque(Strings { function: StringFunction::Show }.into(), &[x])?[0]);
    }
    let x = match from {
        DType::String => {
            // Floats are read as f32 or f64, and rounded once more if they are narrower.
            let read = if to.is_float() && to != DType::F64 { DType::F32 } else { to };
            cx.b.opaque(Strings { function: StringFunction::Parse { to: read } }.into(), &[x])?[0]
        }
        _ => x,
    };
    if cx.b.dtype(x)? == to {
        return Ok(x);
    }
    cx.b.map_named("Cast", &[x], |a| {
        let x = if to == DType::F8E8M0 { power_of_two(&a[0], rounding) } else { a[0].clone() };
        Scalar::call(Func::Cast(to, overflow), vec![x])
    })
}

/// The magnitude rounded to a power of two, in f64. The conversion to f8e8m0 rounds up itself.
fn power_of_two(x: &Scalar, rounding: ScaleRounding) -> Scalar {
    let half = match rounding {
        ScaleRounding::Up => return x.clone(),
        ScaleRounding::Down => 0,
        ScaleRounding::Nearest => 1 << 51,
    };
    let x = x.cast(DType::F64);
    let bits = Scalar::call(Func::Bitcast(DType::I64), vec![x.abs()]) + Scalar::int(DType::I64, half);
    let exponent = bits.and(&Scalar::int(DType::I64, 0x7ff << 52));
    x.is_nan().select(&x, &Scalar::call(Func::Bitcast(DType::F64), vec![exponent]))
}

fn bitcast(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, to) = (c.x(0)?, c.dtype("to")?.ok_or_else(|| c.invalid("attribute \"to\" is required but missing"))?);
    let from = cx.b.dtype(x)?;
    if from.bits() != to.bits() || from == DType::String || to == DType::String {
        return Err(Diagnostic::dtype(format!("the bits of {from} are not those of {to}")));
    }
    Ok(vec![if from == to { x } else { cx.b.apply(&ops::Bitcast { to }, &[x])? }])
}
