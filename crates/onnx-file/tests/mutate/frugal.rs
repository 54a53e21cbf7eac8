//! The time and the memory that a file may take.

use super::{Mutator, bombs, seeds};
use bytes::Bytes;
use peak_alloc::PeakAlloc;
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BASE: usize = 64 << 20;
const FACTOR: usize = 10;
const PATIENCE: Duration = Duration::from_secs(1);

/// Makes something of a file, or says why not.
pub type Attempt = fn(&Bytes) -> Result<(), String>;

/// Whether the attempt succeeds; panics with `label` when it takes too much.
pub fn survives(label: &str, file: &Bytes, attempt: Attempt) -> bool {
    MEMORY.reset_peak_usage();
    let (before, begin) = (MEMORY.current_usage(), Instant::now());
    let result = attempt(file);
    let (taken, elapsed) = ((MEMORY.peak_usage() - before) + file.len(), begin.elapsed());
    let error = result.as_ref().err().map_or("", String::as_str);
    assert!(error.len() < 100_000, "{label}: a message without end");
    let allowed = FACTOR * file.len() + BASE;
    assert!(taken <= allowed, "{label}: {taken} bytes for a file of {}: {error}", file.len());
    assert!(elapsed < PATIENCE, "{label}: {elapsed:?} for a file of {} bytes: {error}", file.len());
    result.is_ok()
}

/// Tries hostile files and `TW_MUTATIONS` damaged ones, else `count`: how many were tried, and how many succeed.
pub fn survivors(count: u64, attempt: Attempt) -> (u64, u64) {
    for (label, file) in bombs() {
        survives(&label, &file, attempt);
    }
    let count = std::env::var("TW_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(count);
    let seeds = seeds();
    let mutated = |seed: &u64| {
        let (label, file) = Mutator::new(*seed).mutate(&seeds);
        survives(&format!("{label}, seed {seed}"), &file, attempt)
    };
    let succeed = (0..count).filter(mutated).count() as u64;
    println!("{count} mutations of {} models, {succeed} of them succeed", seeds.len());
    (count, succeed)
}
