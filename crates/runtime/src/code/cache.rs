//! A concurrent cache in which each value is emitted once, however many threads ask for it at the same time.
//!
//! ```text
//!          ask            emit: Ok
//! absent ------> emitting ---------> ready ---> evicted when over the limit and nobody else holds it
//!    ^               | emit: error or panic: all who wait get the error, nothing is kept
//!    +---------------+
//! ```

use super::{
    hash::{Fold, Hashed},
    memory::Kernel,
};
use crate::global::{Release, Side};
use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, RwLock, thread};
use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash},
    sync::{Arc, PoisonError},
};
use tilewright_support::{Diagnostic, Result};

/// Parts of the table with a lock each.
const SHARDS: usize = if cfg!(loom) { 1 } else { 16 };

/// What a [`Cache`] goes by.
pub trait Key: Eq + Clone {
    /// The key as those who ask have it: borrowed, so that looking up copies nothing.
    type Asked<'a>: Copy + Hash;

    /// Whether this is the key that is asked for. Keys that are equal have equal hashes, asked for.
    fn is(&self, asked: Self::Asked<'_>) -> bool;

    /// The key to be kept.
    fn keep(asked: Self::Asked<'_>) -> Self;
}

/// What can be held in a [`Cache`]: clones are the same value.
pub trait Shared: Clone {
    /// Bytes that count towards the limit of the cache.
    fn bytes(&self) -> usize;

    /// Whether there is no other clone.
    fn alone(&self) -> bool;
}

impl Shared for Arc<Kernel> {
    fn bytes(&self) -> usize {
        self.occupied()
    }

    fn alone(&self) -> bool {
        Arc::strong_count(self) == 1
    }
}

/// What a [`Cache`] holds, and what it has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Bytes of the values that are present.
    pub bytes: usize,
    /// Values that are present.
    pub values: usize,
    /// Values emitted so far.
    pub emissions: u64,
    /// Values evicted so far.
    pub evictions: u64,
}

/// Values by their keys. Looking up a present key takes a read lock on a part of the table and no other.
pub struct Cache<K, V> {
    shards: Box<[RwLock<Shard<K, V>>]>,
    hasher: Fold,
    limit: usize,
    /// Bytes of the values that are present, and their number.
    bytes: AtomicUsize,
    values: AtomicUsize,
    /// Eviction is tried beyond this many bytes; never below the limit.
    threshold: AtomicUsize,
    /// Counts emissions: the time by which entries are old or young.
    clock: AtomicU64,
    evictions: AtomicU64,
}

/// Entries by the hash of their keys; more than one only where hashes collide.
type Shard<K, V> = HashMap<u64, Vec<Entry<K, V>>, Hashed>;

struct Entry<K, V> {
    key: K,
    slot: Slot<V>,
    /// The clock when the entry was last asked for.
    used: AtomicU64,
}

enum Slot<V> {
    Ready(V),
    Emitting(Arc<Pending<V>>),
}

/// An emission that others wait for.
struct Pending<V> {
    outcome: Mutex<Option<Result<V>>>,
    settled: Condvar,
    emitter: thread::ThreadId,
}

/// The duty to settle an entry that is being emitted; a panic of the emitter settles it with an error.
struct Turn<'c, 'k, K: Key, V: Shared> {
    cache: &'c Cache<K, V>,
    hash: u64,
    key: K::Asked<'k>,
    pending: Arc<Pending<V>>,
    outcome: Result<V>,
}

/// What a thread finds that asks for a key.
enum Found<V> {
    Ready(V),
    Wait(Arc<Pending<V>>),
    Emit(Arc<Pending<V>>),
}

/// An entry that could go: when it was last used, and where it is.
struct Candidate<K> {
    used: u64,
    hash: u64,
    key: K,
}

impl<K: Key, V: Shared> Cache<K, V> {
    /// An empty cache that holds at most about `limit` bytes of values that nobody else holds.
    pub fn new(limit: usize) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| RwLock::new(Shard::default())).collect(),
            hasher: Fold::new(),
            limit,
            bytes: AtomicUsize::new(0),
            values: AtomicUsize::new(0),
            threshold: AtomicUsize::new(limit),
            clock: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
        }
    }

    /// The value of a key that is present.
    pub fn get(&self, key: K::Asked<'_>) -> Option<V> {
        self.present(self.hasher.hash_one(key), key)
    }

    /// The value of a key, emitted by the first thread that asks for it; the others wait. `emit` may ask for other
    /// keys, but not in a circle.
    ///
    /// # Errors
    /// Those of `emit`, for all who asked meanwhile; the next who asks emits anew.
    pub fn get_or_emit(&self, key: K::Asked<'_>, emit: impl FnOnce() -> Result<V>) -> Result<V> {
        let hash = self.hasher.hash_one(key);
        if let Some(value) = self.present(hash, key) {
            return Ok(value);
        }
        match self.enter(hash, key) {
            Found::Ready(value) => Ok(value),
            Found::Wait(pending) => pending.wait(),
            Found::Emit(pending) => {
                let mut turn = Turn { cache: self, hash, key, pending, outcome: Err(panicked()) };
                turn.outcome = emit();
                let outcome = turn.outcome.clone();
                drop(turn);
                self.trim();
                outcome
            }
        }
    }

    /// What it holds, and what it has done.
    pub fn usage(&self) -> CacheUsage {
        CacheUsage {
            bytes: self.bytes.load(Ordering::Relaxed),
            values: self.values.load(Ordering::Relaxed),
            emissions: self.clock.load(Ordering::Relaxed),
            evictions: self.evictions.load(Ordering::Relaxed),
        }
    }

    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn shard(&self, hash: u64) -> &RwLock<Shard<K, V>> {
        // The table within a shard goes by the low and the topmost bits.
        &self.shards[(hash >> 32) as usize % SHARDS]
    }

    fn present(&self, hash: u64, key: K::Asked<'_>) -> Option<V> {
        let shard = self.shard(hash).read().unwrap_or_else(PoisonError::into_inner);
        let entry = shard.get(&hash)?.iter().find(|entry| entry.key.is(key))?;
        let Slot::Ready(value) = &entry.slot else { return None };
        let now = self.clock.load(Ordering::Relaxed);
        if entry.used.load(Ordering::Relaxed) != now {
            entry.used.store(now, Ordering::Relaxed);
        }
        Some(value.clone())
    }

    /// Finds the entry of a key, or makes one that the caller has to settle.
    fn enter(&self, hash: u64, key: K::Asked<'_>) -> Found<V> {
        let mut shard = self.shard(hash).write().unwrap_or_else(PoisonError::into_inner);
        let entries = shard.entry(hash).or_default();
        if let Some(entry) = entries.iter().find(|entry| entry.key.is(key)) {
            return match &entry.slot {
                Slot::Ready(value) => Found::Ready(value.clone()),
                Slot::Emitting(pending) => Found::Wait(Arc::clone(pending)),
            };
        }
        let pending = Arc::new(Pending::new());
        let slot = Slot::Emitting(Arc::clone(&pending));
        entries.push(Entry { key: K::keep(key), slot, used: AtomicU64::new(0) });
        Found::Emit(pending)
    }

    /// Makes the entry of a key ready, or removes it.
    fn settle(&self, hash: u64, key: K::Asked<'_>, outcome: &Result<V>) {
        let mut shard = self.shard(hash).write().unwrap_or_else(PoisonError::into_inner);
        let Ok(value) = outcome else {
            remove(&mut shard, hash, |entry| entry.key.is(key));
            return;
        };
        let entry = shard.get_mut(&hash).and_then(|entries| entries.iter_mut().find(|entry| entry.key.is(key)));
        if let Some(entry) = entry {
            entry.slot = Slot::Ready(value.clone());
            entry.used = AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed) + 1);
            self.bytes.fetch_add(value.bytes(), Ordering::Relaxed);
            self.values.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Evicts old values that nobody else holds until an eighth of the limit is free again, when over the threshold.
    fn trim(&self) {
        if self.bytes() <= self.threshold.load(Ordering::Relaxed) {
            return;
        }
        let step = self.limit / 8;
        let mut candidates: Vec<_> = self.shards.iter().flat_map(candidates).collect();
        candidates.sort_by_key(|candidate| candidate.used);
        for Candidate { hash, key, .. } in candidates {
            if self.bytes() <= self.limit - step {
                break;
            }
            let mut shard = self.shard(hash).write().unwrap_or_else(PoisonError::into_inner);
            if let Some(value) = remove(&mut shard, hash, |entry| entry.key == key && entry.idle()) {
                self.bytes.fetch_sub(value.bytes(), Ordering::Relaxed);
                self.values.fetch_sub(1, Ordering::Relaxed);
                self.evictions.fetch_add(1, Ordering::Relaxed);
            }
        }
        // What is in use cannot go; to look for more after each emission would be in vain.
        self.threshold.store(self.limit.max(self.bytes().saturating_add(step)), Ordering::Relaxed);
    }
}

