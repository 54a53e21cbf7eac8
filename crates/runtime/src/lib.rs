//! What runs: executable memory, the cache of kernels, threads, aligned buffers.
//!
//! This crate executes what others emit and knows nothing of how it came to be: a kernel is bytes with a name.

pub mod code;
