//! Trees whose nodes name each other: the tables of `TreeEnsembleRegressor` and `TreeEnsembleClassifier`.

use super::nan_is_true;
use crate::Node;
use crate::import::Call;
use crate::import::ops::text::{count, counts};
use std::collections::{BTreeMap, HashMap};
use tilewright_graph::opaque::{Aggregate, Ensemble, Next, Pair, Post, Test};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// Attributes of `TreeEnsembleRegressor`.
pub const REGRESSOR: &[&str] = &[
    "aggregate_function",
    "base_values",
    "base_values_as_tensor",
    "n_targets",
    "nodes_falsenodeids",
    "nodes_featureids",
    "nodes_hitrates",
    "nodes_hitrates_as_tensor",
    "nodes_missing_value_tracks_true",
    "nodes_modes",
    "nodes_nodeids",
    "nodes_treeids",
    "nodes_truenodeids",
    "nodes_values",
    "nodes_values_as_tensor",
    "post_transform",
    "target_ids",
    "target_nodeids",
    "target_treeids",
    "target_weights",
    "target_weights_as_tensor",
];

/// Attributes of `TreeEnsembleClassifier`.
pub const CLASSIFIER: &[&str] = &[
    "base_values",
    "base_values_as_tensor",
    "class_ids",
    "class_nodeids",
    "class_treeids",
    "class_weights",
    "class_weights_as_tensor",
    "classlabels_int64s",
    "classlabels_strings",
    "nodes_falsenodeids",
    "nodes_featureids",
    "nodes_hitrates",
    "nodes_hitrates_as_tensor",
    "nodes_missing_value_tracks_true",
    "nodes_modes",
    "nodes_nodeids",
    "nodes_treeids",
    "nodes_truenodeids",
    "nodes_values",
    "nodes_values_as_tensor",
    "post_transform",
];

/// A node's tree and its number there.
type Id = (i64, i64);

/// The tables of a `TreeEnsembleRegressor`.
pub fn regressor(c: &Call<'_>) -> Result<Ensemble> {
    let aggregate = match c.str("aggregate_function", "SUM")? {
        "SUM" => Aggregate::Sum,
        "AVERAGE" => Aggregate::Average,
        "MIN" => Aggregate::Min,
        "MAX" => Aggregate::Max,
        other => return Err(c.invalid(format!("aggregate_function \"{other}\" is none of AVERAGE, SUM, MIN, MAX"))),
    };
    let outputs = count(c, "n_targets", c.node.required("n_targets", Node::attr_int)?)?;
    ensemble(c, "target", Ensemble { aggregate, outputs, ..empty(c)? })
}

/// The tables of a `TreeEnsembleClassifier` of some labels.
///
/// When all votes are for the first of two classes, they are the score of the second; that of the first follows. How
/// it does depends on the transform and on the signs of the votes; where it is not settled, that is unsupported.
pub fn classifier(c: &Call<'_>, labels: usize) -> Result<Ensemble> {
    let tables = ensemble(c, "class", Ensemble { outputs: labels, ..empty(c)? })?;
    let one = tables.targets.windows(2).all(|pair| pair[0] == pair[1]);
    if labels > 2 || (labels == 2 && !one) {
        return Ok(tables);
    }
    let positive = tables.weights.iter().all(|w| *w >= 0.0);
    let pair = match (tables.post, positive) {
        (Post::None, true) => Pair::Half,
        (Post::Logistic, false) => Pair::Sign,
        (post, _) => return Err(c.unsupported(format!("one score for two classes, of these votes and with {post:?}"))),
    };
    if labels != 2 || tables.targets.first() != Some(&0) || tables.base.len() > 1 {
        return Err(c.unsupported("one score for two classes that is not that of the first of two labels"));
    }
    Ok(Ensemble { outputs: 1, pair, ..tables })
}

