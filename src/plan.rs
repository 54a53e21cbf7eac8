//! Translations of a model, one for each set of facts that they depend on.

use crate::options::Options;
use crate::pipeline::{PIPELINE, PROBE, prepare};
use std::sync::{Arc, Mutex};
use tilewright_graph::Graph;
use tilewright_onnx::import::{self, Facts, Outcome, Want};
use tilewright_support::Result;

/// A translation, or what must be known before there is one.
#[derive(Debug)]
pub enum Plan {
    /// The model's graph.
    Ready(Graph),
    /// Something to find out first.
    Wants(Want),
}

/// A cache of plans, the most recently used first.
#[derive(Debug)]
pub struct Plans {
    options: Options,
    kept: Mutex<Vec<(Facts, Arc<Plan>)>>,
}

impl Plans {
    /// Keeps as many plans as the options say, at least one.
    pub fn new(options: Options) -> Self {
        Self { options, kept: Mutex::default() }
    }

    /// The plan for some facts, made if it is not there.
    pub fn get(&self, model: &tilewright_onnx::Model, facts: &Facts) -> Result<Arc<Plan>> {
        if let Some(plan) = self.find(facts) {
            return Ok(plan);
        }
        let plan = Arc::new(match import::import(model, facts)? {
            Outcome::Ready(mut graph) => {
                prepare(&mut graph, PIPELINE, &self.options)?;
                Plan::Ready(graph)
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

    fn find(&self, facts: &Facts) -> Option<Arc<Plan>> {
        let mut kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        let at = kept.iter().position(|(f, _)| f == facts)?;
        let entry = kept.remove(at);
        let plan = entry.1.clone();
        kept.insert(0, entry);
        Some(plan)
    }
}
