//! Operands side by side.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::scalar::Pred;
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// Joins operands along one axis.
pub struct Concat {
    /// The axis.
    pub axis: usize,
}

impl Structured for Concat {
    const NAME: &'static str = "concat";
    const DOC: &'static str = "Operands of one rank side by side along one axis; the other dims agree.";
    const OPERANDS: &'static [&'static str] = &["x0"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let parts: Vec<_> = (0..d.operands()).map(|i| d.operand(i)).collect::<Result<_>>()?;
        let rank = parts.first().map_or(0, |p| p.rank());
        if parts.iter().any(|p| p.rank() != rank || p.rank() <= self.axis) {
            let ranks: Vec<usize> = parts.iter().map(|p| p.rank()).collect();
            return Err(Diagnostic::shape(format!("axis {} of ranks {ranks:?}", self.axis)));
        }
        for p in &parts[1..] {
            for i in (0..rank).filter(|i| *i != self.axis) {
                d.require_equal(&parts[0].shape()[i], &p.shape()[i], &format!("dim {i} of a concatenation"))?;
            }
        }
        let size = |n: Ix, p: &crate::decl::Operand<'_>| &n + &p.shape()[self.axis];
        let total = parts.iter().fold(Ix::zero(), size);
        let mut dims = parts[0].shape().to_vec();
        dims[self.axis] = total.clone();
        let axes = d.pars_of("i", &dims);
        let along = &axes[self.axis];
        let (mut body, mut end) = (None, total);
        for p in parts.iter().rev() {
            let start = &end - &p.shape()[self.axis];
            let mut index = axes.clone();
            index[self.axis] = along - &start;
            body = Some(match body {
                None => p.at_where(vec![], &index, p.lit(0.0)),
                Some(rest) => p.at_where(vec![Pred::less(along, &end)], &index, rest),
            });
            end = start;
        }
        body.map(|b| (Combiner::Map, b)).ok_or_else(|| Diagnostic::shape("nothing to concatenate"))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![
            (Self { axis: 0 }, vec![f32s(&[2, 3]), f32s(&[1, 3]), f32s(&[4, 3])]),
            (Self { axis: 1 }, vec![f32s(&[2, 3]), f32s(&[2, 0]), f32s(&[2, 1])]),
            (Self { axis: 0 }, vec![f32s(&[3])]),
        ]
    }
}