/// Tables without nodes.
fn empty(c: &Call<'_>) -> Result<Ensemble> {
    let post = match c.str("post_transform", "NONE")? {
        "NONE" => Post::None,
        "SOFTMAX" => Post::Softmax,
        "LOGISTIC" => Post::Logistic,
        "SOFTMAX_ZERO" => Post::SoftmaxZero,
        "PROBIT" => Post::Probit,
        other => return Err(c.invalid(format!("post_transform \"{other}\" is unknown"))),
    };
    Ok(Ensemble {
        tests: vec![],
        features: vec![],
        thresholds: vec![],
        on_true: vec![],
        on_false: vec![],
        nan_is_true: vec![],
        members: vec![],
        roots: vec![],
        leaves: vec![],
        targets: vec![],
        weights: vec![],
        outputs: 0,
        aggregate: Aggregate::Sum,
        base: numbers(c, "base_values")?.unwrap_or_default(),
        pair: Pair::None,
        post,
        dtype: DType::F32,
    })
}

/// `tables` with the nodes, and with the votes whose attributes start with `votes`.
fn ensemble(c: &Call<'_>, votes: &str, tables: Ensemble) -> Result<Ensemble> {
    let mut tables = tables;
    let ids = ids(c, "nodes_treeids", "nodes_nodeids")?;
    let modes = c.node.required("nodes_modes", Node::attr_strs)?;
    let (features, thresholds) = (counts(c, "nodes_featureids")?, required(c, "nodes_values")?);
    let nan = nan_is_true(c)?;
    let children = [ints(c, "nodes_truenodeids")?, ints(c, "nodes_falsenodeids")?];
    let lengths = [modes.len(), features.len(), thresholds.len(), children[0].len(), children[1].len()];
    if lengths.iter().any(|n| *n != ids.len()) || !(nan.is_empty() || nan.len() == ids.len()) {
        return Err(c.invalid(format!("{} nodes, but the attributes of nodes have {lengths:?} entries", ids.len())));
    }
    let places = places(c, &ids, &modes)?;
    let mut parents = vec![0usize; ids.len()];
    for (at, (tree, node)) in ids.iter().enumerate().filter(|(at, _)| modes[*at] != "LEAF") {
        let mut next = [Next::Leaf(0); 2];
        for (next, children) in next.iter_mut().zip(&children) {
            let (row, place) = places.get(&(*tree, children[at])).ok_or_else(|| {
                c.invalid(format!("node {node} of tree {tree} leads to node {}, which is not there", children[at]))
            })?;
            parents[*row] += 1;
            *next = *place;
        }
        tables.tests.push(test(c, modes[at])?);
        tables.features.push(features[at]);
        tables.thresholds.push(thresholds[at]);
        tables.on_true.push(next[0]);
        tables.on_false.push(next[1]);
        tables.nan_is_true.extend(nan.get(at));
    }
    tables.roots = roots(c, &ids, &parents, &places)?;
    let leaves = modes.iter().filter(|m| **m == "LEAF").count();
    add_votes(c, votes, &places, leaves, &mut tables)?;
    Ok(tables)
}

/// The row of each node, and its place among the nodes that test or among the leaves.
type Places = HashMap<Id, (usize, Next)>;

fn places(c: &Call<'_>, ids: &[Id], modes: &[&str]) -> Result<Places> {
    let (mut nodes, mut leaves) = (0.., 0..);
    let mut places = Places::new();
    for (row, (id, mode)) in ids.iter().zip(modes).enumerate() {
        let place = match *mode {
            "LEAF" => leaves.next().map(Next::Leaf),
            _ => nodes.next().map(Next::Node),
        };
        if places.insert(*id, (row, place.unwrap_or(Next::Leaf(0)))).is_some() {
            return Err(c.invalid(format!("node {} of tree {} occurs twice", id.1, id.0)));
        }
    }
    Ok(places)
}

