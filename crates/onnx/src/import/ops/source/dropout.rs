//! Dropout.

use super::super::statistics::wide;
use super::random::{Draw, named_key, unit};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::volume;
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] =
    &[Row::new("Dropout", 1..=3, &["consumed_inputs", "is_test", "ratio", "seed"], dropout).outputs(1..=2)];

/// ONNX `Dropout`. When training, each element is kept with probability `1 - ratio` and then divided by it; else the
/// operand passes through and the mask is all true.
fn dropout(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let ty = cx.b.tensor(x)?;
    if !ty.dtype.is_float() {
        return Err(Diagnostic::dtype(format!("Dropout does not take {}", ty.dtype)));
    }
    let mask_dtype = if c.version < 10 { ty.dtype } else { DType::Bool };
    let training = training(cx, c)?;
    if cx.known(training).is_some_and(|t| t.get_i64(0) == 0) {
        return untouched(cx, c, mask_dtype);
    }
    let ratio = ratio(cx, c, training)?;
    if cx.known(ratio).is_some_and(|r| r.get_f64(0) == 0.0) {
        return untouched(cx, c, mask_dtype);
    }
    let key = c.node.attr_int("seed")?.unwrap_or_else(|| named_key(c));
    let drawn = Draw::only(key).map(cx, "uniform", &ty.shape, |bits| unit(bits, wide(ty.dtype)))?;
    let kept = |a: &[Scalar]| a[0].ge(&a[2].cast(a[0].dtype())).or(&a[1].not());
    let keep = cx.b.map_named("keep", &[drawn, training, ratio], kept)?;
    let y = cx.b.map_named("Dropout", &[x, keep, training, ratio], |a| {
        let x = a[0].cast(wide(ty.dtype));
        let scale = x.lit(1.0) / (x.lit(1.0) - a[3].cast(x.dtype()));
        let scaled = a[1].select(&(&x * &scale), &x.lit(0.0));
        a[2].select(&scaled, &x).cast(ty.dtype)
    })?;
    Ok(vec![y, cx.b.cast(keep, mask_dtype)?])
}

/// The operand, and a mask of all true.
fn untouched(cx: &mut Cx<'_>, c: &Call<'_>, mask: DType) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    if !c.wants(1) {
        return Ok(vec![x]);
    }
    let one = cx.b.scalar(mask, 1.0)?;
    let shape = cx.b.shape(x)?;
    Ok(vec![x, cx.b.broadcast(one, shape)?])
}

/// Whether the node trains, a bool scalar.
fn training(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<ValueId> {
    let flag = match c.opt(2) {
        Some(v) => scalar(cx, c, v)?,
        None => {
            let training = c.version < 7 && !c.flag("is_test", false)?;
            cx.b.constant(Tensor::scalar(training))
        }
    };
    match cx.b.dtype(flag)? {
        DType::Bool => Ok(flag),
        other => Err(Diagnostic::dtype(format!("training_mode is {other}, not bool"))),
    }
}

/// The ratio that a training node drops, a float scalar.
fn ratio(cx: &mut Cx<'_>, c: &Call<'_>, training: ValueId) -> Result<ValueId> {
    let ratio = match c.opt(1) {
        Some(v) => scalar(cx, c, v)?,
        None => {
            let ratio = c.float("ratio", 0.5)?;
            cx.b.constant(Tensor::scalar(ratio))
        }
    };
    if !cx.b.dtype(ratio)?.is_float() {
        return Err(Diagnostic::dtype(format!("the ratio is {}, not a float", cx.b.ty(ratio))));
    }
    let within = |a: &[Scalar]| a[0].ge(&a[0].lit(0.0)).and(&a[0].lt(&a[0].lit(1.0))).or(&a[1].not());
    let fits = cx.b.map_named("fits", &[ratio, training], within)?;
    cx.check(ratio, fits, "the ratio of Dropout is not in [0, 1)")
}

fn scalar(cx: &mut Cx<'_>, c: &Call<'_>, v: ValueId) -> Result<ValueId> {
    let shape = cx.b.shape(v)?;
    match volume(&shape).is(1) {
        true => cx.b.reshape(v, vec![]),
        false => Err(c.invalid(format!("expected a scalar, found {}", cx.b.ty(v)))),
    }
}
