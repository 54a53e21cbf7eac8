//! Running sums and products.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::types::TensorType;
use tilewright_support::Result;

/// Accumulates along one axis.
pub struct Cumulate {
    /// How.
    pub combiner: Combiner,
    /// The axis, by position.
    pub axis: usize,
    /// From the last place to the first.
    pub reverse: bool,
    /// Without the place itself.
    pub exclusive: bool,
}

impl Structured for Cumulate {
    const NAME: &'static str = "cumulate";
    const DOC: &'static str = "Running combination along one axis; the result has the operand's shape.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        let axis = |i: usize| match i == self.axis {
            true => d.scan("s", self.reverse, self.exclusive),
            false => d.par(&format!("i{i}")),
        };
        let index: Vec<_> = (0..x.rank()).map(axis).collect();
        Ok((self.combiner, x.at(&index)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let of = |combiner, axis, reverse, exclusive| Self { combiner, axis, reverse, exclusive };
        vec![
            (of(Combiner::Sum, 0, false, false), vec![f32s(&[300])]),
            (of(Combiner::Sum, 1, true, false), vec![f32s(&[2, 5])]),
            (of(Combiner::Sum, 0, false, true), vec![f32s(&[4, 3])]),
            (of(Combiner::Sum, 1, true, true), vec![f32s(&[2, 3, 2])]),
            (of(Combiner::Prod, 0, false, false), vec![f32s(&[4])]),
            (of(Combiner::Max, 0, false, false), vec![f32s(&[6])]),
        ]
    }
}
