//! What surrounds a product, and what a run works on.

use crate::leaf::Tile2d;
use crate::pack::{Packed, Scratch};
use crate::panels::Plain;
use tilewright_loops::map::Map;

/// What surrounds a product.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'m> {
    /// Whether A is transposed: a column's elements stand side by side.
    pub transposed: bool,
    /// A map that makes A, its last operand; what a run is given as A is its first one.
    pub before: Option<&'m Map>,
    /// A map over the sums, its first operand.
    pub after: Option<&'m Map>,
}

/// What a run works on besides B.
#[derive(Debug)]
pub struct Operands<'a> {
    /// A, or what a map makes it of.
    pub a: &'a [u8],
    /// C. Sums that a map takes from registers may wait there.
    pub c: &'a mut [u8],
    /// Operands of the map that makes A, but the first and the last.
    pub before: &'a [Tile2d],
    /// Operands of the map over the sums, but the first.
    pub after: &'a [Tile2d],
}

/// A B, packed or not.
#[derive(Debug)]
pub enum Right<'a> {
    /// Packed beforehand.
    Packed(&'a Packed),
    /// As it is, with what [`Matmul::scratch`](crate::matmul::Matmul::scratch) gave for at least as many threads.
    Plain(Plain<'a>, &'a mut Scratch),
}
