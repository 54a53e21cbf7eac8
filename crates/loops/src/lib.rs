//! Tensor processing primitives: what they are, and what they mean exactly.
#![forbid(unsafe_code)]

pub mod block;
pub mod contract;
pub mod expand;
pub mod map;
pub mod movement;
pub mod normalize;
pub mod prim;
pub mod tpp;
