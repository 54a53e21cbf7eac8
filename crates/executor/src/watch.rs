//! What looks on while plans are made and run: reports, a trace, fuel for machine code, an observer of kernels.
//!
//! None of it is there in a plain run, which tests an `Option` a step.

use crate::trace::Trace;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tilewright_nests::Kernel;
use tilewright_support::target::Level;
use tilewright_support::{Loc, Result};

/// Takes text.
pub type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// All that may look on.
#[derive(Clone, Default)]
pub struct Watch {
    /// Takes the kernels, calls and memory of each plan as text.
    pub kernels: Option<Report>,
    /// Takes the times of each plan's making.
    pub times: Option<Report>,
    /// Takes what runs when.
    pub trace: Option<Arc<Trace>>,
    /// The number of kernels that may still become machine code; the others are interpreted.
    pub fuel: Option<Arc<AtomicU64>>,
    /// Sees each kernel that has run.
    pub observer: Option<Observer>,
    /// The number of plans so far.
    pub plans: Arc<AtomicUsize>,
}

impl Watch {
    /// Whether anything looks on.
    pub fn is_on(&self) -> bool {
        let reports = self.kernels.is_some() || self.times.is_some();
        reports || self.trace.is_some() || self.fuel.is_some() || self.observer.is_some()
    }

    /// Whether it matters that every kernel runs.
    pub(crate) fn is_exact(&self) -> bool {
        self.fuel.is_some() || self.observer.is_some()
    }

    /// The number of the next plan.
    pub(crate) fn next_plan(&self) -> usize {
        self.plans.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether one more kernel may be machine code; it is counted.
    pub(crate) fn spend(&self) -> bool {
        let less = |left: u64| left.checked_sub(1);
        let spent = |fuel: &AtomicU64| fuel.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        self.fuel.as_deref().is_none_or(spent)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "what looks on at {} plans", self.plans.load(Ordering::Relaxed))
    }
}

type See = dyn Fn(&Observed<'_>) -> Result<()> + Send + Sync;

/// Sees each kernel that has run, in order; its error ends the run.
#[derive(Clone)]
pub struct Observer(Arc<See>);

impl Observer {
    /// One that calls `f`.
    pub fn new(f: impl Fn(&Observed<'_>) -> Result<()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// Shows it a kernel.
    ///
    /// # Errors
    /// What it makes of it.
    pub fn see(&self, observed: &Observed<'_>) -> Result<()> {
        (self.0)(observed)
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// A kernel that has run, and its arguments: all buffers but scratch, in order.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The number of its plan, in the order in which plans are made.
    pub plan: usize,
    /// The number of its step in the plan.
    pub step: usize,
    /// The node that it belongs to.
    pub node: &'a Loc,
    /// The kernel.
    pub kernel: &'a Arc<Kernel>,
    /// The level that it ran at.
    pub level: Level,
    /// The arguments before it ran.
    pub before: &'a [Vec<u8>],
    /// The arguments afterwards.
    pub after: &'a [Vec<u8>],
}
