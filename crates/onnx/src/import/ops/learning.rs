//! Operators of ai.onnx.ml that select, scale or join features.

use super::linear::matmul;
use super::sizes::broadcasts_to;
use crate::Node;
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::ops::{Bounds, Gather};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, volume};
use tilewright_tensor::{DType, Tensor};

/// The domain of classical machine learning.
pub const DOMAIN: &str = "ai.onnx.ml";

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("ArrayFeatureExtractor", 2..=2, &[], extract).domain(DOMAIN),
    Row::new("Binarizer", 1..=1, &["threshold"], binarize).domain(DOMAIN),
    Row::new("Scaler", 1..=1, &["offset", "scale"], scale).domain(DOMAIN),
    Row::new("FeatureVectorizer", 1..=MANY, &["inputdimensions"], join).domain(DOMAIN),
    Row::new("LinearRegressor", 1..=1, &["coefficients", "intercepts", "post_transform", "targets"], regress)
        .domain(DOMAIN),
    Row::new(
        "Imputer",
        1..=1,
        &["imputed_value_floats", "imputed_value_int64s", "replaced_value_float", "replaced_value_int64"],
        impute,
    )
    .domain(DOMAIN),
];

/// `ArrayFeatureExtractor`: features of the last dim; of a vector, as one row.
fn extract(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, indices) = (c.x(0)?, c.x(1)?);
    if cx.b.dtype(indices)? != DType::I64 {
        return Err(Diagnostic::dtype("the indices of features must be i64"));
    }
    let mut shape = cx.b.shape(x)?;
    let Some(last) = shape.pop() else { return Err(Diagnostic::shape("a scalar has no features")) };
    let count = volume(&cx.b.shape(indices)?);
    let x = cx.b.reshape(x, if shape.is_empty() { vec![Ix::konst(1), last] } else { [shape, vec![last]].concat() })?;
    let indices = cx.b.reshape(indices, vec![count])?;
    let axis = cx.b.rank(x)? - 1;
    Ok(vec![cx.b.apply(&Gather { axis, bounds: Bounds::Error }, &[x, indices])?])
}

/// `Binarizer`: 1 above the threshold, else 0.
fn binarize(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, threshold) = (c.x(0)?, c.float("threshold", 0.0)?);
    let dtype = numeric(cx, x)?;
    // An integer is above a number when it is above the greatest integer that is not greater.
    let (wide, threshold) = if dtype.is_float() { (dtype, threshold) } else { (DType::I64, threshold.floor()) };
    if wide == DType::I64 && (threshold.is_nan() || threshold.abs() >= i64::MAX as f64) {
        return Err(c.unsupported(format!("integers against the threshold {threshold}")));
    }
    let above = |a: &tilewright_graph::Scalar| a.cast(wide).gt(&a.cast(wide).lit(threshold));
    Ok(vec![cx.b.map_named("Binarizer", &[x], |a| above(&a[0]).cast(dtype))?])
}

/// `Scaler`: `(x - offset) * scale`, in f32.
fn scale(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    numeric(cx, x)?;
    let (offset, scale) = (per_feature(cx, c, x, "offset")?, per_feature(cx, c, x, "scale")?);
    let y = cx.b.map_named("Scaler", &[x, offset, scale], |a| {
        let wide = DType::F64;
        ((a[0].cast(wide) - a[1].cast(wide)) * a[2].cast(wide)).cast(DType::F32)
    })?;
    Ok(vec![y])
}

/// One number for all features of the last dim, or one for each.
fn per_feature(cx: &mut Cx<'_>, c: &Call<'_>, x: ValueId, name: &str) -> Result<ValueId> {
    let list = c.node.required(name, Node::attr_floats)?;
    let v = cx.b.constant(Tensor::from_slice(&[list.len()], list)?);
    let shape = cx.b.shape(x)?;
    broadcasts_to(cx, v, &shape, &format!("{name} and features"))?;
    Ok(v)
}

