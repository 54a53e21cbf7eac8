//! Reads across a tile: what stands side by side along rows goes through a transposed tile.

use super::frame::Frame;
use super::leaf::Maker;
use super::part::{Part, affine, visit_reads};
use tilewright_loops::map::Operand;
use tilewright_loops::movement::{Move, Order};
use tilewright_nests::{Access, Form, Leaf, Stmt};
use tilewright_tensor::DType;

/// Rows and columns below which elements are gathered one by one.
const LEAST: usize = 4;

/// A tile that is transposed before a map reads it.
#[derive(Clone, Debug)]
pub struct Turn {
    /// What is read.
    pub from: Access,
    /// Its elements.
    pub dtype: DType,
}

/// Whether elements that stand side by side along rows are read in columns.
pub fn crosses(factors: &[i64], (row, column): (usize, usize)) -> bool {
    factors[row] == 1 && factors[column] > 1
}

/// Whether any read of a part is so.
pub fn any_crosses(part: &Part, row: usize, column: usize) -> bool {
    let mut found = false;
    visit_reads(&part.body, &mut |_, index| {
        let factors = index.first().and_then(|ix| affine(ix, part.axes.len()));
        found |= factors.is_some_and(|(_, f)| crosses(&f, (row, column)));
    });
    found
}

impl Maker<'_> {
    /// The operand of a transposed tile in scratch, where a read of a map that may have one crosses the tile.
    pub(super) fn turned(&mut self, o: usize, dtype: DType, (offset, factors): (i64, &[i64])) -> Option<u32> {
        let (row, column) = (self.frame.row?, self.frame.column?);
        let sizes = self.frame.sizes(self.part);
        let small = sizes.iter().any(|s| s.largest() < LEAST);
        if !self.turns || small || !crosses(factors, (row, column)) || ![8, 16, 32, 64].contains(&dtype.bits()) {
            return None;
        }
        let size = dtype.bits() as i64 / 8;
        let mut from = self.frame.access(o, size, (offset, factors));
        (from.row, from.column) = (from.column, size);
        let at = self.turned.iter().position(|t| t.from == from).unwrap_or_else(|| {
            self.turned.push(Turn { from, dtype });
            self.turned.len() - 1
        });
        let buffer = self.operands.len() + 1 + at;
        let row = sizes[1].largest() as i64 * size;
        let access = Access { buffer, offset: 0, steps: Vec::new(), row, column: size, indices: None };
        Some(self.operand(access, Operand::tile(dtype)))
    }
}

/// The leaf that transposes a tile: into scratch, or into the result.
pub fn leaf(part: &Part, frame: &Frame, turn: &Turn, to: Access) -> Stmt {
    let mut sizes = frame.sizes(part);
    sizes.reverse();
    let form = Form::Move(Move { element: (turn.dtype.bits() / 8) as u8, order: Order::Transpose });
    Stmt::Leaf(Leaf { form, sizes, operands: vec![turn.from.clone(), to], places: Vec::new() })
}
