//! Graph to graph passes. One file holds one pass: `fold::PASS`, `cse::PASS`, and so on; the list
//! that runs is the facade's.
//!
//! ```text
//! graph ──> pass ──> verify ──> pass ──> verify ──> ... ──> graph
//!            └ asks `cx.spend()` before each single change: `--pass-fuel N` finds a bad one
//! ```
//!
//! A pass changes no value: results keep every bit, NaN and -0 included. It reads no clock, file,
//! environment variable or global.
#![forbid(unsafe_code)]

pub mod compose;
pub mod cse;
pub mod dce;
pub mod fold;
pub mod fuse;
pub mod identity;
pub mod inline;
mod pass;
mod rewrite;
mod run;
#[cfg(test)]
mod tests;

pub use pass::{Changed, Fact, Pass, PassCx, check_order};
pub use run::{Dump, Options, Report, Step, run_passes};
