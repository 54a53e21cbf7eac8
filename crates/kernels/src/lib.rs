//! Matrix products and convolutions driven by kernels, and what this machine reaches.
//!
//! A driver chooses a register tile, packs what is constant, and calls one kernel a tile. The schedules here are plain;
//! what they prove is that the kernels reach the machine's limits.

mod after;
mod arguments;
mod around;
mod block;
mod callable;
mod choice;
pub mod conv;
mod few;
mod leaf;
mod left;
mod machine;
pub mod maps;
pub mod matmul;
pub mod measure;
mod moves;
pub mod nest;
mod pack;
mod panels;
pub mod report;
mod shared;
pub mod suite;
mod tile;

pub use callable::Callable;
pub use machine::{Machine, profile, usage};
pub use pack::{Packed, Scratch};
pub use panels::Plain;
pub use tile::Tile;
pub use tilewright_runtime::code::{CacheUsage, CodeUsage, ProfileOptions};
