//! The same elements under other indices.

use super::{Body, Structured, f32s, tensor};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::scalar::Scalar;
use crate::scalars::Func;
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape, show_shape, volume};

/// Row-major order kept, dims replaced.
pub struct Reshape {
    /// The new dims, of the same volume.
    pub shape: Shape,
}

/// A run of dims before and after that hold the same elements.
type Run = (std::ops::Range<usize>, std::ops::Range<usize>);

/// Cuts two shapes of equal volume into the shortest runs of equal volume.
fn runs(from: &[Ix], to: &[Ix]) -> Vec<Run> {
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    for end in 1..=from.len() {
        let size = volume(&from[i..end]);
        let same = |e: &usize| volume(&to[j..*e]) == size && !size.is(0);
        if let Some(e) = (j + 1..=to.len()).find(same) {
            out.push((i..end, j..e));
            (i, j) = (end, e);
        }
    }
    if i < from.len() || j < to.len() {
        out.push((i..from.len(), j..to.len()));
    }
    out
}

/// Axes of a result at the most: indices take time and memory that grow faster than them.
const MOST_AXES: usize = 256;

/// Fails when a shape has too many axes to follow.
fn bounded(shape: &[Ix]) -> Result<()> {
    if shape.len() <= MOST_AXES {
        return Ok(());
    }
    Err(Diagnostic::limit(format!("a shape of {} axes, more than {MOST_AXES}", shape.len())))
}

impl Structured for Reshape {
    const NAME: &'static str = "reshape";
    const DOC: &'static str = "The elements of `x` in row-major order under new dims of the same volume.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        bounded(&self.shape)?;
        if (&volume(x.shape()) - &volume(&self.shape)).as_const().is_some_and(|n| n != 0) {
            let (from, to) = (show_shape(x.shape()), show_shape(&self.shape));
            return Err(Diagnostic::shape(format!("cannot reshape {from} to {to}: the numbers of elements differ")));
        }
        let axes = d.pars_of("i", &self.shape);
        let mut index = vec![Ix::zero(); x.rank()];
        for (from, to) in runs(x.shape(), &self.shape) {
            let (own, new) = (&x.shape()[from.clone()], &self.shape[to.clone()]);
            d.require_equal(&volume(own), &volume(new), "elements of a reshape")?;
            let flat = axes[to].iter().zip(new).fold(Ix::zero(), |at, (axis, n)| &(&at * n) + axis);
            for (k, at) in from.clone().enumerate() {
                let place = flat.floor_div(&volume(&own[k + 1..]));
                index[at] = if k == 0 { place } else { place.modulo(&own[k]) };
            }
        }
        Ok((Combiner::Map, x.at(&index)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let to = |dims: &[i64]| Self { shape: dims.iter().map(|n| Ix::konst(*n)).collect() };
        vec![
            (to(&[6, 4]), vec![f32s(&[2, 3, 4])]),
            (to(&[4, 6]), vec![f32s(&[2, 3, 4])]),
            (to(&[24]), vec![f32s(&[2, 3, 4])]),
            (to(&[2, 2, 2, 3]), vec![f32s(&[2, 3, 4])]),
            (to(&[1, 1]), vec![f32s(&[])]),
            (to(&[0, 5]), vec![f32s(&[3, 0])]),
        ]
    }
}

/// Dims reordered.
pub struct Permute {
    /// `out` dim `i` is `x` dim `order[i]`.
    pub order: Vec<usize>,
}

impl Structured for Permute {
    const NAME: &'static str = "permute";
    const DOC: &'static str = "The dims of `x` in another order.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        let mut index = vec![None; x.rank()];
        for (i, from) in self.order.iter().enumerate() {
            if index.get(*from) == Some(&None) {
                index[*from] = Some(d.par(&format!("i{i}")));
            }
        }
        match index.into_iter().collect::<Option<Vec<Ix>>>() {
            Some(index) if index.len() == self.order.len() => Ok((Combiner::Map, x.at(&index))),
            _ => Err(Diagnostic::shape(format!("{:?} does not permute the dims of rank {}", self.order, x.rank()))),
        }
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![(Self { order: vec![1, 0] }, vec![f32s(&[3, 4])]), (Self { order: vec![2, 0, 1] }, vec![f32s(&[2, 3, 4])])]
    }
}

