//! Machine code at rest: where it lies, who holds it, how outside tools see it.

mod cache;
mod hash;
mod library;
mod mapping;
mod memory;
mod profile;
mod spans;

pub use cache::{Cache, CacheUsage, Key, Shared};
pub use library::Library;
pub use memory::{CodeMemory, CodeUsage, Kernel};
pub use profile::ProfileOptions;