impl<K: Key, V: Shared> Cache<K, V> {
    /// Keeps all entries as they are over a fork. In the child nobody finishes what others emit: those are asked anew.
    pub(super) fn hold(&'static self) -> Release {
        let lock = |shard: &'static RwLock<Shard<K, V>>| shard.write().unwrap_or_else(PoisonError::into_inner);
        let shards: Vec<_> = self.shards.iter().map(lock).collect();
        Box::new(move |side| {
            for mut shard in shards.into_iter().filter(|_| side == Side::Child) {
                shard.values_mut().for_each(|entries| entries.retain(|entry| matches!(entry.slot, Slot::Ready(_))));
                shard.retain(|_, entries| !entries.is_empty());
            }
        })
    }
}

/// The entries of a shard that nobody uses.
fn candidates<K: Key, V: Shared>(shard: &RwLock<Shard<K, V>>) -> Vec<Candidate<K>> {
    let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
    let entries = shard.iter().flat_map(|(&hash, entries)| entries.iter().map(move |entry| (hash, entry)));
    entries
        .filter(|(_, entry)| entry.idle())
        .map(|(hash, entry)| Candidate { used: entry.used.load(Ordering::Relaxed), hash, key: entry.key.clone() })
        .collect()
}

/// Removes an entry and gives its value, if it had one.
fn remove<K, V>(shard: &mut Shard<K, V>, hash: u64, is: impl Fn(&Entry<K, V>) -> bool) -> Option<V> {
    let entries = shard.get_mut(&hash)?;
    let entry = entries.swap_remove(entries.iter().position(is)?);
    if entries.is_empty() {
        shard.remove(&hash);
    }
    match entry.slot {
        Slot::Ready(value) => Some(value),
        Slot::Emitting(_) => None,
    }
}

impl<K, V: Shared> Entry<K, V> {
    /// Whether only the cache holds the value. Under the write lock this stays so.
    fn idle(&self) -> bool {
        matches!(&self.slot, Slot::Ready(value) if value.alone())
    }
}

impl<V: Clone> Pending<V> {
    fn new() -> Self {
        Self { outcome: Mutex::new(None), settled: Condvar::new(), emitter: thread::current().id() }
    }

    fn wait(&self) -> Result<V> {
        if self.emitter == thread::current().id() {
            return Err(Diagnostic::internal("the emission of a kernel asks for the kernel itself"));
        }
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = &*outcome {
                return outcome.clone();
            }
            outcome = self.settled.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<K: Key, V: Shared> Drop for Turn<'_, '_, K, V> {
    fn drop(&mut self) {
        self.cache.settle(self.hash, self.key, &self.outcome);
        *self.pending.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.outcome.clone());
        self.pending.settled.notify_all();
    }
}

fn panicked() -> Box<Diagnostic> {
    Diagnostic::internal("the emission of a kernel panicked")
}

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;
