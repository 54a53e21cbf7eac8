//! B in panels: for each panel of columns, step after step, the columns side by side.

use crate::callable::Callable;
use crate::machine::Machine;
use crate::panels::{Panels, Part, Plain};
use tilewright_loops::contract::Product;
use tilewright_loops::movement::{ARGS, Arg, Move, Order};
use tilewright_runtime::aligned::Buffer;
use tilewright_support::Result;

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
    pub fn new(panels: Panels) -> Result<Self> {
        let columns = panels.n.next_multiple_of(panels.lanes);
        let bytes = Buffer::zeroed(columns * panels.steps() * panels.product.step_bytes())?;
        Ok(Self { bytes, panels })
    }

    /// How it is cut.
    pub fn panels(&self) -> &Panels {
        &self.panels
    }

    /// Where a panel starts, in bytes.
    fn start(&self, panel: usize) -> usize {
        panel * self.panels.width * self.panels.steps() * self.panels.product.step_bytes()
    }

    /// The address of a panel.
    pub fn panel(&self, panel: usize) -> *const u8 {
        self.bytes.bytes()[self.start(panel)..].as_ptr()
    }

    /// Fills it.
    ///
    /// # Errors
    /// `Usage` where B is too short, `Limit` where there is no memory for the kernel.
    pub fn fill(&mut self, machine: &Machine, plain: Plain<'_>) -> Result<()> {
        plain.check(&self.panels)?;
        let packer = Packer::new(machine, self.panels.product)?;
        for panel in 0..self.panels.count() {
            let start = self.start(panel);
            let to = self.bytes.bytes_mut()[start..].as_mut_ptr();
            // SAFETY: B was checked, and the panels that follow start after this one.
            unsafe { packer.pack(&plain, &self.panels, &Part { panel, steps: 0..self.panels.steps() }, to) };
        }
        Ok(())
    }
}

/// Packs parts of a plain B.
#[derive(Debug)]
pub(crate) struct Packer {
    kernel: Callable,
}

impl Packer {
    /// For a product.
    ///
    /// # Errors
    /// `Limit` where there is no memory for the kernel.
    pub(crate) fn new(machine: &Machine, product: Product) -> Result<Self> {
        let per_step = product.per_step();
        let order = match per_step {
            1 => Order::Copy { stream: false },
            group => Order::Interleave { group: group as u8 },
        };
        let element = (product.step_bytes() / per_step) as u8;
        Ok(Self { kernel: machine.movement(&Move { element, order })? })
    }

    /// Writes a part of B.
    ///
    /// # Safety
    /// [`Plain::check`] was fine, and there is room for all steps of the panel.
    pub(crate) unsafe fn pack(&self, plain: &Plain<'_>, panels: &Panels, part: &Part, to: *mut u8) {
        let rows = panels.rows(&part.steps);
        let mut args = [0u64; ARGS];
        let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
        set(Arg::From, plain.at(panels, part.panel, rows.start) as usize);
        set(Arg::FromRow, plain.row);
        set(Arg::Rows, rows.len());
        set(Arg::To, to as usize);
        set(Arg::ToRow, panels.step_bytes(part.panel));
        set(Arg::Columns, panels.columns(part.panel));
        // SAFETY: all rows lie in B; the caller promises room for all steps of the panel's columns.
        unsafe { self.kernel.call(args.as_ptr()) };
    }
}

/// What a product of a plain B needs besides: room in which each thread packs a part of a panel.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) packer: Packer,
    pub(crate) panels: Panels,
    pub(crate) room: Buffer,
    /// Bytes of a thread's room.
    pub(crate) each: usize,
    pub(crate) threads: usize,
}

impl Scratch {
    /// For so many threads, and so many steps of a panel.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub(crate) fn new(machine: &Machine, panels: &Panels, steps: usize, threads: usize) -> Result<Self> {
        let threads = threads.max(1);
        // Parts of two threads share no line.
        let each = (steps * panels.width * panels.product.step_bytes()).next_multiple_of(64);
        let (packer, room) = (Packer::new(machine, panels.product)?, Buffer::zeroed(each * threads)?);
        Ok(Self { packer, panels: *panels, room, each, threads })
    }
}