/// Repeats along new dims and dims of size 1.
pub struct Broadcast {
    /// The result's dims; the operand's are aligned at the last.
    pub shape: Shape,
}

impl Structured for Broadcast {
    const NAME: &'static str = "broadcast";
    const DOC: &'static str = "`x` repeated to given dims: aligned at the last dim, size 1 repeats.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        bounded(&self.shape)?;
        let Some(lead) = self.shape.len().checked_sub(x.rank()) else {
            let shown = show_shape(&self.shape);
            return Err(Diagnostic::shape(format!("rank {} does not broadcast to {shown}", x.rank())));
        };
        let axes = d.pars_of("i", &self.shape);
        let mut index = Vec::with_capacity(x.rank());
        for (i, n) in x.shape().iter().enumerate() {
            if n.is(1) {
                index.push(Ix::zero());
                continue;
            }
            d.require_equal(n, &self.shape[lead + i], "dims of a broadcast")?;
            index.push(axes[lead + i].clone());
        }
        Ok((Combiner::Map, x.at(&index)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let to = |dims: &[i64]| Self { shape: dims.iter().map(|n| Ix::konst(*n)).collect() };
        vec![(to(&[2, 3, 4]), vec![f32s(&[3, 1])]), (to(&[2]), vec![f32s(&[])]), (to(&[0, 2]), vec![f32s(&[1, 2])])]
    }
}

/// A range of places with a step, for every dim.
pub struct Slice {
    /// First place of each dim.
    pub starts: Vec<Ix>,
    /// Step of each dim; negative runs backwards.
    pub steps: Vec<i64>,
    /// Number of places of each dim.
    pub sizes: Vec<Ix>,
}

impl Structured for Slice {
    const NAME: &'static str = "slice";
    const DOC: &'static str = "`out[i…] = x[start + step*i …]` for every dim; steps may be negative, starts and sizes may \
        be known only at run time.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        if [self.starts.len(), self.steps.len(), self.sizes.len()].iter().any(|n| *n != x.rank()) {
            return Err(Diagnostic::shape(format!("a slice of {} dims over rank {}", self.starts.len(), x.rank())));
        }
        let axes = d.pars_of("i", &self.sizes);
        let index: Vec<Ix> =
            axes.iter().zip(&self.starts).zip(&self.steps).map(|((a, start), step)| a * *step + start).collect();
        Ok((Combiner::Map, x.at(&index)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let of = |dims: &[(i64, i64, i64)]| Self {
            starts: dims.iter().map(|d| Ix::konst(d.0)).collect(),
            steps: dims.iter().map(|d| d.1).collect(),
            sizes: dims.iter().map(|d| Ix::konst(d.2)).collect(),
        };
        vec![
            (of(&[(1, 1, 3), (0, 2, 2)]), vec![f32s(&[5, 4])]),
            (of(&[(9, -3, 3)]), vec![f32s(&[10])]),
            (of(&[(0, 1, 0)]), vec![f32s(&[3])]),
        ]
    }
}

/// The same bits as another dtype.
pub struct Bitcast {
    /// A dtype of the same width.
    pub to: DType,
}

impl Structured for Bitcast {
    const NAME: &'static str = "bitcast";
    const DOC: &'static str = "The bits of every element read as another dtype of equal width.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        let at = d.pars("i", x.rank());
        Ok((Combiner::Map, Scalar::call(Func::Bitcast(self.to), vec![x.at(&at)])))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![(Self { to: DType::I32 }, vec![f32s(&[3])]), (Self { to: DType::F16 }, vec![tensor(DType::U16, &[2, 2])])]
    }
}
