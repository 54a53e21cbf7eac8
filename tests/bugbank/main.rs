//! Reports of mistakes in other runtimes, with the right answers (`docs/bugbank.md`): models are computed by the interpreter
//! and by kernels of every level of instructions, which agree.

mod common;
mod elementwise;
mod gradients;
mod indexing;
mod models;
mod normalize;
mod quantized;
mod reduce;
mod sessions;
mod shape;
mod windows;
