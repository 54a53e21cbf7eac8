//! Normalisation of the last dims: layer and root-mean-square normalisation, and the operators that
//! ONNX Runtime fuses around them.

use super::normalize::stash;
use super::sizes::broadcasts_to;
use super::statistics::{mean, moments};
use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::Result;
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    // ONNX Runtime writes this operator into models of older operator sets too.
    Row::new("LayerNormalization", 2..=3, NORM, layer_norm).outputs(1..=3),
    Row::new("RMSNormalization", 2..=2, NORM, rms_norm).since(23),
    Row::new("SimplifiedLayerNormalization", 2..=2, NORM, rms_norm).outputs(1..=2),
    Row::new("SimplifiedLayerNormalization", 2..=2, NORM, rms_norm).outputs(1..=2).domain("com.microsoft"),
    Row::new("SkipLayerNormalization", 3..=5, &["epsilon"], skip_layer_norm).outputs(1..=4).domain("com.microsoft"),
    Row::new("SkipSimplifiedLayerNormalization", 3..=4, &["epsilon"], skip_rms_norm)
        .outputs(1..=4)
        .domain("com.microsoft"),
];

const NORM: &[&str] = &["axis", "epsilon", "stash_type"];

/// How the last dims are normalised.
pub struct LastDims {
    /// Whether the mean is taken off; without it, the mean square takes the place of the variance.
    pub centered: bool,
    /// The first of the dims.
    pub axis: usize,
    /// Added to the variance.
    pub epsilon: f64,
    /// The dtype of statistics.
    pub work: DType,
}

/// What comes of it.
pub struct Normalized {
    /// The result, in the input's dtype (or the scale's, where that differs).
    pub y: ValueId,
    /// The mean, which stays with size 1; absent if it is not taken off.
    pub mean: Option<ValueId>,
    /// `1 / sqrt(variance + epsilon)`.
    pub inverse: ValueId,
}

impl LastDims {
    /// Normalises, then scales and shifts in the dtype of the scale.
    pub fn apply(&self, cx: &mut Cx<'_>, x: ValueId, scale: ValueId, bias: Option<ValueId>) -> Result<Normalized> {
        let (dtype, shape) = (cx.b.dtype(x)?, cx.b.shape(x)?);
        for v in [Some(scale), bias].into_iter().flatten() {
            broadcasts_to(cx, v, &shape, "scale or bias and the input")?;
        }
        let over: Vec<usize> = (self.axis..shape.len()).collect();
        let wide = cx.b.cast(x, self.work)?;
        let (center, variance) = match self.centered {
            true => {
                let (center, variance) = moments(cx, wide, &over)?;
                (Some(center), variance)
            }
            false => {
                let squares = cx.b.map_named("square", &[wide], |a| &a[0] * &a[0])?;
                (None, mean(cx, squares, &over, true)?)
            }
        };
        let inverse = cx.b.map_named("inverse", &[variance], |a| a[0].lit(1.0) / (&a[0] + self.epsilon).sqrt())?;
        let operands: Vec<ValueId> = [wide, inverse].into_iter().chain(center).collect();
        let stage = cx.b.map_named("normalized", &operands, |a| {
            let centered = a.get(2).map_or(a[0].clone(), |m| &a[0] - m);
            (centered * a[1].clone()).cast(dtype)
        })?;
        let out = cx.b.dtype(scale)?;
        let operands: Vec<ValueId> = [stage, scale].into_iter().chain(bias).collect();
        let y = cx.b.map_named("scaled", &operands, |a| {
            let scaled = a[0].cast(out) * a[1].clone();
            a.get(2).map_or(scaled.clone(), |b| scaled + b.cast(out))
        })?;
        Ok(Normalized { y, mean: center, inverse })
    }
}

/// The attributes of the operators that have an axis.
fn attributes(cx: &Cx<'_>, c: &Call<'_>, centered: bool) -> Result<LastDims> {
    let x = c.x(0)?;
    Ok(LastDims {
        centered,
        axis: axis(c.int("axis", -1)?, cx.b.rank(x)?)?,
        epsilon: c.float("epsilon", 1e-5)?,
        work: stash(c, cx.b.dtype(x)?)?,
    })
}

/// ONNX `LayerNormalization`: further outputs are the mean and the inverse standard deviation.
fn layer_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let n = attributes(cx, c, true)?.apply(cx, c.x(0)?, c.x(1)?, c.opt(2))?;
    let stored = c.dtype("stash_type")?.unwrap_or(DType::F32);
    let mut outputs = vec![n.y];
    for v in n.mean.into_iter().chain([n.inverse]) {
        outputs.push(cx.b.cast(v, stored)?);
    }
    Ok(outputs)
}

/// ONNX `RMSNormalization`; a second output, where there is one, is the inverse root mean square.
fn rms_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let n = attributes(cx, c, false)?.apply(cx, c.x(0)?, c.x(1)?, None)?;
    let stored = c.dtype("stash_type")?.unwrap_or(DType::F32);
    Ok(vec![n.y, cx.b.cast(n.inverse, stored)?])
}

fn skip_layer_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    skip_norm(cx, c, true, [c.opt(3), c.opt(4)])
}

fn skip_rms_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    skip_norm(cx, c, false, [None, c.opt(3)])
}

/// ONNX Runtime's `SkipLayerNormalization`: of the sum of input, skip and bias, over the last dim.
/// Outputs: result, mean, inverse standard deviation, sum.
fn skip_norm(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    centered: bool,
    [beta, bias]: [Option<ValueId>; 2],
) -> Result<Vec<ValueId>> {
    let (x, skip) = (c.x(0)?, c.x(1)?);
    let (dtype, shape) = (cx.b.dtype(x)?, cx.b.shape(x)?);
    let terms: Vec<ValueId> = [x, skip].into_iter().chain(bias).collect();
    for v in &terms[1..] {
        broadcasts_to(cx, *v, &shape, "what is added and the input")?;
    }
    let sum = cx.b.map_named("sum", &terms, |a| a[1..].iter().fold(a[0].clone(), |s, x| &s + x))?;
    let work = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let last = axis(-1, shape.len())?;
    let n = LastDims { centered, axis: last, epsilon: c.float("epsilon", 1e-12)?, work };
    let n = n.apply(cx, sum, c.x(2)?, beta)?;
    let inverse = cx.b.cast(n.inverse, DType::F32)?;
    // Without a mean there is nothing to say in its place: the root mean square is about zero.
    let mean = match n.mean {
        Some(m) => cx.b.cast(m, DType::F32)?,
        None if c.wants(1) => return Err(c.unsupported("the mean of a SkipSimplifiedLayerNormalization")),
        None => inverse,
    };
    Ok(vec![n.y, mean, inverse, sum])
}
