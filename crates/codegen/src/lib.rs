//! Machine code for tensor processing primitives.
//!
//! ```text
//! leaf form --emit--> Function (virtual registers) --allocate--> Allocated --encode--> bytes
//! ```

pub mod allocate;
pub mod function;
pub mod inst;
pub mod x86;
