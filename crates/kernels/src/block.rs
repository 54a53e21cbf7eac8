//! Products of matrices inside a kernel: one Contract for each tile.

use crate::arguments;
use crate::callable::Callable;
use crate::machine::Machine;
use crate::tile::Tile;
use tilewright_codegen::contract::lanes;
use tilewright_loops::contract::{AHEAD, ARGS, Arg, Contract};
use tilewright_nests::{Block, Leaf, Size};
use tilewright_support::Result;

/// Kernels of whole and last tiles: by rows, then by columns.
#[derive(Debug)]
pub(crate) struct Blocks {
    form: Block,
    tile: Tile,
    lanes: usize,
    kernels: Vec<(Kind, Callable)>,
}

/// Rows, vectors of columns, and whether the last vector is partial.
type Kind = (usize, usize, bool);

/// Where the operands of a block are.
pub(crate) struct Places<'a> {
    /// The addresses of A, B and C.
    pub at: [u64; 3],
    /// Has the distances.
    pub leaf: &'a Leaf,
}

impl Blocks {
    /// The kernels of a block that has these sizes.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub(crate) fn new(machine: &Machine, form: Block, sizes: &[Size]) -> Result<Self> {
        let (target, product) = (machine.target(), form.product);
        let lanes = lanes(product, target.level);
        let tile = Tile::choose(&target, product, sizes[0].largest(), sizes[1].largest().div_ceil(lanes));
        let mut blocks = Self { form, tile, lanes, kernels: Vec::new() };
        for m in values(sizes[0]) {
            for n in values(sizes[1]) {
                for kind in blocks.kinds(m, n) {
                    blocks.add(machine, kind)?;
                }
            }
        }
        Ok(blocks)
    }

    /// The kinds of tiles of so many rows and columns.
    fn kinds(&self, m: usize, n: usize) -> Vec<Kind> {
        let width = self.tile.vectors * self.lanes;
        let rows = [self.tile.rows.min(m), m % self.tile.rows];
        let columns = [width.min(n), n % width];
        let both = rows.into_iter().flat_map(|r| columns.map(|c| (r, c)));
        both.filter(|(r, c)| *r > 0 && *c > 0).map(|(r, c)| self.kind(r, c)).collect()
    }

    fn kind(&self, rows: usize, columns: usize) -> Kind {
        (rows, columns.div_ceil(self.lanes), !columns.is_multiple_of(self.lanes))
    }

    fn add(&mut self, machine: &Machine, kind: Kind) -> Result<()> {
        if self.kernels.iter().any(|(known, _)| *known == kind) {
            return Ok(());
        }
        let (rows, vectors, partial) = (kind.0 as u8, kind.1 as u8, kind.2);
        let group = Contract::GROUP.min(rows);
        let (product, a_steps) = (self.form.product, self.form.steps);
        let contract = Contract { product, rows, vectors, group, a_steps, partial };
        self.kernels.push((kind, machine.contract(&contract)?));
        Ok(())
    }

    fn find(&self, rows: usize, columns: usize) -> Option<&Callable> {
        let kind = self.kind(rows, columns);
        self.kernels.iter().find(|(known, _)| *known == kind).map(|(_, kernel)| kernel)
    }

    /// Runs a block of so many rows, columns and steps.
    ///
    /// # Safety
    /// The operands are there, C is shared with nobody, and the sizes are among those that the kernels were made for.
    pub(crate) unsafe fn run(&self, places: &Places<'_>, [m, n, k]: [usize; 3]) {
        let [a_row, b_row, c_row] = [0, 1, 2].map(|o: usize| places.leaf.operands[o].row as usize);
        let [a, b, c] = places.at;
        let mut args = [0u64; ARGS];
        arguments::rows(&mut args, [a_row, c_row]);
        arguments::alone(&mut args, k);
        args[Arg::AStep as usize] = self.form.step(&places.leaf.operands[0]) as u64;
        args[Arg::BStep as usize] = b_row as u64;
        args[Arg::Accumulate as usize] = self.form.accumulate.into();
        let (size, c_size) = (self.form.product.step_bytes(), self.form.product.c_bytes());
        let width = self.tile.vectors * self.lanes;
        let rows = self.tile.rows.min(m).max(1);
        for column in (0..n).step_by(width) {
            let columns = width.min(n - column);
            args[Arg::B as usize] = b.wrapping_add((column * size) as u64);
            args[Arg::Columns as usize] = ((columns - 1) % self.lanes + 1) as u64;
            let [whole, last] = [rows, m % rows].map(|rows| self.find(rows, columns));
            for row in (0..m).step_by(rows) {
                let Some(kernel) = (if m - row < rows { last } else { whole }) else { return };
                let down = |row_bytes: usize| row.wrapping_mul(row_bytes) as u64;
                args[Arg::A as usize] = a.wrapping_add(down(a_row));
                args[Arg::C as usize] = c.wrapping_add(down(c_row)).wrapping_add((column * c_size) as u64);
                self.hint(&mut args, b, row / rows, [m, n, k]);
                // SAFETY: the tile lies in the block, whose operands are there.
                unsafe { kernel.call(args.as_ptr()) };
            }
        }
    }

    /// What tile number `tile` of a panel hints at: what stands behind a B that has no gaps; of a B that is read once, B
    /// itself two pages ahead.
    #[inline]
    fn hint(&self, args: &mut [u64; ARGS], b: u64, tile: usize, [m, n, k]: [usize; 3]) {
        let (row, ahead) = (args[Arg::BStep as usize], AHEAD as u64);
        let [next, step] = if m <= self.tile.rows {
            [args[Arg::B as usize].wrapping_add(8192), row.wrapping_mul(4)]
        } else {
            let all = (k as u64).wrapping_mul(row);
            let far = (tile * (k / 4)) as u64 * ahead;
            let dense = row == (n * self.form.product.step_bytes()) as u64;
            if dense && far < all { [b.wrapping_add(all).wrapping_add(far), ahead] } else { [0, 0] }
        };
        args[Arg::Next as usize] = next;
        args[Arg::NextStep as usize] = step;
    }
}

/// What a size can be.
fn values(size: Size) -> Vec<usize> {
    match size {
        Size::Fixed(n) => vec![n],
        Size::Rest { block, total, .. } => vec![block.min(total), total % block.max(1)],
    }
}
