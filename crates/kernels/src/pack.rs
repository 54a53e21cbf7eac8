//! B in panels: for each panel of columns, step after step, the columns side by side.

use crate::callable::Callable;
use crate::choice::block_steps;
use crate::machine::Machine;
use crate::panels::{Panels, Part, Plain};
use tilewright_loops::contract::Product;
use tilewright_loops::movement::{ARGS, Arg, Move, Order};
use tilewright_runtime::aligned::Buffer;
use tilewright_support::{Diagnostic, Result};

/// A packed B.
#[derive(Debug)]
pub struct Packed {
    bytes: Buffer,
    panels: Panels,
}

impl Packed {
    /// Room for a B.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub(crate) fn new(panels: Panels) -> Result<Self> {
        let columns = panels.n.checked_next_multiple_of(panels.lanes);
        let steps = columns.and_then(|columns| columns.checked_mul(panels.steps));
        let bytes = steps.and_then(|steps| steps.checked_mul(panels.product.step_bytes()));
        let bytes = bytes.ok_or_else(|| Diagnostic::limit("a packed B larger than any memory"))?;
        Ok(Self { bytes: Buffer::zeroed(bytes)?, panels })
    }

    /// How it is cut.
    pub(crate) fn panels(&self) -> &Panels {
        &self.panels
    }

    /// The address of a panel.
    pub(crate) fn panel(&self, panel: usize) -> *const u8 {
        self.bytes.bytes()[self.panels.start(panel)..].as_ptr()
    }

    /// Fills it.
    ///
    /// # Errors
    /// `Usage` where B is too short, `Limit` where there is no memory for the kernel.
    pub fn fill(&mut self, machine: &Machine, plain: Plain<'_>) -> Result<()> {
        plain.check(&self.panels)?;
        if self.bytes.is_empty() {
            return Ok(());
        }
        let packer = Packer::new(machine, self.panels.product)?;
        for panel in (0..self.panels.count).take_while(|_| self.panels.steps > 0) {
            let start = self.panels.start(panel);
            let to = self.bytes.bytes_mut()[start..].as_mut_ptr();
            // SAFETY: B was checked, and the panels that follow start after this one.
            unsafe { packer.pack(&plain, &self.panels, &Part { panel, steps: 0..self.panels.steps }, to) };
        }
        Ok(())
    }
}

/// Packs parts of a plain B.
#[derive(Debug)]
pub(crate) struct Packer {
    rows: Callable,
    /// The whole steps of columns.
    columns: Callable,
    /// What columns have after their last whole step.
    rest: Callable,
}

impl Packer {
    /// For a product.
    ///
    /// # Errors
    /// `Limit` where there is no memory for the kernels.
    pub(crate) fn new(machine: &Machine, product: Product) -> Result<Self> {
        let (per_step, step) = (product.per_step(), product.step_bytes());
        let copy = Order::Copy { stream: false };
        let order = if per_step == 1 { copy } else { Order::Interleave { group: per_step as u8 } };
        let kernel = |bytes: usize, order| machine.movement(&Move { element: bytes as u8, order });
        let (rows, rest) = (kernel(step / per_step, order)?, kernel(step / per_step, copy)?);
        Ok(Self { rows, columns: kernel(step, Order::Transpose)?, rest })
    }

    /// Writes a part of B.
    ///
    /// # Safety
    /// [`Plain::check`] was fine, and there is room for all steps of the panel.
    pub(crate) unsafe fn pack(&self, plain: &Plain<'_>, panels: &Panels, part: &Part, to: *mut u8) {
        let rows = panels.rows(&part.steps);
        let columns = panels.columns(part.panel);
        let from = plain.at(panels, part.panel, rows.start);
        let to_row = panels.step_bytes(part.panel);
        if !plain.transposed {
            // SAFETY: all rows lie in B; the caller promises room for all steps of the panel's columns.
            return unsafe { move_rows(&self.rows, (from, plain.row), (to, to_row), [rows.len(), columns, 0]) };
        }
        let per_step = panels.product.per_step();
        let (whole, rest) = (rows.len() / per_step, rows.len() % per_step);
        let size = panels.product.step_bytes();
        // SAFETY: as above for all columns; the rest fills the last step, with zeros after it.
        unsafe {
            move_rows(&self.columns, (from, plain.row), (to, to_row), [columns, whole, 0]);
            if rest > 0 {
                let (from, to) = (from.wrapping_add(whole * size), to.wrapping_add(whole * to_row));
                move_rows(&self.rest, (from, plain.row), (to, size), [columns, rest, per_step]);
            }
        }
    }
}

/// Moves so many rows of so many columns, padded to more; places are an address and the distance of rows.
///
/// # Safety
/// All rows are there, and there is room for them.
unsafe fn move_rows(
    kernel: &Callable,
    (from, from_row): (*const u8, usize),
    (to, to_row): (*mut u8, usize),
    [rows, columns, padded]: [usize; 3],
) {
    let mut args = [0u64; ARGS];
    let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
    set(Arg::From, from as usize);
    set(Arg::FromRow, from_row);
    set(Arg::To, to as usize);
    set(Arg::ToRow, to_row);
    set(Arg::Rows, rows);
    set(Arg::Columns, columns);
    set(Arg::Padded, padded);
    // SAFETY: as the caller promises.
    unsafe { kernel.call(args.as_ptr()) };
}

/// What a product of a plain B needs besides: room in which each thread packs a part of a panel.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) packer: Packer,
    pub(crate) panels: Panels,
    /// The panels that are packed together, as one.
    pub(crate) wide: Panels,
    pub(crate) together: usize,
    /// The most steps of a part.
    pub(crate) steps: usize,
    pub(crate) room: Buffer,
    /// Bytes of a thread's room.
    pub(crate) each: usize,
    pub(crate) threads: usize,
}

impl Scratch {
    /// For so many threads.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub(crate) fn new(machine: &Machine, panels: &Panels, threads: usize) -> Result<Self> {
        let threads = threads.max(1);
        let together = panels.together(threads);
        let wide = panels.wide(together);
        let step = wide.width * panels.product.step_bytes();
        let steps = block_steps(&machine.target(), panels.steps, step);
        // Parts of two threads share no line.
        let each = (steps * step).next_multiple_of(64);
        let room =
            each.checked_mul(threads).ok_or_else(|| Diagnostic::limit("room for more threads than fit any memory"))?;
        let (packer, room) = (Packer::new(machine, panels.product)?, Buffer::zeroed(room)?);
        Ok(Self { packer, panels: *panels, wide, together, steps, room, each, threads })
    }
}
