//! How a product is cut into tiles and blocks.

use crate::tile::Tile;
use tilewright_codegen::contract::lanes;
use tilewright_loops::contract::Product;
use tilewright_support::target::Target;

/// The sizes of a product, and the distance in bytes between rows of A and of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// From a row of A to the next; a row has whole steps, unless a map makes them. From a column to the next, if A is
    /// transposed.
    pub a_row: usize,
    /// From a row of C to the next.
    pub c_row: usize,
}

/// How a product is cut. No choice changes a bit of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The register tile.
    pub tile: Tile,
    /// Rows of a block, a multiple of the tile's.
    pub block_rows: usize,
    /// Steps of a block.
    pub block_steps: usize,
}

/// The least that a block of rows is cut down to.
const LEAST_ROWS: usize = 192;

/// Steps of a block, alike: what a block has of B in a panel, so many bytes a step, takes a quarter of the second cache.
pub(crate) fn block_steps(target: &Target, steps: usize, bytes: usize) -> usize {
    let most = (target.l2 / 4 / bytes.max(1)).max(64);
    steps.div_ceil(steps.div_ceil(most).max(1)).max(1)
}

impl Choice {
    /// The choice for a machine.
    pub(crate) fn new(target: &Target, product: Product, sizes: &Sizes) -> Self {
        let lanes = lanes(product, target.level);
        let tile = Tile::choose(target, product, sizes.m, sizes.n.div_ceil(lanes));
        let steps = sizes.k.div_ceil(product.per_step());
        let size = product.step_bytes();
        let block_steps = block_steps(target, steps, tile.vectors * lanes * size);
        // The blocks of rows are alike; short ones would pack B too often.
        let most_rows = (target.l2 / (block_steps * size)).max(LEAST_ROWS);
        Self { tile, block_rows: 0, block_steps }.of_rows(sizes.m, most_rows)
    }

    /// With at most so many rows in a block, and blocks that are alike.
    fn of_rows(self, m: usize, most: usize) -> Self {
        let blocks = m.div_ceil(most.max(1)).max(1);
        Self { block_rows: m.div_ceil(blocks).next_multiple_of(self.tile.rows), ..self }
    }

    /// With blocks whose rows, so many bytes each, fit half of the second cache.
    pub(crate) fn near(self, target: &Target, m: usize, row: usize) -> Self {
        let most = (target.l2 / 2 / row.max(1)).max(self.tile.rows);
        if most < self.block_rows { self.of_rows(m, most) } else { self }
    }
}
