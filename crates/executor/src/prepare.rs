//! Runs the steps of a module that depend on constants alone.

use crate::constants::Constants;
use crate::executable::{Scope, Settings};
use crate::plan::{At, Place, Plan, task};
use tilewright_graph::Graph;
use tilewright_graph::interp::Bindings;
use tilewright_lower::{Module, SlotId, Source};
use tilewright_support::Result;
use tilewright_tensor::Value;

/// The values of the slots of a module that are constant.
///
/// # Errors
/// What a node refuses; Limit, without memory.
pub fn values(
    module: &Module,
    constants: &Constants,
    graph: &Graph,
    (bindings, settings): (&Bindings, &Settings),
) -> Result<Vec<Option<Value>>> {
    let steps = module.steps.iter().filter(|step| constants.done(step));
    let tasks = steps.map(|step| task(module, step, settings)).collect::<Result<Vec<_>>>()?;
    let place = |n: usize| {
        let slot = &module.slots[n];
        let at = match &slot.source {
            Source::Constant(t) => At::Constant(Value::Tensor(t.clone())),
            Source::Memory if constants.holds(SlotId(n)) => At::Own,
            Source::Host => At::Host,
            Source::View(of) => At::View(*of),
            _ => At::Gone,
        };
        Place { layout: slot.layout.clone(), at }
    };
    let slots = (0..module.slots.len()).map(place).collect();
    let plan = Plan::of(slots, tasks);
    plan.run_for_slots(Scope { graph, settings, bodies: &[] }, &mut bindings.clone())
}
