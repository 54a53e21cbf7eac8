//! Constant folding: a node over constants becomes the constant that the interpreter gives for it.
//!
//! ```text
//! %0 = constant [1.0, 2.0]
//! %1 = neg(%0)                ──>    %1 = constant [-1.0, -2.0]
//! ```
//!
//! Left as they are: random numbers, assertions, host operations, sizes known only at run time,
//! whatever fails (so that the error comes when the model runs, with its location), and what would
//! make the model larger or take long to compute.

use crate::pass::{Changed, Pass, PassCx};
use crate::rewrite::{compact, each_graph};
use std::collections::HashMap;
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Func, Graph, Node, Op, Scalar, Type, ValueId, ValueInfo, interp};
use tilewright_support::{Loc, Result};
use tilewright_tensor::ix::{Ix, volume};
use tilewright_tensor::{Tensor, Value};

/// Bytes that a result may have whatever the operands.
const SMALL: usize = 1 << 16;
/// Points computed for one node at most.
const WORK: i64 = 1 << 24;
/// Elements that an opaque operation may take.
const OPAQUE: usize = 1 << 16;

/// The pass.
pub const PASS: Pass = Pass {
    name: "fold",
    doc: "Computes what depends on constants alone, where the result is not much larger than they are.",
    requires: &[],
    establishes: &[],
    run,
};

fn run(graph: &mut Graph, cx: &PassCx) -> Result<Changed> {
    let before = cx.spent();
    each_graph(graph, &mut |g, _| Ok(fold(g, cx)))?;
    Ok(cx.changed_since(before))
}

fn bytes(t: &Tensor) -> usize {
    t.byte_len() + t.strings().unwrap_or_default().iter().map(String::len).sum::<usize>()
}

fn fold(graph: &mut Graph, cx: &PassCx) -> bool {
    let before = cx.spent();
    let mut room = room(graph);
    let mut known: HashMap<ValueId, Tensor> = HashMap::new();
    for node in std::mem::take(&mut graph.nodes) {
        if let Op::Constant(t) = &node.op {
            known.insert(node.outputs[0], t.clone());
        }
        let results = evaluate(graph, &node, &known).unwrap_or_default();
        let size: usize = results.iter().map(bytes).sum();
        if results.is_empty() || size > room || !cx.spend() {
            graph.nodes.push(node);
            continue;
        }
        room -= size;
        for (v, t) in node.outputs.iter().zip(results) {
            known.insert(*v, t.clone());
            let (op, outputs) = (Op::Constant(t), vec![*v]);
            graph.nodes.push(Node { op, inputs: Vec::new(), outputs, loc: node.loc.clone() });
        }
    }
    let changed = cx.spent() != before;
    if changed {
        compact(graph);
    }
    changed
}

/// Bytes that all results together may have.
fn room(graph: &Graph) -> usize {
    let constants = graph.nodes.iter().filter_map(|n| match &n.op {
        Op::Constant(t) => Some(bytes(t)),
        _ => None,
    });
    constants.sum::<usize>().saturating_mul(4).saturating_add(SMALL + 1024 * graph.nodes.len())
}

/// The results of a node over known values, if it may be computed now.
fn evaluate(graph: &Graph, node: &Node, known: &HashMap<ValueId, Tensor>) -> Option<Vec<Tensor>> {
    let inputs: Vec<Tensor> = node.inputs.iter().map(|v| known.get(v).cloned()).collect::<Option<_>>()?;
    let types: Vec<&Type> = node.outputs.iter().map(|v| graph.ty(*v)).collect();
    if !is_foldable(node, &inputs) || !types.iter().all(|t| fits(t, &inputs)) {
        return None;
    }
    let values = inputs.iter().map(|t| t.fetch().map(Value::Tensor).ok()).collect::<Option<Vec<_>>>()?;
    let results = interp::run(&alone(graph, node), &values).ok()?;
    let tensor = |(v, ty): (Value, &&Type)| match v {
        Value::Tensor(t) if Type::of(&t) == **ty => Some(t),
        _ => None,
    };
    results.into_iter().zip(&types).map(tensor).collect()
}

/// Whether a node depends on its inputs alone and takes little time.
fn is_foldable(node: &Node, inputs: &[Tensor]) -> bool {
    let pure = match &node.op {
        Op::Comp(c) => is_quick(&c.extents()) && !is_random(&c.body),
        Op::Scatter(s) => is_quick(&s.extents()) && !is_random(&s.body),
        Op::Opaque(_) => inputs.iter().all(|t| t.len() <= OPAQUE),
        _ => false,
    };
    pure && node.op.syms().is_empty()
}

fn is_quick(extents: &[Ix]) -> bool {
    volume(extents).as_const().is_some_and(|n| n <= WORK)
}

fn is_random(body: &Scalar) -> bool {
    let mut found = false;
    body.visit(&mut |s| found |= matches!(s.kind(), Kind::Call(Func::Philox, _)));
    found
}

/// Whether a result is of known size, and small or at most twice as large as what it is made from.
fn fits(ty: &Type, inputs: &[Tensor]) -> bool {
    let Type::Tensor(t) = ty else { return false };
    let Some(shape) = t.static_shape() else { return false };
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    let size = count.and_then(|n| t.dtype.byte_len(n)).unwrap_or(usize::MAX);
    let given: usize = inputs.iter().map(bytes).sum();
    size <= SMALL.max(given.saturating_mul(2))
}

/// A graph of one node, whose inputs are the node's.
fn alone(graph: &Graph, node: &Node) -> Graph {
    let mut out = Graph::default();
    let mut value = |v: &ValueId| {
        out.values.push(ValueInfo { ty: graph.ty(*v).clone(), name: None });
        ValueId(out.values.len() as u32 - 1)
    };
    let inputs: Vec<ValueId> = node.inputs.iter().map(&mut value).collect();
    let outputs: Vec<ValueId> = node.outputs.iter().map(&mut value).collect();
    let op = node.op.clone();
    out.nodes.push(Node { op, inputs: inputs.clone(), outputs: outputs.clone(), loc: Loc::Unknown });
    Graph { inputs, outputs, ..out }
}
