//! Reverse mode over a graph.

use super::site::{total, zeros};
use super::{reduce, scatter};
use crate::builder::Builder;
use crate::graph::{Graph, Node, ValueId};
use crate::op::{Mark, Op};
use crate::types::Type;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};

/// A graph that computes the outputs of `graph` and then, for each value of `wrt`, the gradient of
/// the sum of all float outputs, each multiplied by its cotangent. Its inputs are those of `graph`
/// and one cotangent for each output, of that output's type (of an output that is not a float
/// tensor it is not used). A value that no float output depends on has gradient 0. The gradient of
/// a call or a choice is one of the gradients of its graphs, which compute again what they need.
///
/// Fails with "not differentiable because …" where a gradient meets an operation that has none, and
/// when a value of `wrt` is not a float tensor of the graph.
pub fn vjp(graph: &Graph, wrt: &[ValueId]) -> Result<Graph> {
    for v in wrt {
        if graph.values.get(v.index()).is_none_or(|v| !is_float(&v.ty)) {
            return Err(Diagnostic::usage(format!("value %{} is not a float tensor: it has no gradient", v.0)));
        }
    }
    let mut sweep = Sweep::new(graph.clone(), wrt);
    for v in &graph.outputs {
        let name = graph.values[v.index()].name.as_deref().unwrap_or("output");
        let d = sweep.b.input(&format!("{name}_cotangent"), graph.ty(*v).clone());
        if is_float(graph.ty(*v)) {
            sweep.cotangents[v.index()].push(d);
        } else if sweep.active[v.index()] && !matches!(graph.ty(*v), Type::Tensor(_)) {
            return Err(Diagnostic::unsupported("not differentiable because an output is not a tensor of known rank"));
        }
    }
    for node in graph.nodes.iter().rev() {
        sweep.node(node).map_err(|e| e.at(&node.loc))?;
    }
    let mut outputs = graph.outputs.clone();
    for v in wrt {
        let ty = graph.tensor(*v)?;
        let d = sweep.cotangent(*v)?;
        outputs.push(d.unwrap_or_else(|| zeros(&mut sweep.b, ty)));
    }
    Ok(sweep.b.finish(&outputs))
}

fn is_float(ty: &Type) -> bool {
    matches!(ty, Type::Tensor(t) if t.dtype.is_float())
}

struct Sweep {
    b: Builder,
    /// Whether a value depends on one of those differentiated by.
    active: Vec<bool>,
    /// What has flowed back into a value so far.
    cotangents: Vec<Vec<ValueId>>,
}

impl Sweep {
    fn new(graph: Graph, wrt: &[ValueId]) -> Self {
        let mut active = vec![false; graph.values.len()];
        wrt.iter().for_each(|v| active[v.index()] = true);
        for node in &graph.nodes {
            let stops = matches!(node.op, Op::Mark(Mark::StopGradient));
            if !stops && node.inputs.iter().any(|v| active[v.index()]) {
                node.outputs.iter().for_each(|v| active[v.index()] = true);
            }
        }
        let cotangents = vec![Vec::new(); graph.values.len()];
        let mut b = Builder::new();
        b.graph = graph;
        Self { b, active, cotangents }
    }

    /// The sum of what flowed into a value.
    fn cotangent(&mut self, v: ValueId) -> Result<Option<ValueId>> {
        let values = std::mem::take(&mut self.cotangents[v.index()]);
        if values.is_empty() {
            return Ok(None);
        }
        let ty = self.b.tensor(v)?;
        let sum = total(&mut self.b, &values, &ty)?;
        self.cotangents[v.index()].extend(sum);
        Ok(sum)
    }

    fn node(&mut self, node: &Node) -> Result<()> {
        let wanted: Vec<bool> = node.inputs.iter().map(|v| self.active[v.index()] && is_float(self.b.ty(*v))).collect();
        if !wanted.contains(&true) || !node.outputs.iter().any(|v| self.active[v.index()]) {
            return Ok(());
        }
        self.b.loc = node.loc.part("gradient");
        let cotangents = node.outputs.iter().map(|v| self.cotangent(*v)).collect::<Result<Vec<_>>>()?;
        if cotangents.iter().all(Option::is_none) {
            return Ok(());
        }
        let ends = cotangents.first().copied().flatten().map(|d| [node.outputs[0], d]);
        let gradients = match (&node.op, ends) {
            (Op::Comp(c), Some(ends)) => reduce::pull(&mut self.b, c, &node.inputs, ends, &wanted)?,
            (Op::Scatter(s), Some(ends)) => scatter::pull(&mut self.b, s, &node.inputs, ends, &wanted)?,
            (Op::Mark(Mark::StopGradient), _) => return Ok(()),
            (Op::Mark(_), Some([_, d])) => vec![Some(d)],
            (Op::Call { .. } | Op::If { .. }, _) => self.through(node, &cotangents, &wanted)?,
            (op, _) => {
                return Err(Diagnostic::unsupported(format!("not differentiable because {} has no rule", op.name())));
            }
        };
        for (v, d) in node.inputs.iter().zip(gradients) {
            self.cotangents[v.index()].extend(d);
        }
        Ok(())
    }

    /// The same operation over the gradients of its graphs.
    fn through(
        &mut self,
        node: &Node,
        cotangents: &[Option<ValueId>],
        wanted: &[bool],
    ) -> Result<Vec<Option<ValueId>>> {
        let backward = |body: &Graph| -> Result<Arc<Graph>> {
            let own = body.inputs.iter().rev().zip(wanted.iter().rev()).rev();
            let wrt: Vec<ValueId> = own.filter(|(_, w)| **w).map(|(v, _)| *v).collect();
            let mut graph = vjp(body, &wrt)?;
            graph.outputs.drain(..body.outputs.len());
            Ok(Arc::new(graph))
        };
        let op = match &node.op {
            Op::Call { name, body } => Op::Call { name: format!("{name}_gradient").into(), body: backward(body)? },
            Op::If { then, otherwise } => Op::If { then: backward(then)?, otherwise: backward(otherwise)? },
            other => return Err(Diagnostic::internal(format!("{} is not a choice of graphs", other.name()))),
        };
        let mut inputs = node.inputs.clone();
        for (v, d) in node.outputs.iter().zip(cotangents) {
            inputs.push(match d {
                None if is_float(self.b.ty(*v)) => {
                    let ty = self.b.tensor(*v)?;
                    zeros(&mut self.b, &ty)
                }
                d => d.unwrap_or(*v),
            });
        }
        let sources = node.inputs.iter().zip(wanted).filter(|(_, w)| **w);
        let types = sources.map(|(v, _)| self.b.ty(*v).clone()).collect();
        let mut outputs = self.b.node(op, &inputs, types).into_iter();
        Ok(wanted.iter().map(|w| if *w { outputs.next() } else { None }).collect())
    }
}
