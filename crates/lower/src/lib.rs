//! Graphs to kernels, at known sizes.
//!
//! ```text
//! nodes of a graph, sizes of symbols --lower--> Module: kernels, and calls of the host, over slots
//! ```
//!
//! [`contract`] lowers sums of products to kernels of Blocks, [`comp`] any comprehension; what both refuse by name stays a
//! call of the host.
#![forbid(unsafe_code)]

pub mod comp;
mod concat;
pub mod contract;
mod layout;
mod lower;
mod module;
mod rows;
mod steps;
mod view;

pub use layout::Layout;
pub use lower::lower;
pub use module::{Module, Slot, SlotId, Source, Step, Work};
pub use steps::{Planned, Ref, Steps};
