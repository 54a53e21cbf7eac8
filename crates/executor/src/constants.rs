//! Which steps of a module depend on constants alone: they run once, when its plan is made.

use tilewright_graph::{Graph, Op};
use tilewright_lower::{Module, SlotId, Source, Step, Work};

/// Results of no more bytes than this are kept whatever they are made of.
const SMALL: usize = 1 << 16;

/// Whether each slot of a module is a constant, or made of constants by steps that run once.
#[derive(Debug)]
pub struct Constants(Vec<bool>);

impl Constants {
    /// Steps whose inputs are all constants make constants, unless the result is much larger than what it is made of.
    pub fn of(module: &Module, graph: &Graph) -> Self {
        let constant = |n: usize| matches!(module.slots[n].source, Source::Constant(_));
        let mut found = Self((0..module.slots.len()).map(constant).collect());
        let mut touch: Vec<Vec<usize>> = vec![Vec::new(); module.slots.len()];
        for (n, step) in module.steps.iter().enumerate() {
            step.reads.iter().chain(&step.writes).for_each(|s| touch[module.root(*s).0].push(n));
            step.writes.iter().for_each(|w| found.0[module.root(*w).0] = true);
        }
        // Several steps may write one slot: it is constant if all of them are, and they run once if all that they write is.
        let mut variable = vec![false; module.steps.len()];
        let first = |n: &usize| !found.makes(&module.steps[*n], module, graph);
        let mut left: Vec<usize> = (0..module.steps.len()).filter(first).collect();
        while let Some(n) = left.pop() {
            if std::mem::replace(&mut variable[n], true) {
                continue;
            }
            for SlotId(w) in module.steps[n].writes.iter().map(|w| module.root(*w)) {
                found.0[w] = false;
                left.append(&mut touch[w]);
            }
        }
        for n in 0..module.slots.len() {
            found.0[n] = found.0[module.root(SlotId(n)).0];
        }
        found
    }

    /// Whether a slot is one.
    pub fn holds(&self, SlotId(slot): SlotId) -> bool {
        self.0[slot]
    }

    /// Whether a step is done when the plan is made.
    pub fn done(&self, step: &Step) -> bool {
        !step.writes.is_empty() && step.writes.iter().all(|w| self.holds(*w))
    }

    fn makes(&self, step: &Step, module: &Module, graph: &Graph) -> bool {
        let node = &graph.nodes[step.node];
        // What brings a symbol binds it in every run.
        let sized = || node.outputs.iter().all(|v| graph.ty(*v).syms().is_empty());
        let pure = match (&step.work, &node.op) {
            (Work::Kernel(_), _) | (_, Op::Comp(_) | Op::Scatter(_)) => true,
            (_, Op::Opaque(_)) => sized(),
            // The others are cheap, or depend on more than their inputs.
            _ => false,
        };
        let bytes = |slots: &[SlotId]| -> usize {
            slots.iter().map(|s| module.slots[s.0].layout.as_ref().map_or(0, |l| l.bytes())).sum()
        };
        let fits = bytes(&step.writes) <= SMALL.max(bytes(&step.reads).saturating_mul(2));
        pure && fits && step.reads.iter().all(|r| self.holds(module.root(*r)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tilewright_graph::{Builder, Type};
    use tilewright_lower::Slot;
    use tilewright_nests::Kernel;
    use tilewright_tensor::{DType, Tensor};

    #[test]
    fn what_a_step_of_each_run_writes_is_no_constant() {
        let mut b = Builder::new();
        let given = b.input("x", Type::tensor(DType::F32, Vec::new()));
        let tensor = Tensor::zeros(DType::F32, &[]).unwrap();
        b.constant(tensor.clone());
        let graph = b.finish(&[]);
        let memory = || Source::Memory;
        let sources = [Source::Constant(tensor), Source::Given(given), memory(), memory(), memory(), memory()];
        let kernel = Kernel { name: "k".into(), buffers: Vec::new(), parallel: Vec::new(), body: Vec::new() };
        let kernel = Arc::new(kernel);
        let step = |reads: &[usize], writes: &[usize]| {
            let [reads, writes] = [reads, writes].map(|slots| slots.iter().map(|s| SlotId(*s)).collect());
            Step { node: 0, work: Work::Kernel(kernel.clone()), reads, writes }
        };
        // The second step makes 2 variable, so the first runs in every run and writes 3 again, which the third reads.
        let steps = vec![step(&[0], &[2, 3]), step(&[1], &[2]), step(&[3], &[4]), step(&[0], &[5])];
        let slots = sources.map(|source| Slot { source, layout: None }).into();
        let module = Module { slots, steps, results: Vec::new() };
        let constants = Constants::of(&module, &graph);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|s| constants.holds(SlotId(s))), [true, false, false, false, false, true]);
        let done: Vec<bool> = module.steps.iter().map(|s| constants.done(s)).collect();
        assert_eq!(done, [false, false, false, true]);
    }
}
