//! A graph that is ready to run.

use crate::plan::Plan;
use crate::segment::{Segment, segments};
use std::sync::Arc;
use tilewright_graph::Graph;
use tilewright_graph::interp::{Bindings, bind_inputs};
use tilewright_kernels::Machine;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Value;

/// How graphs are executed.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What kernels are made for.
    pub machine: Machine,
    /// Threads of a run.
    pub threads: usize,
}

/// A graph and the plans that it runs by. Runs may go on in many threads at once.
#[derive(Debug)]
pub struct Executable {
    graph: Arc<Graph>,
    settings: Settings,
    segments: Vec<Segment>,
}

impl Executable {
    /// Prepares a verified graph.
    pub fn new(graph: Arc<Graph>, settings: Settings) -> Self {
        let segments = segments(&graph);
        Self { graph, settings, segments }
    }

    /// Runs it on inputs in order.
    ///
    /// # Errors
    /// For inputs that do not fit their types, and what a node refuses.
    pub fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let mut bindings = bind_inputs(&self.graph, inputs)?;
        self.run_within(inputs, &mut bindings)
    }

    fn run_within(&self, inputs: &[Value], bindings: &mut Bindings) -> Result<Vec<Value>> {
        let mut values: Vec<Option<Value>> = vec![None; self.graph.values.len()];
        for (v, value) in self.graph.inputs.iter().zip(inputs) {
            values[v.index()] = Some(value.clone());
        }
        for segment in &self.segments {
            let plan = segment.plan(bindings, || Plan::new(&self.graph, segment, bindings, &self.settings))?;
            plan.run(&self.graph, &mut values, bindings, &self.settings)?;
            segment.ended().iter().for_each(|v| values[v.index()] = None);
        }
        let lost = || Diagnostic::internal("an output was not computed");
        self.graph.outputs.iter().map(|v| values[v.index()].clone().ok_or_else(lost)).collect()
    }
}
