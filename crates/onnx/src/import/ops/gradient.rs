//! `Gradient` of `ai.onnx.preview.training`: derivatives of a value by others, as part of the model.

use crate::Node;
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::diff::vjp;
use tilewright_support::{Diagnostic, Result};

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new("Gradient", 1..=MANY, &["xs", "y", "zs"], gradient)
    .outputs(1..=MANY)
    .domain("ai.onnx.preview.training")];

/// The derivative of the sum of `y` by each of `xs`. The inputs are the values of `xs` and `zs`
/// themselves: the derivative is taken where the model already computes `y`.
fn gradient(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let xs = values(cx, c, "xs")?;
    let all: Vec<ValueId> = xs.iter().copied().chain(values(cx, c, "zs")?).collect();
    if c.all()? != all {
        return Err(c.unsupported("a Gradient at other values than those that its attributes name"));
    }
    if !cx.outer.is_empty() || cx.facts.values.values().any(|t| t.dtype().is_float()) {
        return Err(c.unsupported("a Gradient in a body, or in a model whose graph depends on float values of the run"));
    }
    let y = cx.lookup(c.node.required("y", Node::attr_str)?)?;
    let ty = cx.b.tensor(y)?;
    let one = cx.b.scalar(ty.dtype, 1.0)?;
    let seed = cx.b.broadcast(one, ty.shape)?;
    let mut forward = cx.b.graph.clone();
    forward.outputs = vec![y];
    let before = forward.nodes.len();
    let mut both = vjp(&forward, &xs)?;
    let cotangent = both.inputs.pop().ok_or_else(|| Diagnostic::internal("a gradient without a cotangent"))?;
    for v in both.nodes[before..].iter_mut().flat_map(|n| &mut n.inputs).chain(&mut both.outputs) {
        if *v == cotangent {
            *v = seed;
        }
    }
    let outputs = both.outputs.split_off(1);
    // The graph of derivatives continues the graph so far, value by value.
    cx.b.graph = both;
    cx.b.graph.outputs.clear();
    Ok(outputs)
}

/// The values that a list of names stands for.
fn values(cx: &mut Cx<'_>, c: &Call<'_>, attribute: &str) -> Result<Vec<ValueId>> {
    let names = c.node.attr_strs(attribute)?.unwrap_or_default();
    names.iter().map(|name| cx.lookup(name)).collect()
}
