//! What a pass is.

use std::cell::Cell;
use tilewright_graph::Graph;
use tilewright_support::{Diagnostic, Result};

/// Something that holds of a graph after a pass, until another pass ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// Every node has an effect, or a result that is used.
    Live,
}

/// Whether a pass changed the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Nothing.
    No,
    /// Something.
    Yes,
}

/// A pass over graphs, bodies included.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name in options and reports.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// What must hold before it.
    pub requires: &'static [Fact],
    /// What holds after it.
    pub establishes: &'static [Fact],
    /// Does it.
    pub run: fn(&mut Graph, &PassCx) -> Result<Changed>,
}

/// What a pass knows besides the graph.
#[derive(Default)]
pub struct PassCx {
    fuel: Option<u64>,
    spent: Cell<u64>,
}

impl PassCx {
    /// A context with fuel for so many changes; without a number there is no end of it.
    pub fn new(fuel: Option<u64>) -> Self {
        Self { fuel, spent: Cell::new(0) }
    }

    /// Whether one more change is allowed; it is counted. Asked before every single change.
    pub fn spend(&self) -> bool {
        let allowed = self.fuel.is_none_or(|fuel| self.spent.get() < fuel);
        self.spent.set(self.spent.get() + u64::from(allowed));
        allowed
    }

    /// The number of changes so far.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Whether there were changes since `spent` had a value.
    pub fn changed_since(&self, spent: u64) -> Changed {
        if self.spent() == spent { Changed::No } else { Changed::Yes }
    }
}

/// Checks that every pass finds what it requires established by an earlier one.
pub fn check_order(passes: &[Pass]) -> Result<()> {
    for (i, pass) in passes.iter().enumerate() {
        let established = |fact: &&Fact| passes[..i].iter().any(|p| p.establishes.contains(fact));
        if let Some(fact) = pass.requires.iter().find(|f| !established(f)) {
            return Err(Diagnostic::internal(format!(
                "pass {} requires {fact:?}, which no pass establishes",
                pass.name
            )));
        }
    }
    Ok(())
}
