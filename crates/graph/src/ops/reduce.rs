//! Reductions over whole axes.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::types::TensorType;
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;

/// Combines an operand over `axes`.
pub struct Reduce {
    /// How.
    pub combiner: Combiner,
    /// The axes combined away, by position.
    pub axes: Vec<usize>,
    /// Whether they stay with size 1.
    pub keep: bool,
}

impl Structured for Reduce {
    const NAME: &'static str = "reduce";
    const DOC: &'static str = "Combines `x` over some axes, which vanish or stay with size 1. Arg combiners give the \
        row-major position over the reduced axes.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        let mut index = Vec::with_capacity(x.rank());
        for i in 0..x.rank() {
            if !self.axes.contains(&i) {
                index.push(d.par(&format!("i{i}")));
                continue;
            }
            if self.keep {
                d.par_of(&format!("i{i}"), 1);
            }
            index.push(d.reduce(&format!("k{i}")));
        }
        if self.axes.is_empty() {
            d.reduce_of("k", Ix::konst(1));
        }
        Ok((self.combiner, x.at(&index)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let of = |combiner, axes: &[usize], keep| Self { combiner, axes: axes.to_vec(), keep };
        vec![
            (of(Combiner::Sum, &[1], false), vec![f32s(&[3, 5])]),
            (of(Combiner::Max, &[0, 2], true), vec![f32s(&[2, 3, 4])]),
            (of(Combiner::Min, &[0], false), vec![f32s(&[300])]),
            (of(Combiner::Prod, &[1], false), vec![f32s(&[2, 3])]),
            (of(Combiner::Sum, &[0], true), vec![f32s(&[0, 2])]),
            (of(Combiner::ArgMax { last: false }, &[1], false), vec![f32s(&[3, 4])]),
            (of(Combiner::ArgMin { last: true }, &[0], true), vec![f32s(&[3, 4])]),
        ]
    }
}
