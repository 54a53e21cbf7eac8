//! Machine code at rest: where it lies, who holds it, how outside tools see it.

mod mapping;
mod memory;
mod pages;
mod spans;

pub use memory::{CodeMemory, CodeUsage, Kernel};
