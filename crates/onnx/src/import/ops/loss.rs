//! Classification losses.

use super::sizes::same_shape;
use super::softmax::log_softmax;
use super::statistics::widen;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{Bounds, Gather, GatherElements};
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Shape};
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("NegativeLogLikelihoodLoss", 2..=3, LOSS, |cx, c| {
        let (x, dtype) = (c.x(0)?, cx.b.dtype(c.x(0)?)?);
        let x = widen(cx, x)?;
        let loss = likelihood_loss(cx, c, x)?;
        Ok(vec![cx.b.cast(loss, dtype)?])
    })
    .since(12),
    Row::new("SoftmaxCrossEntropyLoss", 2..=3, LOSS, |cx, c| {
        let (x, dtype) = (c.x(0)?, cx.b.dtype(c.x(0)?)?);
        check_classes(cx, c)?;
        let x = widen(cx, x)?;
        let log = log_softmax(cx, x, &[1])?;
        let loss = likelihood_loss(cx, c, log)?;
        Ok(vec![cx.b.cast(loss, dtype)?, cx.b.cast(log, dtype)?])
    })
    .since(12)
    .outputs(1..=2),
];

const LOSS: &[&str] = &["ignore_index", "reduction"];

/// Requires classes `[N, C, …]` and labels `[N, …]`.
fn check_classes(cx: &Cx<'_>, c: &Call<'_>) -> Result<Shape> {
    let (scores, labels) = (cx.b.shape(c.x(0)?)?, cx.b.shape(c.x(1)?)?);
    let labelled: Shape = scores.iter().enumerate().filter(|(i, _)| *i != 1).map(|(_, n)| n.clone()).collect();
    if scores.len() < 2 {
        return Err(Diagnostic::shape(format!("classes of rank {}, expected at least 2", scores.len())));
    }
    same_shape(&labels, &labelled, "labels and what they label")?;
    Ok(scores)
}

/// `-x[label] * weight[label]`, reduced. A label equal to `ignore_index` counts nothing, not even in
/// the mean; so the mean is NaN where all labels are ignored.
fn likelihood_loss(cx: &mut Cx<'_>, c: &Call<'_>, x: ValueId) -> Result<ValueId> {
    let scores = check_classes(cx, c)?;
    let labels = cx.b.cast(c.x(1)?, DType::I64)?;
    let ignored = c.node.attr_int("ignore_index")?;
    let is_ignored = |label: &Scalar| match ignored {
        Some(i) => label.equals(&Scalar::int(DType::I64, i)),
        None => Scalar::bool(false),
    };
    // Ignored labels may lie outside the classes.
    let safe = cx.b.map_named("label", &[labels], |a| is_ignored(&a[0]).select(&a[0].lit(0.0), &a[0]))?;
    let mut column = cx.b.shape(safe)?;
    column.insert(1, Ix::konst(1));
    let column = cx.b.reshape(safe, column)?;
    let picked = cx.b.apply(&GatherElements { axis: 1 }, &[x, column])?;
    let shape = cx.b.shape(labels)?;
    let picked = cx.b.reshape(picked, shape)?;
    let weights = match c.opt(2) {
        Some(w) => {
            same_shape(&cx.b.shape(w)?, &scores[1..2], "class weights and classes")?;
            let w = widen(cx, w)?;
            cx.b.apply(&Gather { axis: 0, bounds: Bounds::Error }, &[w, safe])?
        }
        None => cx.b.constant(Tensor::from_f64(cx.b.dtype(x)?, &[], &[1.0])?),
    };
    let weights = cx.b.map_named("weight", &[weights, labels], |a| is_ignored(&a[1]).select(&a[0].lit(0.0), &a[0]))?;
    let losses = cx.b.map_named("loss", &[picked, weights, labels], |a| {
        is_ignored(&a[2]).select(&a[0].lit(0.0), &-(&a[0] * &a[1]))
    })?;
    let all: Vec<usize> = (0..cx.b.rank(losses)?).collect();
    match c.str("reduction", "mean")? {
        "none" => Ok(losses),
        "sum" => cx.b.reduce(losses, Combiner::Sum, &all, false),
        "mean" => {
            let sum = cx.b.reduce(losses, Combiner::Sum, &all, false)?;
            let count = cx.b.reduce(weights, Combiner::Sum, &all, false)?;
            cx.b.map_named("mean", &[sum, count], |a| &a[0] / &a[1])
        }
        other => Err(c.invalid(format!("reduction \"{other}\", expected none, sum or mean"))),
    }
}
