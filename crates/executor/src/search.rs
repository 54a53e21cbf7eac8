//! The search for the first kernel whose machine code gives other bits than the loop interpreter.

use crate::different::{Different, compare};
use crate::replay::Replay;
use crate::watch::{Observed, Observer};
use std::sync::Arc;
use tilewright_runtime::guarded::Guarded;
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Loc, Result};

/// Compares each kernel of a run with its interpretation, until one differs.
#[derive(Clone, Debug, Default)]
pub struct Search(Arc<Guarded<State>>);

#[derive(Debug, Default)]
struct State {
    kernels: usize,
    found: Option<Found>,
}

/// The first kernel that differs.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of its plan.
    pub plan: usize,
    /// The number of its step there.
    pub step: usize,
    /// The node that it belongs to.
    pub node: Loc,
    /// The level that it ran at.
    pub level: Level,
    /// What differs.
    pub different: Different,
    /// The kernel and its arguments.
    pub replay: Replay,
}

impl Search {
    /// What looks at each kernel of a run.
    pub fn observer(&self) -> Observer {
        let search = self.clone();
        Observer::new(move |observed| search.look(observed))
    }

    /// Compares a kernel.
    ///
    /// # Errors
    /// Internal, to end the run, for the first that differs; what the interpreter refuses.
    pub fn look(&self, observed: &Observed<'_>) -> Result<()> {
        let replay = Replay::of(observed)?;
        let different = compare(observed.kernel, observed.after, replay.expected());
        self.0.with(|state| {
            state.kernels += 1;
            let Some(different) = different else { return Ok(()) };
            let Observed { plan, step, level, .. } = *observed;
            let found = Found { plan, step, node: observed.node.clone(), level, different, replay };
            state.found.get_or_insert(found);
            Err(Diagnostic::internal("machine code and interpretation of a kernel differ").at(observed.node))
        })
    }

    /// How many kernels were compared, and the first that differs.
    pub fn end(&self) -> (usize, Option<Found>) {
        self.0.with(|state| (state.kernels, state.found.take()))
    }
}
