//! Ensembles of decision trees of ai.onnx.ml.

mod linked;

use super::labels::texts;
use super::learning::DOMAIN;
use super::text::{count, counts};
use crate::Node;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::opaque::{Aggregate, Ensemble, Next, Pair, Post, Test, Trees};
use tilewright_graph::ops::{Bounds, Gather};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new(
        "TreeEnsemble",
        1..=1,
        &[
            "aggregate_function",
            "leaf_targetids",
            "leaf_weights",
            "membership_values",
            "n_targets",
            "nodes_falseleafs",
            "nodes_falsenodeids",
            "nodes_featureids",
            "nodes_hitrates",
            "nodes_missing_value_tracks_true",
            "nodes_modes",
            "nodes_splits",
            "nodes_trueleafs",
            "nodes_truenodeids",
            "post_transform",
            "tree_roots",
        ],
        |cx, c| {
            let dtype = cx.b.dtype(c.x(0)?)?;
            scores(cx, c, ensemble(c, dtype)?).map(|(scores, _)| vec![scores])
        },
    )
    .since(5)
    .domain(DOMAIN),
    Row::new("TreeEnsembleRegressor", 1..=1, linked::REGRESSOR, |cx, c| {
        scores(cx, c, linked::regressor(c)?).map(|(scores, _)| vec![scores])
    })
    .until(4)
    .domain(DOMAIN),
    Row::new("TreeEnsembleClassifier", 1..=1, linked::CLASSIFIER, classify).until(4).outputs(2..=2).domain(DOMAIN),
];

/// The scores of each row, and the position of the greatest.
fn scores(cx: &mut Cx<'_>, c: &Call<'_>, tables: Ensemble) -> Result<(ValueId, ValueId)> {
    let x = c.x(0)?;
    match cx.b.opaque(Trees::new(tables)?.into(), &[x])?.as_slice() {
        [scores, best] => Ok((*scores, *best)),
        _ => Err(Diagnostic::internal("trees give scores and positions")),
    }
}

/// `TreeEnsembleClassifier`: the label of the greatest score, and the scores.
fn classify(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let labels = match (c.ints("classlabels_int64s")?, c.node.attr_strs("classlabels_strings")?) {
        (Some(numbers), None) => Tensor::from_slice(&[numbers.len()], numbers)?,
        (None, Some(names)) => texts(&names)?,
        _ => return Err(c.invalid("TreeEnsembleClassifier takes labels of one kind, strings or integers")),
    };
    let (scores, best) = scores(cx, c, linked::classifier(c, labels.len())?)?;
    let labels = cx.b.constant(labels);
    let label = cx.b.apply(&Gather { axis: 0, bounds: Bounds::Error }, &[labels, best])?;
    Ok(vec![label, scores])
}

/// The tables of a `TreeEnsemble`: nodes and leaves apart, each leaf with one vote.
fn ensemble(c: &Call<'_>, dtype: DType) -> Result<Ensemble> {
    let weights = numbers(c, "leaf_weights", dtype)?;
    let aggregate =
        *choose(c, "aggregate_function", 1, &[Aggregate::Average, Aggregate::Sum, Aggregate::Min, Aggregate::Max])?;
    let posts = [Post::None, Post::Softmax, Post::Logistic, Post::SoftmaxZero, Post::Probit];
    Ok(Ensemble {
        tests: tests(c)?,
        features: counts(c, "nodes_featureids")?,
        thresholds: numbers(c, "nodes_splits", dtype)?,
        on_true: branches(c, "nodes_truenodeids", "nodes_trueleafs")?,
        on_false: branches(c, "nodes_falsenodeids", "nodes_falseleafs")?,
        nan_is_true: nan_is_true(c)?,
        members: members(c, dtype)?,
        roots: counts(c, "tree_roots")?.into_iter().map(Next::Node).collect(),
        leaves: (0..weights.len()).collect(),
        targets: counts(c, "leaf_targetids")?,
        weights,
        outputs: count(c, "n_targets", c.node.required("n_targets", Node::attr_int)?)?,
        aggregate,
        base: vec![],
        pair: Pair::None,
        post: *choose(c, "post_transform", 0, &posts)?,
        dtype,
    })
}

fn choose<'t, T>(c: &Call<'_>, name: &str, default: i64, all: &'t [T]) -> Result<&'t T> {
    let given = c.int(name, default)?;
    let chosen = usize::try_from(given).ok().and_then(|at| all.get(at));
    chosen.ok_or_else(|| c.invalid(format!("{name} = {given} is none of 0 to {}", all.len() - 1)))
}

fn tests(c: &Call<'_>) -> Result<Vec<Test>> {
    const MODES: [Test; 7] = [Test::Leq, Test::Lt, Test::Gte, Test::Gt, Test::Eq, Test::Neq, Test::Member];
    let modes = c.node.required("nodes_modes", Node::attr_tensor)?;
    let Some(modes) = modes.as_slice::<u8>() else {
        return Err(c.invalid(format!("nodes_modes must be u8, found {}", modes.dtype())));
    };
    let test = |mode: &u8| MODES.get(usize::from(*mode)).copied();
    modes.iter().map(test).collect::<Option<_>>().ok_or_else(|| c.invalid("nodes_modes has a mode above 6"))
}

fn branches(c: &Call<'_>, ids: &str, leaves: &str) -> Result<Vec<Next>> {
    let (ids, leaves) = (counts(c, ids)?, c.node.required(leaves, Node::attr_ints)?);
    if ids.len() != leaves.len() {
        return Err(c.invalid(format!("{} branches, of which {} are leaves or not", ids.len(), leaves.len())));
    }
    Ok(ids.into_iter().zip(leaves).map(|(id, leaf)| if *leaf == 0 { Next::Node(id) } else { Next::Leaf(id) }).collect())
}

/// The sets, which NaN separates or ends.
fn members(c: &Call<'_>, dtype: DType) -> Result<Vec<Vec<f64>>> {
    if c.tensor("membership_values")?.is_none() {
        return Ok(vec![]);
    }
    let all = numbers(c, "membership_values", dtype)?;
    let mut sets: Vec<Vec<f64>> = all.split(|x| x.is_nan()).map(<[f64]>::to_vec).collect();
    if sets.last().is_some_and(Vec::is_empty) {
        sets.pop();
    }
    Ok(sets)
}

/// The elements of a required tensor attribute of the input's dtype.
fn numbers(c: &Call<'_>, name: &str, dtype: DType) -> Result<Vec<f64>> {
    let t = c.node.required(name, Node::attr_tensor)?;
    match t.dtype() == dtype && dtype.is_float() {
        true => Ok(t.to_vec_f64()),
        false => {
            Err(c.invalid(format!("{name} is {}, the input {dtype}; both must be one dtype of floats", t.dtype())))
        }
    }
}

fn nan_is_true(c: &Call<'_>) -> Result<Vec<bool>> {
    Ok(c.ints("nodes_missing_value_tracks_true")?.unwrap_or_default().iter().map(|flag| *flag != 0).collect())
}
