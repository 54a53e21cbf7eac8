//! Ensembles of decision trees.

mod post;
mod tables;
#[cfg(test)]
mod tests;

pub use tables::{Aggregate, Ensemble, Next, Pair, Post, Test};

use super::Algorithm;
use super::attribute::Attrs;
use super::operand::{MOST, expect_numbers, numbers};
use super::order::float_key;
use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Sym};
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, TensorMut, Value};

/// ONNX `TreeEnsemble`, `TreeEnsembleRegressor` and `TreeEnsembleClassifier`.
///
/// Input: numbers `[rows, features]`. Each tree leads a row to a leaf, whose votes add to the scores of targets.
/// Outputs: the scores `[rows, targets]`, and the position of the greatest score of each row before the last
/// transform, the first among equals, i64 `[rows]`. Features are compared and weights added in f64.
#[derive(Clone, Debug, PartialEq)]
pub struct Trees(Arc<Checked>);

#[derive(Debug, PartialEq)]
struct Checked {
    tables: Ensemble,
    /// For each node its sorted set; empty for other tests.
    sets: Vec<Vec<f64>>,
}

impl Trees {
    /// Fails when the tables contradict each other.
    pub fn new(tables: Ensemble) -> Result<Self> {
        tables.check()?;
        let mut members = tables.members.iter();
        let set = |test: &Test| match test {
            Test::Member => sorted(members.next().map(Vec::as_slice).unwrap_or_default()),
            _ => Vec::new(),
        };
        let sets = tables.tests.iter().map(set).collect();
        Ok(Self(Arc::new(Checked { tables, sets })))
    }

    /// The tables.
    pub fn ensemble(&self) -> &Ensemble {
        &self.0.tables
    }

    /// The number of scores of a row.
    fn width(&self) -> usize {
        if self.0.tables.pair == Pair::None { self.0.tables.outputs } else { 2 }
    }

    /// Fails unless rows of `size` features have all that are tested.
    fn check_features(&self, size: i64) -> Result<()> {
        match self.0.tables.features.iter().max() {
            Some(last) if *last as i64 >= size => {
                Err(Diagnostic::shape(format!("the trees test feature {last}, but rows have {size}")))
            }
            _ => Ok(()),
        }
    }
}

fn sorted(set: &[f64]) -> Vec<f64> {
    // Adding zero makes -0 equal 0 in the total order.
    let mut set: Vec<f64> = set.iter().map(|x| x + 0.0).collect();
    set.sort_by(f64::total_cmp);
    set
}

impl Algorithm for Trees {
    const NAME: &'static str = "trees";
    const DOC: &'static str =
        "The scores of each row by an ensemble of decision trees, and the position of the greatest.";

    fn attributes(&self) -> Attrs {
        self.0.tables.attributes()
    }

    fn from_attributes(attrs: &Attrs) -> Result<Self> {
        Self::new(Ensemble::from_attributes(attrs)?)
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=1
    }

    fn infer(&self, inputs: &[Type], _: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let x = inputs[0].as_tensor()?;
        expect_numbers(x.dtype)?;
        let [rows, size] = x.shape.as_slice() else { return Err(wrong_shape(x)) };
        if let Some(size) = size.as_const() {
            self.check_features(size)?;
        }
        let scores = Type::tensor(self.0.tables.dtype, vec![rows.clone(), Ix::from(self.width())]);
        Ok(vec![scores, Type::tensor(DType::I64, vec![rows.clone()])])
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let x = numbers(inputs, 0)?;
        let [rows, size] = *x.shape() else { return Err(wrong_shape(&Type::of(x))) };
        self.check_features(size as i64)?;
        let width = self.width();
        if rows.checked_mul(width).is_none_or(|total| total > 64 * MOST) {
            return Err(Diagnostic::limit(format!("{rows} rows of {width} scores")));
        }
        let mut scores = TensorMut::new(self.0.tables.dtype, &[rows, width])?;
        let mut best = vec![0i64; rows];
        let mut row = vec![0.0; size];
        for (at, best) in best.iter_mut().enumerate() {
            x.read_f64(at * size, 1, &mut row);
            let mut found = post::pair(self.0.tables.pair, self.0.scores(&row));
            let greatest = (0..width).max_by_key(|k| (float_key(found[*k]), Reverse(*k)));
            *best = greatest.unwrap_or(0) as i64;
            post::post(self.0.tables.post, &mut found);
            scores.write_f64(at * width, 1, &found);
        }
        let best = Tensor::from_vec(&[rows], best)?;
        Ok(vec![Value::Tensor(scores.finish()), Value::Tensor(best)])
    }

    fn syms(&self) -> Vec<Sym> {
        Vec::new()
    }
}

fn wrong_shape(found: &dyn std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::shape(format!("trees take [rows, features], not {found}"))
}

impl Checked {
    /// The score of each target, base values included.
    fn scores(&self, row: &[f64]) -> Vec<f64> {
        let t = &self.tables;
        let mut scores: Vec<Option<f64>> = vec![None; t.outputs];
        for root in &t.roots {
            let leaf = self.leaf(*root, row);
            let end = t.leaves.get(leaf + 1).copied().unwrap_or(t.weights.len());
            for vote in t.leaves[leaf]..end {
                let (score, weight) = (&mut scores[t.targets[vote]], t.weights[vote]);
                *score = Some(match (*score, t.aggregate) {
                    (None, _) => weight,
                    (Some(score), Aggregate::Sum | Aggregate::Average) => score + weight,
                    (Some(score), Aggregate::Min) => score.min(weight),
                    (Some(score), Aggregate::Max) => score.max(weight),
                });
            }
        }
        let parts = if t.aggregate == Aggregate::Average { t.roots.len() as f64 } else { 1.0 };
        let base = t.base.iter().copied().chain(std::iter::repeat(0.0));
        scores.into_iter().zip(base).map(|(score, base)| score.map_or(0.0, |s| s / parts) + base).collect()
    }

    /// The leaf that a row is led to.
    fn leaf(&self, root: Next, row: &[f64]) -> usize {
        let t = &self.tables;
        let mut next = root;
        loop {
            next = match next {
                Next::Leaf(leaf) => return leaf,
                Next::Node(node) if self.test(node, row[t.features[node]]) => t.on_true[node],
                Next::Node(node) => t.on_false[node],
            };
        }
    }

    fn test(&self, node: usize, x: f64) -> bool {
        let threshold = self.tables.thresholds[node];
        if x.is_nan() {
            return self.tables.nan_is_true.get(node) == Some(&true);
        }
        match self.tables.tests[node] {
            Test::Leq => x <= threshold,
            Test::Lt => x < threshold,
            Test::Gte => x >= threshold,
            Test::Gt => x > threshold,
            Test::Eq => x == threshold,
            Test::Neq => x != threshold,
            Test::Member => self.sets[node].binary_search_by(|member| member.total_cmp(&(x + 0.0))).is_ok(),
        }
    }
}
