//! Views of views: a comprehension that only reads elsewhere, from one that only reads elsewhere,
//! reads from the origin.
//!
//! ```text
//! %1 = permute (%0) { i:4, j:N : $0[j, i] }
//! %2 = permute (%1) { i:N, j:4 : $0[j, i] }    ──>    %2 = permute (%0) { i:N, j:4 : $0[i, j] }
//! ```
//!
//! Done only where the inner read is proved in bounds, so that no error gets lost, and where no
//! division or remainder joins the index. Each change shortens a path of views, so it ends.

use crate::pass::{Changed, Pass, PassCx};
use crate::rewrite::{compact, each_graph};
use std::sync::Arc;
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Combiner, Comp, Graph, Node, Op, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::{Atom, Ix};

/// The pass.
pub const PASS: Pass = Pass {
    name: "compose",
    doc: "Joins views of views: permutations, reshapes, slices and broadcasts in a row become one.",
    requires: &[],
    establishes: &[],
    run,
};

fn run(graph: &mut Graph, cx: &PassCx) -> Result<Changed> {
    let before = cx.spent();
    each_graph(graph, &mut |g, _| Ok(join(g, cx)))?;
    Ok(cx.changed_since(before))
}

fn join(graph: &mut Graph, cx: &PassCx) -> bool {
    let producers = graph.producers();
    let mut changed = false;
    for n in 0..graph.nodes.len() {
        let Some((comp, x)) = joined(graph, &producers, &graph.nodes[n]) else { continue };
        if cx.spend() {
            graph.nodes[n].op = Op::Comp(Arc::new(comp));
            graph.nodes[n].inputs = vec![x];
            changed = true;
        }
    }
    if changed {
        compact(graph);
    }
    changed
}

/// A comprehension whose body is one read, by operand and index.
fn view(node: &Node) -> Option<(&Comp, u32, &[Ix])> {
    match &node.op {
        Op::Comp(c) if c.combiner == Combiner::Map => match c.body.kind() {
            Kind::Read(operand, index) => Some((c, *operand, index)),
            _ => None,
        },
        _ => None,
    }
}

/// Atoms of a kind in all indices.
fn count(index: &[Ix], kind: fn(&Atom) -> bool) -> usize {
    let mut n = 0;
    index.iter().for_each(|e| e.visit(&mut |a| n += usize::from(kind(a))));
    n
}

fn joined(graph: &Graph, producers: &[Option<usize>], node: &Node) -> Option<(Comp, ValueId)> {
    let is_load = |a: &Atom| matches!(a, Atom::Load(..));
    let divides = |a: &Atom| matches!(a, Atom::Div(..) | Atom::Mod(..));
    let (outer, operand, at) = view(node)?;
    let inner_node = &graph.nodes[producers[node.inputs.get(operand as usize)?.index()]?];
    let (inner, origin, index) = view(inner_node)?;
    let x = *inner_node.inputs.get(origin as usize)?;
    let (dtype, shape) = graph.tensor(x).ok().map(|t| (t.dtype, &t.shape))?;
    let extents = inner.extents();
    let inside = |(e, n): (&Ix, &Ix)| {
        let last = &(n - &Ix::konst(1)) - e;
        e.ge0(&extents) == Some(true) && last.ge0(&extents) == Some(true)
    };
    let proved = inner.checks.is_empty() && index.iter().zip(shape).all(inside);
    if !proved || count(at, is_load) + count(index, is_load) > 0 {
        return None;
    }
    let read = Scalar::read(0, dtype, index.iter().map(|e| e.subst_axes(at)).collect());
    let mut comp = Comp::new(outer.name.clone(), outer.axes.clone(), Combiner::Map, read);
    comp.checks = outer.checks.clone();
    match comp.body.kind() {
        Kind::Read(_, index) if count(index, divides) <= count(at, divides) => Some((comp, x)),
        _ => None,
    }
}
