//! The structured operations, each declared once.
//!
//! A declaration is a struct with its attributes and a [`Structured::declare`] that names axes,
//! reads and a body. Shape checks and their messages, evaluation, derivatives, FLOP counts, the
//! page in the docs and the samples of the conformance tests all come from it.

mod concat;
mod contract;
mod conv;
mod cumulate;
mod gather;
mod interpolate;
mod iota;
mod map;
mod pad;
mod reduce;
mod update;
mod view;
mod window;

pub use concat::Concat;
pub use contract::Contract;
pub use conv::Conv;
pub use cumulate::Cumulate;
pub use gather::{Bounds, Gather, GatherElements, GatherNd};
pub use interpolate::{Interpolate, Place};
pub use iota::{Dims, Iota};
pub use map::Map;
pub use pad::Pad;
pub use reduce::Reduce;
pub use update::Update;
pub use view::{Bitcast, Broadcast, Permute, Reshape, Slice};
pub use window::{ReduceWindow, WindowDim, WindowPlaces};

use crate::comp::{Combiner, Comp};
use crate::decl::Decl;
use crate::scalar::Scalar;
use crate::types::TensorType;
use tilewright_support::Result;

/// What a declaration gives: how values are combined, and the value at a point.
pub type Body = (Combiner, Scalar);

/// An operation that is one comprehension.
pub trait Structured {
    /// The name in messages, printed graphs and the docs.
    const NAME: &'static str;
    /// What it computes, with the shapes of operands and result.
    const DOC: &'static str;
    /// The names of the operands in messages; further ones are `x<i>`.
    const OPERANDS: &'static [&'static str];

    /// Names axes, reads and the body.
    fn declare(&self, d: &Decl) -> Result<Body>;

    /// Instances with operand types, for the conformance tests and the docs.
    fn samples() -> Vec<(Self, Vec<TensorType>)>
    where
        Self: Sized;

    /// The comprehension over operands of the given types.
    fn comp(&self, operands: &[TensorType]) -> Result<Comp> {
        let d = Decl::new(Self::NAME, Self::OPERANDS, operands);
        let (combiner, body) = self.declare(&d)?;
        d.finish(combiner, body)
    }
}

/// A sample of a declaration: its comprehension over operands of the given types.
pub struct Sample {
    /// The operation's name.
    pub name: &'static str,
    /// The declared comprehension, or why the declaration refused.
    pub comp: Result<Comp>,
    /// The operands' types.
    pub operands: Vec<TensorType>,
}

/// A row of the list of structured operations.
pub struct Row {
    /// Name.
    pub name: &'static str,
    /// Doc text.
    pub doc: &'static str,
    /// Instances.
    pub samples: fn() -> Vec<Sample>,
}

macro_rules! ops {
    ($($op:ident),* $(,)?) => {
        /// Every structured operation.
        pub const STRUCTURED: &[Row] = &[$(Row {
            name: $op::NAME,
            doc: $op::DOC,
            samples: || {
                $op::samples()
                    .into_iter()
                    .map(|(op, operands)| Sample { name: $op::NAME, comp: op.comp(&operands), operands })
                    .collect()
            },
        }),*];
    };
}

ops! {
    Map, Reduce, Contract, Conv, ReduceWindow, WindowPlaces, Cumulate, Gather, GatherElements, GatherNd, Pad, Iota, Dims,
    Reshape, Permute, Broadcast, Slice, Bitcast, Concat, Update, Interpolate,
}

/// A static f32 tensor type, for samples.
pub(crate) fn f32s(shape: &[i64]) -> TensorType {
    tensor(tilewright_tensor::DType::F32, shape)
}

/// A static tensor type, for samples.
pub(crate) fn tensor(dtype: tilewright_tensor::DType, shape: &[i64]) -> TensorType {
    TensorType::new(dtype, shape.iter().map(|d| tilewright_tensor::ix::Ix::konst(*d)).collect::<Vec<_>>())
}