/// `FeatureVectorizer`: rows of features side by side; a vector is one row.
fn join(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let sizes = c.ints("inputdimensions")?;
    if sizes.is_some_and(|s| s.len() != c.inputs.len()) {
        return Err(c.invalid("inputdimensions has not one entry an input"));
    }
    let mut parts = Vec::new();
    for (i, x) in c.all()?.into_iter().enumerate() {
        numeric(cx, x)?;
        let shape = match cx.b.shape(x)?.as_slice() {
            [features] => vec![Ix::konst(1), features.clone()],
            [rows, features] => vec![rows.clone(), features.clone()],
            other => {
                return Err(Diagnostic::shape(format!("features are [n] or [rows, n], found rank {}", other.len())));
            }
        };
        if let Some(sizes) = sizes {
            super::sizes::same_size(
                &shape[1],
                &sizes[i].into(),
                "an entry of inputdimensions and the input's features",
            )?;
        }
        let rows = cx.b.reshape(x, shape)?;
        parts.push(cx.b.cast(rows, DType::F32)?);
    }
    Ok(vec![cx.b.concat(&parts, 1)?])
}

/// `LinearRegressor`: `x * coefficients^T + intercepts`, in f32.
fn regress(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    numeric(cx, x)?;
    if c.str("post_transform", "NONE")? != "NONE" {
        return Err(c.unsupported("LinearRegressor with a post_transform is not supported"));
    }
    let coefficients = c.node.required("coefficients", Node::attr_floats)?;
    let targets = super::text::count(c, "targets", c.int("targets", 1)?)?;
    if targets == 0 || coefficients.len() % targets != 0 || cx.b.rank(x)? != 2 {
        let rank = cx.b.rank(x)?;
        return Err(c.invalid(format!("{} coefficients for {targets} targets and rank {rank}", coefficients.len())));
    }
    let weights = cx.b.constant(Tensor::from_slice(&[targets, coefficients.len() / targets], coefficients)?);
    let weights = cx.b.permute(weights, &[1, 0])?;
    let x = cx.b.cast(x, DType::F32)?;
    let y = matmul(cx, x, weights, None)?;
    match c.node.attr_floats("intercepts")? {
        None => Ok(vec![y]),
        Some(list) if list.len() == targets => {
            let intercepts = cx.b.constant(Tensor::from_slice(&[targets], list)?);
            Ok(vec![cx.b.map_named("LinearRegressor", &[y, intercepts], |a| &a[0] + &a[1])?])
        }
        Some(list) => Err(c.invalid(format!("{} intercepts for {targets} targets", list.len()))),
    }
}

/// `Imputer`: another value for the one that stands for missing.
fn impute(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let (dtype, shape) = (numeric(cx, x)?, cx.b.shape(x)?);
    let floats = c.node.attr_floats("imputed_value_floats")?.filter(|l| !l.is_empty());
    let ints = c.ints("imputed_value_int64s")?.filter(|l| !l.is_empty());
    let values = match (floats, ints) {
        (Some(all), None) if dtype.is_float() => Tensor::from_slice(&[all.len()], all)?,
        (None, Some(all)) if !dtype.is_float() => Tensor::from_slice(&[all.len()], all)?,
        _ => return Err(c.invalid(format!("Imputer of {dtype} takes imputed values of its kind alone"))),
    };
    let missing = match dtype.is_float() {
        true => Tensor::scalar(c.float("replaced_value_float", 0.0)? as f32),
        false => Tensor::scalar(c.int("replaced_value_int64", 0)?),
    };
    let (values, missing) = (cx.b.constant(values), cx.b.constant(missing));
    broadcasts_to(cx, values, &shape, "imputed values and features")?;
    let y = cx.b.map_named("Imputer", &[x, values, missing], |a| {
        let value = a[1].cast(dtype);
        match dtype.is_float() {
            true => {
                let missing = a[2].cast(dtype);
                let both = a[0].is_nan().and(&missing.is_nan());
                a[0].equals(&missing).or(&both).select(&value, &a[0])
            }
            false => a[0].cast(DType::I64).equals(&a[2]).select(&value, &a[0]),
        }
    })?;
    Ok(vec![y])
}

/// The dtype of numbers.
fn numeric(cx: &Cx<'_>, x: ValueId) -> Result<DType> {
    match cx.b.dtype(x)? {
        DType::String | DType::Bool => Err(Diagnostic::dtype("features must be numbers")),
        dtype => Ok(dtype),
    }
}
