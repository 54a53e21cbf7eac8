//! Graphs to kernels, at known sizes.
//!
//! ```text
//! nodes of a graph, sizes of symbols --lower--> Module: kernels, and calls of the host, over slots
//! ```
//!
//! [`comp`] lowers any comprehension to kernels; what it refuses by name stays a call of the host.
#![forbid(unsafe_code)]

pub mod comp;
mod layout;
mod lower;
mod module;
mod rows;

pub use layout::Layout;
pub use lower::lower;
pub use module::{Module, Slot, SlotId, Source, Step, Work};
