//! What runs: executable memory, the cache of kernels, threads, aligned buffers.
//!
//! This crate executes what others emit and knows nothing of how it came to be: a kernel is bytes with a name.
//!
//! The protocols between threads are checked under all interleavings by `loom`:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p tilewright-runtime --lib --release --target-dir target/loom
//! ```

pub mod aligned;
pub mod code;
pub mod global;
pub mod guarded;
mod pages;
pub mod pool;
mod sync;
