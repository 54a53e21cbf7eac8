//! Machine code for tensor processing primitives.
//!
//! ```text
//! leaf form --emit--> Function (virtual registers) --allocate--> Allocated --encode--> bytes
//! ```

pub mod allocate;
pub mod contract;
mod emitted;
pub mod function;
pub mod inst;
pub mod map;
pub mod movement;
pub mod nest;
pub mod portable;
pub mod probe;
pub mod supports;
mod tail;
mod visit;
pub mod x86;

pub use emitted::Emitted;
