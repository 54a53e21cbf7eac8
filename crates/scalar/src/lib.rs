//! The one expression language: of comprehension bodies, of kernels, of derivatives.
//!
//! [`expr`] has typed expressions over axes and operands, [`func`] the closed list of functions in them, each with its
//! meaning and its derivative, [`text`] writes and reads expressions.
#![forbid(unsafe_code)]

mod compare;
pub mod expr;
pub mod func;
mod pred;
pub mod text;
mod walk;

pub use expr::{Kind, Pred, Scalar};
pub use func::{Func, Overflow};
