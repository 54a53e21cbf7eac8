//! Diagnostics and source locations, shared by every crate.
//!
//! A [`Loc`] says where in the *user's* model something came from; a [`Diagnostic`] says what is
//! wrong there, what was expected and what to try. Both are plain values without dependencies.
#![forbid(unsafe_code)]

mod diagnostic;
mod loc;
mod plain;
pub mod target;

pub use diagnostic::{Code, Diagnostic, Result};
pub use loc::Loc;
pub use plain::plain;
