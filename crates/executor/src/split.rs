//! How the iterations of a kernel are shared among threads: chunks of about the same, short time.

use std::ops::Range;
use tilewright_graph::Func;
use tilewright_graph::scalar::Kind;
use tilewright_loops::map::{Map, Sink, Stride};
use tilewright_nests::{Form, Kernel, Leaf, Loop};

/// The longest that a chunk should take, in nanoseconds: a thread that loses its core delays the others by no more.
const CHUNK: f64 = 100_000.0;

/// The shortest that it should take: claiming it costs some dozens of nanoseconds, and lines of memory move.
const SHORT: f64 = 4_000.0;

/// Chunks for each thread, so that they end at about the same time.
const EACH: usize = 4;

/// Kernels shorter than this are not worth waking a thread.
const WAKE: f64 = 40_000.0;

/// Kernels shorter than this are not worth sharing with threads that are awake.
const SHARE: f64 = 8_000.0;

/// Iterations of a kernel in chunks.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    iterations: usize,
    /// Iterations of a chunk.
    chunk: usize,
    /// What the kernel takes on one thread, in nanoseconds, about.
    time: f64,
}

impl Split {
    /// For a kernel on at most so many threads.
    pub fn of(kernel: &Kernel, threads: usize) -> Self {
        let iterations = kernel.iterations();
        let mut once = 0.0;
        kernel.leaves(&mut |loops, leaf| {
            once += time(leaf) * repeats(&loops[kernel.parallel.len()..]);
        });
        let longest = (CHUNK / once).clamp(1.0, 1e9) as usize;
        let shortest = (SHORT / once).clamp(1.0, 1e9) as usize;
        let even = iterations.div_ceil(EACH * threads.max(1)).max(1);
        Self { iterations, chunk: longest.min(even.max(shortest)), time: once * iterations as f64 }
    }

    /// Each iteration is a chunk that is worth every thread.
    pub fn finest(kernel: &Kernel) -> Self {
        Self { iterations: kernel.iterations(), chunk: 1, time: f64::INFINITY }
    }

    /// The number of chunks.
    pub fn chunks(&self) -> usize {
        self.iterations.div_ceil(self.chunk)
    }

    /// The iterations of a chunk.
    pub fn range(&self, chunk: usize) -> Range<usize> {
        let start = chunk * self.chunk;
        start..self.iterations.min(start + self.chunk)
    }

    /// The threads that are worth their trouble, if so many workers are `awake`.
    pub fn threads(&self, most: usize, awake: impl FnOnce() -> usize) -> usize {
        let worth = |awake: usize| if awake > 0 { self.time >= SHARE } else { self.time >= WAKE };
        if most < 2 || self.chunk >= self.iterations || self.time < SHARE || !worth(awake()) { 1 } else { most }
    }
}

fn repeats(loops: &[&Loop]) -> f64 {
    loops.iter().map(|l| l.trips as f64).product()
}

/// Nanoseconds that a leaf takes, about: the larger of what its arithmetic and its memory take.
fn time(leaf: &Leaf) -> f64 {
    /// Nanoseconds to begin one.
    const START: f64 = 10.0;
    let sizes: Vec<f64> = leaf.sizes.iter().map(|s| s.largest() as f64).collect();
    let elements: f64 = sizes.iter().take(2).product();
    START
        + match &leaf.form {
            Form::Map(map) => {
                // Some 16 lanes and two steps in a cycle of a third of a nanosecond; strided and gathered ones are slow.
                let near = map.operands.iter().all(|o| o.column != Stride::General);
                let each = instructions(map) * 0.0125 + if near { 0.0 } else { 1.0 };
                let bytes: usize = map.operands.iter().filter(|o| o.has_rows()).map(|o| o.dtype.bits() / 8).sum();
                elements * each.max(bytes as f64 * 0.02)
            }
            Form::Move(m) => elements * f64::from(m.element) * 0.2,
            Form::Block(_) => 2.0 * sizes.iter().product::<f64>() / 80.0,
        }
}

/// Vector instructions for the elements of a vector, about.
fn instructions(map: &Map) -> f64 {
    let mut sum = 0.0;
    for sink in map.stages.iter().flat_map(|s| &s.sinks) {
        let (Sink::Store { value, .. } | Sink::Reduce { value, .. }) = sink;
        value.visit(&mut |v| {
            sum += match v.kind() {
                Kind::Call(Func::Add | Func::Sub | Func::Mul | Func::Min | Func::Max | Func::Select, _) => 1.0,
                Kind::Call(..) => 10.0,
                _ => 0.5,
            }
        });
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_iterations_once() {
        for (iterations, chunk) in [(0, 1), (1, 1), (7, 3), (9, 3), (10, 100)] {
            let split = Split { iterations, chunk, time: 1e6 };
            let all: Vec<usize> = (0..split.chunks()).flat_map(|c| split.range(c)).collect();
            assert_eq!(all, (0..iterations).collect::<Vec<_>>());
        }
    }

    #[test]
    fn threads_are_woken_for_long_kernels_alone() {
        let split = |time| Split { iterations: 100, chunk: 10, time };
        assert_eq!(split(1e6).threads(4, || 0), 4);
        assert_eq!(split(1e6).threads(1, || 0), 1);
        assert_eq!((split(2e4).threads(4, || 0), split(2e4).threads(4, || 1)), (1, 4));
        assert_eq!(split(2e3).threads(4, || 1), 1);
        assert_eq!(Split { iterations: 10, chunk: 10, time: 1e6 }.threads(4, || 3), 1);
    }
}
