//! Runs of nodes whose sizes are all known when the first of them starts.

use crate::plan::Plan;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;
use tilewright_graph::interp::Bindings;
use tilewright_graph::{Graph, Op, Type, ValueId};
use tilewright_runtime::guarded::Guarded;
use tilewright_support::Result;
use tilewright_tensor::ix::Sym;

/// Plans kept for a segment.
const KEPT: usize = 64;

/// Consecutive nodes, and their plans by the sizes of the symbols that they mention.
#[derive(Debug)]
pub struct Segment {
    /// The nodes.
    pub nodes: Range<usize>,
    /// Values that are used after it, or are outputs.
    pub kept: HashSet<ValueId>,
    /// Whether its last node brings a symbol.
    pub brings: bool,
    ended: Vec<ValueId>,
    symbols: Vec<Sym>,
    plans: Guarded<Vec<(Vec<i64>, Arc<Plan>)>>,
}

impl Segment {
    /// Values that nobody uses after it.
    pub fn ended(&self) -> &[ValueId] {
        &self.ended
    }

    /// Are its sizes the same in every run?
    pub fn is_static(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The plan for some sizes, made if it is not there.
    pub fn plan(&self, bindings: &Bindings, make: impl FnOnce() -> Result<Plan>) -> Result<Arc<Plan>> {
        let key: Vec<i64> = self.symbols.iter().map(|s| bindings.get(s).copied().unwrap_or(-1)).collect();
        let found = self.plans.with(|plans| {
            let at = plans.iter().position(|(k, _)| *k == key)?;
            plans[..=at].rotate_right(1);
            Some(plans[0].1.clone())
        });
        if let Some(plan) = found {
            return Ok(plan);
        }
        let plan = Arc::new(make()?);
        self.plans.with(|plans| {
            plans.insert(0, (key, plan.clone()));
            plans.split_off(plans.len().min(KEPT))
        });
        Ok(plan)
    }

    /// The plans that there are.
    pub fn plans(&self) -> Vec<Arc<Plan>> {
        self.plans.with(|plans| plans.iter().map(|(_, plan)| plan.clone()).collect())
    }
}

/// Cuts a graph after each node that brings a symbol.
pub fn segments(graph: &Graph) -> Vec<Segment> {
    let mut bound: HashSet<Sym> = graph.inputs.iter().flat_map(|v| graph.ty(*v).syms()).collect();
    let mut ends: Vec<usize> = Vec::new();
    for (n, node) in graph.nodes.iter().enumerate() {
        let mut brings: Vec<Sym> = node.outputs.iter().flat_map(|v| graph.ty(*v).syms()).collect();
        if let Op::Define(syms) = &node.op {
            brings.extend(syms.iter().cloned());
        }
        let before = bound.len();
        bound.extend(brings);
        if bound.len() > before {
            ends.push(n + 1);
        }
    }
    let last = last_reads(graph);
    let brought = ends.len();
    if ends.last() != Some(&graph.nodes.len()) {
        ends.push(graph.nodes.len());
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).enumerate().map(|(n, (start, end))| segment(graph, start..*end, n < brought, &last)).collect()
}

/// For each value the last node that reads it; one behind all nodes for an output.
fn last_reads(graph: &Graph) -> Vec<usize> {
    let mut last = vec![0; graph.values.len()];
    for (n, node) in graph.nodes.iter().enumerate() {
        node.inputs.iter().for_each(|v| last[v.index()] = n);
    }
    graph.outputs.iter().for_each(|v| last[v.index()] = graph.nodes.len());
    last
}

fn segment(graph: &Graph, nodes: Range<usize>, brings: bool, last: &[usize]) -> Segment {
    let later = |v: &&ValueId| last[v.index()] >= nodes.end;
    let here = &graph.nodes[nodes.clone()];
    let made = here.iter().flat_map(|n| &n.outputs);
    let kept = made.filter(later).copied().collect();
    let taken: HashSet<ValueId> = here.iter().flat_map(|n| &n.inputs).copied().collect();
    let ended = taken.into_iter().filter(|v| !later(&v)).collect();
    let mut symbols: BTreeSet<Sym> = BTreeSet::new();
    for node in here {
        symbols.extend(node.op.syms());
        let values = node.inputs.iter().chain(&node.outputs);
        symbols.extend(values.filter(|v| matches!(graph.ty(**v), Type::Tensor(_))).flat_map(|v| graph.ty(*v).syms()));
    }
    Segment { nodes, kept, brings, ended, symbols: symbols.into_iter().collect(), plans: Guarded::default() }
}
