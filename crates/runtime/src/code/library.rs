//! All kernels of a process: the cache that finds them, and the memory that most of them lie in.

use super::{
    cache::{Cache, CacheUsage, Key, Shared},
    memory::{CodeMemory, CodeUsage},
};
use crate::global::{Part, Release};

/// Kernels by what is baked into them, in one code memory under one limit.
///
/// In the child of a fork they can be looked up and called; what another thread was emitting is emitted anew.
pub struct Library<K, V> {
    /// Where kernels are published.
    pub memory: CodeMemory,
    /// Where they are looked up.
    pub cache: Cache<K, V>,
}

impl<K: Key, V: Shared> Library<K, V> {
    /// None yet. Those that nobody uses are evicted beyond about so many bytes.
    pub fn new(limit: usize) -> Self {
        Self { memory: CodeMemory::new(), cache: Cache::new(limit) }
    }

    /// What the cache holds and has done, and what the memory holds.
    pub fn usage(&self) -> (CacheUsage, CodeUsage) {
        (self.cache.usage(), self.memory.usage())
    }
}

impl<K: Key + Send + Sync, V: Shared + Send + Sync> Part for Library<K, V> {
    /// Evicting a kernel frees its memory under the lock of a part of the cache: hence this order.
    fn hold(&'static self) -> Release {
        let (cache, memory) = (self.cache.hold(), self.memory.hold());
        Box::new(move |side| {
            memory(side);
            cache(side);
        })
    }
}
