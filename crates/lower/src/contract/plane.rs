//! Sides with absent points that are made product by product: a plane of zeros in scratch, and the operand's part inside it.
//!
//! The whole side would take more memory than the operand, for a time in which operand and result are there too.

use super::copy::{self, Along, start};
use super::factors::{Side, place};
use super::nest::Nest;
use crate::layout::Layout;
use tilewright_graph::Comp;
use tilewright_nests::{Access, Buffer, Role, Size, Stmt};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;

/// Bytes of a plane: it stays in the first or second cache until it is read.
const LARGEST: usize = 64 << 10;

/// Fewer products are not worth a plane of their own.
const FEWEST: usize = 8;

/// The part of an operand that one product reads, inside zeros.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    /// Elements.
    size: usize,
    /// Elements from the operand's start to what is copied, and from the plane's start to where it goes.
    from: i64,
    to: i64,
    /// The axes of what is copied.
    inside: Vec<Along>,
}

/// A dim of a side: its positions in the operand, the first one that the side has, and how many it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub dim: usize,
    pub low: i64,
    pub extent: usize,
}

impl Reach {
    /// Which of its positions are in the operand.
    fn inside(&self) -> (i64, i64) {
        let first = 0.max(-self.low);
        (first, (self.extent as i64).min(self.dim as i64 - self.low) - first)
    }
}

/// The side that reads `operand` at `index`, counted from where it reaches, by planes. `batch` are the dims along which
/// products follow each other. Nothing where planes are too large, too few, or hold nothing.
pub(super) fn side(
    (operand, source): (&Layout, Side),
    (reach, index): (&[Reach], &[Ix]),
    batch: &[bool],
    comp: &Comp,
) -> Option<Side> {
    let of = |own: bool| reach.iter().zip(batch).filter(move |(_, b)| **b == own);
    let volume = |own| of(own).map(|(r, _)| r.extent).try_fold(1usize, usize::checked_mul);
    let (products, size) = (volume(true)?, volume(false)?);
    let bytes = size.checked_mul(operand.dtype.bits() / 8)?;
    if products < FEWEST || bytes > LARGEST || of(false).any(|(r, _)| r.inside().1 <= 0) {
        return None;
    }
    let mut plane = Plane { size, from: operand.offset, to: 0, inside: Vec::new() };
    let (mut strides, mut next) = (operand.strides.clone(), 1);
    for d in (0..reach.len()).rev().filter(|d| !batch[*d]) {
        strides[d] = next;
        next *= reach[d].extent as i64;
    }
    for d in (0..reach.len()).filter(|d| !batch[*d]) {
        let (first, count) = reach[d].inside();
        let (from, to) = (operand.strides[d], strides[d]);
        plane.from += (first + reach[d].low) * from;
        plane.to += first * to;
        plane.inside.push(Along { size: Size::Fixed(count as usize), from, to });
    }
    let (offset, strides) = place(index, comp, &Layout { offset: 0, strides, ..operand.clone() }).ok()?;
    Some(Side { offset, strides, plane: Some(plane), ..source })
}

impl Nest {
    /// Fills a plane before each Block that reads it: where all axes but those of the batch are 0.
    pub(super) fn plane(&mut self, side: usize, plane: &Plane) -> Result<Access> {
        let Side { dtype, room, offset, .. } = self.problem.sides[side];
        let size = dtype.bits() as i64 / 8;
        let steps = |batch: bool| -> Vec<i64> {
            self.vars.iter().map(|v| if (v.name == "batch") == batch { v.steps[side] * size } else { 0 }).collect()
        };
        let (moving, own) = (steps(true), steps(false));
        let name = ["a", "b"][side].into();
        self.buffers.push(Buffer { name, dtype, bytes: room * size as usize, role: Role::Read });
        let from = start(self.buffers.len() - 1, plane.from * size, moving);
        let to = self.scratch(["plane_a", "plane_b"][side], dtype, plane.size);
        let zeros =
            copy::zeros(dtype, [Size::Fixed(1), Size::Fixed(plane.size)], Access { column: size, ..to.clone() });
        self.before.push(Stmt::Leaf(zeros));
        let inside = Access { offset: plane.to * size, ..to.clone() };
        self.before.push(copy::copy([dtype; 2], &plane.inside, &from, &inside, self.vars.len())?);
        Ok(Access { offset: offset * size, steps: own, ..to })
    }
}
