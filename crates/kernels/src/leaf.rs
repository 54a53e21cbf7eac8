//! A map over parts of matrices: what runs before a product, or after it.

use crate::callable::Callable;
use crate::machine::Machine;
use std::ops::Range;
use tilewright_loops::block::Step;
use tilewright_loops::map::{Map, Operand, Order, Program, Rows, Stride};
use tilewright_runtime::pool::Pool;
use tilewright_support::{Diagnostic, Result};

/// The most operands of such a map.
pub(crate) const OPERANDS: usize = 8;

/// The memory of an operand.
#[derive(Clone, Copy, Debug)]
pub struct Tile2d {
    /// Its first element.
    pub address: *mut u8,
    /// Bytes that belong to it.
    pub len: usize,
    /// Bytes from row to row.
    pub row: usize,
}

// SAFETY: an address alone does nothing; whoever gives one to a run promises that its threads may use it.
unsafe impl Sync for Tile2d {}

impl Tile2d {
    /// Whether it has room for an operand of so many rows and columns.
    pub(crate) fn holds(&self, operand: &Operand, [m, n]: [usize; 2]) -> bool {
        if (operand.has_rows() && m == 0) || (operand.column != Stride::Zero && n == 0) {
            return true;
        }
        let rows = if operand.has_rows() { m - 1 } else { 0 };
        let end = rows.checked_mul(self.row).and_then(|far| far.checked_add(operand.row_bytes(n)));
        end.is_some_and(|end| end <= self.len)
    }
}

/// Whether the operands have room for all rows and columns.
pub(crate) fn hold(operands: &[Operand], tiles: &[Tile2d], sizes: [usize; 2]) -> bool {
    operands.len() == tiles.len() && operands.iter().zip(tiles).all(|(operand, tile)| tile.holds(operand, sizes))
}

/// Writes a map's arguments, but for the sizes, for the part that starts at a row and a column.
pub(crate) fn place(map: &Map, tiles: &[Tile2d], [row, column]: [usize; 2], args: &mut [u64]) {
    let count = map.operands.len();
    for (o, (operand, tile)) in map.operands.iter().zip(tiles).enumerate() {
        let down = if operand.has_rows() { tile.row } else { 0 };
        let (across, _) = operand.place(column, 0);
        args[o] = tile.address.wrapping_add(row * down).wrapping_offset(across) as u64;
        args[count + o] = down as u64;
    }
}

/// The least that a map has to see at once, so that its parts together are the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Any rows and columns.
    Part,
    /// All columns of any rows.
    Rows,
    /// Everything.
    Whole,
}

impl Reach {
    fn of(map: &Map, program: &Program) -> Self {
        let reads =
            |step: Step| program.passes.iter().flat_map(|pass| pass.block.steps()).any(|(found, _)| *found == step);
        let stores = || program.passes.iter().flat_map(|pass| &pass.stores).map(|s| &map.operands[s.0 as usize]);
        if map.order == Order::Columns || reads(Step::Row) || stores().any(|o| !o.has_rows()) {
            return Self::Whole;
        }
        let alone = program.passes.len() == 1 && program.passes[0].folds.is_empty();
        // Parts may start within a byte of packed bits.
        let bits = map.operands.iter().any(|o| o.column == Stride::Bits);
        match alone && !bits && !reads(Step::Column) && stores().all(|o| o.column != Stride::Zero) {
            true => Self::Part,
            false => Self::Rows,
        }
    }
}

/// A map that can be called.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) map: Map,
    pub(crate) reach: Reach,
    kernel: Callable,
}

impl Leaf {
    /// A leaf.
    ///
    /// # Errors
    /// As [`Leaf::check`], and `Unsupported` for a map without kernel.
    pub(crate) fn new(machine: &Machine, map: &Map) -> Result<Self> {
        Self::check(map)?;
        let reach = Reach::of(map, &Program::new(map)?);
        Ok(Self { map: map.clone(), reach, kernel: machine.map(map)? })
    }

    /// Whether [`Tile2d`]s can describe a map's operands.
    ///
    /// # Errors
    /// `Unsupported`, saying why not.
    pub(crate) fn check(map: &Map) -> Result<()> {
        let refuse = |why: &str| Err(Diagnostic::unsupported(format!("around a product, a map {why}")));
        if map.operands.len() > OPERANDS {
            return refuse(&format!("with more than {OPERANDS} operands"));
        }
        if map.operands.iter().any(|o| o.column == Stride::General || matches!(o.rows, Rows::Indexed(_))) {
            return refuse("over general strides or indexed rows");
        }
        if map.places > 0 || map.operands.iter().any(Operand::is_flat) {
            return refuse("over flat operands, or with places");
        }
        Ok(())
    }

    /// Runs it over some rows and columns.
    ///
    /// # Safety
    /// The tiles [`hold`] the operands over these; no other thread uses what is stored.
    pub(crate) unsafe fn run(&self, tiles: &[Tile2d], rows: Range<usize>, columns: Range<usize>) {
        let mut args = [0u64; 3 * OPERANDS + 2];
        place(&self.map, tiles, [rows.start, columns.start], &mut args);
        let sizes = 3 * self.map.operands.len();
        args[sizes..sizes + 2].copy_from_slice(&[rows.len() as u64, columns.len() as u64]);
        // SAFETY: as the caller promises.
        unsafe { self.kernel.call(args.as_ptr()) };
    }
}

/// Runs a body over parts of some rows.
pub(crate) fn cut(rows: &Range<usize>, threads: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
    let chunks = if threads > 1 { threads.saturating_mul(4).min(rows.len()) } else { 1 };
    let part = |chunk: usize, _: usize| {
        let at = |chunk: usize| rows.start + rows.len() * chunk / chunks;
        body(at(chunk)..at(chunk + 1));
    };
    Pool::global().run(chunks, threads, &part);
}
