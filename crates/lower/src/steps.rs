//! Kernels that together compute one node, before they have slots.

use crate::comp::Check;
use crate::layout::Layout;
use tilewright_nests::Kernel;

/// What a kernel reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ref {
    /// An input of the node.
    Operand(usize),
    /// A value between kernels.
    Made(usize),
    /// The result of the node.
    Result,
}

/// A kernel and its buffers without scratch, in order.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The kernel.
    pub kernel: Kernel,
    /// What it reads.
    pub reads: Vec<Ref>,
    /// What it writes.
    pub writes: Ref,
}

/// Kernels in order, and the values between them.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// The values between kernels.
    pub made: Vec<Layout>,
    /// What must hold of the inputs before the kernels run.
    pub checks: Vec<Check>,
    /// The kernels.
    pub kernels: Vec<Planned>,
}

impl Steps {
    /// A new value between kernels.
    pub fn make(&mut self, layout: Layout) -> Ref {
        self.made.push(layout);
        Ref::Made(self.made.len() - 1)
    }
}
