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
    let wanted = |n: &usize| used[*n] && constants.holds(SlotId(*n));
    let mut prepared = Prepared { values: vec![None; module.slots.len()], shared: Vec::new() };
    for n in (0..module.slots.len()).filter(wanted) {
        if let Source::Constant(t) = &module.slots[n].source {
            prepared.values[n] = Some(Value::Tensor(t.clone()));
        } else if let Some(made) = recipes.find(SlotId(n)) {
            prepared.values[n] = Some(Value::Tensor(made.tensor.clone()));
            prepared.shared.push(made);
        }
    }
    let missing = |n: &usize| wanted(n) && prepared.values[*n].is_none();
    let missing: Vec<usize> = (0..module.slots.len()).filter(missing).collect();
    let steps = steps(module, constants, &missing);
    if steps.is_empty() {
        return Ok(prepared);
    }
    let tasks = steps.iter().map(|step| task(module, *step, scope)).collect::<Result<Vec<_>>>()?;
    let mut plan = Plan::of(slots(module, &steps), tasks);
    plan.number = number;
    let mut made = plan.run_for_slots(Scope { bodies: &[], ..scope }, &mut bindings.clone())?;
    for n in missing {
        let value = made[n].take();
        let shared = match &value {
            Some(Value::Tensor(t)) => recipes.share(module, SlotId(n), t.clone()),
            _ => None,
        };
        prepared.values[n] = shared.as_ref().map(|m| Value::Tensor(m.tensor.clone())).or(value);
        prepared.shared.extend(shared);
    }
    Ok(prepared)
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
fn slots(module: &Module, steps: &[(usize, &Step)]) -> Vec<Place> {
    let mut written = vec![false; module.slots.len()];
    steps.iter().flat_map(|(_, s)| &s.writes).for_each(|w| written[module.root(*w).0] = true);
    let place = |n: usize| {
        let slot = &module.slots[n];
        let at = match &slot.source {
            Source::Constant(t) => At::Constant(Value::Tensor(t.clone())),
            Source::Memory if written[n] => At::Own,
            Source::Host if written[n] => At::Host,
            Source::View(of) => At::View(*of),
            _ => At::Gone,
        };
        Place { layout: slot.layout.clone(), at }
    };
    (0..module.slots.len()).map(place).collect()
}
