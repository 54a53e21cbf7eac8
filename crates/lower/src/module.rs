//! What lowering gives: steps over slots.

use crate::comp::Check;
use crate::layout::Layout;
use std::sync::Arc;
use tilewright_graph::ValueId;
use tilewright_nests::Kernel;
use tilewright_tensor::Tensor;

/// The number of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(pub usize);

/// A run of nodes at known sizes.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// What steps read and write.
    pub slots: Vec<Slot>,
    /// In an order that respects data flow.
    pub steps: Vec<Step>,
    /// Slots whose values are used after the module, by the graph's value.
    pub results: Vec<(ValueId, SlotId)>,
}

/// A value of a module.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Where it comes from.
    pub source: Source,
    /// Its elements in memory; none of a value of the host, whose shape is known when it is there.
    pub layout: Option<Layout>,
}

/// Where a slot's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A value that is there when the module starts: an input, or what an earlier module gave.
    Given(ValueId),
    /// A constant of the graph.
    Constant(Tensor),
    /// Memory that steps of the module write.
    Memory,
    /// The same memory as another slot.
    View(SlotId),
    /// A result of a call of the host.
    Host,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position of the node that it belongs to.
    pub node: usize,
    /// What it is.
    pub work: Work,
    /// Slots, in the order of the kernel's buffers without scratch, or the node's inputs.
    pub reads: Vec<SlotId>,
    /// Slots that it gives, after those; of a call the node's outputs.
    pub writes: Vec<SlotId>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Work {
    /// Runs a kernel: its read buffers come first, then those that are written.
    Kernel(Arc<Kernel>),
    /// Tests the node's inputs, which it reads; where one fails, evaluates the node instead of its further steps.
    Check(Vec<Check>),
    /// Evaluates the node; no kernel does, for a reason that is told.
    Host(Arc<str>),
}

impl Module {
    /// The slot whose memory a slot is.
    pub fn root(&self, slot: SlotId) -> SlotId {
        match &self.slots[slot.0].source {
            Source::View(of) => self.root(*of),
            _ => slot,
        }
    }
}
