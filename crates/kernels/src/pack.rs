//! B in panels: for each panel of columns, step after step, the columns side by side.

use crate::callable::Callable;
use crate::machine::Machine;
use std::ops::Range;
use tilewright_loops::contract::Product;
use tilewright_loops::movement::{ARGS, Arg, Move, Order};
use tilewright_runtime::aligned::Buffer;
use tilewright_support::{Diagnostic, Result};

/// A packed B.
#[derive(Debug)]
pub struct Packed {
    bytes: Buffer,
    /// Rows of B, the summed axis.
    pub k: usize,
    /// Columns of B.
    pub n: usize,
    /// Columns of a panel; the last is cut to whole vectors.
    pub width: usize,
    pub(crate) product: Product,
    steps: usize,
    panels: usize,
    /// Columns with the padding to whole vectors.
    padded: usize,
}

impl Packed {
    /// Room for a B of `k` rows and `n` columns.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn new(product: Product, [k, n]: [usize; 2], width: usize, lanes: usize) -> Result<Self> {
        let padded = n.next_multiple_of(lanes);
        let steps = k.div_ceil(product.per_step());
        let bytes = Buffer::zeroed(padded * steps * product.step_bytes())?;
        Ok(Self { bytes, k, n, width, product, steps, panels: n.div_ceil(width), padded })
    }

    /// Steps of the summed axis.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Panels.
    pub fn panels(&self) -> usize {
        self.panels
    }

    /// Columns of a panel, with the padding to whole vectors.
    pub fn columns(&self, panel: usize) -> usize {
        self.width.min(self.padded - panel * self.width)
    }

    /// The address of a panel.
    pub fn panel(&self, panel: usize) -> *const u8 {
        let start = panel * self.width * self.steps() * self.product.step_bytes();
        self.bytes.bytes()[start..].as_ptr()
    }

    /// Bytes from the start of a panel to a step of it.
    pub(crate) fn step(&self, panel: usize, step: usize) -> usize {
        step * self.columns(panel) * self.product.step_bytes()
    }

    /// Fills it from a row-major B of which a row has `stride` bytes.
    ///
    /// # Errors
    /// `Usage` where B is too short, `Limit` where there is no memory for the kernel.
    pub fn fill(&mut self, machine: &Machine, b: &[u8], stride: usize) -> Result<()> {
        let (panels, steps) = (self.panels, self.steps);
        let filler = self.filler(machine, b, stride)?;
        (0..panels).for_each(|panel| filler.part(panel, 0..steps));
        Ok(())
    }

    /// What fills it part by part.
    ///
    /// # Errors
    /// As [`Packed::fill`].
    pub(crate) fn filler<'a>(&'a mut self, machine: &Machine, b: &'a [u8], stride: usize) -> Result<Filler<'a>> {
        let per_step = self.product.per_step();
        let element = self.product.step_bytes() / per_step;
        let needed =
            self.k.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(self.n * element));
        if needed.is_none_or(|needed| needed > b.len()) {
            return Err(Diagnostic::usage("B is shorter than its rows"));
        }
        let order = match per_step {
            1 => Order::Copy { stream: false },
            group => Order::Interleave { group: group as u8 },
        };
        let kernel = machine.movement(&Move { element: element as u8, order })?;
        let to = self.bytes.as_mut_ptr();
        Ok(Filler { kernel, b, stride, to, packed: self })
    }
}

/// Fills a [`Packed`] part by part.
pub(crate) struct Filler<'a> {
    kernel: Callable,
    b: &'a [u8],
    stride: usize,
    to: *mut u8,
    packed: &'a Packed,
}

// SAFETY: only `part` writes, and its callers on several threads take disjoint parts.
unsafe impl Sync for Filler<'_> {}

impl<'a> Filler<'a> {
    /// What is filled; parts may be read once they are there.
    pub(crate) fn packed(&self) -> &'a Packed {
        self.packed
    }

    /// Some steps of a panel.
    pub(crate) fn part(&self, panel: usize, steps: Range<usize>) {
        let p = self.packed;
        let (per_step, size) = (p.product.per_step(), p.product.step_bytes());
        let first = panel * p.width;
        let rows = (steps.start * per_step).min(p.k)..(steps.end * per_step).min(p.k);
        let from = rows.start * self.stride + first * size / per_step;
        let to = first * p.steps * size + p.step(panel, steps.start);
        let mut args = [0u64; ARGS];
        args[Arg::FromRow as usize] = self.stride as u64;
        args[Arg::Rows as usize] = rows.len() as u64;
        args[Arg::From as usize] = self.b.as_ptr().wrapping_add(from) as u64;
        args[Arg::To as usize] = self.to.wrapping_add(to) as u64;
        args[Arg::ToRow as usize] = p.step(panel, 1) as u64;
        args[Arg::Columns as usize] = p.width.min(p.n - first) as u64;
        // SAFETY: all rows lie in `b`, as was checked; the panel has room for all steps of its columns.
        unsafe { self.kernel.call(args.as_ptr()) };
    }
}
