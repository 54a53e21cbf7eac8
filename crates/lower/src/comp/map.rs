//! Maps: parts without a reduction.

use super::frame::Frame;
use super::kernel::{scratch, with_loops};
use super::leaf::Maker;
use super::part::Part;
use super::turn::{Turn, leaf};
use super::{Target, axes, tile};
use tilewright_graph::scalar::Kind;
use tilewright_loops::map::{Order, Sink};
use tilewright_nests::{Access, Buffer, Kernel, Stmt};
use tilewright_support::Result;

/// A kernel for a map whose reads are flat.
///
/// # Errors
/// Unsupported, for what maps lack.
pub fn kernel(part: &Part, target: &Target<'_>) -> Result<Kernel> {
    let part = axes::merge(part);
    let frame = tile::choose(&part, &[], (None, None));
    let mut maker = Maker::new(&part, &frame, target.operands, Order::Rows);
    maker.turns = true;
    let value = maker.value(&part.body)?.cast(target.result.dtype);
    let turned = std::mem::take(&mut maker.turned);
    if let Some(moved) = permutation(&part, &frame, target, &turned) {
        return with_loops(&part, &frame, vec![moved], (target, Vec::new()));
    }
    let store = maker.result(target.result.dtype);
    maker.stage([Sink::Store { operand: store, value }]);
    let (mut body, tiles) = transposes(&part, &frame, target, &turned);
    body.push(maker.finish(frame.sizes(&part))?);
    with_loops(&part, &frame, body, (target, tiles))
}

/// The one move that a map is which only puts elements elsewhere, across tiles.
fn permutation(part: &Part, frame: &Frame, target: &Target<'_>, turned: &[Turn]) -> Option<Stmt> {
    let ([turn], Kind::Read(..)) = (turned, part.body.kind()) else { return None };
    let strides: Vec<i64> = part.axes.iter().map(|a| a.stride).collect();
    let size = target.result.dtype.bits() as i64 / 8;
    let to = frame.access(target.operands.len(), size, (part.offset, &strides));
    let fits = to.column == size && to.row > 0 && turn.dtype == target.result.dtype;
    fits.then(|| leaf(part, frame, turn, to))
}

/// Leaves that transpose tiles into scratch, and the scratch.
fn transposes(part: &Part, frame: &Frame, target: &Target<'_>, turned: &[Turn]) -> (Vec<Stmt>, Vec<Buffer>) {
    let [rows, columns] = [0, 1].map(|n| frame.sizes(part)[n].largest());
    let one = |(n, turn): (usize, &Turn)| {
        let row = (columns * turn.dtype.bits() / 8) as i64;
        let buffer = target.operands.len() + 1 + n;
        let to = Access { buffer, offset: 0, steps: Vec::new(), row, column: 0, indices: None };
        (leaf(part, frame, turn, to), scratch("turned", turn.dtype, rows * columns))
    };
    turned.iter().enumerate().map(one).unzip()
}
