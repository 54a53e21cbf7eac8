//! Tilewright's graph IR: comprehensions as the one definition of structured operations.
#![forbid(unsafe_code)]

pub mod builder;
pub mod comp;
pub mod contents;
pub mod contraction;
pub mod decl;
pub mod diff;
pub mod docs;
pub mod graph;
pub mod interp;
pub mod op;
pub mod ops;
pub mod text;

pub use tilewright_algorithms as opaque;
pub use tilewright_tensor::types;

pub use builder::Builder;
pub use comp::{Axis, Check, Combiner, Comp, Role};
pub use graph::{Graph, Node, ValueId, ValueInfo};
pub use op::{Combine, HostOp, Loop, Mark, Op, Scatter};
pub use opaque::Opaque;
pub use scalar::{Pred, Scalar};
pub use scalars::Func;
pub use tilewright_scalar::{expr as scalar, func as scalars};
pub use types::{TensorType, Type};
