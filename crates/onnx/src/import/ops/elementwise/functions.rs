//! Functions of one float.

use super::{CONSUMED, is_real, unary};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::Result;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Sqrt", 1..=1, CONSUMED, |cx, c| apply(cx, c, Func::Sqrt)),
    Row::new("Exp", 1..=1, CONSUMED, |cx, c| apply(cx, c, Func::Exp)),
    Row::new("Log", 1..=1, CONSUMED, |cx, c| apply(cx, c, Func::Log)),
    Row::new("Reciprocal", 1..=1, CONSUMED, |cx, c| unary(cx, c, is_real, |x| x.lit(1.0) / x.clone())),
    Row::new("Floor", 1..=1, CONSUMED, |cx, c| apply(cx, c, Func::Floor)),
    Row::new("Ceil", 1..=1, CONSUMED, |cx, c| apply(cx, c, Func::Ceil)),
    Row::new("Round", 1..=1, &[], |cx, c| apply(cx, c, Func::RoundEven)).since(11),
    Row::new("Sin", 1..=1, &[], |cx, c| apply(cx, c, Func::Sin)).since(7),
    Row::new("Cos", 1..=1, &[], |cx, c| apply(cx, c, Func::Cos)).since(7),
    Row::new("Tan", 1..=1, &[], |cx, c| apply(cx, c, Func::Tan)).since(7),
    Row::new("Asin", 1..=1, &[], |cx, c| apply(cx, c, Func::Asin)).since(7),
    Row::new("Acos", 1..=1, &[], |cx, c| apply(cx, c, Func::Acos)).since(7),
    Row::new("Atan", 1..=1, &[], |cx, c| apply(cx, c, Func::Atan)).since(7),
    Row::new("Sinh", 1..=1, &[], |cx, c| apply(cx, c, Func::Sinh)).since(9),
    Row::new("Cosh", 1..=1, &[], |cx, c| apply(cx, c, Func::Cosh)).since(9),
    Row::new("Tanh", 1..=1, CONSUMED, |cx, c| apply(cx, c, Func::Tanh)),
    Row::new("Asinh", 1..=1, &[], |cx, c| apply(cx, c, Func::Asinh)).since(9),
    Row::new("Acosh", 1..=1, &[], |cx, c| apply(cx, c, Func::Acosh)).since(9),
    Row::new("Atanh", 1..=1, &[], |cx, c| apply(cx, c, Func::Atanh)).since(9),
    Row::new("Erf", 1..=1, &[], erf).since(9),
];

fn apply(cx: &mut Cx<'_>, c: &Call<'_>, func: Func) -> Result<Vec<ValueId>> {
    unary(cx, c, is_real, |x| Scalar::call(func, vec![x.clone()]))
}

/// ONNX `Erf`, which version 9 declares for integers too without saying what it gives.
fn erf(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let dtype = cx.b.dtype(c.x(0)?)?;
    if dtype.is_int() {
        return Err(c.unsupported(format!("Erf of {dtype} is not supported")));
    }
    apply(cx, c, Func::Erf)
}
