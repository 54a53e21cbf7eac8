//! Runs passes in order: verification, dumps, fuel and times.

use crate::pass::{Pass, PassCx, check_order};
use std::time::{Duration, Instant};
use tilewright_graph::Graph;
use tilewright_support::{Diagnostic, Result};

/// When to print the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dump {
    /// Before a pass.
    Before(String),
    /// After a pass.
    After(String),
    /// After every pass that changed something.
    Changed,
}

impl Dump {
    /// Reads `before:NAME`, `after:NAME` or `changed`, where the name is a pass's or `all`.
    pub fn parse(text: &str, passes: &[Pass]) -> Result<Self> {
        let (when, name) = text.split_once(':').unwrap_or((text, ""));
        let known = name == "all" || passes.iter().any(|p| p.name == name);
        match (when, known) {
            ("changed", _) if name.is_empty() => Ok(Self::Changed),
            ("before", true) => Ok(Self::Before(name.into())),
            ("after", true) => Ok(Self::After(name.into())),
            _ => {
                let names: Vec<&str> = passes.iter().map(|p| p.name).collect();
                let help = format!("give `changed`, `before:NAME` or `after:NAME`; NAME is all, {}", names.join(", "));
                Err(Diagnostic::usage(format!("`{text}` is no place among the passes")).help(help))
            }
        }
    }
}

/// How to run passes.
pub struct Options<'a> {
    /// Verify the graph after every pass.
    pub verify: bool,
    /// When to print the graph.
    pub dump: &'a [Dump],
    /// Where printed graphs go.
    pub print: &'a dyn Fn(&str),
    /// The number of single changes that are made at most.
    pub fuel: Option<u64>,
    /// Measure times.
    pub time: bool,
}

impl Default for Options<'_> {
    /// Verifies in debug builds; no fuel limit, no dumps.
    fn default() -> Self {
        Self { verify: cfg!(debug_assertions), dump: &[], print: &|_| {}, fuel: None, time: false }
    }
}

/// What one pass did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The pass.
    pub pass: &'static str,
    /// The number of its changes.
    pub changes: u64,
    /// The time it took, verification excepted, if times were asked for.
    pub time: Option<Duration>,
}

/// What passes did, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One step a pass.
    pub steps: Vec<Step>,
}

impl Report {
    /// The number of changes of all passes: the fuel that would allow exactly these.
    pub fn changes(&self) -> u64 {
        self.steps.iter().map(|s| s.changes).sum()
    }
}

/// Runs passes one after the other. Errors of a pass, and of the graph it leaves, name the pass.
pub fn run_passes(graph: &mut Graph, passes: &[Pass], options: &Options<'_>) -> Result<Report> {
    check_order(passes)?;
    let cx = PassCx::new(options.fuel);
    let mut report = Report::default();
    for pass in passes {
        let named = |name: &str| name == "all" || name == pass.name;
        if options.dump.iter().any(|d| matches!(d, Dump::Before(name) if named(name))) {
            (options.print)(&format!("// before {}\n{}", pass.name, graph.to_short_text()));
        }
        let (before, start) = (cx.spent(), options.time.then(Instant::now));
        (pass.run)(graph, &cx).map_err(|e| e.note(format!("in pass {}", pass.name)))?;
        let step = Step { pass: pass.name, changes: cx.spent() - before, time: start.map(|s| s.elapsed()) };
        let due = |d: &Dump| match d {
            Dump::Before(_) => false,
            Dump::After(name) => named(name),
            Dump::Changed => step.changes > 0,
        };
        if options.dump.iter().any(due) {
            let changes = step.changes;
            (options.print)(&format!("// after {}, changes: {changes}\n{}", pass.name, graph.to_short_text()));
        }
        report.steps.push(step);
        if options.verify {
            graph.verify().map_err(|e| e.note(format!("after pass {}", pass.name)))?;
        }
    }
    Ok(report)
}
