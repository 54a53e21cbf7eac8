//! Identities: a comprehension that copies its operand gives way to the operand.
//!
//! ```text
//! %1 = permute (%0) { i:N, j:4 : $0[i, j] }
//! %2 = exp(%1)                                ──>    %1 = exp(%0)
//! ```
//!
//! So vanish reshapes to the same shape, permutations that keep the order, casts to the same dtype,
//! whole slices, broadcasts to the same shape, and pads of nothing.

use crate::pass::{Changed, Pass, PassCx};
use crate::rewrite::{Place, Replacement, each_graph};
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Combiner, Graph, Node, Op, Type, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;

/// The pass.
pub const PASS: Pass = Pass {
    name: "identity",
    doc: "Removes comprehensions that copy an operand as it is.",
    requires: &[],
    establishes: &[],
    run,
};

fn run(graph: &mut Graph, cx: &PassCx) -> Result<Changed> {
    let before = cx.spent();
    each_graph(graph, &mut |g, place| Ok(remove(g, place, cx)))?;
    Ok(cx.changed_since(before))
}

fn remove(graph: &mut Graph, place: Place, cx: &PassCx) -> bool {
    let mut replacement = Replacement::new(graph, place);
    let copies: Vec<_> = graph.nodes.iter().map(|n| copied(graph, n).map(|x| (n.outputs[0], x))).collect();
    let mut keep = Vec::with_capacity(copies.len());
    for copy in copies {
        let pair = copy.filter(|(y, x)| replacement.allows(graph, *y, *x) && cx.spend());
        if let Some((y, x)) = pair {
            replacement.replace(graph, y, x);
        }
        keep.push(pair.is_none());
    }
    let changed = keep.contains(&false);
    if changed {
        replacement.apply(graph, &keep);
    }
    changed
}

/// The input that a node copies.
fn copied(graph: &Graph, node: &Node) -> Option<ValueId> {
    let Op::Comp(c) = &node.op else { return None };
    let Kind::Read(operand, index) = c.body.kind() else { return None };
    let x = *node.inputs.get(*operand as usize)?;
    let Type::Tensor(t) = graph.ty(x) else { return None };
    let in_place = |(d, at): (usize, &Ix)| at.as_axis() == Some(d as u32) || (at.is(0) && t.shape[d].is(1));
    let copies = c.combiner == Combiner::Map
        && c.checks.is_empty()
        && t.shape == c.shape()
        && index.iter().enumerate().all(in_place);
    copies.then_some(x)
}
