//! A graph that is ready to run.

use crate::arenas::Arenas;
use crate::control::Bodies;
use crate::plan::Plan;
use crate::segment::{Segment, segments};
use crate::trial::Trial;
use crate::watch::Watch;
use std::sync::Arc;
use tilewright_graph::Graph;
use tilewright_graph::interp::{Bindings, bind_within};
use tilewright_kernels::Machine;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, Value};

/// How graphs are executed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What kernels are made for.
    pub machine: Machine,
    /// Threads of a run.
    pub threads: usize,
    /// The memory of runs.
    pub arenas: Arc<Arenas>,
    /// What is different about tests.
    pub trial: Trial,
}

/// A graph and the plans that it runs by. Runs may go on in many threads at once.
#[derive(Debug)]
pub struct Executable {
    graph: Arc<Graph>,
    settings: Settings,
    segments: Vec<Segment>,
    bodies: Bodies,
    watch: Option<Arc<Watch>>,
}

/// What the steps of a run refer to.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// How it is executed.
    pub settings: &'a Settings,
    /// What runs the bodies of its nodes.
    pub bodies: &'a [(usize, Vec<Executable>)],
    /// What looks on.
    pub watch: Option<&'a Watch>,
}

/// What the runs of a loop's body share while sizes stay the same.
#[derive(Default)]
pub struct Repeated {
    inputs: Vec<(DType, Vec<usize>)>,
    planned: Option<(Arc<Plan>, Bindings)>,
    values: Vec<Option<Value>>,
}

impl Executable {
    /// Prepares a verified graph.
    pub fn new(graph: Arc<Graph>, settings: Settings) -> Self {
        Self::watched(graph, settings, None)
    }

    /// [`Self::new`], with something that looks on.
    pub fn watched(graph: Arc<Graph>, settings: Settings, watch: Option<Arc<Watch>>) -> Self {
        let body = |g: &Arc<Graph>| Self::watched(g.clone(), settings.clone(), watch.clone());
        let nodes = graph.nodes.iter().enumerate();
        let bodies = nodes.map(|(n, node)| (n, node.op.bodies())).filter(|(_, b)| !b.is_empty());
        let bodies = bodies.map(|(n, graphs)| (n, graphs.into_iter().map(body).collect())).collect();
        Self { segments: segments(&graph), graph, settings, bodies, watch }
    }

    /// Makes the plans whose sizes are known before there are inputs, so that the first run does not take the time. What a
    /// plan refuses is told by a run: it may never come to that.
    pub fn prepare(&self) {
        let known = self.segments.iter().filter(|s| s.is_static());
        known.take_while(|s| self.plan(s, &Bindings::new()).is_ok()).for_each(drop);
    }

    /// Runs it on inputs in order.
    ///
    /// # Errors
    /// For inputs that do not fit their types, and what a node refuses.
    pub fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        self.run_within(inputs, &Bindings::new())
    }

    /// The most bytes that its runs had in an arena so far, and the most of these that were in use at one time.
    pub fn memory(&self) -> (usize, usize) {
        let own = self.plans().map(|p| p.memory()).max().unwrap_or_default();
        self.bodies.iter().flat_map(|(_, b)| b).map(Self::memory).fold(own, Ord::max)
    }

    /// The plans of its own nodes.
    pub(crate) fn plans(&self) -> impl Iterator<Item = Arc<Plan>> {
        self.segments.iter().flat_map(Segment::plans)
    }

    /// Runs it where symbols of outer graphs have sizes.
    pub(crate) fn run_within(&self, inputs: &[Value], outer: &Bindings) -> Result<Vec<Value>> {
        let mut bindings = bind_within(&self.graph, inputs, outer)?;
        let mut values = vec![None; self.graph.values.len()];
        self.give(inputs, &mut values);
        for segment in &self.segments {
            let plan = self.plan(segment, &bindings)?;
            plan.run(self.scope(), &mut values, &mut bindings)?;
            segment.ended().iter().for_each(|v| values[v.index()] = None);
        }
        self.outputs(&values)
    }

    /// [`Self::run_within`], once more for the same outer sizes.
    pub(crate) fn run_again(&self, inputs: &[Value], outer: &Bindings, last: &mut Repeated) -> Result<Vec<Value>> {
        let segment = match &self.segments[..] {
            [segment] if !segment.brings => segment,
            _ => return self.run_within(inputs, outer),
        };
        let same = |((dtype, shape), value): (&(DType, Vec<usize>), &Value)| match value {
            Value::Tensor(t) => t.dtype() == *dtype && t.shape() == shape,
            _ => false,
        };
        let fits = last.inputs.len() == inputs.len() && last.inputs.iter().zip(inputs).all(same);
        if last.planned.is_none() || !fits {
            let bindings = bind_within(&self.graph, inputs, outer)?;
            last.planned = Some((self.plan(segment, &bindings)?, bindings));
            let tensors = inputs.iter().filter_map(|v| if let Value::Tensor(t) = v { Some(t) } else { None });
            last.inputs = tensors.map(|t| (t.dtype(), t.shape().to_vec())).collect();
            last.values = vec![None; self.graph.values.len()];
        }
        let Some((plan, bindings)) = &mut last.planned else { return Err(Diagnostic::internal("no plan")) };
        self.give(inputs, &mut last.values);
        plan.run(self.scope(), &mut last.values, bindings)?;
        self.outputs(&last.values)
    }

    fn scope(&self) -> Scope<'_> {
        Scope { graph: &self.graph, settings: &self.settings, bodies: &self.bodies, watch: self.watch.as_deref() }
    }

    fn plan(&self, segment: &Segment, bindings: &Bindings) -> Result<Arc<Plan>> {
        segment.plan(bindings, || Plan::new(self.scope(), segment, bindings))
    }

    fn give(&self, inputs: &[Value], values: &mut [Option<Value>]) {
        for (v, value) in self.graph.inputs.iter().zip(inputs) {
            values[v.index()] = Some(value.clone());
        }
    }

    fn outputs(&self, values: &[Option<Value>]) -> Result<Vec<Value>> {
        let lost = || Diagnostic::internal("an output was not computed");
        self.graph.outputs.iter().map(|v| values[v.index()].clone().ok_or_else(lost)).collect()
    }
}
