//! Damaged and hostile model files: none may panic, take a second, or take memory that its size does not justify.
//!
//! `TW_MUTATIONS=200000` sets how many files are tried, `TW_SHARED` names a folder with more models to start from.
mod common;
mod mutate;

use bytes::Bytes;
use mutate::{Mutator, bombs, seeds};
use peak_alloc::PeakAlloc;
use std::time::{Duration, Instant};
use tilewright_onnx_file::{Graph, Limits, Model};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const BASE: usize = 64 << 20;
const FACTOR: usize = 10;
const PATIENCE: Duration = Duration::from_secs(1);

/// Loads a file and uses what came of it; fails with `label` when that took too much.
fn survives(label: &str, file: &Bytes) -> bool {
    MEMORY.reset_peak_usage();
    let (before, begin) = (MEMORY.current_usage(), Instant::now());
    let loaded = Model::from_bytes(file.clone(), None, &Limits::default());
    match &loaded {
        Ok(model) => touch(model),
        Err(error) => assert!(error.to_string().len() < 100_000, "{label}: a message without end"),
    }
    let taken = (MEMORY.peak_usage() - before) + file.len();
    let elapsed = begin.elapsed();
    let allowed = FACTOR * file.len() + BASE;
    assert!(taken <= allowed, "{label}: {taken} bytes for a file of {}: {:?}", file.len(), loaded.err());
    assert!(elapsed < PATIENCE, "{label}: {elapsed:?} for a file of {} bytes: {:?}", file.len(), loaded.err());
    loaded.is_ok()
}

/// Reads every part that an importer would.
fn touch(model: &Model) {
    touch_graph(&model.graph);
    for node in &model.graph.nodes {
        drop(model.function(node).map(|function| function.body(node)));
    }
}

fn touch_graph(graph: &Graph) {
    for node in &graph.nodes {
        node.loc();
        for (name, _) in node.attributes.iter() {
            drop((node.attr_int(name), node.attr_strs(name), node.attr_tensor(name), node.attr_graph(name)));
        }
        node.bodies().for_each(touch_graph);
    }
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn hostile_files_are_refused_cheaply() {
    for (label, file) in bombs() {
        survives(&label, &file);
    }
    let count = std::env::var("TW_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(4000u64);
    let seeds = seeds();
    for (label, file) in &seeds {
        assert!(survives(label, file), "{label} should load");
    }
    let mut accepted = 0u64;
    for seed in 0..count {
        let (label, file) = Mutator::new(seed).mutate(&seeds);
        accepted += u64::from(survives(&format!("{label}, seed {seed}"), &file));
    }
    println!("{count} mutations of {} models, {accepted} of them still load", seeds.len());
    // Mutations that all fail at the first byte would prove nothing.
    assert!(accepted > count / 50 && accepted < count);
}
