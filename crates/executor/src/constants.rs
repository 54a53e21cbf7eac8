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
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); module.slots.len()];
        for (n, step) in module.steps.iter().enumerate() {
            step.reads.iter().for_each(|r| readers[module.root(*r).0].push(n));
            step.writes.iter().for_each(|w| found.0[module.root(*w).0] = true);
        }
        // Several steps may write one slot: it is constant if all of them are.
        let mut variable = vec![false; module.steps.len()];
        let first = |n: &usize| !found.makes(&module.steps[*n], module, graph);
        let mut left: Vec<usize> = (0..module.steps.len()).filter(first).collect();
        while let Some(n) = left.pop() {
            if std::mem::replace(&mut variable[n], true) {
                continue;
            }
            for SlotId(w) in module.steps[n].writes.iter().map(|w| module.root(*w)) {
                found.0[w] = false;
                left.append(&mut readers[w]);
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
