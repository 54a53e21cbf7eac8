//! A segment at known sizes, ready to run.

use crate::constants::Constants;
use crate::executable::Settings;
use crate::memory::{Offsets, offsets};
use crate::segment::Segment;
use tilewright_graph::interp::{Bindings, eval_node};
use tilewright_graph::{Graph, ValueId};
use tilewright_kernels::nest::Nest;
use tilewright_lower::{Module, SlotId, Source, Step, Work, lower};
use tilewright_runtime::aligned::Buffer;
use tilewright_runtime::pool::Pool;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{Tensor, TensorMut, Value};

/// A module, the code of its kernels, and the places of its values.
#[derive(Debug)]
pub struct Plan {
    module: Module,
    nests: Vec<Option<Nest>>,
    offsets: Offsets,
    /// The values of slots that do not depend on the run.
    constants: Vec<Option<Value>>,
}

impl Plan {
    /// Lowers a segment and plans its memory.
    ///
    /// # Errors
    /// Where there is no memory for its code.
    pub fn new(graph: &Graph, segment: &Segment, bindings: &Bindings, settings: &Settings) -> Result<Self> {
        let module = lower(graph, segment.nodes.clone(), bindings, &|v| segment.kept.contains(&v))?;
        let nest = |step: &Step| match &step.work {
            Work::Kernel(kernel) => Nest::new(&settings.machine, kernel.clone()).map(Some),
            Work::Host => Ok(None),
        };
        let nests = module.steps.iter().map(nest).collect::<Result<_>>()?;
        let constants = Constants::of(&module, graph);
        let offsets = offsets(&module, &constants);
        let values = module.slots.iter().map(|s| match &s.source {
            Source::Constant(t) => Some(Value::Tensor(t.clone())),
            _ => None,
        });
        let values = values.collect();
        let mut plan = Self { module, nests, offsets, constants: values };
        plan.prepare(graph, &constants, bindings, settings)?;
        Ok(plan)
    }

    /// Runs the steps that depend on constants alone, and leaves the others.
    fn prepare(
        &mut self,
        graph: &Graph,
        constants: &Constants,
        bindings: &Bindings,
        settings: &Settings,
    ) -> Result<()> {
        let mut run = Run { plan: self, arena: Buffer::zeroed(0)?, held: Vec::new() };
        for (n, slot) in self.module.slots.iter().enumerate() {
            run.held.push(match (&self.constants[n], &slot.layout) {
                (Some(value), _) => Held::Value(value.clone()),
                (None, Some(l)) if constants.holds(SlotId(n)) => Held::Result(TensorMut::new(l.dtype, &l.shape)?),
                _ => Held::Nothing,
            });
        }
        let mut bindings = bindings.clone();
        let steps = self.module.steps.iter().zip(&self.nests);
        for (step, nest) in steps.filter(|(step, _)| constants.done(step)) {
            run.step(step, nest.as_ref(), graph, (&mut bindings, settings.threads))?;
        }
        self.constants = run.held.into_iter().map(Held::finish).collect();
        let mut left = self.module.steps.iter().map(|step| !constants.done(step)).collect::<Vec<_>>().into_iter();
        self.nests.retain(|_| left.next().unwrap_or(false));
        self.module.steps.retain(|step| !constants.done(step));
        Ok(())
    }

    /// Runs it: takes the values that it uses and adds those that are kept.
    ///
    /// # Errors
    /// What a node refuses; Limit, where there is no memory.
    pub fn run(
        &self,
        graph: &Graph,
        values: &mut [Option<Value>],
        bindings: &mut Bindings,
        settings: &Settings,
    ) -> Result<()> {
        let mut run = Run { plan: self, arena: Buffer::zeroed(self.offsets.bytes)?, held: Vec::new() };
        for (n, slot) in self.module.slots.iter().enumerate() {
            if let Some(value) = &self.constants[n] {
                run.held.push(Held::Value(value.clone()));
                continue;
            }
            run.held.push(match (&slot.source, &slot.layout) {
                (Source::Given(v), _) => match &values[v.index()] {
                    Some(value) => Held::Value(value.clone()),
                    None => return Err(Diagnostic::internal("a value is used before it is there")),
                },
                (Source::Memory, Some(layout)) if self.offsets.at[n].is_none() => {
                    Held::Result(TensorMut::new(layout.dtype, &layout.shape)?)
                }
                _ => Held::Nothing,
            });
        }
        for (step, nest) in self.module.steps.iter().zip(&self.nests) {
            run.step(step, nest.as_ref(), graph, (bindings, settings.threads))?;
        }
        run.results(values)
    }
}

