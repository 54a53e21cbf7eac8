//! Plans of kernels with planned memory, and their execution.
//!
//! ```text
//! Graph --segments--> at known sizes: Module (lower) --memory--> Plan --run--> values
//! ```
//!
//! A graph is cut where sizes become known that only a run tells. Each segment is lowered once for each set of sizes.

mod arenas;
mod constants;
mod control;
mod executable;
mod liveness;
mod memory;
mod plan;
mod prepare;
mod run;
mod segment;
mod shared;
mod split;
mod strided;

pub use arenas::Arenas;
pub use executable::{Executable, Settings};
pub use tilewright_runtime::guarded::Guarded;
