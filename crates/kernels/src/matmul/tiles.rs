//! The tiles of a block times a panel: one kernel each.

use super::{Block, Job, Matmul};
use crate::after::{After, Kernels};
use crate::arguments;
use crate::leaf::{Reach, place};
use crate::panels::{Part, Place};
use std::ops::Range;
use tilewright_loops::contract::{ARGS, Arg};

/// A block, and the part of B that is multiplied with its rows.
pub(super) struct Columns<'b> {
    pub part: Part,
    pub place: Place,
    pub block: &'b Block,
}

impl Matmul {
    /// Some tiles of a block, times a panel.
    pub(super) fn panel(&self, job: &Job<'_>, columns: &Columns<'_>, tiles: Range<usize>) {
        let last = columns.part.steps.end == self.panels.steps;
        match (&self.after, self.after.leaf(Reach::Part)) {
            (After::Registers(..), _) => self.tiles::<{ ARGS + After::ARGS }>(job, columns, tiles),
            (_, Some(leaf)) if last => {
                let first = columns.part.panel * self.panels.width;
                let across = first..first + self.panels.columns(columns.part.panel);
                let Range { start, end } = columns.block.rows;
                let row = |tile: usize| (start + tile * self.choice.tile.rows).min(end);
                for first in tiles.clone().step_by(self.some) {
                    let some = first..(first + self.some).min(tiles.end);
                    self.tiles::<ARGS>(job, columns, some.clone());
                    // SAFETY: the operands hold all rows and columns; chunks write disjoint parts.
                    unsafe { leaf.run(job.tiles, row(some.start)..row(some.end), across.clone()) };
                }
            }
            _ => self.tiles::<ARGS>(job, columns, tiles),
        }
    }

    /// Calls the kernels of some tiles, with room for `N` arguments.
    fn tiles<const N: usize>(&self, job: &Job<'_>, columns: &Columns<'_>, tiles: Range<usize>) {
        let Columns { part, place: right, block: Block { a, rows, .. } } = columns;
        let tile_rows = self.choice.tile.rows;
        let column = part.panel * self.panels.width;
        let narrow = usize::from(self.panels.columns(part.panel) < self.panels.width);
        let mut args = self.shared::<N>(columns);
        let next = job.b.next(&self.panels, part, rows.len().div_ceil(tile_rows));
        for tile in tiles {
            let row = rows.start + tile * tile_rows;
            let short = usize::from(rows.end - row < tile_rows);
            let kernels = self.kernels_of(job, part, [row, column], &mut args[ARGS..]);
            let Some(kernel) = &kernels[short][narrow] else { continue };
            let hint = match rows.len() <= tile_rows {
                true => right.further(),
                false => job.b.hint(&next, tile),
            };
            args[Arg::Next as usize] = hint[0] as u64;
            args[Arg::NextStep as usize] = hint[1] as u64;
            args[Arg::A as usize] = a.at.at(row * a.row + part.steps.start * a.step) as u64;
            args[Arg::C as usize] = job.c.at(row * self.sizes.c_row + column * self.panels.product.c_bytes()) as u64;
            // SAFETY: `blocks` has checked that all rows and columns of A and C are there, and `source` that B fits
            // this product; chunks write disjoint tiles of C.
            unsafe { kernel.call(args.as_ptr()) };
        }
    }

    /// The arguments that all tiles of a part share.
    #[inline]
    fn shared<const N: usize>(&self, Columns { part, place, block }: &Columns<'_>) -> [u64; N] {
        let mut args = [0u64; N];
        arguments::rows(&mut args, [block.a.row, self.sizes.c_row]);
        arguments::alone(&mut args, part.steps.len());
        let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
        set(Arg::AStep, block.a.step);
        set(Arg::B, place.at as usize);
        set(Arg::BStep, place.step);
        set(Arg::Columns, self.panels.last_vector(part.panel));
        set(Arg::Accumulate, usize::from(part.steps.start > 0));
        args
    }

    /// The kernels of the tiles of a part; those that end with a map get its arguments for the tile at a place.
    #[inline]
    fn kernels_of(&self, job: &Job<'_>, part: &Part, at: [usize; 2], args: &mut [u64]) -> &Kernels {
        match &self.after {
            After::Registers(map, kernels) if part.steps.end == self.panels.steps => {
                place(map, job.tiles, at, args);
                kernels
            }
            _ => &self.kernels,
        }
    }
}
