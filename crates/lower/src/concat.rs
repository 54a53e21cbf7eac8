//! Concatenations: operands side by side, each of which can be written where it belongs.

use crate::layout::Layout;
use std::sync::Arc;
use tilewright_graph::comp::{Axis, Role};
use tilewright_graph::scalar::{Kind, Pred, Scalar};
use tilewright_graph::{Combiner, Comp};
use tilewright_tensor::ix::Ix;

/// Where an operand is in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The operand.
    pub operand: usize,
    /// The axis along which pieces follow each other.
    pub axis: usize,
    /// The first position on it.
    pub start: usize,
    /// The number of positions.
    pub length: usize,
}

/// The pieces of a comprehension without symbols that joins operands of the given shapes, two or more.
pub fn pieces(comp: &Comp, shapes: &[&[usize]]) -> Option<Vec<Piece>> {
    let settled = comp.checks.iter().all(|c| c.left == c.right);
    if comp.combiner != Combiner::Map || !settled || !matches!(comp.body.kind(), Kind::Where(..)) {
        return None;
    }
    let extents: Vec<usize> = comp.axes.iter().map(|a| a.extent.as_const()?.try_into().ok()).collect::<Option<_>>()?;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = &comp.body;
    loop {
        let (guard, here, otherwise) = match rest.kind() {
            Kind::Where(preds, then, otherwise) => (Some(preds), then, Some(otherwise)),
            _ => (None, rest, None),
        };
        let start = pieces.last().map_or(0, |p| p.start + p.length);
        let axis = pieces.first().map(|p| p.axis);
        let piece = piece(here, shapes, &extents, (axis, start))?;
        let end = Ix::konst((start + piece.length) as i64);
        let before_end = [Pred::less(&Ix::axis(piece.axis as u32), &end)];
        if guard.is_some_and(|preds| preds[..] != before_end) {
            return None;
        }
        pieces.push(piece);
        match otherwise {
            Some(next) => rest = next,
            None => return (start + piece.length == extents[piece.axis]).then_some(pieces),
        }
    }
}

/// The piece that a read of a whole operand is, along the axis of those before it if there are any.
fn piece(
    read: &Scalar,
    shapes: &[&[usize]],
    extents: &[usize],
    (axis, start): (Option<usize>, usize),
) -> Option<Piece> {
    let Kind::Read(o, index) = read.kind() else { return None };
    let operand = *o as usize;
    let shape = *shapes.get(operand)?;
    if shape.len() != extents.len() || index.len() != extents.len() {
        return None;
    }
    let differs = || (0..shape.len()).find(|d| shape[*d] != extents[*d]);
    let axis = axis.or_else(differs)?;
    let fits = |d: usize| {
        let here = Ix::axis(d as u32);
        if d == axis {
            index[d] == &here - &Ix::konst(start as i64)
        } else {
            index[d] == here && shape[d] == extents[d]
        }
    };
    (0..shape.len()).all(fits).then(|| Piece { operand, axis, start, length: shape[axis] })
}

/// The comprehension that copies a tensor.
pub fn copy(layout: &Layout) -> Comp {
    let name = |d: usize| Arc::from(format!("i{d}"));
    let axis = |(d, n): (usize, &usize)| Axis { name: name(d), extent: Ix::konst(*n as i64), role: Role::Parallel };
    let axes: Vec<Axis> = layout.shape.iter().enumerate().map(axis).collect();
    let index = (0..axes.len()).map(|d| Ix::axis(d as u32)).collect();
    Comp::new("copy", axes, Combiner::Map, Scalar::read(0, layout.dtype, index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_tensor::DType;

    fn joined(start: i64, guard: i64, shapes: &[&[usize]]) -> Option<Vec<Piece>> {
        let (i, j) = (Ix::axis(0), Ix::axis(1));
        let first = Scalar::read(0, DType::F32, vec![i.clone(), j.clone()]);
        let second = Scalar::read(1, DType::F32, vec![i, &j - &Ix::konst(start)]);
        let body = Scalar::guarded(vec![Pred::less(&j, &Ix::konst(guard))], first, second);
        let axis = |n: i64| Axis { name: "i".into(), extent: Ix::konst(n), role: Role::Parallel };
        pieces(&Comp::new("join", vec![axis(2), axis(7)], Combiner::Map, body), shapes)
    }

    #[test]
    fn pieces_follow_each_other() {
        let found = joined(3, 3, &[&[2, 3], &[2, 4]]).unwrap();
        let piece = |operand, start, length| Piece { operand, axis: 1, start, length };
        assert_eq!(found, [piece(0, 0, 3), piece(1, 3, 4)]);
    }

    #[test]
    fn what_overlaps_or_leaves_a_gap_is_none() {
        assert_eq!(joined(3, 2, &[&[2, 3], &[2, 4]]), None);
        assert_eq!(joined(2, 3, &[&[2, 3], &[2, 5]]), None);
        assert_eq!(joined(3, 3, &[&[2, 3], &[2, 5]]), None);
        assert_eq!(joined(3, 3, &[&[2, 4], &[2, 4]]), None);
    }
}
