//! Translations of a model, one for each set of facts that they depend on.

use crate::options::{Backend, Options};
use crate::pipeline::{PIPELINE, PROBE, prepare};
use std::sync::{Arc, Mutex};
use tilewright_executor::{Arenas, Executable, Settings};
use tilewright_graph::Graph;
use tilewright_kernels::Machine;
use tilewright_onnx::import::{self, Facts, Outcome, Want};
use tilewright_support::Result;
use tilewright_support::target::Target;

/// A translation, or what must be known before there is one.
#[derive(Debug)]
pub enum Plan {
    /// The model's graph, and what runs it unless the interpreter does.
    Ready(Arc<Graph>, Option<Executable>),
    /// Something to find out first.
    Wants(Want),
}

/// A cache of plans, the most recently used first.
#[derive(Debug)]
pub struct Plans {
    options: Options,
    arenas: Arc<Arenas>,
    kept: Mutex<Vec<(Facts, Arc<Plan>)>>,
}

impl Plans {
    /// Keeps as many plans as the options say, at least one.
    pub fn new(options: Options) -> Self {
        let arenas = Arc::new(Arenas::within(options.max_memory.unwrap_or(usize::MAX)));
        Self { options, arenas, kept: Mutex::default() }
    }

    /// The plan for some facts, made if it is not there.
    pub fn get(&self, model: &tilewright_onnx::Model, facts: &Facts) -> Result<Arc<Plan>> {
        if let Some(plan) = self.find(facts) {
            return Ok(plan);
        }
        let plan = Arc::new(match import::import(model, facts)? {
            Outcome::Ready(mut graph) => {
                prepare(&mut graph, PIPELINE, &self.options)?;
                let graph = Arc::new(graph);
                let executable = self.settings().map(|settings| Executable::new(graph.clone(), settings));
                Plan::Ready(graph, executable)
            }
            Outcome::Wants(mut want) => {
                if let Want::Sizes(_, g) | Want::Value(_, g) = &mut *want {
                    prepare(g, PROBE, &Options::default())?;
                }
                Plan::Wants(*want)
            }
        });
        let mut kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        kept.insert(0, (facts.clone(), plan.clone()));
        kept.truncate(self.options.plans.max(1));
        Ok(plan)
    }

    /// How kernels run, if they do.
    fn settings(&self) -> Option<Settings> {
        let target = Target::detect();
        let target = self.options.level.map_or(target, |level| target.at_most(level));
        let arenas = self.arenas.clone();
        let settings = Settings { machine: Machine::new(target), threads: self.options.threads(), arenas };
        (self.options.backend == Backend::Jit).then_some(settings)
    }

    fn find(&self, facts: &Facts) -> Option<Arc<Plan>> {
        let mut kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        let at = kept.iter().position(|(f, _)| f == facts)?;
        let entry = kept.remove(at);
        let plan = entry.1.clone();
        kept.insert(0, entry);
        Some(plan)
    }
}
