//! A block of a tensor replaced: growing caches.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::scalar::Pred;
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// Writes `block` into `x` at `starts`.
pub struct Update {
    /// First place of the block in each dim; may be known only at run time.
    pub starts: Vec<Ix>,
}

impl Structured for Update {
    const NAME: &'static str = "update";
    const DOC: &'static str = "`x` with the elements of `block` in place of its own from `starts` on.";
    const OPERANDS: &'static [&'static str] = &["x", "block"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let (x, block) = (d.operand(0)?, d.operand(1)?);
        if block.rank() != x.rank() || self.starts.len() != x.rank() {
            return Err(Diagnostic::shape(format!("a block of rank {} in rank {}", block.rank(), x.rank())));
        }
        let axes = d.pars("i", x.rank());
        let old = x.at(&axes);
        let place: Vec<Ix> = axes.iter().zip(&self.starts).map(|(a, s)| a - s).collect();
        let inside = place.iter().zip(block.shape()).flat_map(|(p, n)| Pred::within(p, n)).collect();
        Ok((Combiner::Map, block.at_where(inside, &place, old)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![
            (Self { starts: vec![1.into(), 0.into()] }, vec![f32s(&[4, 3]), f32s(&[2, 3])]),
            (Self { starts: vec![2.into()] }, vec![f32s(&[5]), f32s(&[0])]),
        ]
    }
}
