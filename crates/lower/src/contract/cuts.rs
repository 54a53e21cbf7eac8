//! How a product is cut into blocks. No choice changes a bit of the result, and none depends on the machine.

use super::dims::{A, B, C, Cut, Dim, Dims, as_one, divisor, volume};
use super::factors::Side;
use tilewright_loops::contract::Product;

/// Steps of a block: a part of B of so many steps and the columns of a tile takes a quarter of a second cache of 1 MB.
const STEPS: usize = 1024;

/// Elements of a packed block of B.
const PACKED: usize = 1 << 17;

/// Rows beyond which B is packed rather than read as it stands.
const DIRECT_ROWS: usize = 24;

/// Elements of a constant B that is read as it stands.
const SMALL: usize = 4096;

/// Multiplications of a product that is one block.
const TINY: usize = 1 << 15;

/// Rows and columns of a block of which the diagonal is wanted.
const DIAGONAL: usize = 8;

/// Iterations that threads can share well.
const ENOUGH: usize = 8;

/// How B reaches the Blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    /// As it stands.
    Direct,
    /// Packed once.
    Once,
    /// Packed block by block.
    Blocks,
}

/// A product cut into blocks.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    pub rows: Cut,
    pub columns: Cut,
    pub sums: Cut,
    pub right: Right,
}

impl Cuts {
    /// Cuts a product whose second side is `b`.
    pub fn new(product: Product, dims: &Dims, b: &Side) -> Self {
        let (m, n, k) = (volume(&dims.m), volume(&dims.n), volume(&dims.k));
        let right = right(product, dims, b);
        let width = 512 / product.c_bytes() / 2;
        let tiny = right == Right::Direct && m.saturating_mul(n).saturating_mul(k) <= TINY;
        let most = match right {
            Right::Direct if tiny => n.max(1),
            Right::Direct | Right::Once => width,
            Right::Blocks => 2 * width,
        };
        let whole = (1..=dims.n.len()).rev().find(|w| as_one(&dims.n[dims.n.len() - w..], C) == Some(1));
        let whole = if right == Right::Blocks { whole.unwrap_or(1) } else { 1 };
        let columns = Cut::new(&dims.n, whole, most, &|extent, below, most| columns(extent, below, most, width / 4));
        let sums = sums(dims, &columns);
        let blocks = volume(&dims.batch) * volume(&columns.outer) * columns.parts();
        let rows = Cut::new(&turned(dims), 1, usize::MAX, &|extent, _, _| rows(extent, blocks, right));
        Self { rows, columns, sums, right }
    }

    /// Cuts a product of which the diagonal is wanted into square blocks along it.
    pub fn diagonal(product: Product, dims: &Dims, b: &Side) -> Self {
        let square = |dims: &[Dim]| Cut::new(dims, 1, DIAGONAL, &|extent, _, most| extent.min(most));
        let columns = square(&dims.n);
        let sums = sums(dims, &columns);
        Self { rows: square(&dims.m), columns, sums, right: right(product, dims, b) }
    }
}

/// Steps of a block, whose columns may vary only if its steps do not.
fn sums(dims: &Dims, columns: &Cut) -> Cut {
    let steps = STEPS.min(PACKED / columns.block().next_multiple_of(16)).max(64);
    let even = !columns.inner.is_empty();
    Cut::new(&dims.k, dims.k.len(), steps, &|extent, below, most| match (below, even) {
        (1, false) => extent.div_ceil(extent.div_ceil(most).max(1)),
        _ => divisor(extent, most / below),
    })
}

/// The rows' axes, the one that blocks cut last: the one that makes A's steps or rows stand side by side.
fn turned(dims: &Dims) -> Vec<Dim> {
    let mut m = dims.m.clone();
    let dense = as_one(&dims.k, A) == Some(1);
    let best = (0..m.len()).max_by_key(|x| (!dense && m[*x].strides[A] == 1, m[*x].extent));
    if let Some(best) = best {
        let row = m.remove(best);
        m.push(row);
    }
    m
}

fn right(product: Product, dims: &Dims, b: &Side) -> Right {
    let rows = as_one(&dims.k, B);
    let column = dims.n.last().map_or(1, |d| d.strides[B]);
    let (n, matrix) = (dims.n.last().map_or(1, |d| d.extent), rows.is_some() && column == 1);
    let direct = matrix && product.per_step() == 1 && rows.is_some_and(|r| r > 0);
    let dense = rows == Some(n as i64) && n <= 64;
    let small = volume(&dims.k).saturating_mul(n) <= SMALL;
    if b.stored.is_some() {
        return Right::Blocks;
    }
    match b.constant {
        true if direct && (dense || small) => Right::Direct,
        true => Right::Once,
        false if direct && (dense || small || volume(&dims.m) <= DIRECT_ROWS) => Right::Direct,
        false => Right::Blocks,
    }
}

/// Parts of an axis of columns, each of `below` positions: the fewest vectors in all, then even parts, then the most.
fn columns(extent: usize, below: usize, most: usize, lanes: usize) -> usize {
    if below == 1 && extent > most {
        return most;
    }
    let vectors = |part: usize| {
        let of = |n: usize| (n * below).div_ceil(lanes);
        extent / part * of(part) + of(extent % part)
    };
    let key = |part: &usize| (vectors(*part), !extent.is_multiple_of(*part), usize::MAX - part);
    (1..=extent.min((most / below).max(1))).min_by_key(key).unwrap_or(1)
}

/// Rows of a block: alike, a multiple of the tiles' rows, and fewer where there are not enough blocks of columns.
fn rows(extent: usize, blocks: usize, right: Right) -> usize {
    let most = if right == Right::Blocks { 512 } else { 256 };
    let mut parts = extent.div_ceil(most).max(1);
    while blocks * parts < ENOUGH && extent / (parts + 1) >= 96 {
        parts += 1;
    }
    if parts == 1 { extent } else { extent.div_ceil(parts).next_multiple_of(24) }
}
