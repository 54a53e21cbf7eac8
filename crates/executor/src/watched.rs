//! Kernels that are traced, observed or interpreted as they run.

use crate::different::arguments;
use crate::trace::{Trace, What};
use crate::watch::Watch;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tilewright_graph::Node;
use tilewright_nests::{Kernel, Role, interpret};
use tilewright_support::Result;
use tilewright_support::target::Level;

/// What a trace tells of a kernel.
pub struct Traced<'a> {
    trace: &'a Trace,
    kernel: &'a Kernel,
    node: Arc<str>,
    bytes: u64,
}

impl<'a> Traced<'a> {
    /// For a kernel of a node, if there is a trace.
    pub fn of(watch: Option<&'a Watch>, kernel: &'a Kernel, node: &Node) -> Option<Self> {
        let trace = watch?.trace.as_deref()?;
        let bytes = arguments(kernel).map(|b| b.bytes as u64).sum();
        Some(Self { trace, kernel, node: node.loc.to_string().into(), bytes })
    }

    /// Some iterations have run since `start`.
    pub fn ran(&self, iterations: &Range<usize>, start: Instant) {
        let (some, all) = (iterations.len(), self.kernel.iterations().max(1));
        let bytes = (u128::from(self.bytes) * some as u128 / all as u128) as u64;
        let (name, node) = (self.kernel.name.clone(), self.node.clone());
        self.trace.add(What::Kernel { name, node, bytes, iterations: some }, start, start.elapsed());
    }

    /// All of it has run, in a run with an arena of so many bytes.
    pub fn done(&self, arena: usize) {
        let mut leaves = 0u64;
        self.kernel.leaves(&mut |loops, _| {
            leaves = leaves.saturating_add(loops.iter().fold(1, |n, l| n.saturating_mul(l.trips as u64)));
        });
        self.trace.count(|totals| {
            totals.kernels += 1;
            totals.leaves = totals.leaves.saturating_add(leaves);
            totals.bytes = totals.bytes.saturating_add(self.bytes);
            totals.arena = arena as u64;
        });
    }
}

/// The arguments of a kernel in memory.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    kernel: &'a Kernel,
    addresses: &'a [*mut u8],
}

impl<'a> Arguments<'a> {
    /// # Safety
    /// While this is used, the addresses are those of the kernel's buffers without scratch, each as long as it says, and
    /// nobody else changes them.
    pub unsafe fn new(kernel: &'a Kernel, addresses: &'a [*mut u8]) -> Self {
        Self { kernel, addresses }
    }

    /// Their bytes.
    pub fn copies(&self) -> Vec<Vec<u8>> {
        let buffers = arguments(self.kernel).zip(self.addresses);
        // SAFETY: the arguments are as long as their buffers say.
        buffers.map(|(b, at)| unsafe { std::slice::from_raw_parts(*at, b.bytes) }.to_vec()).collect()
    }

    /// Interprets the kernel on them.
    ///
    /// # Errors
    /// As [`interpret`].
    pub fn interpret(&self, level: Level) -> Result<()> {
        let mut copies = self.copies();
        interpret(self.kernel, level, &mut copies)?;
        let written =
            arguments(self.kernel).zip(self.addresses).zip(&copies).filter(|((b, _), _)| b.role != Role::Read);
        for ((_, at), bytes) in written {
            // SAFETY: as above; the kernel may write there.
            unsafe { at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        Ok(())
    }
}
