//! Which memory the slots of a module take, and for how long.

use crate::memory::Block;
use tilewright_lower::{Module, SlotId, Source, Step, Work};

/// The block of each slot, and all blocks. Slots share one where a view or a result in the place of an operand allows it.
#[derive(Debug, Default)]
pub struct Lives {
    /// By slot; none for those that are not in the arena.
    pub block: Vec<Option<usize>>,
    /// Blocks over the module's steps.
    pub blocks: Vec<Block>,
}

/// Finds the blocks of slots that the arena holds: those that steps write, but for those with memory of their `own`.
pub fn lives(module: &Module, own: &dyn Fn(SlotId) -> bool) -> Lives {
    let spans = spans(module);
    let mut lives = Lives { block: vec![None; module.slots.len()], blocks: Vec::new() };
    let held = |slot: SlotId| matches!(module.slots[slot.0].source, Source::Memory) && !own(slot);
    for (t, step) in module.steps.iter().enumerate() {
        let mut taken = Vec::new();
        for (w, slot) in step.writes.iter().enumerate() {
            let slot = module.root(*slot);
            let Some((from, to)) = spans[slot.0].filter(|_| held(slot) && lives.block[slot.0].is_none()) else {
                continue;
            };
            let dying = |r: &usize| {
                let root = module.root(step.reads[*r]);
                let ends = spans[root.0].is_some_and(|(first, last)| first < t && last == t);
                held(root) && ends && !taken.contains(&root) && may_share(module, step, *r, w)
            };
            let found = (0..step.reads.len()).find(dying).filter(|_| from == t);
            lives.block[slot.0] = found.and_then(|r| {
                taken.push(module.root(step.reads[r]));
                lives.block[module.root(step.reads[r]).0]
            });
            match lives.block[slot.0] {
                Some(block) => lives.blocks[block].to = to,
                None => {
                    let bytes = module.slots[slot.0].layout.as_ref().map_or(0, |l| l.bytes());
                    lives.block[slot.0] = Some(lives.blocks.len());
                    lives.blocks.push(Block { bytes, from, to });
                }
            }
        }
    }
    for n in 0..module.slots.len() {
        lives.block[n] = lives.block[module.root(SlotId(n)).0];
    }
    lives
}

/// The first and the last step that touches each slot, or a view of it.
fn spans(module: &Module) -> Vec<Option<(usize, usize)>> {
    let mut spans = vec![None; module.slots.len()];
    for (t, step) in module.steps.iter().enumerate() {
        for slot in step.reads.iter().chain(&step.writes) {
            let span: &mut Option<(usize, usize)> = &mut spans[module.root(*slot).0];
            *span = Some((span.map_or(t, |(first, _)| first), t));
        }
    }
    spans
}

/// Whether a step may write its result `w` over its operand `r`: nothing else of the step looks at that memory.
fn may_share(module: &Module, step: &Step, r: usize, w: usize) -> bool {
    let Work::Kernel(kernel) = &step.work else { return false };
    let root = module.root(step.reads[r]);
    let touched = step.reads.iter().chain(&step.writes).filter(|s| module.root(**s) == root).count();
    let whole = matches!(module.slots[step.writes[w].0].source, Source::Memory);
    touched == 1 && whole && kernel.may_share(r, step.reads.len() + w)
}
