//! Runs the steps of a module that depend on constants alone, unless another plan has what they give.

use crate::constants::Constants;
use crate::executable::Scope;
use crate::plan::{At, Place, Plan, task};
use crate::shared::{Made, Recipes};
use std::sync::Arc;
use tilewright_graph::interp::Bindings;
use tilewright_lower::{Module, SlotId, Source, Step};
use tilewright_support::Result;
use tilewright_tensor::Value;

/// Bytes that steps take and make before their inputs are let go of.
const BATCH: usize = 16 << 20;

/// What does not depend on the run.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The values of slots that are constants and used by other steps.
    pub values: Vec<Option<Value>>,
    /// Those of them that plans share.
    pub shared: Vec<Arc<Made>>,
}

/// Makes the constants that steps which are left use: `used` says which slots these are.
///
/// # Errors
/// What a node refuses; Limit, without memory.
pub fn prepare(
    module: &Module,
    constants: &Constants,
    used: &[bool],
    (scope, bindings, number): (Scope<'_>, &Bindings, usize),
) -> Result<Prepared> {
    // Who looks at every kernel has to make all of them.
    let alone = scope.watch.filter(|w| w.is_exact()).map(|w| (std::ptr::from_ref(w), number));
    let recipes = Recipes::of(module, constants, &format!("{:?} {alone:?}", scope.settings.machine));
    let mut prepared = Prepared { values: vec![None; module.slots.len()], shared: Vec::new() };
    for n in (0..module.slots.len()).filter(|n| used[*n] && constants.holds(SlotId(*n))) {
        match &module.slots[n].source {
            Source::Constant(t) if !t.is_stored() => prepared.values[n] = Some(Value::Tensor(t.clone())),
            _ => prepared.take(n, recipes.find(SlotId(n))),
        }
    }
    let missing = |n: &usize| used[*n] && constants.holds(SlotId(*n)) && prepared.values[*n].is_none();
    let mut missing: Vec<usize> = (0..module.slots.len()).filter(missing).collect();
    for n in missing.extract_if(.., |n| matches!(module.slots[*n].source, Source::Constant(_))) {
        if let Source::Constant(t) = &module.slots[n].source {
            prepared.keep(n, Value::Tensor(t.fetch()?), (module, &recipes));
        }
    }
    for steps in batches(module, &steps(module, constants, &missing)) {
        let tasks = steps.iter().map(|step| task(module, *step, scope)).collect::<Result<Vec<_>>>()?;
        let mut plan = Plan::of(slots(module, &steps)?, tasks);
        plan.number = number;
        let made = plan.run_for_slots(Scope { bodies: &[], ..scope }, &mut bindings.clone())?;
        for (n, value) in made.into_iter().enumerate().filter(|(n, _)| missing.binary_search(n).is_ok()) {
            value.into_iter().for_each(|value| prepared.keep(n, value, (module, &recipes)));
        }
    }
    Ok(prepared)
}

impl Prepared {
    fn take(&mut self, n: usize, made: Option<Arc<Made>>) {
        self.values[n] = made.as_ref().map(|m| Value::Tensor(m.tensor.clone()));
        self.shared.extend(made);
    }

    /// Keeps what was made for a slot, or what another plan has made if it is the same.
    fn keep(&mut self, n: usize, value: Value, (module, recipes): (&Module, &Recipes)) {
        let shared = match &value {
            Value::Tensor(t) => recipes.share(module, SlotId(n), t.clone()),
            _ => None,
        };
        match shared {
            Some(made) => self.take(n, Some(made)),
            None => self.values[n] = Some(value),
        }
    }
}

/// Steps that belong together, in parts of about [`BATCH`] bytes: what one part reads and makes on the way is let go of
/// before the next one.
fn batches<'a>(module: &Module, steps: &[(usize, &'a Step)]) -> Vec<Vec<(usize, &'a Step)>> {
    // The last step that uses what a slot holds.
    let mut last = vec![0; module.slots.len()];
    let made =
        |slot: &SlotId| Some(module.root(*slot).0).filter(|n| !matches!(module.slots[*n].source, Source::Constant(_)));
    for (n, (_, step)) in steps.iter().enumerate() {
        step.reads.iter().chain(&step.writes).filter_map(made).for_each(|slot| last[slot] = n);
    }
    let bytes = |slot: &SlotId| module.slots[module.root(*slot).0].layout.as_ref().map_or(0, |l| l.bytes());
    let (mut batches, mut batch, mut size, mut open) = (Vec::new(), Vec::new(), 0usize, 0);
    for (n, (at, step)) in steps.iter().enumerate() {
        batch.push((*at, *step));
        size = step.reads.iter().chain(&step.writes).map(bytes).fold(size, usize::saturating_add);
        open = step.writes.iter().filter_map(made).map(|slot| last[slot]).fold(open, usize::max);
        if open <= n && size >= BATCH {
            batches.push(std::mem::take(&mut batch));
            size = 0;
        }
    }
    batches.extend((!batch.is_empty()).then_some(batch));
    batches
}

/// The steps that make the missing slots, in order, with their positions.
fn steps<'a>(module: &'a Module, constants: &Constants, missing: &[usize]) -> Vec<(usize, &'a Step)> {
    let mut needed = vec![false; module.slots.len()];
    missing.iter().for_each(|n| needed[*n] = true);
    let mut steps = Vec::new();
    for (n, step) in module.steps.iter().enumerate().rev().filter(|(_, step)| constants.done(step)) {
        if step.writes.iter().any(|w| needed[module.root(*w).0]) {
            step.reads.iter().for_each(|r| needed[module.root(*r).0] = true);
            steps.push((n, step));
        }
    }
    steps.reverse();
    steps
}

/// Where the slots of some steps are: each that is written becomes a value.
fn slots(module: &Module, steps: &[(usize, &Step)]) -> Result<Vec<Place>> {
    let (mut written, mut read) = (vec![false; module.slots.len()], vec![false; module.slots.len()]);
    steps.iter().flat_map(|(_, s)| &s.writes).for_each(|w| written[module.root(*w).0] = true);
    steps.iter().flat_map(|(_, s)| &s.reads).for_each(|r| read[module.root(*r).0] = true);
    let place = |n: usize| {
        let slot = &module.slots[n];
        let at = match &slot.source {
            Source::Constant(t) if read[n] => At::Constant(Value::Tensor(t.fetch()?)),
            Source::Memory if written[n] => At::Own,
            Source::Host if written[n] => At::Host,
            Source::View(of) => At::View(*of),
            _ => At::Gone,
        };
        Ok(Place { layout: slot.layout.clone(), at })
    };
    (0..module.slots.len()).map(place).collect()
}
