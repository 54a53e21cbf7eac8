//! Elementwise arithmetic and functions.

use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::Result;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Add", 2..=2, LEGACY, |cx, c| binary(cx, c, Func::Add)),
    Row::new("Sub", 2..=2, LEGACY, |cx, c| binary(cx, c, Func::Sub)),
    Row::new("Mul", 2..=2, LEGACY, |cx, c| binary(cx, c, Func::Mul)),
    Row::new("Div", 2..=2, LEGACY, |cx, c| binary(cx, c, Func::Div)),
    Row::new("Sum", 1..=MANY, LEGACY, |cx, c| variadic(cx, c, Func::Add)),
    Row::new("Exp", 1..=1, LEGACY, |cx, c| unary(cx, c, |x| x.exp())),
    Row::new("Relu", 1..=1, LEGACY, |cx, c| unary(cx, c, |x| x.maximum(&x.lit(0.0)))),
    Row::new("Sigmoid", 1..=1, LEGACY, |cx, c| unary(cx, c, |x| Scalar::call(Func::Sigmoid, vec![x.clone()]))),
];

/// Attributes of operators before opset 7: ways to broadcast and to work in place.
const LEGACY: &[&str] = &["axis", "broadcast", "consumed_inputs"];

fn unary(cx: &mut Cx<'_>, call: &Call<'_>, f: impl FnOnce(&Scalar) -> Scalar) -> Result<Vec<ValueId>> {
    Ok(vec![cx.b.map_named(&call.node.op_type, &[call.x(0)?], |a| f(&a[0]))?])
}

fn binary(cx: &mut Cx<'_>, call: &Call<'_>, f: Func) -> Result<Vec<ValueId>> {
    let operands = [call.x(0)?, call.x(1)?];
    Ok(vec![cx.b.map_named(&call.node.op_type, &operands, |a| Scalar::call(f, a.to_vec()))?])
}

fn variadic(cx: &mut Cx<'_>, call: &Call<'_>, f: Func) -> Result<Vec<ValueId>> {
    let mut sum = call.x(0)?;
    for v in &call.all()?[1..] {
        sum = cx.b.map_named(&call.node.op_type, &[sum, *v], |a| Scalar::call(f, a.to_vec()))?;
    }
    Ok(vec![sum])
}