/// What a slot holds outside the arena.
enum Held {
    /// Nothing, or not yet.
    Nothing,
    /// A value of the host.
    Value(Value),
    /// A result that kernels write.
    Result(TensorMut),
}

impl Held {
    fn finish(self) -> Option<Value> {
        match self {
            Self::Nothing => None,
            Self::Value(v) => Some(v),
            Self::Result(t) => Some(Value::Tensor(t.finish())),
        }
    }
}

struct Run<'a> {
    plan: &'a Plan,
    arena: Buffer,
    held: Vec<Held>,
}

impl Run<'_> {
    fn address(&mut self, slot: SlotId) -> Result<*mut u8> {
        match (&mut self.held[slot.0], self.plan.offsets.at[slot.0]) {
            (Held::Result(t), _) => Ok(t.bytes_mut().as_mut_ptr()),
            (Held::Value(Value::Tensor(t)), _) => Ok(t.bytes().as_ptr().cast_mut()),
            (_, Some(at)) => Ok(self.arena.as_mut_ptr().wrapping_add(at)),
            _ => Err(Diagnostic::internal("a kernel takes what is no tensor")),
        }
    }

    fn step(&mut self, step: &Step, nest: Option<&Nest>, graph: &Graph, context: (&mut Bindings, usize)) -> Result<()> {
        match nest {
            Some(nest) => self.kernel(step, nest, context.1),
            None => self.host(step, graph, context),
        }
    }

    fn kernel(&mut self, step: &Step, nest: &Nest, _threads: usize) -> Result<()> {
        let slots = step.reads.iter().chain(&step.writes);
        let buffers = slots.map(|s| self.address(*s)).collect::<Result<Vec<_>>>()?;
        let mut scratch = Buffer::zeroed(nest.kernel().scratch())?;
        let _ = Pool::global();
        // SAFETY: slots have the sizes of the kernel's buffers, those written are not shared, and one thread runs.
        unsafe { nest.run(&buffers, 0..nest.kernel().iterations(), scratch.as_mut_ptr()) };
        Ok(())
    }

    /// A slot's value for the host.
    fn value(&self, slot: SlotId) -> Result<Value> {
        let lost = || Diagnostic::internal("a call takes what is not there");
        match &self.held[slot.0] {
            Held::Value(v) => Ok(v.clone()),
            Held::Result(t) => Ok(Value::Tensor(t.clone().finish())),
            Held::Nothing => {
                let layout = self.plan.module.slots[slot.0].layout.as_ref().ok_or_else(lost)?;
                let at = self.plan.offsets.at[slot.0].ok_or_else(lost)?;
                // SAFETY: the slot's bytes lie in the arena, and no kernel runs.
                let bytes = unsafe { std::slice::from_raw_parts(self.arena.as_ptr().add(at), layout.bytes()) };
                Tensor::from_bytes(layout.dtype, &layout.shape, bytes).map(Value::Tensor)
            }
        }
    }

    fn host(&mut self, step: &Step, graph: &Graph, context: (&mut Bindings, usize)) -> Result<()> {
        let inputs = step.reads.iter().map(|s| self.value(*s)).collect::<Result<Vec<_>>>()?;
        let outputs = eval_node(graph, &graph.nodes[step.node], &inputs, context)?;
        step.writes.iter().zip(outputs).for_each(|(slot, value)| self.held[slot.0] = Held::Value(value));
        Ok(())
    }

    fn results(mut self, values: &mut [Option<Value>]) -> Result<()> {
        let results: &[(ValueId, SlotId)] = &self.plan.module.results;
        for (v, slot) in results {
            let held = std::mem::replace(&mut self.held[slot.0], Held::Nothing);
            let value = match held {
                Held::Result(t) => Value::Tensor(t.finish()),
                Held::Value(v) => v,
                Held::Nothing => self.value(*slot)?,
            };
            self.held[slot.0] = Held::Value(value.clone());
            values[v.index()] = Some(value);
        }
        Ok(())
    }
}
