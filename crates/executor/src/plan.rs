//! A segment at known sizes, ready to run.

use crate::constants::Constants;
use crate::executable::Scope;
use crate::liveness::lives;
use crate::memory::{Placement, peak, place};
use crate::prepare::prepare;
use crate::report::{self, Stages};
use crate::run::Frame;
use crate::segment::Segment;
use crate::shared::Made;
use crate::split::Split;
use crate::trace::What;
use std::sync::Arc;
use tilewright_graph::ValueId;
use tilewright_graph::interp::Bindings;
use tilewright_kernels::nest::Nest;
use tilewright_lower::comp::Check;
use tilewright_lower::{Layout, Module, SlotId, Source, Step, Work, lower};
use tilewright_nests::Kernel;
use tilewright_runtime::guarded::Guarded;
use tilewright_support::Result;
use tilewright_tensor::Value;

/// A module, the code of its kernels, and the places of its values.
#[derive(Debug)]
pub struct Plan {
    /// What each slot is.
    pub(crate) slots: Vec<Place>,
    /// What is done, in order.
    pub(crate) tasks: Vec<Task>,
    /// Values that are used afterwards.
    pub(crate) results: Vec<(ValueId, SlotId)>,
    /// Bytes of the arena without scratch.
    pub(crate) arena: usize,
    /// Bytes of scratch of each thread.
    pub(crate) scratch: usize,
    /// Bytes of the results' own memory.
    pub(crate) own: usize,
    /// The most bytes of the arena that are in use at one time.
    peak: usize,
    /// Its number among those that are watched.
    pub(crate) number: usize,
    /// Constants that other plans may have too.
    pub(crate) _shared: Vec<Arc<Made>>,
    /// Places of runs that are over.
    pub(crate) frames: Guarded<Vec<Frame>>,
}

/// Where a slot is.
#[derive(Debug)]
pub(crate) struct Place {
    pub layout: Option<Layout>,
    pub at: At,
}

/// The memory of a slot.
#[derive(Debug)]
pub(crate) enum At {
    /// Bytes from the start of the arena.
    Arena(usize),
    /// A value that is the same in every run.
    Constant(Value),
    /// A value that is there when the run begins.
    Given(ValueId),
    /// Memory that becomes a value of its own.
    Own,
    /// What a call of the host gives.
    Host,
    /// The memory of another slot.
    View(SlotId),
    /// Nothing: it was needed only while the plan was made.
    Gone,
}

/// A step.
#[derive(Debug)]
pub(crate) struct Task {
    /// Its position in the module.
    pub step: usize,
    /// The position of its node.
    pub node: usize,
    pub reads: Vec<SlotId>,
    pub writes: Vec<SlotId>,
    pub work: Doing,
}

/// What does a step.
#[derive(Debug)]
pub(crate) enum Doing {
    /// The code of a kernel.
    Nest(Nest, Split),
    /// The loop interpreter, for want of fuel.
    Interpreter(Arc<Kernel>),
    /// Tests of what is read.
    Check(Vec<Check>),
    /// A call of the host.
    Host,
}

impl Doing {
    /// The kernel, if it is one.
    pub fn kernel(&self) -> Option<&Arc<Kernel>> {
        match self {
            Self::Nest(nest, _) => Some(nest.kernel()),
            Self::Interpreter(kernel) => Some(kernel),
            Self::Check(_) | Self::Host => None,
        }
    }
}

impl Plan {
    /// Lowers a segment and plans its memory.
    ///
    /// # Errors
    /// Where there is no memory for its code; what a node refuses that depends on constants alone.
    pub fn new(scope: Scope<'_>, segment: &Segment, bindings: &Bindings) -> Result<Self> {
        let (mut stages, number) = (Stages::begin(), scope.watch.map_or(0, |w| w.next_plan()));
        let mut module = lower(scope.graph, segment.nodes.clone(), bindings, &|v| segment.kept.contains(&v))?;
        let constants = Constants::of(&module, scope.graph);
        stages.end("lower");
        let shown = scope.watch.filter(|w| w.kernels.is_some());
        let shown = shown.map(|_| report::steps(&module, &constants, scope.graph));
        let used = used(&module, &constants);
        let prepared = prepare(&module, &constants, &used, (scope, bindings, number))?;
        let left: Vec<usize> = (0..module.steps.len()).filter(|n| !constants.done(&module.steps[*n])).collect();
        module.steps.retain(|step| !constants.done(step));
        stages.end("constants");
        let own = own(&module);
        let lives = lives(&module, &|s| own[s.0] || constants.holds(s));
        let placement = place(&lives.blocks);
        let mut values = prepared.values.into_iter();
        let slots = (0..module.slots.len()).map(|n| {
            let at = at(&module, n, values.next().flatten(), (own[n], lives.block[n], &placement));
            Place { layout: module.slots[n].layout.clone(), at }
        });
        let slots: Vec<Place> = slots.collect();
        stages.end("memory");
        let steps = left.into_iter().zip(&module.steps);
        let tasks = steps.map(|step| task(&module, step, scope)).collect::<Result<Vec<Task>>>()?;
        stages.end("code");
        let arena = placement.bytes.checked_next_multiple_of(128).unwrap_or(usize::MAX);
        let (results, peak) = (module.results, peak(&lives.blocks));
        let plan = Self { results, arena, peak, number, _shared: prepared.shared, ..Self::of(slots, tasks) };
        plan.tell(scope, &stages, bindings, shown.as_deref());
        Ok(plan)
    }

