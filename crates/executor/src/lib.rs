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
mod different;
mod executable;
mod gaps;
mod liveness;
mod memory;
mod plan;
mod prepare;
mod replay;
mod report;
mod run;
mod search;
mod segment;
mod shared;
mod split;
mod strided;
mod trace;
mod trial;
mod watch;
mod watched;

pub use arenas::Arenas;
pub use different::{Different, Element, arguments, compare};
pub use executable::{Executable, Settings};
pub use replay::{Replay, Replayed};
pub use search::{Found, Search};
pub use tilewright_runtime::guarded::Guarded;
pub use trace::Trace;
pub use trial::Trial;
pub use watch::{Observed, Observer, Report, Watch};
