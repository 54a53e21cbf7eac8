//! Reads at computed indices.

use super::{Body, Structured, f32s, tensor};
use crate::comp::Combiner;
use crate::decl::{Decl, Operand};
use crate::scalar::{Pred, Scalar};
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// What an index outside `0..size` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// An error when the graph runs.
    Error,
    /// The nearest index inside.
    Clamp,
    /// Zero instead of an element.
    Fill,
}

impl Bounds {
    /// Reads `x` at `index`, of which the dims in `computed` are gathered.
    fn read(self, x: &Operand<'_>, mut index: Vec<Ix>, computed: &[usize]) -> Scalar {
        match self {
            Self::Error => x.at(&index),
            Self::Clamp => {
                for d in computed {
                    let last = &x.shape()[*d] - &Ix::konst(1);
                    index[*d] = index[*d].max_with(&Ix::zero()).min_with(&last);
                }
                x.at(&index)
            }
            Self::Fill => {
                let inside = computed.iter().flat_map(|d| Pred::within(&index[*d], &x.shape()[*d])).collect();
                x.at_where(inside, &index, x.lit(0.0))
            }
        }
    }
}

/// Whole slices of one axis.
pub struct Gather {
    /// The axis of `x` that the indices address.
    pub axis: usize,
    /// Indices outside.
    pub bounds: Bounds,
}

impl Structured for Gather {
    const NAME: &'static str = "gather";
    const DOC: &'static str = "`out[a…, i…, b…] = x[a…, indices[i…], b…]` along one axis of `x`. Indices count from 0.";
    const OPERANDS: &'static [&'static str] = &["x", "indices"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let (x, indices) = (d.operand(0)?, d.operand(1)?);
        if self.axis >= x.rank() {
            return Err(Diagnostic::shape(format!("axis {} of rank {}", self.axis, x.rank())));
        }
        let mut index = d.pars_of("a", &x.shape()[..self.axis]);
        let at = d.pars("i", indices.rank());
        index.push(indices.load(&at));
        index.extend(d.pars_of("b", &x.shape()[self.axis + 1..]));
        Ok((Combiner::Map, self.bounds.read(&x, index, &[self.axis])))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let at = |axis, bounds| Self { axis, bounds };
        vec![
            (at(0, Bounds::Error), vec![f32s(&[5, 3]), tensor(DType::I64, &[4])]),
            (at(1, Bounds::Error), vec![f32s(&[2, 5, 3]), tensor(DType::I64, &[2, 2])]),
            (at(0, Bounds::Clamp), vec![f32s(&[4]), tensor(DType::I32, &[])]),
            (at(0, Bounds::Fill), vec![f32s(&[4, 2]), tensor(DType::I64, &[3])]),
        ]
    }
}

/// Single elements along one axis.
pub struct GatherElements {
    /// The axis of `x` that the indices address.
    pub axis: usize,
}

impl Structured for GatherElements {
    const NAME: &'static str = "gather_elements";
    const DOC: &'static str = "`out[i…] = x[i… with indices[i…] at one axis]`. Indices count from 0.";
    const OPERANDS: &'static [&'static str] = &["x", "indices"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let (x, indices) = (d.operand(0)?, d.operand(1)?);
        if x.rank() != indices.rank() || self.axis >= x.rank() {
            return Err(Diagnostic::shape(format!("axis {} of ranks {}, {}", self.axis, x.rank(), indices.rank())));
        }
        let at = d.pars_of("i", indices.shape());
        let mut index = at.clone();
        index[self.axis] = indices.load(&at);
        Ok((Combiner::Map, x.at(&index)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![
            (Self { axis: 0 }, vec![f32s(&[5, 3]), tensor(DType::I64, &[2, 3])]),
            (Self { axis: 1 }, vec![f32s(&[3, 4]), tensor(DType::I64, &[3, 2])]),
        ]
    }
}

/// Slices at index tuples.
pub struct GatherNd {
    /// Leading dims shared by `x` and the indices.
    pub batch: usize,
    /// The length of an index tuple: the last dim of the indices.
    pub tuple: usize,
}

impl Structured for GatherNd {
    const NAME: &'static str = "gather_nd";
    const DOC: &'static str =
        "`out[b…, i…, s…] = x[b…, indices[b…, i…, :]…, s…]` with index tuples in the last dim. Indices count from 0.";
    const OPERANDS: &'static [&'static str] = &["x", "indices"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let (x, indices) = (d.operand(0)?, d.operand(1)?);
        if indices.rank() <= self.batch || self.batch + self.tuple > x.rank() {
            return Err(Diagnostic::shape(format!(
                "{} batch dims and tuples of {} over ranks {} and {}",
                self.batch,
                self.tuple,
                x.rank(),
                indices.rank()
            )));
        }
        let last = indices.rank() - 1;
        d.require_equal(&indices.shape()[last], &Ix::from(self.tuple), "length of index tuples")?;
        let at = d.pars("i", last);
        let slice = d.pars_of("s", &x.shape()[self.batch + self.tuple..]);
        let mut index = at[..self.batch].to_vec();
        for k in 0..self.tuple {
            let mut place = at.clone();
            place.push(Ix::from(k));
            index.push(indices.load(&place));
        }
        index.extend(slice);
        Ok((Combiner::Map, x.at(&index)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![
            (Self { batch: 0, tuple: 2 }, vec![f32s(&[3, 4]), tensor(DType::I64, &[5, 2])]),
            (Self { batch: 0, tuple: 1 }, vec![f32s(&[3, 4]), tensor(DType::I64, &[2, 1])]),
            (Self { batch: 1, tuple: 1 }, vec![f32s(&[2, 4, 3]), tensor(DType::I64, &[2, 3, 1])]),
        ]
    }
}
