//! The choice of a register tile.

use tilewright_codegen::contract::is_split;
use tilewright_loops::contract::Product;
use tilewright_support::target::{Level, Target};

/// Rows and vectors of columns that stay in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Rows.
    pub rows: usize,
    /// Vectors.
    pub vectors: usize,
}

/// Tiles that fill 32 registers (AVX-512), or 16. Many rows stand in the way of each other in the first cache, so they
/// are for few columns. Bytes of equal signs need further sums: for each vector (i8), or for each row (u8); factors in
/// two parts need further registers for their second ones.
fn candidates(target: &Target, product: Product, vectors: usize) -> &'static [(usize, usize)] {
    match (target.level, vectors) {
        (Level::Avx512, 0..=1) if is_split(product, target) => &[(26, 1)],
        (Level::Avx512, 2) if is_split(product, target) => &[(12, 2)],
        (Level::Avx512, _) if is_split(product, target) => &[(5, 4), (7, 3)],
        (Level::Avx2, 0..=1) if is_split(product, target) => &[(10, 1)],
        (Level::Avx2, _) if is_split(product, target) => &[(4, 2)],
        (Level::Avx512, 3..) if product == Product::S8S8 => &[(8, 3)],
        (Level::Avx512, 3..) if product == Product::U8U8 => &[(6, 3)],
        (Level::Avx512, _) if product == Product::S8S8 => &[(12, 2)],
        (Level::Avx512, _) if product == Product::U8U8 => &[(8, 2)],
        (Level::Avx512, 0..=1) => &[(28, 1)],
        (Level::Avx512, 2) => &[(16, 1), (14, 2)],
        (Level::Avx512, _) => &[(6, 4), (8, 3)],
        (_, 0..=1) => &[(12, 1)],
        _ => &[(6, 2)],
    }
}

impl Tile {
    /// The tile with the least estimated time for `m` rows and `vectors` vectors of columns.
    pub fn choose(target: &Target, product: Product, m: usize, vectors: usize) -> Self {
        let balanced = candidates(target, product, vectors).iter().map(|(rows, most)| {
            let rows = m.max(1).div_ceil(m.max(1).div_ceil(*rows));
            let most = vectors.max(1).div_ceil(vectors.max(1).div_ceil(*most));
            Self { rows, vectors: most }
        });
        let best = balanced.min_by(|a, b| a.cost(m, vectors).total_cmp(&b.cost(m, vectors)));
        best.unwrap_or(Self { rows: 1, vectors: 1 })
    }

    /// Cycles of a step over all tiles: multiply-adds, or loads where there are more of these.
    fn cost(self, m: usize, vectors: usize) -> f64 {
        // Where calls are short it matters that the store queue holds 16 sums beside the next call.
        let crowded = if m.saturating_mul(vectors) <= 128 { 0.75 } else { 0.5 };
        let step = |rows: usize, vectors: usize| {
            let sums = (rows * vectors) as f64;
            // A vector load takes a cycle, a broadcast half of one; four sums hide the latency of a multiply-add.
            let loads = vectors as f64 + rows as f64 * 0.5;
            sums.max(loads).max(4.0) + if sums > 16.0 { crowded } else { 0.5 }
        };
        let (full_m, rest_m) = (m / self.rows, m % self.rows);
        let (full_v, rest_v) = (vectors / self.vectors, vectors % self.vectors);
        let column = |rows: usize| {
            let rest = if rest_v > 0 { step(rows, rest_v) } else { 0.0 };
            full_v as f64 * step(rows, self.vectors) + rest
        };
        full_m as f64 * column(self.rows) + if rest_m > 0 { column(rest_m) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_codegen::nest::block::slot;

    #[test]
    fn all_tiles_have_a_place_in_tables() {
        for (level, more) in Level::ALL.into_iter().flat_map(|l| [(l, false), (l, true)]) {
            let target = Target { level, vnni: more, bf16: more, ..Target::PORTABLE };
            for product in Product::ALL {
                let tiles = (0..9).flat_map(|vectors| candidates(&target, product, vectors));
                tiles.for_each(|(rows, vectors)| assert!(slot(*rows, *vectors, true).is_some(), "{rows} x {vectors}"));
            }
        }
    }
}
