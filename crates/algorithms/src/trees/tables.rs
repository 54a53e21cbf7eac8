//! The tables that describe an ensemble of decision trees, and what must hold between them.

use crate::attribute::{Attr, Attribute, attributes, words};
use crate::operand::MOST;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

words! {
    /// How a node compares a feature with its threshold. A feature that is NaN is not compared.
    Test {
        /// `feature <= threshold`.
        Leq = "leq",
        /// `feature < threshold`.
        Lt = "lt",
        /// `feature >= threshold`.
        Gte = "gte",
        /// `feature > threshold`.
        Gt = "gt",
        /// `feature == threshold`.
        Eq = "eq",
        /// `feature != threshold`.
        Neq = "neq",
        /// Is the feature in the node's set?
        Member = "member",
    }
}

words! {
    /// How the weights for a target become its score; 0 without any.
    Aggregate {
        /// Their sum.
        Sum = "sum",
        /// Their sum divided by the number of trees.
        Average = "average",
        /// The least.
        Min = "min",
        /// The greatest.
        Max = "max",
    }
}

words! {
    /// How one score becomes those of two classes.
    Pair {
        /// Not at all.
        None = "none",
        /// `1 - score` and `score`.
        Half = "half",
        /// `-score` and `score`.
        Sign = "sign",
    }
}

words! {
    /// What becomes of a row's scores at the end.
    Post {
        /// Nothing.
        None = "none",
        /// Softmax.
        Softmax = "softmax",
        /// Softmax of the scores that are not within 1e-7 of zero; the others become 0.
        SoftmaxZero = "softmax_zero",
        /// `1 / (1 + exp(-score))`.
        Logistic = "logistic",
        /// The inverse of the normal distribution function.
        Probit = "probit",
    }
}

/// Where a branch leads. As an attribute, leaf `n` is `-1 - n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To a node.
    Node(usize),
    /// To a leaf.
    Leaf(usize),
}

impl Attribute for Next {
    fn to_attr(&self) -> Attr {
        let index = |i: usize| i64::try_from(i).unwrap_or(i64::MAX);
        Attr::Int(match self {
            Self::Node(n) => index(*n),
            Self::Leaf(n) => !index(*n),
        })
    }

    fn from_attr(attr: &Attr) -> Option<Self> {
        match i64::from_attr(attr)? {
            n @ 0.. => usize::try_from(n).ok().map(Self::Node),
            n => usize::try_from(!n).ok().map(Self::Leaf),
        }
    }
}

/// The attributes of [`Trees`](super::Trees): one entry a node, then one a leaf, then one a vote.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    /// The test of each node.
    pub tests: Vec<Test>,
    /// The feature that each node tests.
    pub features: Vec<usize>,
    /// The threshold of each node; unused by `member`.
    pub thresholds: Vec<f64>,
    /// Where each node leads when the test is true.
    pub on_true: Vec<Next>,
    /// Where each node leads when it is not.
    pub on_false: Vec<Next>,
    /// Whether NaN leads where true does; empty: never.
    pub nan_is_true: Vec<bool>,
    /// The sets of the `member` nodes, in the order of nodes.
    pub members: Vec<Vec<f64>>,
    /// Where each tree starts.
    pub roots: Vec<Next>,
    /// Where each leaf's votes start; they end where the next leaf's start.
    pub leaves: Vec<usize>,
    /// The target of each vote.
    pub targets: Vec<usize>,
    /// The weight of each vote.
    pub weights: Vec<f64>,
    /// The number of targets.
    pub outputs: usize,
    /// How weights make scores.
    pub aggregate: Aggregate,
    /// Added to each score; empty: nothing.
    pub base: Vec<f64>,
    /// Whether one score stands for two classes.
    pub pair: Pair,
    /// What becomes of the scores.
    pub post: Post,
    /// The dtype of the scores.
    pub dtype: DType,
}

impl Ensemble {
    attributes!(
        pub(super) tests,
        features,
        thresholds,
        on_true,
        on_false,
        nan_is_true,
        members,
        roots,
        leaves,
        targets,
        weights,
        outputs,
        aggregate,
        base,
        pair,
        post,
        dtype,
    );

    /// Fails when the tables contradict each other, or nodes lead to themselves.
    pub(super) fn check(&self) -> Result<()> {
        self.check_lengths()?;
        let (nodes, leaves) = (self.tests.len(), self.leaves.len());
        let lost = |next: &&Next| match next {
            Next::Node(n) => *n >= nodes,
            Next::Leaf(n) => *n >= leaves,
        };
        if let Some(next) = self.roots.iter().chain(&self.on_true).chain(&self.on_false).find(lost) {
            return Err(invalid(format!("{next:?} is not among {nodes} nodes and {leaves} leaves")));
        }
        let ends = self.leaves.iter().copied().skip(1).chain([self.weights.len()]);
        if let Some((leaf, _)) = self.leaves.iter().copied().zip(ends).enumerate().find(|(_, (start, end))| start > end)
        {
            return Err(invalid(format!("the votes of leaf {leaf} end before they start")));
        }
        if let Some(target) = self.targets.iter().find(|t| **t >= self.outputs) {
            return Err(invalid(format!("a vote for target {target} of {}", self.outputs)));
        }
        if self.outputs > MOST || !self.dtype.is_float() {
            return Err(Diagnostic::unsupported(format!("trees with {} scores of {}", self.outputs, self.dtype)));
        }
        self.check_cycles()
    }

    fn check_lengths(&self) -> Result<()> {
        let nodes = self.tests.len();
        let lengths = [
            ("features", self.features.len(), nodes),
            ("thresholds", self.thresholds.len(), nodes),
            ("true branches", self.on_true.len(), nodes),
            ("false branches", self.on_false.len(), nodes),
            ("NaN branches", self.nan_is_true.len(), if self.nan_is_true.is_empty() { 0 } else { nodes }),
            ("sets", self.members.len(), self.tests.iter().filter(|t| **t == Test::Member).count()),
            ("targets", self.targets.len(), self.weights.len()),
            ("base values", self.base.len(), if self.base.is_empty() { 0 } else { self.outputs }),
            ("paired scores", self.outputs, if self.pair == Pair::None { self.outputs } else { 1 }),
        ];
        match lengths.iter().find(|(_, found, wanted)| found != wanted) {
            Some((what, found, wanted)) => Err(invalid(format!("{found} {what}, where there must be {wanted}"))),
            None => Ok(()),
        }
    }

    /// Takes away nodes that no other leads to until none is left; those of a cycle stay.
    fn check_cycles(&self) -> Result<()> {
        let children = |node: usize| [self.on_true[node], self.on_false[node]];
        let mut parents = vec![0usize; self.tests.len()];
        for next in self.on_true.iter().chain(&self.on_false) {
            if let Next::Node(child) = next {
                parents[*child] += 1;
            }
        }
        let mut free: Vec<usize> = (0..parents.len()).filter(|node| parents[*node] == 0).collect();
        while let Some(node) = free.pop() {
            for next in children(node) {
                let Next::Node(child) = next else { continue };
                parents[child] -= 1;
                if parents[child] == 0 {
                    free.push(child);
                }
            }
        }
        match parents.iter().position(|count| *count > 0) {
            Some(node) => Err(invalid(format!("node {node} leads back to itself, or follows one that does"))),
            None => Ok(()),
        }
    }
}

fn invalid(why: String) -> Box<Diagnostic> {
    Diagnostic::invalid(format!("trees: {why}"))
}
