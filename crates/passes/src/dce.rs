//! Dead code: drops nodes whose results nothing uses.
//!
//! ```text
//! %1 = exp(%0)              %1 = exp(%0)
//! %2 = tanh(%0)      ──>    return (%1)
//! return (%1)
//! ```
//!
//! Kept are assertions, also inside bodies, and nodes that bind a symbol that is used.

use crate::pass::{Changed, Fact, Pass, PassCx};
use crate::rewrite::{Symbols, each_graph, retain};
use std::collections::HashSet;
use tilewright_graph::{Graph, Mark, Op};
use tilewright_support::Result;

/// The pass.
pub const PASS: Pass = Pass {
    name: "dce",
    doc: "Drops nodes whose results nothing uses; assertions and bindings of used symbols stay.",
    requires: &[],
    establishes: &[Fact::Live],
    run,
};

fn run(graph: &mut Graph, cx: &PassCx) -> Result<Changed> {
    let before = cx.spent();
    each_graph(graph, &mut |g, _| Ok(sweep(g, cx)))?;
    Ok(cx.changed_since(before))
}

fn sweep(graph: &mut Graph, cx: &PassCx) -> bool {
    let binds = Symbols::of(graph).bound;
    let mut used = vec![false; graph.values.len()];
    graph.outputs.iter().for_each(|v| used[v.index()] = true);
    let mut syms = HashSet::new();
    let mut keep = vec![true; graph.nodes.len()];
    for (n, node) in graph.nodes.iter().enumerate().rev() {
        let live = has_effect(&node.op)
            || node.outputs.iter().any(|v| used[v.index()])
            || binds[n].iter().any(|s| syms.contains(s));
        if !live && cx.spend() {
            keep[n] = false;
            continue;
        }
        node.inputs.iter().for_each(|v| used[v.index()] = true);
        syms.extend(node.op.syms());
        syms.extend(node.op.bodies().iter().flat_map(|b| Symbols::of(b).free));
        syms.extend(node.outputs.iter().flat_map(|v| graph.ty(*v).syms()));
    }
    let changed = keep.contains(&false);
    if changed {
        retain(graph, &keep);
    }
    changed
}

fn has_effect(op: &Op) -> bool {
    matches!(op, Op::Mark(Mark::Assert(_))) || op.bodies().iter().any(|b| b.nodes.iter().any(|n| has_effect(&n.op)))
}
