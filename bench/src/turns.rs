//! Times of two calls in turns.

use std::time::Instant;

/// Runs of each.
pub const PAIRS: usize = 21;

/// Seconds of a call, from enough of them.
fn sample(call: &mut dyn FnMut(), rounds: usize) -> f64 {
    let begin = Instant::now();
    (0..rounds).for_each(|_| call());
    begin.elapsed().as_secs_f64() / rounds as f64
}

fn rounds(call: &mut dyn FnMut()) -> usize {
    call();
    ((2e-4 / sample(call, 1)) as usize).max(1)
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

/// Medians of both, in turns.
pub fn pair(one: &mut dyn FnMut(), other: &mut dyn FnMut()) -> (f64, f64) {
    let (n, m) = (rounds(one), rounds(other));
    let pairs: Vec<(f64, f64)> = (0..PAIRS).map(|_| (sample(one, n), sample(other, m))).collect();
    (median(pairs.iter().map(|p| p.0).collect()), median(pairs.iter().map(|p| p.1).collect()))
}
