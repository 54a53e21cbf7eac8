//! One run of a plan.

use crate::arenas::Arena;
use crate::executable::Scope;
use crate::plan::{At, Doing, Plan, Task};
use crate::split::Split;
use crate::strided;
use crate::trace::What;
use crate::watch::{Observed, Observer};
use crate::watched::{Arguments, Traced};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tilewright_graph::interp::Bindings;
use tilewright_kernels::nest::Nest;
use tilewright_lower::SlotId;
use tilewright_lower::comp::Check;
use tilewright_nests::Kernel;
use tilewright_runtime::pool::Pool;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{TensorMut, Value};

/// Frames kept for a plan.
const FRAMES: usize = 16;

/// What a run knows of each slot.
#[derive(Default)]
pub(crate) struct Frame {
    /// Where its bytes are; null where there are none yet.
    addresses: Vec<*mut u8>,
    /// Values that the run shares with others.
    held: Vec<Option<Value>>,
    /// Values that kernels write.
    made: Vec<Option<TensorMut>>,
    arguments: Vec<*mut u8>,
}

// SAFETY: the addresses are those of values in the frame or in its plan, or are set anew by the run that takes it.
unsafe impl Send for Frame {}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a frame of {} slots", self.addresses.len())
    }
}

impl Plan {
    /// Runs it: takes the values that it uses and adds those that are kept.
    ///
    /// # Errors
    /// What a node refuses; Limit, where there is no memory.
    pub fn run(&self, scope: Scope<'_>, values: &mut [Option<Value>], bindings: &mut Bindings) -> Result<()> {
        let arenas = &scope.settings.arenas;
        let scratch = self.scratch.saturating_mul(scope.settings.threads);
        let arena = arenas.take(self.arena.saturating_add(scratch))?;
        let _own = arenas.reserve(self.own)?;
        let mut run = Run::new(self, scope, arena);
        run.begin(values)?;
        for task in &self.tasks {
            run.task(task, bindings)?;
        }
        run.results(values)?;
        run.end();
        Ok(())
    }

    /// Runs its tasks and gives the values of its slots.
    pub fn run_for_slots(&self, scope: Scope<'_>, bindings: &mut Bindings) -> Result<Vec<Option<Value>>> {
        let arena = scope.settings.arenas.take(self.scratch.saturating_mul(scope.settings.threads))?;
        let mut run = Run::new(self, scope, arena);
        run.begin(&mut [])?;
        for task in &self.tasks {
            run.task(task, bindings)?;
        }
        (0..self.slots.len()).for_each(|n| run.freeze(n));
        Ok(run.frame.held)
    }

    fn frame(&self) -> Frame {
        self.frames.with(Vec::pop).unwrap_or_else(|| {
            let mut frame = Frame {
                addresses: vec![std::ptr::null_mut(); self.slots.len()],
                held: vec![None; self.slots.len()],
                ..Frame::default()
            };
            frame.made.resize_with(self.slots.len(), || None);
            for (n, slot) in self.slots.iter().enumerate() {
                if let At::Constant(value) = &slot.at {
                    frame.hold(n, value.clone());
                }
            }
            frame
        })
    }

    fn root(&self, slot: SlotId) -> usize {
        match self.slots[slot.0].at {
            At::View(of) => self.root(of),
            _ => slot.0,
        }
    }
}

impl Frame {
    fn hold(&mut self, n: usize, value: Value) {
        if let Value::Tensor(t) = &value {
            self.addresses[n] = t.bytes().as_ptr().cast_mut();
        }
        self.held[n] = Some(value);
    }
}

