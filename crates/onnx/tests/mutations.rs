//! Damaged and hostile models, translated: none may panic, take a second, or take memory that its size does not justify.
//!
//! `TW_MUTATIONS=200000` sets how many files are tried, `TW_SHARED` names a folder with more models to start from.
mod common;
#[path = "../../onnx-file/tests/mutate/mod.rs"]
mod mutate;

use bytes::Bytes;
use mutate::{Mutator, bombs, seeds};
use peak_alloc::PeakAlloc;
use std::time::{Duration, Instant};
use tilewright_onnx::import::{Facts, import};
use tilewright_onnx::{Limits, Model};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BASE: usize = 64 << 20;
const FACTOR: usize = 10;
const PATIENCE: Duration = Duration::from_secs(1);

/// Loads and translates a file; fails with `label` when that took too much. Whether it got as far as a translation.
fn survives(label: &str, file: &Bytes) -> bool {
    MEMORY.reset_peak_usage();
    let (before, begin) = (MEMORY.current_usage(), Instant::now());
    let loaded = Model::from_bytes(file.clone(), None, &Limits::default());
    let result = loaded.and_then(|model| import(&model, &Facts::default()));
    let (taken, elapsed) = ((MEMORY.peak_usage() - before) + file.len(), begin.elapsed());
    let error = result.as_ref().err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.len() < 100_000, "{label}: a message without end");
    let allowed = FACTOR * file.len() + BASE;
    assert!(taken <= allowed, "{label}: {taken} bytes for a file of {}: {error}", file.len());
    assert!(elapsed < PATIENCE, "{label}: {elapsed:?} for a file of {} bytes: {error}", file.len());
    result.is_ok()
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn hostile_models_are_translated_or_refused_cheaply() {
    for (label, file) in bombs() {
        survives(&label, &file);
    }
    let count = std::env::var("TW_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1000u64);
    let seeds = seeds();
    let mut translated = 0u64;
    for seed in 0..count {
        let (label, file) = Mutator::new(seed).mutate(&seeds);
        translated += u64::from(survives(&format!("{label}, seed {seed}"), &file));
    }
    println!("{count} mutations of {} models, {translated} of them are translated", seeds.len());
    assert!(translated > count / 100 && translated < count);
}
