//! Times, and the limits that they are compared with.

use crate::machine::Machine;
use std::sync::Arc;
use std::time::Instant;
use tilewright_codegen::probe;
use tilewright_loops::contract::Product;
use tilewright_runtime::aligned::Buffer;
use tilewright_runtime::code::Kernel;
use tilewright_runtime::pool::Pool;
use tilewright_support::Result;

/// The fewest samples of a median, and the shortest of them in seconds.
const SAMPLES: usize = 21;
const SHORTEST: f64 = 1e-4;

/// The machine's limits on one core.
#[derive(Debug, Default)]
pub struct Limits {
    /// Those of the products that it has.
    pub peak: Vec<Peak>,
    /// 10^9 bytes a second read from the first, second and third cache, and from memory.
    pub bandwidth: [f64; 4],
}

/// How many multiply-adds of a product a core does when it does nothing else.
#[derive(Debug)]
pub struct Peak {
    /// The product.
    pub product: Product,
    /// 10^9 operations a second.
    pub gflops: f64,
    /// The loop, and the operations of a call.
    kernel: Arc<Kernel>,
    operations: f64,
}

/// Rounds of a call of the loop: some 30 us.
const ROUNDS: [u64; 1] = [10_000];

impl Peak {
    fn run(&self) {
        // SAFETY: the loop reads its argument and no other memory.
        unsafe { self.kernel.call(ROUNDS.as_ptr()) };
    }
}

/// What a call took.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// The median time in seconds.
    pub seconds: f64,
    /// The median share of the peak, in percent.
    pub percent: f64,
}

impl Limits {
    /// Measures them.
    ///
    /// # Errors
    /// `Unsupported` on a machine without vectors.
    pub fn measure(machine: &Machine) -> Result<Self> {
        let mut limits = Self::default();
        for product in [Product::F32, Product::F64, Product::Bf16, Product::U8S8] {
            let Ok(emitted) = probe::peak(product, &machine.target()) else { continue };
            let operations = probe::peak_operations(product, machine.target().level) as f64 * ROUNDS[0] as f64;
            let mut peak = Peak { product, gflops: 0.0, kernel: machine.publish(&emitted)?, operations };
            peak.gflops = operations / median(SAMPLES, || peak.run()) / 1e9;
            limits.peak.push(peak);
        }
        let kernel = machine.publish(&probe::read(&machine.target())?)?;
        let sizes = [machine.target().l1 / 2, machine.target().l2 / 2, 8 << 20, 256 << 20];
        for (bandwidth, size) in limits.bandwidth.iter_mut().zip(sizes) {
            let mut buffer = Buffer::zeroed(size)?;
            buffer.bytes_mut().fill(1);
            let args = [(4 << 20) / size as u64 + 1, buffer.bytes().as_ptr() as u64, size as u64];
            // SAFETY: the loop reads the buffer, whose size is a multiple of 512.
            let seconds = median(11, || unsafe { kernel.call(args.as_ptr()) });
            *bandwidth = (args[0] as usize * size) as f64 / seconds / 1e9;
        }
        Ok(limits)
    }

    /// Times a call of so many operations beside the loop of its product, in turns, on as many threads.
    pub fn time(&self, product: Product, threads: usize, operations: f64, mut call: impl FnMut()) -> Timed {
        let product = if product.c().is_float() { product } else { Product::U8S8 };
        let Some(peak) = self.peak.iter().find(|p| p.product == product) else {
            return Timed { seconds: median(SAMPLES, call), percent: f64::NAN };
        };
        let mut reference = || Pool::global().run(threads, threads, &|_, _| peak.run());
        let (one, other) = (rounds(&mut reference), rounds(&mut call));
        let pairs = (0..SAMPLES).map(|_| (sample(one, &mut reference), sample(other, &mut call)));
        let (mut shares, mut times) = (Vec::new(), Vec::new());
        for (reference, time) in pairs {
            times.push(time);
            shares.push(100.0 * operations / time / (peak.operations * threads as f64 / reference));
        }
        Timed { seconds: middle(times), percent: middle(shares) }
    }
}

/// How much longer the second of two calls takes, in percent: the median over alternating runs, and half of the width
/// of its 95 % interval.
pub fn cost(pairs: usize, mut plain: impl FnMut(), mut other: impl FnMut()) -> (f64, f64) {
    let (one, two) = (rounds(&mut plain), rounds(&mut other));
    let mut costs = Vec::with_capacity(pairs);
    for _ in 0..pairs {
        let plain = sample(one, &mut plain);
        costs.push(100.0 * (sample(two, &mut other) / plain - 1.0));
    }
    costs.sort_by(f64::total_cmp);
    // Order statistics of the median: n/2 -+ 0.98 sqrt(n).
    let reach = (0.98 * (pairs as f64).sqrt()).ceil() as usize;
    let (low, high) = ((pairs / 2).saturating_sub(reach), (pairs / 2 + reach).min(pairs - 1));
    (costs[pairs / 2], (costs[high] - costs[low]) / 2.0)
}

/// The median time of a call in seconds, from so many samples of at least a tenth of a millisecond.
pub fn median(samples: usize, mut call: impl FnMut()) -> f64 {
    let rounds = rounds(&mut call);
    middle((0..samples).map(|_| sample(rounds, &mut call)).collect())
}

fn middle(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

/// Calls that take a sample's time.
fn rounds(call: &mut impl FnMut()) -> usize {
    call();
    let mut rounds = 1;
    while sample(rounds, call) * (rounds as f64) < SHORTEST {
        rounds *= 2;
    }
    rounds
}

/// The time of a call, from so many.
fn sample(rounds: usize, call: &mut impl FnMut()) -> f64 {
    let begin = Instant::now();
    (0..rounds).for_each(|_| call());
    begin.elapsed().as_secs_f64() / rounds as f64
}