    /// Tells those who look on of a plan that is made; `steps` are its steps as text.
    fn tell(&self, scope: Scope<'_>, stages: &Stages, bindings: &Bindings, steps: Option<&str>) {
        let Some(watch) = scope.watch else { return };
        if let (Some(kernels), Some(steps)) = (&watch.kernels, steps) {
            kernels(&report::plan(self, &report::bound(bindings), steps));
        }
        if let Some(times) = &watch.times {
            times(&stages.table(self));
        }
        if let Some(trace) = &watch.trace {
            let parts = stages.parts.iter();
            parts.for_each(|p| trace.add(What::Plan { part: p.name, plan: self.number }, p.start, p.time));
            trace.count(|totals| totals.code = tilewright_kernels::usage().1.live as u64);
        }
    }

    /// A plan without results, and without memory in an arena.
    pub(crate) fn of(slots: Vec<Place>, tasks: Vec<Task>) -> Self {
        let own = slots.iter().filter(|s| matches!(s.at, At::Own));
        let own = own.filter_map(|s| s.layout.as_ref()).fold(0usize, |sum, l| sum.saturating_add(l.bytes()));
        let scratch = tasks.iter().filter_map(|t| t.work.kernel()).map(|kernel| kernel.scratch());
        let scratch = scratch.max().unwrap_or(0).next_multiple_of(128);
        Self {
            slots,
            tasks,
            results: Vec::new(),
            arena: 0,
            scratch,
            own,
            peak: 0,
            number: 0,
            _shared: Vec::new(),
            frames: Guarded::default(),
        }
    }

    /// Bytes of its arena, and how many of these are in use at one time.
    pub fn memory(&self) -> (usize, usize) {
        (self.arena, self.peak)
    }
}

/// A step, given with its position, and the code of its kernel.
pub(crate) fn task(module: &Module, (n, step): (usize, &Step), scope: Scope<'_>) -> Result<Task> {
    let settings = scope.settings;
    let work = match &step.work {
        Work::Kernel(k) if scope.watch.is_some_and(|w| !w.spend()) => Doing::Interpreter(k.clone()),
        Work::Kernel(k) => {
            let split = if settings.trial.share { Split::finest(k) } else { Split::of(k, settings.threads) };
            Doing::Nest(Nest::new(&settings.machine, k.clone())?, split)
        }
        Work::Check(checks) => Doing::Check(checks.clone()),
        Work::Host(_) => Doing::Host,
    };
    // Kernels know of offsets in a buffer: their views are the memory itself.
    let slot = |s: &SlotId| if work.kernel().is_some() { module.root(*s) } else { *s };
    let (reads, writes) = (step.reads.iter().map(slot).collect(), step.writes.iter().map(slot).collect());
    Ok(Task { step: n, node: step.node, reads, writes, work })
}

/// Which slots the steps of a run or results use.
fn used(module: &Module, constants: &Constants) -> Vec<bool> {
    let mut used = vec![false; module.slots.len()];
    let steps = module.steps.iter().filter(|step| !constants.done(step));
    let steps = steps.flat_map(|s| s.reads.iter().chain(&s.writes));
    steps.chain(module.results.iter().map(|(_, s)| s)).for_each(|s| used[module.root(*s).0] = true);
    used
}

/// Which slots become values of their own: the memory of results.
fn own(module: &Module) -> Vec<bool> {
    let mut own = vec![false; module.slots.len()];
    for (_, slot) in &module.results {
        let root = module.root(*slot);
        own[root.0] |= matches!(module.slots[root.0].source, Source::Memory);
    }
    own
}

fn at(
    module: &Module,
    n: usize,
    value: Option<Value>,
    (own, block, placement): (bool, Option<usize>, &Placement),
) -> At {
    let slot = &module.slots[n];
    // No step writes what has no elements.
    let own = own || slot.layout.as_ref().is_some_and(|l| l.is_empty());
    match (&slot.source, value, block) {
        (Source::View(of), ..) => At::View(*of),
        (_, Some(value), _) => At::Constant(value),
        (Source::Given(v), ..) => At::Given(*v),
        (Source::Host, ..) => At::Host,
        (Source::Memory, _, Some(block)) => At::Arena(placement.at[block]),
        (Source::Memory, ..) if own => At::Own,
        (Source::Memory, ..) if module.slots[n].layout.as_ref().is_some_and(|l| l.bytes() == 0) => At::Arena(0),
        _ => At::Gone,
    }
}
