//! Products of matrices inside a kernel: one Contract for each tile.

use crate::arguments;
use crate::callable::Callable;
use crate::machine::Machine;
use crate::tile::Tile;
use tilewright_codegen::contract::lanes;
use tilewright_codegen::nest::block::{TABLE, Word, slot};
use tilewright_loops::contract::{AHEAD, Arg, Contract};
use tilewright_nests::{Block, Leaf, Size};
use tilewright_support::{Diagnostic, Result};

/// Kernels of whole and last tiles: by rows, then by columns.
#[derive(Debug)]
pub(crate) struct Blocks {
    form: Block,
    tile: Tile,
    lanes: usize,
    kernels: Vec<(Kind, Callable)>,
    /// Their addresses, if all are machine code.
    table: Option<Box<[usize]>>,
}

/// Rows, vectors of columns, and whether the last vector is partial.
type Kind = (usize, usize, bool);

impl Blocks {
    /// The kernels of a block that has these sizes.
    ///
    /// # Errors
    /// As [`Machine::contract`].
    pub(crate) fn new(machine: &Machine, form: Block, sizes: &[Size]) -> Result<Self> {
        let (target, product) = (machine.target(), form.product);
        let lanes = lanes(product, target.level);
        let tile = Tile::choose(&target, product, sizes[0].largest(), sizes[1].largest().div_ceil(lanes));
        let mut blocks = Self { form, tile, lanes, kernels: Vec::new(), table: None };
        for m in values(sizes[0]) {
            for n in values(sizes[1]) {
                for kind in blocks.kinds(m, n) {
                    blocks.add(machine, kind)?;
                }
            }
        }
        if !blocks.covers(sizes) {
            return Err(Diagnostic::internal("a tile of a product without a kernel"));
        }
        blocks.table = blocks.table();
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

    /// The number of the kernel for a tile.
    fn find(&self, rows: usize, columns: usize) -> Option<usize> {
        let kind = self.kind(rows, columns);
        self.kernels.iter().position(|(known, _)| *known == kind)
    }

    /// Whether the first and the last tiles of blocks of these sizes have kernels; those between are like the first.
    fn covers(&self, sizes: &[Size]) -> bool {
        let ends = |size: Size, by: usize| {
            let some = values(size).into_iter().filter(|n| *n > 0);
            some.flat_map(move |n| [by.min(n), (n - 1) % by + 1])
        };
        let wide = self.tile.vectors * self.lanes;
        ends(sizes[0], self.tile.rows).all(|r| ends(sizes[1], wide).all(|c| self.find(r, c).is_some()))
    }

    fn table(&self) -> Option<Box<[usize]>> {
        let mut table = vec![0; TABLE];
        for ((rows, vectors, partial), kernel) in &self.kernels {
            table[slot(*rows, *vectors, !partial)?] = kernel.address()?.expose_provenance();
        }
        Some(table.into())
    }

    /// Whether loops in machine code can call the kernels.
    pub(crate) fn is_code(&self) -> bool {
        self.table.is_some()
    }

    /// Writes the words of a leaf that are the same in every run. They last as long as this.
    pub(crate) fn fill(&self, words: &mut [u64], leaf: &Leaf) {
        let [a_row, b_row, c_row] = [0, 1, 2].map(|o: usize| leaf.operands[o].row as usize);
        arguments::rows(words, [a_row, c_row]);
        arguments::alone(words, 0);
        words[Arg::AStep as usize] = self.form.step(&leaf.operands[0]) as u64;
        words[Arg::BStep as usize] = b_row as u64;
        words[Arg::Accumulate as usize] = self.form.accumulate.into();
        let mut set = |word: Word, value: usize| words[word as usize] = value as u64;
        let high = self.tile.rows;
        set(Word::High, high);
        set(Word::Wide, self.tile.vectors * self.lanes);
        set(Word::ADown, high.wrapping_mul(a_row));
        set(Word::CDown, high.wrapping_mul(c_row));
        set(Word::Table, self.table.as_ref().map_or(0, |table| table.as_ptr().expose_provenance()));
        let [behind, further, step] = self.hints(b_row, [0, 1, 2].map(|at: usize| leaf.sizes[at].largest()));
        set(Word::Behind, behind);
        set(Word::Further, further);
        words[Arg::NextStep as usize] = step as u64;
    }

    /// What tiles hint at: behind a B that has no gaps, each at its share of as many bytes; of a B that is read once, at B
    /// itself two pages ahead. How far from B, from tile to tile, and in a tile from four steps to the next.
    fn hints(&self, b_row: usize, [m, n, k]: [usize; 3]) -> [usize; 3] {
        if m <= self.tile.rows {
            return [8192, 0, b_row.wrapping_mul(4)];
        }
        if b_row != n.wrapping_mul(self.form.product.step_bytes()) {
            return [0; 3];
        }
        let (all, ahead) = (k.wrapping_mul(b_row), AHEAD as usize);
        [all, (k / 4 * ahead).min(all / m.div_ceil(self.tile.rows)), ahead]
    }

    /// Runs a block whose words are there, as loops in machine code do, but without hints.
    ///
    /// # Safety
    /// The operands are there, C is shared with nobody, and the sizes are among those that the kernels were made for.
    pub(crate) unsafe fn run(&self, words: &mut [u64]) {
        let of = [Word::A, Word::B, Word::C, Word::ADown, Word::CDown].map(|w| words[w as usize]);
        let [m, n, high, wide] =
            [Word::Rows, Word::Columns, Word::High, Word::Wide].map(|w| words[w as usize] as usize);
        let [a, b, c, a_down, c_down] = of;
        let (size, c_size) = (self.form.product.step_bytes(), self.form.product.c_bytes());
        words[Arg::Steps as usize] = words[Word::Steps as usize];
        words[Arg::NextStep as usize] = 0;
        for column in (0..n).step_by(wide) {
            let columns = wide.min(n - column);
            words[Arg::B as usize] = b.wrapping_add((column * size) as u64);
            words[Arg::Columns as usize] = ((columns - 1) % self.lanes + 1) as u64;
            for (tile, row) in (0..m).step_by(high).enumerate() {
                // Each has one: see `covers`.
                let kernel = self.find(high.min(m - row), columns).unwrap_or(usize::MAX);
                let down = |bytes: u64| bytes.wrapping_mul(tile as u64);
                words[Arg::A as usize] = a.wrapping_add(down(a_down));
                words[Arg::C as usize] = c.wrapping_add(down(c_down)).wrapping_add((column * c_size) as u64);
                // SAFETY: the tile lies in the block, whose operands are there.
                unsafe { self.kernels[kernel].1.call(words.as_ptr()) };
            }
        }
    }
}

/// What a size can be.
fn values(size: Size) -> Vec<usize> {
    match size {
        Size::Fixed(n) => vec![n],
        Size::Rest { block, total, .. } => vec![block.min(total), total % block.max(1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_loops::contract::{Product, Steps};
    use tilewright_support::target::Target;

    #[test]
    fn blocks_lack_no_kernel() {
        let machine = Machine::new(Target::detect());
        let form = Block { product: Product::F32, steps: Steps::Dense, accumulate: false };
        let rest = |block, total| Size::Rest { block, total, depth: 0 };
        for sizes in [[rest(40, 133), rest(150, 401)], [rest(9, 4), Size::Fixed(1)], [Size::Fixed(0), rest(3, 9)]] {
            let sizes = [sizes[0], sizes[1], Size::Fixed(7)];
            let mut blocks = Blocks::new(&machine, form, &sizes).unwrap();
            let any = !blocks.kernels.is_empty();
            assert!(blocks.covers(&sizes));
            blocks.kernels.pop();
            assert_eq!(blocks.covers(&sizes), !any, "{sizes:?}");
        }
    }
}
