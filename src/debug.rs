//! For finding what goes wrong: traces, kernels one by one, and where machine code and interpreters part.

use crate::model::Model;
use crate::options::Options;
use crate::plan::Plan;
use crate::session::Session;
use std::collections::HashMap;
use std::sync::Arc;
pub use tilewright_executor::{Different, Element, Found, Observed, Observer, Replay, Replayed, Trace};
use tilewright_executor::{Executable, Search};
use tilewright_graph::{Graph, Op, ValueId, interp};
use tilewright_support::{Diagnostic, Loc, Result};
use tilewright_tensor::Value;

/// What [`Model::bisect`] found.
#[derive(Clone, Debug)]
pub struct Bisected {
    /// How many kernels were compared.
    pub kernels: usize,
    /// The first whose machine code differs, if one does.
    pub found: Option<Found>,
}

/// A value of a node, as the compiled path and as the graph interpreter make it of the same operands.
#[derive(Clone, Copy, Debug)]
pub struct NodeValue<'a> {
    /// The node.
    pub node: &'a Loc,
    /// The number of the value among the node's.
    pub output: usize,
    /// What the compiled path gave.
    pub got: &'a Value,
    /// What the graph interpreter gives.
    pub want: &'a Value,
}

impl Model {
    /// Runs the model and compares every kernel with the loop interpreter on the same operands, bit for bit, until one
    /// differs. Takes as long as interpreting does.
    ///
    /// # Errors
    /// As [`Model::compile`] and [`Session::run`].
    pub fn bisect(&self, options: &Options, inputs: Vec<(String, Value)>) -> Result<Bisected> {
        let search = Search::default();
        let options = Options { observer: Some(search.observer()), ..options.clone() };
        let ran = self.compile(&options).and_then(|session| session.run(inputs));
        let (kernels, found) = search.end();
        if found.is_none() {
            ran?;
        }
        Ok(Bisected { kernels, found })
    }
}

impl Session {
    /// Runs the model by its kernels with every node's values kept, and shows each beside what the graph interpreter makes
    /// of the same operands, in the order of the graph, as long as `go_on` says so. Gives the number of values shown.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn compare_nodes(
        &self,
        inputs: Vec<(String, Value)>,
        go_on: &mut dyn FnMut(&NodeValue<'_>) -> bool,
    ) -> Result<usize> {
        let (values, plan) = self.planned(inputs)?;
        let Plan::Ready(graph, _) = &*plan else { return Err(Diagnostic::internal("no graph to compare")) };
        let Some(settings) = self.plans().settings() else {
            return Err(Diagnostic::usage("only compiled models are compared with the interpreter"));
        };
        let all = Arc::new(with_all_outputs(graph));
        let made = Executable::new(all.clone(), settings).run(&values)?;
        compare(&all, &values, made, (self.threads(), go_on))
    }

    /// The most bytes of tensors that the graph interpreter would keep at one time: each value that a node makes, from there
    /// to the last node that reads it. Constants, inputs and outputs are left out, as [`Session::arena`] has none of them.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn live(&self, inputs: Vec<(String, Value)>) -> Result<usize> {
        let (values, plan) = self.planned(inputs)?;
        let Plan::Ready(graph, _) = &*plan else { return Err(Diagnostic::internal("no graph to measure")) };
        let all = with_all_outputs(graph);
        let made = match self.plans().settings() {
            Some(settings) => Executable::new(Arc::new(all.clone()), settings).run(&values)?,
            None => interp::run_on(&all, &values, self.threads())?,
        };
        let bytes =
            |value: &Value| if let Value::Tensor(t) = value { t.dtype().byte_len(t.len()).unwrap_or(0) } else { 0 };
        let inside = all.outputs.iter().zip(made.iter().map(bytes)).filter(|(v, _)| !graph.outputs.contains(v));
        Ok(most_live(graph, &inside.map(|(v, bytes)| (*v, bytes)).collect()))
    }
}

/// The largest sum of the bytes of values that nodes make, each from there to the last node that reads it.
fn most_live(graph: &Graph, bytes: &HashMap<ValueId, usize>) -> usize {
    let mut last = HashMap::new();
    for (n, node) in graph.nodes.iter().enumerate() {
        last.extend(node.outputs.iter().chain(&node.inputs).map(|v| (*v, n)));
    }
    let mut ends = vec![0; graph.nodes.len()];
    bytes.iter().for_each(|(v, bytes)| ends[last[v]] += bytes);
    let (mut live, mut most) = (0, 0);
    for (node, ends) in graph.nodes.iter().zip(ends) {
        live += node.outputs.iter().filter_map(|v| bytes.get(v)).sum::<usize>();
        most = most.max(live);
        live -= ends;
    }
    most
}

/// The graph with every value of a node, but constants, as an output.
fn with_all_outputs(graph: &Graph) -> Graph {
    let nodes = graph.nodes.iter().filter(|n| !matches!(n.op, Op::Constant(_)));
    Graph { outputs: nodes.flat_map(|n| &n.outputs).copied().collect(), ..graph.clone() }
}

fn compare(
    graph: &Graph,
    inputs: &[Value],
    made: Vec<Value>,
    (threads, go_on): (usize, &mut dyn FnMut(&NodeValue<'_>) -> bool),
) -> Result<usize> {
    let mut bindings = interp::bind_inputs(graph, inputs)?;
    let mut values: Vec<Option<Value>> = vec![None; graph.values.len()];
    graph.inputs.iter().zip(inputs).for_each(|(v, x)| values[v.index()] = Some(x.clone()));
    graph.outputs.iter().zip(made).for_each(|(v, x)| values[v.index()] = Some(x));
    let mut shown = 0;
    for node in &graph.nodes {
        let operands = node.inputs.iter().map(|v| values[v.index()].clone());
        let operands: Option<Vec<Value>> = operands.collect();
        let operands = operands.ok_or_else(|| Diagnostic::internal("an operand was not computed"))?;
        let wanted = interp::eval_node(graph, node, &operands, (&mut bindings, threads))?;
        for (output, (v, want)) in node.outputs.iter().zip(wanted).enumerate() {
            // A constant is computed by nobody.
            let Some(got) = &values[v.index()] else {
                values[v.index()] = Some(want);
                continue;
            };
            shown += 1;
            if !go_on(&NodeValue { node: &node.loc, output, got, want: &want }) {
                return Ok(shown);
            }
        }
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_graph::{Builder, Type};
    use tilewright_tensor::DType;
    use tilewright_tensor::ix::Ix;

    #[test]
    fn values_live_from_their_node_to_the_last_that_reads_them() {
        let mut b = Builder::new();
        let x = b.input("x", Type::tensor(DType::F32, vec![Ix::konst(4)]));
        let mut twice = |v| b.map(&[v], |a| &a[0] + &a[0]).unwrap();
        let first = twice(x);
        let second = twice(first);
        let third = twice(second);
        let sum = b.map(&[first, third], |a| &a[0] + &a[1]).unwrap();
        let graph = b.finish(&[sum]);
        let bytes = HashMap::from([(first, 1), (second, 10), (third, 100)]);
        assert_eq!(most_live(&graph, &bytes), 111);
        assert_eq!(most_live(&graph, &HashMap::from([(first, 1), (second, 10)])), 11);
    }
}
