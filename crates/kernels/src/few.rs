//! The calls of a product so small that to find them takes as long as to make them: they are found when it is planned.
//!
//! The sums of a call wait in the store queue of the machine while the next one starts. Arguments take their place there
//! too, so only those that differ are written.

use crate::after::Kernels;
use crate::arguments;
use crate::callable::Callable;
use crate::choice::{Choice, Sizes};
use crate::panels::Panels;
use tilewright_loops::contract::{ARGS, Arg};

/// The most calls.
const MOST: usize = 16;

/// A call.
#[derive(Debug)]
struct Call {
    kernel: Callable,
    /// Bytes from the start of A, of B and of C.
    places: [usize; 3],
    /// All arguments, where others than the addresses differ from those of the call before.
    others: Option<[u64; ARGS]>,
}

/// The calls of a product whose A has whole steps side by side, and whose B is packed.
#[derive(Debug)]
pub(crate) struct Few {
    calls: Vec<Call>,
    /// Bytes of A and of C.
    least: [usize; 2],
}

impl Few {
    /// The calls, if they are few.
    pub(crate) fn new(panels: &Panels, sizes: &Sizes, choice: &Choice, kernels: &Kernels) -> Option<Self> {
        let Sizes { m, n, a_row, c_row, .. } = *sizes;
        let [size, c_size] = [panels.product.step_bytes(), panels.product.c_bytes()];
        let tiles = m.div_ceil(choice.tile.rows);
        let [a_used, c_used] = [panels.steps.checked_mul(size)?, n.checked_mul(c_size)?];
        let one_block = m <= choice.block_rows && panels.steps <= choice.block_steps && m > 0;
        if !one_block || tiles.checked_mul(panels.count)? > MOST || a_used > a_row || c_used > c_row {
            return None;
        }
        let end = |row: usize, used: usize| (m - 1).checked_mul(row)?.checked_add(used);
        let mut few = Self { calls: Vec::new(), least: [end(a_row, a_used)?, end(c_row, c_used)?] };
        let mut before = [0; ARGS];
        for panel in 0..panels.count {
            let args = shared(panels, panel, [a_row, c_row]);
            for row in (0..tiles).map(|tile| tile * choice.tile.rows) {
                let [short, narrow] = [m - row < choice.tile.rows, panels.columns(panel) < panels.width];
                let kernel = kernels[usize::from(short)][usize::from(narrow)].clone()?;
                let places = [row * a_row, panels.start(panel), row * c_row + panel * panels.width * c_size];
                let others = Some(args).filter(|args| *args != before);
                few.calls.push(Call { kernel, places, others });
                before = args;
            }
        }
        Some(few)
    }

    /// Makes the calls for a B in these panels; whether A and C have room.
    ///
    /// # Safety
    /// `b` is the address of a B packed in the panels that the calls were made for.
    pub(crate) unsafe fn run(&self, a: &[u8], b: *const u8, c: &mut [u8]) -> bool {
        if a.len() < self.least[0] || c.len() < self.least[1] {
            return false;
        }
        let mut args = [0u64; ARGS];
        for Call { kernel, places, others } in &self.calls {
            if let Some(others) = others {
                args = *others;
            }
            args[Arg::A as usize] = a.as_ptr().wrapping_add(places[0]) as u64;
            args[Arg::B as usize] = b.wrapping_add(places[1]) as u64;
            args[Arg::C as usize] = c.as_mut_ptr().wrapping_add(places[2]) as u64;
            // SAFETY: all rows of A and C are there, and B is as the caller promises.
            unsafe { kernel.call(args.as_ptr()) };
        }
        true
    }
}

/// The arguments that all tiles of a panel share.
fn shared(panels: &Panels, panel: usize, rows: [usize; 2]) -> [u64; ARGS] {
    let mut args = [0; ARGS];
    arguments::rows(&mut args, rows);
    arguments::alone(&mut args, panels.steps);
    args[Arg::BStep as usize] = panels.step_bytes(panel) as u64;
    args[Arg::Columns as usize] = panels.last_vector(panel) as u64;
    args
}
