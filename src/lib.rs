//! Tilewright runs neural networks on the CPU: give it an ONNX model, it checks it, translates it
//! into a graph of comprehensions, and runs that.
//!
//! ```
//! use tilewright::{Model, Options, Tensor};
//!
//! # fn main() -> tilewright::Result<()> {
//! let model = Model::load("examples/digits/model.onnx")?;
//! let session = model.compile(&Options::default())?;
//! let image = Tensor::from_vec(&[1, 1, 28, 28], vec![0f32; 784])?;
//! let outputs = session.run([("x", image)])?;
//! println!("{:?}", outputs[0]);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Session`] is `Send + Sync`; [`Session::run`] takes `&self` and may be called from many
//! threads at once. Errors are [`Diagnostic`]s that name the node at fault and what to try.
#![forbid(unsafe_code)]

pub mod debug;
mod describe;
mod model;
mod options;
mod pipeline;
mod plan;
mod recent;
mod session;

pub use describe::{Description, OpCount, ValueSpec};
pub use model::Model;
pub use options::{Backend, Options, Sink};
pub use session::Session;
pub use tilewright_onnx::Limits;
pub use tilewright_support::{Code, Diagnostic, Loc, Result, plain};
pub use tilewright_tensor::{Bytes, DType, Map, Tensor, Value, npy, pb};

/// The kernel layer: what it reaches on this machine.
pub mod kernels {
    pub use tilewright_kernels::measure::{Limits, look_up};
    pub use tilewright_kernels::report::Row;
    pub use tilewright_kernels::suite::{Measure, listing, suite};
    pub use tilewright_kernels::{Machine, ProfileOptions, profile, usage};
    pub use tilewright_support::target::{Level, Target};
}

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The README's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
