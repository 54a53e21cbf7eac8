//! Common subexpressions: a node that computes what an earlier one computes gives way to it.
//!
//! ```text
//! %1 = exp(%0)              %1 = exp(%0)
//! %2 = exp(%0)       ──>    %3 = add(%1, %1)
//! %3 = add(%1, %2)
//! ```
//!
//! The outputs of the model stay apart where each has its name.

use crate::pass::{Changed, Pass, PassCx};
use crate::rewrite::{Place, Replacement, each_graph};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use tilewright_graph::{Graph, Mark, Node, Op, ValueId};
use tilewright_support::Result;

/// Bytes of a constant that its hash looks at.
const HASHED: usize = 4096;

/// The pass.
pub const PASS: Pass = Pass {
    name: "cse",
    doc: "Merges nodes that apply the same operation to the same values.",
    requires: &[],
    establishes: &[],
    run,
};

fn run(graph: &mut Graph, cx: &PassCx) -> Result<Changed> {
    let before = cx.spent();
    each_graph(graph, &mut |g, place| Ok(merge(g, place, cx)))?;
    Ok(cx.changed_since(before))
}

fn merge(graph: &mut Graph, place: Place, cx: &PassCx) -> bool {
    let mut replacement = Replacement::new(graph, place);
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut keep = Vec::with_capacity(graph.nodes.len());
    for n in 0..graph.nodes.len() {
        for v in &mut graph.nodes[n].inputs {
            *v = replacement.of(*v);
        }
        let twin = if is_pure(&graph.nodes[n]) { twin(graph, n, &mut seen) } else { None };
        let pairs: Vec<(ValueId, ValueId)> = twin.map_or_else(Vec::new, |m| {
            graph.nodes[n].outputs.iter().copied().zip(graph.nodes[m].outputs.iter().copied()).collect()
        });
        let allowed = pairs.iter().all(|(old, new)| replacement.allows(graph, *old, *new));
        let merges = twin.is_some() && allowed && cx.spend();
        if merges {
            pairs.iter().for_each(|(old, new)| replacement.replace(graph, *old, *new));
        }
        keep.push(!merges);
    }
    let changed = keep.contains(&false);
    if changed {
        replacement.apply(graph, &keep);
    }
    changed
}

/// An earlier node that computes the same; without one, node `n` is kept in mind.
fn twin(graph: &Graph, n: usize, seen: &mut HashMap<u64, Vec<usize>>) -> Option<usize> {
    let earlier = seen.entry(hash(&graph.nodes[n])).or_default();
    let types = |node: &Node| node.outputs.iter().map(|v| graph.ty(*v).clone()).collect::<Vec<_>>();
    let same = |m: &&usize| {
        let (a, b) = (&graph.nodes[**m], &graph.nodes[n]);
        a.inputs == b.inputs && a.op == b.op && types(a) == types(b)
    };
    let found = earlier.iter().find(same).copied();
    if found.is_none() {
        earlier.push(n);
    }
    found
}

/// Whether two such nodes are as good as one.
fn is_pure(node: &Node) -> bool {
    !matches!(node.op, Op::Define(_) | Op::Mark(Mark::Barrier))
}

/// Equal for equal operations on equal inputs.
fn hash(node: &Node) -> u64 {
    let mut state = DefaultHasher::new();
    node.inputs.hash(&mut state);
    match &node.op {
        Op::Constant(t) => {
            (t.dtype(), t.shape(), t.strings()).hash(&mut state);
            // Elements that stay in their file are not read for this: these are equal at one place of it.
            match t.is_in_file() {
                true => t.identity().hash(&mut state),
                false => t.bytes()[..t.byte_len().min(HASHED)].hash(&mut state),
            }
        }
        Op::Comp(c) => c.hash(&mut state),
        other => other.name().hash(&mut state),
    }
    state.finish()
}