struct Run<'a> {
    plan: &'a Plan,
    scope: Scope<'a>,
    arena: Arena<'a>,
    /// Its first byte.
    start: *mut u8,
    frame: Frame,
    /// The node that the host evaluated because a check failed.
    evaluated: Option<usize>,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, scope: Scope<'a>, mut arena: Arena<'a>) -> Self {
        if scope.settings.trial.poison {
            arena.fill(0xff);
        }
        Self { plan, scope, start: arena.start(), arena, frame: plan.frame(), evaluated: None }
    }

    fn begin(&mut self, values: &mut [Option<Value>]) -> Result<()> {
        let start = self.start;
        for (n, slot) in self.plan.slots.iter().enumerate() {
            match (&slot.at, &slot.layout) {
                (At::Arena(at), _) => self.frame.addresses[n] = start.wrapping_add(*at),
                (At::Given(v), _) => match &values[v.index()] {
                    Some(value) => self.hold(n, value.clone())?,
                    None => return Err(Diagnostic::internal("a value is used before it is there")),
                },
                (At::Own, Some(layout)) => {
                    let mut made = TensorMut::any(layout.dtype, &layout.shape)?;
                    if self.scope.settings.trial.poison {
                        made.bytes_mut().fill(0xff);
                    }
                    self.frame.addresses[n] = made.bytes_mut().as_mut_ptr();
                    self.frame.made[n] = Some(made);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes a value for a slot; it must have the bytes that kernels expect.
    fn hold(&mut self, n: usize, value: Value) -> Result<()> {
        if let (Value::Tensor(t), Some(layout)) = (&value, &self.plan.slots[n].layout)
            && (t.dtype() != layout.dtype || t.shape() != layout.shape)
        {
            return Err(Diagnostic::internal(format!(
                "a value of {:?} where {:?} was planned",
                t.shape(),
                layout.shape
            )));
        }
        self.frame.hold(n, value);
        Ok(())
    }

    fn task(&mut self, task: &Task, bindings: &mut Bindings) -> Result<()> {
        if self.evaluated == Some(task.node) {
            return Ok(());
        }
        let kernel = match &task.work {
            Doing::Host => return self.host(task, bindings),
            Doing::Check(checks) => return self.check(task, checks, bindings),
            Doing::Nest(nest, _) => nest.kernel(),
            Doing::Interpreter(kernel) => kernel,
        };
        self.arguments(task)?;
        match self.scope.watch.and_then(|w| w.observer.as_ref()) {
            None => self.kernel(task, kernel),
            Some(observer) => self.observed(task, kernel, observer),
        }
    }

    /// Finds the arguments of a kernel.
    fn arguments(&mut self, task: &Task) -> Result<()> {
        self.frame.arguments.clear();
        for slot in task.reads.iter().chain(&task.writes) {
            self.frame.arguments.push(self.frame.addresses[slot.0]);
        }
        if self.frame.arguments.iter().any(|a| a.is_null()) {
            return Err(Diagnostic::internal("a kernel takes what is not there"));
        }
        Ok(())
    }

    fn kernel(&self, task: &Task, kernel: &Kernel) -> Result<()> {
        let traced = Traced::of(self.scope.watch, kernel, &self.scope.graph.nodes[task.node]);
        match &task.work {
            Doing::Nest(nest, split) => self.nest(nest, split, traced.as_ref()),
            _ => {
                let start = Instant::now();
                // SAFETY: as for code; nobody else uses them meanwhile.
                let arguments = unsafe { Arguments::new(kernel, &self.frame.arguments) };
                arguments.interpret(self.scope.settings.machine.target().level)?;
                traced.iter().for_each(|t| t.ran(&(0..kernel.iterations()), start));
            }
        }
        traced.iter().for_each(|t| t.done(self.arena.bytes().len()));
        Ok(())
    }

    /// Runs a kernel and shows it to an observer.
    fn observed(&self, task: &Task, kernel: &Arc<Kernel>, observer: &Observer) -> Result<()> {
        // SAFETY: as for code; the kernel runs between the two looks.
        let arguments = unsafe { Arguments::new(kernel, &self.frame.arguments) };
        let before = arguments.copies();
        self.kernel(task, kernel)?;
        observer.see(&Observed {
            plan: self.plan.number,
            step: task.step,
            node: &self.scope.graph.nodes[task.node].loc,
            kernel,
            level: self.scope.settings.machine.target().level,
            before: &before,
            after: &arguments.copies(),
        })
    }

    fn nest(&self, nest: &Nest, split: &Split, traced: Option<&Traced<'_>>) {
        let scratch = (self.start.wrapping_add(self.plan.arena), self.plan.scratch);
        let call = Call { nest, arguments: &self.frame.arguments, scratch, traced };
        let threads = split.threads(self.scope.settings.threads, || Pool::global().awake());
        if threads < 2 {
            // SAFETY: as below; one thread runs all.
            return unsafe { call.run(0..nest.kernel().iterations(), 0) };
        }
        // SAFETY: chunks are of different iterations, and threads of one region have different numbers, below `threads`.
        Pool::global().run(split.chunks(), threads, &|chunk, thread| unsafe { call.run(split.range(chunk), thread) });
    }

    /// A slot's value for the host.
    fn value(&mut self, slot: SlotId) -> Result<Value> {
        let lost = || Diagnostic::internal("a call takes what is not there");
        let root = self.plan.root(slot);
        let layout = self.plan.slots[slot.0].layout.as_ref();
        if let Some(value) = &self.frame.held[root] {
            return match (value, layout) {
                (value, _) if root == slot.0 => Ok(value.clone()),
                (Value::Tensor(t), Some(l)) if l.is_whole() => t.reshape(&l.shape).map(Value::Tensor),
                (Value::Tensor(t), Some(l)) => strided::gather(t.bytes(), l).map(Value::Tensor),
                _ => Err(lost()),
            };
        }
        let layout = layout.ok_or_else(lost)?;
        let bytes = match (&self.plan.slots[root].at, &self.frame.made[root]) {
            (_, Some(made)) => made.bytes(),
            (At::Arena(at), _) => {
                let room = self.plan.slots[root].layout.as_ref().map_or(0, |l| l.bytes());
                self.arena.bytes().get(*at..at + room).ok_or_else(lost)?
            }
            _ => return Err(lost()),
        };
        strided::gather(bytes, layout).map(Value::Tensor)
    }

    /// Tests elements of operands. Where they fail the host evaluates the node, most likely to refuse it.
    fn check(&mut self, task: &Task, checks: &[Check], bindings: &mut Bindings) -> Result<()> {
        let mut holds = true;
        for c in checks {
            let Value::Tensor(t) = self.value(task.reads[c.operand])? else { continue };
            let mut part = [0; 256];
            for start in (0..t.len()).step_by(part.len()) {
                let part = &mut part[..(t.len() - start).min(256)];
                t.read_i64(start, 1, part);
                holds &= part.iter().all(|x| (c.low..=c.high).contains(x));
            }
        }
        if holds {
            return Ok(());
        }
        let inputs = task.reads.iter().map(|s| self.value(*s)).collect::<Result<Vec<_>>>()?;
        let outputs = self.scope.call(task.node, &inputs, bindings)?;
        for (slot, value) in task.writes.iter().zip(&outputs) {
            let room = self.plan.slots[slot.0].layout.as_ref().map_or(0, |l| l.bytes());
            let (Value::Tensor(t), address) = (value, self.frame.addresses[slot.0]) else { continue };
            if t.bytes().len() != room || address.is_null() {
                return Err(Diagnostic::internal("a call gives what was not planned"));
            }
            // SAFETY: the slot has memory of that many bytes, which no kernel uses now.
            unsafe { std::ptr::copy_nonoverlapping(t.bytes().as_ptr(), address, room) };
        }
        self.evaluated = Some(task.node);
        Ok(())
    }

    fn host(&mut self, task: &Task, bindings: &mut Bindings) -> Result<()> {
        let inputs = task.reads.iter().map(|s| self.value(*s)).collect::<Result<Vec<_>>>()?;
        let trace = self.scope.watch.and_then(|w| w.trace.as_deref());
        let start = trace.map(|_| Instant::now());
        let outputs = self.scope.call(task.node, &inputs, bindings)?;
        if let (Some(trace), Some(start)) = (trace, start) {
            let node = self.scope.graph.nodes[task.node].loc.to_string().into();
            trace.add(What::Host { node }, start, start.elapsed());
        }
        task.writes.iter().zip(outputs).try_for_each(|(slot, value)| self.hold(slot.0, value))
    }

    /// Makes a value of what kernels wrote.
    fn freeze(&mut self, n: usize) {
        if let Some(made) = self.frame.made[n].take() {
            self.frame.held[n] = Some(Value::Tensor(made.finish()));
        }
    }

    fn results(&mut self, values: &mut [Option<Value>]) -> Result<()> {
        for (v, slot) in &self.plan.results {
            self.freeze(self.plan.root(*slot));
            values[v.index()] = Some(self.value(*slot)?);
        }
        Ok(())
    }

    /// Lets go of this run's values and keeps the frame.
    fn end(mut self) {
        for (n, slot) in self.plan.slots.iter().enumerate() {
            if !matches!(slot.at, At::Constant(_) | At::Arena(_)) {
                self.frame.held[n] = None;
                self.frame.made[n] = None;
                self.frame.addresses[n] = std::ptr::null_mut();
            }
        }
        self.plan.frames.with(|frames| {
            if frames.len() < FRAMES {
                frames.push(self.frame);
            }
        });
    }
}

/// A kernel and its arguments.
struct Call<'a> {
    nest: &'a Nest,
    arguments: &'a [*mut u8],
    traced: Option<&'a Traced<'a>>,
    /// Scratch memory of the first thread, and the bytes of each.
    scratch: (*mut u8, usize),
}

// SAFETY: threads run different iterations, which are independent, on scratch memory of their own.
unsafe impl Sync for Call<'_> {}

impl Call<'_> {
    /// # Safety
    /// The arguments have the lengths of the kernel's buffers; no two threads that run at once have the same number, or
    /// run one iteration.
    unsafe fn run(&self, iterations: Range<usize>, thread: usize) {
        let (scratch, bytes) = self.scratch;
        let start = self.traced.map(|_| Instant::now());
        // SAFETY: slots have the sizes of the kernel's buffers, as lowering made both; what is written is in memory that
        // the plan shares with no value that is still needed; the arena has room for the scratch of every thread.
        unsafe { self.nest.run(self.arguments, iterations.clone(), scratch.wrapping_add(thread * bytes)) };
        if let (Some(traced), Some(start)) = (self.traced, start) {
            traced.ran(&iterations, start);
        }
    }
}