/// The node of each tree that no other leads to.
fn roots(c: &Call<'_>, ids: &[Id], parents: &[usize], places: &Places) -> Result<Vec<Next>> {
    let mut found: BTreeMap<i64, Vec<Next>> = ids.iter().map(|(tree, _)| (*tree, vec![])).collect();
    for (id, _) in ids.iter().zip(parents).filter(|(_, parents)| **parents == 0) {
        found.entry(id.0).or_default().extend(places.get(id).map(|(_, place)| *place));
    }
    let root = |(tree, roots): (i64, Vec<Next>)| match roots.as_slice() {
        [root] => Ok(*root),
        many => Err(c.invalid(format!("tree {tree} has {} roots", many.len()))),
    };
    found.into_iter().map(root).collect()
}

/// Adds the votes of each leaf; votes at other nodes never count.
fn add_votes(c: &Call<'_>, votes: &str, places: &Places, leaves: usize, tables: &mut Ensemble) -> Result<()> {
    let name = |part: &str| format!("{votes}_{part}");
    let ids = ids(c, &name("treeids"), &name("nodeids"))?;
    let (targets, weights) = (counts(c, &name("ids"))?, required(c, &name("weights"))?);
    if targets.len() != ids.len() || weights.len() != ids.len() {
        let found = (targets.len(), weights.len());
        return Err(c.invalid(format!("{} votes, but {} targets and {} weights", ids.len(), found.0, found.1)));
    }
    let mut cast: Vec<Vec<(usize, f64)>> = vec![vec![]; leaves];
    for ((tree, node), vote) in ids.iter().zip(targets.into_iter().zip(weights)) {
        match places.get(&(*tree, *node)) {
            Some((_, Next::Leaf(leaf))) => cast[*leaf].push(vote),
            Some(_) => {}
            None => return Err(c.invalid(format!("a vote at node {node} of tree {tree}, which is not there"))),
        }
    }
    for leaf in cast {
        tables.leaves.push(tables.targets.len());
        let (targets, weights): (Vec<_>, Vec<_>) = leaf.into_iter().unzip();
        tables.targets.extend(targets);
        tables.weights.extend(weights);
    }
    Ok(())
}

fn test(c: &Call<'_>, mode: &str) -> Result<Test> {
    Ok(match mode {
        "BRANCH_LEQ" => Test::Leq,
        "BRANCH_LT" => Test::Lt,
        "BRANCH_GTE" => Test::Gte,
        "BRANCH_GT" => Test::Gt,
        "BRANCH_EQ" => Test::Eq,
        "BRANCH_NEQ" => Test::Neq,
        other => return Err(c.invalid(format!("the mode \"{other}\" of a node is unknown"))),
    })
}

fn ids(c: &Call<'_>, trees: &str, nodes: &str) -> Result<Vec<Id>> {
    let (t, n) = (ints(c, trees)?, ints(c, nodes)?);
    match t.len() == n.len() {
        true => Ok(t.iter().copied().zip(n.iter().copied()).collect()),
        false => Err(c.invalid(format!("{trees} has {} entries, {nodes} {}", t.len(), n.len()))),
    }
}

fn ints<'a>(c: &Call<'a>, name: &str) -> Result<&'a [i64]> {
    c.node.required(name, Node::attr_ints)
}

/// The floats of an attribute, or of the tensor that may stand for it.
fn numbers(c: &Call<'_>, name: &str) -> Result<Option<Vec<f64>>> {
    let floats = c.node.attr_floats(name)?.map(|list| list.iter().map(|x| f64::from(*x)).collect());
    let tensor = c.tensor(&format!("{name}_as_tensor"))?;
    match (floats, tensor) {
        (Some(_), Some(_)) => Err(c.invalid(format!("{name} is given twice"))),
        (None, Some(t)) if t.dtype().is_float() => Ok(Some(t.to_vec_f64())),
        (None, Some(t)) => Err(c.invalid(format!("{name}_as_tensor is {}, not of floats", t.dtype()))),
        (floats, None) => Ok(floats),
    }
}

fn required(c: &Call<'_>, name: &str) -> Result<Vec<f64>> {
    numbers(c, name)?.ok_or_else(|| c.invalid(format!("attribute \"{name}\" is required but missing")))
}
