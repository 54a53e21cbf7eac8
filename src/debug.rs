//! For finding what goes wrong: traces, kernels one by one, and where machine code and interpreters part.

use crate::model::Model;
use crate::options::Options;
use crate::plan::Plan;
use crate::session::Session;
use std::sync::Arc;
pub use tilewright_executor::{Different, Element, Found, Observed, Observer, Replay, Replayed, Trace};
use tilewright_executor::{Executable, Search};
use tilewright_graph::{Graph, Op, interp};
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
