//! Translations of a model, one for each set of facts that they depend on.

use crate::options::{Backend, Options};
use crate::pipeline::{PIPELINE, PROBE, prepare};
use crate::recent::depends_on_types;
use std::sync::Arc;
use tilewright_executor::{Arenas, Executable, Guarded, Settings, Trial, Watch};
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
    Wants {
        /// What.
        want: Want,
        /// What runs the graph that tells it, unless the interpreter does.
        executable: Option<Executable>,
        /// Whether it tells the same for all inputs of the same types.
        typed: bool,
    },
}

/// A cache of plans, the most recently used first.
#[derive(Debug)]
pub struct Plans {
    options: Options,
    arenas: Arc<Arenas>,
    watch: Option<Arc<Watch>>,
    kept: Guarded<Vec<(Facts, Arc<Plan>)>>,
}

impl Plans {
    /// Keeps as many plans as the options say, at least one.
    pub fn new(options: Options) -> Self {
        let arenas = Arc::new(Arenas::within(options.max_memory.unwrap_or(usize::MAX)));
        Self { watch: options.watch(), options, arenas, kept: Guarded::default() }
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
                let executable = self.executable(graph.clone());
                executable.iter().for_each(Executable::prepare);
                Plan::Ready(graph, executable)
            }
            Outcome::Wants(mut want) => {
                let (mut executable, mut typed) = (None, true);
                if let Want::Sizes(_, g) | Want::Value(_, g) = &mut *want {
                    prepare(g, PROBE, &Options::default())?;
                    typed = depends_on_types(g);
                    executable = self.executable(Arc::new(g.clone()));
                }
                Plan::Wants { want: *want, executable, typed }
            }
        });
        let most = self.options.plans.max(1);
        let _old = self.kept.with(|kept| {
            kept.insert(0, (facts.clone(), plan.clone()));
            kept.split_off(kept.len().min(most))
        });
        Ok(plan)
    }

    /// Notes that a plan is used again.
    pub fn touch(&self, plan: &Arc<Plan>) {
        self.kept.with(|kept| {
            let at = kept.iter().position(|(_, kept)| Arc::ptr_eq(kept, plan));
            at.into_iter().for_each(|at| kept[..=at].rotate_right(1));
        });
    }

    /// The largest arena of a plan so far, and the most of its bytes that were in use at one time.
    pub fn arena(&self) -> (usize, usize) {
        let of = |plan: &Plan| match plan {
            Plan::Ready(_, Some(executable)) => executable.memory(),
            _ => (0, 0),
        };
        let plans: Vec<Arc<Plan>> = self.kept.with(|kept| kept.iter().map(|(_, plan)| plan.clone()).collect());
        plans.iter().map(|plan| of(plan)).max().unwrap_or_default()
    }

    fn executable(&self, graph: Arc<Graph>) -> Option<Executable> {
        Some(Executable::watched(graph, self.settings()?, self.watch.clone()))
    }

    /// How kernels run, if they do.
    pub fn settings(&self) -> Option<Settings> {
        let target = Target::detect();
        let target = self.options.level.map_or(target, |level| target.at_most(level));
        let arenas = self.arenas.clone();
        let settings = Settings {
            machine: Machine::new(target),
            threads: self.options.threads(),
            arenas,
            trial: Trial::default(),
        };
        (self.options.backend == Backend::Jit).then_some(settings)
    }

    fn find(&self, facts: &Facts) -> Option<Arc<Plan>> {
        self.kept.with(|kept| {
            let at = kept.iter().position(|(f, _)| f == facts)?;
            kept[..=at].rotate_right(1);
            Some(kept[0].1.clone())
        })
    }
}
