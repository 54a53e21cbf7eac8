//! Kernels: nests of loops whose leaves are tensor processing primitives, over explicit buffers.
//!
//! A kernel says in full what is computed where: which buffers there are, which loops run in parallel, and where in its
//! buffers each leaf finds its operands at a point of the loops. Its meaning is [`interpret()`]: loops in order, leaves as
//! `tilewright-loops` interprets them.
#![forbid(unsafe_code)]

mod block;
mod interpret;
mod kernel;
mod share;
mod spec;
mod structure;
mod text;
mod uses;
mod verify;

pub use interpret::interpret;
pub use kernel::{Access, Block, Buffer, Form, Kernel, Kind, Leaf, Loop, Place, Role, Size, Stmt};
pub use spec::{Item, Spec};
