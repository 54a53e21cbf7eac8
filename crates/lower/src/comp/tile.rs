//! The choice of rows and columns: which axes vectors hold, which ones a leaf repeats, and how they are cut into blocks.
//!
//! The choice changes no value: each result is computed alike whatever shares its tile.

use super::frame::{Around, Frame};
use super::part::{Part, visit_reads};
use super::turn::any_crosses;
use tilewright_nests::Kind;
use tilewright_tensor::ix::{Atom, Ix};

/// Elements of a tile.
const TILE: i64 = 8192;

/// Columns of a block that is read across.
const CROSSED: i64 = 64;

/// Columns of a block.
const COLUMNS: i64 = 4096;

/// A frame in which all axes of the result but those in `taken` are parallel. Rows and columns that are given stay whole.
pub fn choose(part: &Part, taken: &[usize], (row, column): (Option<usize>, Option<usize>)) -> Frame {
    let mut free: Vec<usize> = (0..part.rank()).filter(|a| !taken.contains(a)).collect();
    let finds = finding(part);
    let free_column = column.or_else(|| {
        let best = free.iter().copied().min_by_key(|a| (cost(part, *a), std::cmp::Reverse(*a)));
        free.retain(|a| Some(*a) != best);
        best
    });
    let free_row = row.or_else(|| {
        let crosses = |a: usize| free_column.is_some_and(|c| any_crosses(part, a, c));
        let key = |a: &usize| (finds.contains(a), crosses(*a), part.axes[*a].extent.min(64), *a);
        let best = free.iter().copied().max_by_key(key);
        free.retain(|a| Some(*a) != best);
        best
    });
    let around = free.into_iter().map(|axis| Around { axis, step: 1, kind: Kind::Parallel });
    let mut frame = Frame { around: around.collect(), row: free_row, column: free_column };
    let extent = |axis: Option<usize>| axis.map_or(1, |a| part.axes[a].extent);
    let (rows, columns) = (extent(free_row), extent(free_column));
    let crosses = free_row.zip(free_column).is_some_and(|(r, c)| any_crosses(part, r, c));
    let columns_at_once = match (column, row) {
        (None, None) if crosses => CROSSED,
        (Some(_), _) => columns,
        (None, Some(_)) => (TILE / rows).clamp(64, COLUMNS) / 64 * 64,
        (None, None) => COLUMNS,
    };
    let rows_at_once = match row {
        Some(_) => rows,
        None if crosses => 2 * CROSSED,
        None => (TILE / columns.min(columns_at_once)).max(1),
    };
    let blocks = [(free_row, rows_at_once), (free_column, columns_at_once)];
    for (axis, step) in blocks.into_iter().filter_map(|(a, n)| Some((a?, n))) {
        if step < part.axes[axis].extent {
            frame.around.push(Around { axis, step, kind: Kind::Parallel });
        }
    }
    frame
}

/// How much an axis costs as columns, per element: what does not stand side by side is gathered.
fn cost(part: &Part, axis: usize) -> i64 {
    let mut sum = if part.axes[axis].stride == 1 { 4 } else { 24 };
    let mut add = |ix: &Ix| {
        sum += match ix.affine_in(axis as u32).map(|(c, _)| c) {
            Some(0) => 1,
            Some(1) => 4,
            Some(_) => 24,
            None => 32,
        }
    };
    visit_reads(&part.body, &mut |_, index| index.iter().for_each(&mut add));
    let n = part.axes[axis].extent.max(1);
    sum * 64 * ((n + 15) / 16 * 16) / n
}

/// Axes along which elements are found through others.
fn finding(part: &Part) -> Vec<usize> {
    let mut found = Vec::new();
    part.body.visit_ix(&mut |ix| {
        ix.visit(&mut |a| {
            if let Atom::Load(_, index) = a {
                found.extend((0..part.axes.len()).filter(|a| index.iter().any(|ix| ix.uses_axis(*a as u32))));
            }
        });
    });
    found
}
