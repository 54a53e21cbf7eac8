//! Comparisons, truth values, bits, and choice.

use super::{LEGACY, binary, expect, is_integer, is_number, same_dtype, unary};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Equal", 2..=2, LEGACY, |cx, c| binary(cx, c, is_comparable, Scalar::equals)),
    Row::new("Less", 2..=2, LEGACY, |cx, c| binary(cx, c, is_number, Scalar::lt)),
    Row::new("LessOrEqual", 2..=2, &[], |cx, c| binary(cx, c, is_number, Scalar::le)).since(12),
    Row::new("Greater", 2..=2, LEGACY, |cx, c| binary(cx, c, is_number, Scalar::gt)),
    Row::new("GreaterOrEqual", 2..=2, &[], |cx, c| binary(cx, c, is_number, Scalar::ge)).since(12),
    Row::new("And", 2..=2, LEGACY, |cx, c| binary(cx, c, is_bool, Scalar::and)),
    Row::new("Or", 2..=2, LEGACY, |cx, c| binary(cx, c, is_bool, Scalar::or)),
    Row::new("Xor", 2..=2, LEGACY, |cx, c| binary(cx, c, is_bool, xor)),
    Row::new("Not", 1..=1, &[], |cx, c| unary(cx, c, is_bool, Scalar::not)),
    Row::new("BitwiseAnd", 2..=2, &[], |cx, c| binary(cx, c, is_integer, Scalar::and)).since(18),
    Row::new("BitwiseOr", 2..=2, &[], |cx, c| binary(cx, c, is_integer, Scalar::or)).since(18),
    Row::new("BitwiseXor", 2..=2, &[], |cx, c| binary(cx, c, is_integer, xor)).since(18),
    Row::new("BitwiseNot", 1..=1, &[], |cx, c| unary(cx, c, is_integer, Scalar::not)).since(18),
    Row::new("BitShift", 2..=2, &["direction"], shift).since(11),
    Row::new("IsNaN", 1..=1, &[], |cx, c| unary(cx, c, DType::is_float, Scalar::is_nan)).since(9),
    Row::new("IsInf", 1..=1, &["detect_negative", "detect_positive"], is_inf).since(10),
    Row::new("Where", 3..=3, &[], where_).since(9),
];

fn is_bool(dtype: DType) -> bool {
    dtype == DType::Bool
}

fn is_comparable(dtype: DType) -> bool {
    is_number(dtype) || matches!(dtype, DType::Bool | DType::String)
}

fn xor(a: &Scalar, b: &Scalar) -> Scalar {
    Scalar::call(Func::Xor, vec![a.clone(), b.clone()])
}

fn shift(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let func = match c.str("direction", "")? {
        "LEFT" => Func::Shl,
        "RIGHT" => Func::Shr,
        other => return Err(c.invalid(format!("direction \"{other}\" is neither LEFT nor RIGHT"))),
    };
    binary(cx, c, is_integer, |a, b| Scalar::call(func, vec![a.clone(), b.clone()]))
}

fn is_inf(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (negative, positive) = (c.flag("detect_negative", true)?, c.flag("detect_positive", true)?);
    unary(cx, c, DType::is_float, |x| {
        let infinite = Scalar::call(Func::IsInf, vec![x.clone()]);
        let zero = x.lit(0.0);
        match (negative, positive) {
            (true, true) => infinite,
            (true, false) => infinite.and(&x.lt(&zero)),
            (false, true) => infinite.and(&x.gt(&zero)),
            (false, false) => infinite.and(&Scalar::bool(false)),
        }
    })
}

fn where_(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let all = c.all()?;
    expect(cx, c, all[0], is_bool)?;
    same_dtype(cx, c, &all[1..])?;
    Ok(vec![cx.b.map_named("Where", &all, |a| a[0].select(&a[1], &a[2]))?])
}
