//! Where the values of a module are while it runs.

use crate::constants::Constants;
use tilewright_lower::{Module, SlotId, Source};

/// The place of each slot in the arena, and the arena's size.
#[derive(Debug)]
pub struct Offsets {
    /// Bytes from the start of the arena; none of slots that are not in it.
    pub at: Vec<Option<usize>>,
    /// Bytes of the arena.
    pub bytes: usize,
}

/// Places for all slots in memory, but constants and results, which get memory of their own.
pub fn offsets(module: &Module, constants: &Constants) -> Offsets {
    let mut at = vec![None; module.slots.len()];
    let mut bytes = 0usize;
    for (n, slot) in module.slots.iter().enumerate() {
        let own = module.results.iter().any(|(_, s)| s.0 == n) || constants.holds(SlotId(n));
        if let (Source::Memory, Some(layout), false) = (&slot.source, &slot.layout, own) {
            at[n] = Some(bytes);
            bytes += layout.bytes().next_multiple_of(64);
        }
    }
    Offsets { at, bytes }
}
