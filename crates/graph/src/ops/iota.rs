//! Tensors of indices and of sizes.

use super::{Body, Structured};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::scalar::{Pred, Scalar};
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Shape};

/// The position along one axis.
pub struct Iota {
    /// The result's dims.
    pub shape: Shape,
    /// The axis that is counted.
    pub axis: usize,
}

impl Structured for Iota {
    const NAME: &'static str = "iota";
    const DOC: &'static str = "An i64 tensor of a given shape that holds the position along one axis.";
    const OPERANDS: &'static [&'static str] = &[];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let axes = d.pars_of("i", &self.shape);
        let Some(axis) = axes.get(self.axis) else {
            return Err(Diagnostic::shape(format!("axis {} of rank {}", self.axis, self.shape.len())));
        };
        Ok((Combiner::Map, Scalar::index(axis.clone())))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![(Self { shape: vec![3.into(), 4.into()], axis: 1 }, vec![])]
    }
}

/// A vector of sizes.
pub struct Dims {
    /// The sizes.
    pub dims: Vec<Ix>,
}

impl Structured for Dims {
    const NAME: &'static str = "dims";
    const DOC: &'static str = "An i64 vector that holds the given sizes (ShapeOf).";
    const OPERANDS: &'static [&'static str] = &[];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let axis = d.par_of("d", self.dims.len());
        let zero = Scalar::index(Ix::zero());
        let body = self.dims.iter().enumerate().rev().fold(zero, |rest, (i, dim)| {
            Scalar::guarded(vec![Pred::Eq0(&axis - &Ix::from(i))], Scalar::index(dim.clone()), rest)
        });
        Ok((Combiner::Map, body))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![(Self { dims: vec![3.into(), 0.into(), 7.into()] }, vec![]), (Self { dims: vec![] }, vec![])]
    }
}
