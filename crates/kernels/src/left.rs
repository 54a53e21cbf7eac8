//! A on its way to the kernels: as it stands, or made in blocks of rows that stay in the second cache.

use crate::callable::Callable;
use crate::leaf::{Leaf, Reach, Tile2d, cut, hold};
use crate::machine::Machine;
use crate::panels::Panels;
use crate::shared::Shared;
use std::ops::Range;
use tilewright_loops::contract::{Product, Steps};
use tilewright_loops::map::{Map, Operand, Program};
use tilewright_loops::movement::{ARGS, Arg, Move, Order};
use tilewright_support::{Diagnostic, Result};

/// How A reaches the kernels.
#[derive(Debug)]
pub(crate) enum Left {
    /// Its rows have whole steps.
    Rows,
    /// Its columns stand one after the other, and a step is one element.
    Columns,
    /// Its columns stand one after the other; those of a step are put side by side first.
    Interleaved(Callable),
    /// A map makes it, whose last operand it is.
    Mapped(Leaf),
}

/// Where the kernels find A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Its first step; of made blocks that of row 0, were it there.
    pub at: Shared,
    /// From a row to the next.
    pub row: usize,
    /// From a step to the next.
    pub step: usize,
}

/// A as a run is given it.
pub(crate) struct Given<'a> {
    pub bytes: &'a [u8],
    /// From a row to the next, or from a column to the next.
    pub row: usize,
    /// The operands of the map but the first and the last.
    pub operands: &'a [Tile2d],
}

impl Left {
    /// A that is transposed or not.
    ///
    /// # Errors
    /// `Limit` where there is no memory for a kernel.
    pub(crate) fn new(machine: &Machine, product: Product, transposed: bool) -> Result<Self> {
        match (transposed, product.per_step()) {
            (false, _) => Ok(Self::Rows),
            (true, 1) => Ok(Self::Columns),
            (true, group) => {
                let order = Order::Interleave { group: group as u8 };
                let element = (product.step_bytes() / group) as u8;
                Ok(Self::Interleaved(machine.movement(&Move { element, order })?))
            }
        }
    }

    /// A that a map makes.
    ///
    /// # Errors
    /// `Unsupported` for a map that does not make it row by row.
    pub(crate) fn mapped(machine: &Machine, product: Product, map: &Map) -> Result<Self> {
        let refuse = |why: &str| Err(Diagnostic::unsupported(format!("a map before a product {why}")));
        let leaf = Leaf::new(machine, map)?;
        if leaf.reach == Reach::Whole {
            return refuse("that needs all rows at once");
        }
        let last = map.operands.len().saturating_sub(1) as u32;
        let program = Program::new(map)?;
        let stores = || program.passes.iter().flat_map(|pass| &pass.stores).map(|store| store.0);
        let makes = map.operands.last() == Some(&Operand::tile(product.a())) && stores().any(|o| o == last);
        if last == 0 || !makes || stores().any(|o| o == 0) {
            return refuse("whose last operand is not A, or that stores to its first");
        }
        Ok(Self::Mapped(leaf))
    }

    /// How steps of a row stand in memory when kernels read them.
    pub(crate) fn steps(&self) -> Steps {
        match self {
            Self::Rows | Self::Mapped(_) => Steps::Dense,
            Self::Columns | Self::Interleaved(_) => Steps::Strided,
        }
    }

    /// Bytes of so many rows that are made.
    #[inline]
    pub(crate) fn room(&self, panels: &Panels, rows: usize) -> usize {
        let (size, steps) = (panels.product.step_bytes(), panels.steps);
        match self {
            Self::Rows | Self::Columns => 0,
            Self::Interleaved(_) => apart(rows, size).saturating_mul(steps),
            Self::Mapped(_) => apart(steps, size).saturating_mul(rows),
        }
    }

    /// Whether what is given has room for all rows.
    #[inline]
    pub(crate) fn fits(&self, given: &Given<'_>, panels: &Panels, m: usize) -> bool {
        let (k, element) = (panels.k, panels.element());
        let lines = |count: usize, bytes: Option<usize>| {
            let far = count.saturating_sub(1).checked_mul(given.row);
            let end = far.zip(bytes).and_then(|(far, bytes)| far.checked_add(bytes));
            m == 0 || bytes.is_some_and(|b| b <= given.row) && end.is_some_and(|end| end <= given.bytes.len())
        };
        let alone = given.operands.is_empty();
        match self {
            Self::Rows => alone && lines(m, panels.steps.checked_mul(panels.product.step_bytes())),
            Self::Columns | Self::Interleaved(_) => alone && (k == 0 || lines(k, m.checked_mul(element))),
            Self::Mapped(leaf) => {
                let operands = &leaf.map.operands;
                let source =
                    Tile2d { address: given.bytes.as_ptr().cast_mut(), len: given.bytes.len(), row: given.row };
                // An operand of one column is read even where there are no columns.
                let source =
                    lines(m, k.checked_mul(operands[0].dtype.bits() / 8)) && source.holds(&operands[0], [m, k]);
                source && hold(&operands[1..operands.len() - 1], given.operands, [m, k])
            }
        }
    }

    /// Makes some rows, on so many threads, and says where all are.
    ///
    /// # Safety
    /// What is given [fits](Self::fits), and the room has [`Self::room`] for so many rows; what a
    /// map leaves unwritten there is zero.
    #[inline]
    pub(crate) unsafe fn view(
        &self,
        given: &Given<'_>,
        panels: &Panels,
        (room, rows): (Shared, Range<usize>),
        threads: usize,
    ) -> View {
        let size = panels.product.step_bytes();
        let at = Shared(given.bytes.as_ptr().cast_mut());
        match self {
            Self::Rows => View { at, row: given.row, step: size },
            Self::Columns => View { at, row: size, step: given.row },
            Self::Interleaved(kernel) => {
                let step = apart(rows.len(), size);
                let body = |part: Range<usize>| {
                    let mut args = [0u64; ARGS];
                    let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
                    set(Arg::From, at.at(part.start * panels.element()) as usize);
                    set(Arg::FromRow, given.row);
                    set(Arg::Rows, panels.k);
                    set(Arg::To, room.at((part.start - rows.start) * size) as usize);
                    set(Arg::ToRow, step);
                    set(Arg::Columns, part.len());
                    // SAFETY: all columns of A are there, as the caller promises, and each part writes its own rows.
                    unsafe { kernel.call(args.as_ptr()) };
                };
                cut(&rows, threads, &body);
                View { at: Shared(room.0.wrapping_sub(rows.start * size)), row: size, step }
            }
            Self::Mapped(leaf) => {
                let row = self.room(panels, 1);
                let first = room.0.wrapping_sub(rows.start * row);
                let mut tiles = vec![Tile2d { address: at.0, len: 0, row: given.row }];
                tiles.extend_from_slice(given.operands);
                tiles.push(Tile2d { address: first, len: 0, row });
                let tiles = &tiles;
                // SAFETY: the operands hold all rows, as the caller promises; each part writes its own rows.
                cut(&rows, threads, &|part| unsafe { leaf.run(tiles, part, 0..panels.k) });
                View { at: Shared(first), row, step: size }
            }
        }
    }
}

/// Bytes from a line of so many steps to the next: an odd number of cache lines, so that lines do not meet in one set.
fn apart(steps: usize, size: usize) -> usize {
    steps.saturating_mul(size).div_ceil(64).saturating_mul(64) | 64
}
