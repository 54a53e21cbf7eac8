//! Arithmetic of two and of many operands, and bounds.

use super::{CONSUMED, LEGACY, binary, expect, is_number, is_real, operands, same_dtype, unary};
use crate::import::ops::sizes::same_shape;
use crate::import::ops::statistics::wide;
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Add", 2..=2, LEGACY, |cx, c| binary(cx, c, is_number, |a, b| a + b)),
    Row::new("Sub", 2..=2, LEGACY, |cx, c| binary(cx, c, is_number, |a, b| a - b)),
    Row::new("Mul", 2..=2, LEGACY, |cx, c| binary(cx, c, is_number, |a, b| a * b)),
    Row::new("Div", 2..=2, LEGACY, |cx, c| binary(cx, c, is_number, |a, b| a / b)),
    Row::new("Mod", 2..=2, &["fmod"], modulo).since(10),
    Row::new("Pow", 2..=2, LEGACY, pow),
    Row::new("Sum", 1..=MANY, CONSUMED, |cx, c| fold(cx, c, is_real, Func::Add)),
    Row::new("Max", 1..=MANY, CONSUMED, |cx, c| fold(cx, c, is_number, Func::Max)),
    Row::new("Min", 1..=MANY, CONSUMED, |cx, c| fold(cx, c, is_number, Func::Min)),
    Row::new("Mean", 1..=MANY, CONSUMED, mean),
    Row::new("Neg", 1..=1, CONSUMED, |cx, c| unary(cx, c, |t| is_number(t) && t.is_signed(), |x| -x.clone())),
    Row::new("Abs", 1..=1, CONSUMED, |cx, c| unary(cx, c, is_number, Scalar::abs)),
    Row::new("Sign", 1..=1, &[], |cx, c| unary(cx, c, is_number, |x| Scalar::call(Func::Sign, vec![x.clone()])))
        .since(9),
    Row::new("Clip", 1..=3, &["max", "min", "consumed_inputs"], clip),
];

/// ONNX `Mod`: the sign is the divisor's, or with `fmod` the dividend's. Floats without `fmod` came with version 28.
fn modulo(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let func = match c.int("fmod", 0)? {
        0 => Func::Mod,
        1 => Func::Rem,
        other => return Err(c.invalid(format!("fmod = {other}, expected 0 or 1"))),
    };
    let dtype = cx.b.dtype(c.x(0)?)?;
    if func == Func::Mod && dtype.is_float() && c.version < 28 {
        return Err(c.invalid(format!("Mod of {dtype} needs the attribute fmod = 1 before opset 28")));
    }
    binary(cx, c, is_number, |a, b| Scalar::call(func, vec![a.clone(), b.clone()]))
}

/// ONNX `Pow`: the result has the dtype of the base. Integers to the power of integers wrap, and 1 divided by an
/// integer is truncated; where the dtypes differ otherwise the power is formed in f64.
fn pow(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let [a, b] = operands(cx, c)?;
    expect(cx, c, a, is_number)?;
    expect(cx, c, b, is_number)?;
    let (base, exponent) = (cx.b.dtype(a)?, cx.b.dtype(b)?);
    let common = match (base.is_int(), exponent.is_int()) {
        _ if base == exponent => base,
        (true, true) if exponent.is_signed() => DType::I64,
        (true, true) => DType::U64,
        _ => DType::F64,
    };
    Ok(vec![cx.b.map_named("Pow", &[a, b], |x| x[0].cast(common).pow(&x[1].cast(common)).cast(base))?])
}

/// All operands, of dtypes that fit; before version 8 they do not broadcast.
fn variadic(cx: &Cx<'_>, c: &Call<'_>, fits: fn(DType) -> bool) -> Result<Vec<ValueId>> {
    let all = c.all()?;
    let Some(first) = all.first() else { return Err(c.invalid(format!("{} without operands", c.node.op_type))) };
    expect(cx, c, *first, fits)?;
    same_dtype(cx, c, &all)?;
    if c.version < 8 {
        let shape = cx.b.shape(*first)?;
        all.iter().try_for_each(|v| same_shape(&cx.b.shape(*v)?, &shape, "operands before opset 8"))?;
    }
    Ok(all)
}

fn fold(cx: &mut Cx<'_>, c: &Call<'_>, fits: fn(DType) -> bool, func: Func) -> Result<Vec<ValueId>> {
    let all = variadic(cx, c, fits)?;
    Ok(vec![combine(cx, c, &all, func)?])
}

fn combine(cx: &mut Cx<'_>, c: &Call<'_>, all: &[ValueId], func: Func) -> Result<ValueId> {
    let step = |cx: &mut Cx<'_>, a: ValueId, b: ValueId| {
        cx.b.map_named(&c.node.op_type, &[a, b], |x| Scalar::call(func, x.to_vec()))
    };
    all[1..].iter().try_fold(all[0], |so_far, v| step(cx, so_far, *v))
}

fn mean(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let all = variadic(cx, c, is_real)?;
    let dtype = cx.b.dtype(all[0])?;
    let terms = all.iter().map(|v| cx.b.cast(*v, wide(dtype))).collect::<Result<Vec<_>>>()?;
    let sum = combine(cx, c, &terms, Func::Add)?;
    Ok(vec![cx.b.map_named("Mean", &[sum], |x| (&x[0] / all.len() as f64).cast(dtype))?])
}

/// ONNX `Clip`: `min(max(x, low), high)`, so `high` wins where they cross, and NaN among the three gives NaN. An
/// absent bound does nothing.
fn clip(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    if c.version < 11 {
        // Version 6 has defaults, which infinity exceeds.
        let default = (c.version >= 6).then_some(f32::MAX);
        let low = c.node.attr_float("min")?.or(default.map(|d| -d));
        let high = c.node.attr_float("max")?.or(default);
        return unary(cx, c, is_real, |x| {
            let bound = |b: Option<f32>| b.map(|b| x.lit(f64::from(b)));
            within(x, bound(low).as_ref(), bound(high).as_ref())
        });
    }
    let mut values = vec![c.x(0)?];
    expect(cx, c, values[0], is_number)?;
    for bound in [c.opt(1), c.opt(2)].into_iter().flatten() {
        values.push(cx.b.reshape(bound, vec![])?);
    }
    same_dtype(cx, c, &values)?;
    let (low, high) = (c.opt(1).map(|_| 1), c.opt(2).map(|_| values.len() - 1));
    Ok(vec![cx.b.map_named("Clip", &values, |a| within(&a[0], low.map(|i| &a[i]), high.map(|i| &a[i])))?])
}

fn within(x: &Scalar, low: Option<&Scalar>, high: Option<&Scalar>) -> Scalar {
    let x = low.map_or(x.clone(), |low| x.maximum(low));
    high.map_or(x.clone(), |high| x.minimum(high))
}
