//! Times, and the limits that they are compared with.

use crate::machine::Machine;
use crate::maps;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use tilewright_codegen::probe;
use tilewright_loops::contract::{Contract, Product, Steps};
use tilewright_runtime::aligned::Buffer;
use tilewright_runtime::code::Kernel;
use tilewright_runtime::pool::Pool;
use tilewright_support::Result;

/// The fewest samples of a median, and the shortest of them in seconds.
const SAMPLES: usize = 21;
const SHORTEST: f64 = 1e-4;

/// The fewest pairs of calls that a cost is the median of, and the shortest time of all in seconds: the shorter the calls,
/// the more they differ, so that more pairs are needed.
const PAIRS: usize = 151;
const LONG: f64 = 1.5;

/// The machine's limits on one core.
#[derive(Debug, Default)]
pub struct Limits {
    /// Those of the products that it has.
    pub peak: Vec<Peak>,
    /// 10^9 bytes a second read from the first, second and third cache, and from memory.
    pub bandwidth: [f64; 4],
    /// The loop that reads.
    reading: Option<Arc<Kernel>>,
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
    /// Measures them. Without vectors there are no peaks, and bandwidths are those of a loop in Rust.
    ///
    /// # Errors
    /// `Limit` where there is no memory.
    pub fn measure(machine: &Machine) -> Result<Self> {
        let mut limits = Self::default();
        let target = machine.target();
        for product in [Product::F32, Product::F64, Product::Bf16, Product::U8S8] {
            let Ok(emitted) = probe::peak(product, &target) else { continue };
            let operations = probe::peak_operations(product, target.level) as f64 * ROUNDS[0] as f64;
            let mut peak = Peak { product, gflops: 0.0, kernel: machine.publish(&emitted)?, operations };
            peak.gflops = operations / median(SAMPLES, || peak.run()) / 1e9;
            limits.peak.push(peak);
        }
        limits.reading = probe::read(&target).ok().map(|emitted| machine.publish(&emitted)).transpose()?;
        let sizes = [target.l1 / 2, target.l2 / 2, 8 << 20, 256 << 20];
        for (level, size) in sizes.into_iter().enumerate() {
            let mut buffer = Buffer::zeroed(size)?;
            buffer.bytes_mut().fill(1);
            let times = (4 << 20) / size + 1;
            let seconds = median(11, || limits.read(&buffer, times));
            limits.bandwidth[level] = (times * size) as f64 / seconds / 1e9;
        }
        Ok(limits)
    }

    /// Reads a buffer so many times, but for what is left of it after whole lots of 512 bytes.
    fn read(&self, buffer: &Buffer, times: usize) {
        let whole = buffer.len() / 512 * 512;
        let args = [times as u64, buffer.as_ptr() as u64, whole as u64];
        match &self.reading {
            // SAFETY: the loop reads so many bytes of the buffer, a multiple of 512.
            Some(kernel) if whole > 0 => unsafe { kernel.call(args.as_ptr()) },
            _ => (0..times).for_each(|_| read(buffer.elements())),
        }
    }

    /// The share, in percent, that reading a buffer once has of the time of a call, in turns.
    pub(crate) fn share_of_reading(&self, buffer: &Buffer, call: &mut dyn FnMut()) -> f64 {
        in_turns(&mut || self.read(buffer, 1), call).percent
    }

    /// Times a call of so many operations beside the loop of its product, in turns, on as many threads.
    pub fn time(&self, product: Product, threads: usize, operations: f64, mut call: impl FnMut()) -> Timed {
        let product = if product.c().is_float() { product } else { Product::U8S8 };
        let Some(peak) = self.peak.iter().find(|p| p.product == product) else {
            return Timed { seconds: median(SAMPLES, call), percent: f64::NAN };
        };
        let mut reference = || Pool::global().run(threads, threads, &|_, _| peak.run());
        let timed = in_turns(&mut reference, &mut call);
        Timed { percent: timed.percent * operations / (peak.operations * threads as f64), ..timed }
    }
}

/// Reads numbers from end to end.
fn read(numbers: &[u64]) {
    black_box(numbers.iter().fold(0u64, |sum, x| sum.wrapping_add(*x)));
}

/// Times a call beside another, in turns: its median time, and the median of the other's times as shares of it.
pub(crate) fn in_turns(reference: &mut dyn FnMut(), call: &mut dyn FnMut()) -> Timed {
    let (one, other) = (rounds(reference), rounds(call));
    let (mut shares, mut times) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        let (reference, time) = (sample(one, reference), sample(other, call));
        times.push(time);
        shares.push(100.0 * reference / time);
    }
    Timed { seconds: middle(times), percent: middle(shares) }
}

/// A loop that does nothing but move bytes from end to end: a copy, or the sums of two arrays of f32.
pub(crate) struct Sweep {
    kernel: Option<Arc<Kernel>>,
    streams: Vec<Stream>,
    args: Vec<u64>,
}

/// Memory that starts at a place in its page where no other stream's does: a load must not wait for a store to another
/// page whose address ends alike.
pub(crate) struct Stream {
    buffer: Buffer,
    begin: usize,
    len: usize,
}

impl Stream {
    /// The stream of a number, with so many bytes of ones.
    pub fn new(number: usize, len: usize) -> Result<Self> {
        let mut buffer = Buffer::zeroed(len + 2 * PAGE)?;
        buffer.bytes_mut().fill(1);
        let page = buffer.as_ptr().addr().next_multiple_of(PAGE) - buffer.as_ptr().addr();
        Ok(Self { buffer, begin: page + number * APART % PAGE, len })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.buffer.bytes()[self.begin..][..self.len]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer.bytes_mut()[self.begin..][..self.len]
    }
}

/// Bytes whose addresses differ in the part that is compared first, and lines between the starts of streams in them.
const PAGE: usize = 4096;
const APART: usize = 21 * 64;

impl Sweep {
    /// So many arrays are read and one is written, each of so many bytes, rounded up.
    pub fn new(machine: &Machine, reads: usize, bytes: usize) -> Result<Self> {
        let bytes = bytes.next_multiple_of(512);
        let emitted = probe::stream(reads, &machine.target()).ok();
        let kernel = emitted.map(|emitted| machine.publish(&emitted)).transpose()?;
        let mut streams = (0..=reads).map(|number| Stream::new(number, bytes)).collect::<Result<Vec<_>>>()?;
        let addresses = streams.iter_mut().map(|stream| stream.bytes_mut().as_mut_ptr() as u64);
        let args = [bytes as u64].into_iter().chain(addresses).collect();
        Ok(Self { kernel, streams, args })
    }

    /// Once from end to end.
    pub fn run(&mut self) {
        if let Some(kernel) = &self.kernel {
            // SAFETY: the arguments are the buffers and their size, a multiple of 512.
            return unsafe { kernel.call(self.args.as_ptr()) };
        }
        let Some((to, from)) = self.streams.split_last_mut() else { return };
        match from {
            [x, y] => {
                let float = |four: &[u8]| f32::from_ne_bytes([four[0], four[1], four[2], four[3]]);
                let both = x.bytes().chunks_exact(4).zip(y.bytes().chunks_exact(4));
                let sums = both.map(|(x, y)| float(x) + float(y));
                to.bytes_mut().chunks_exact_mut(4).zip(sums).for_each(|(z, x)| z.copy_from_slice(&x.to_ne_bytes()));
            }
            _ => to.bytes_mut().copy_from_slice(from[0].bytes()),
        }
    }
}

/// Seconds of looking up a kernel that is there: a Contract, and a map of ten operations.
///
/// # Errors
/// As [`Machine::contract`].
pub fn look_up(machine: &Machine) -> Result<[f64; 2]> {
    let (product, a_steps) = (Product::F32, Steps::Dense);
    let contract = Contract { product, rows: 6, vectors: 1, group: Contract::GROUP, a_steps, partial: false };
    let map = maps::ten_operations();
    machine.contract(&contract)?;
    machine.map(&map)?;
    let many = |ask: &dyn Fn()| median(SAMPLES, || (0..1000).for_each(|_| ask())) / 1000.0;
    Ok([many(&|| drop(black_box(machine.contract(&contract)))), many(&|| drop(black_box(machine.map(&map))))])
}

/// How much longer the second of two calls takes, in percent: the median over alternating runs, and half of the width
/// of its 95 % interval.
pub fn cost(mut plain: impl FnMut(), mut other: impl FnMut()) -> (f64, f64) {
    let (one, two) = (rounds(&mut plain), rounds(&mut other));
    let (begin, mut costs) = (Instant::now(), Vec::new());
    while costs.len() < PAIRS || begin.elapsed().as_secs_f64() < LONG {
        let plain = sample(one, &mut plain);
        costs.push(100.0 * (sample(two, &mut other) / plain - 1.0));
    }
    costs.sort_by(f64::total_cmp);
    let pairs = costs.len();
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
fn rounds(call: &mut (impl FnMut() + ?Sized)) -> usize {
    call();
    let mut rounds = 1;
    while sample(rounds, call) * (rounds as f64) < SHORTEST {
        rounds *= 2;
    }
    rounds
}

/// The time of a call, from so many.
fn sample(rounds: usize, call: &mut (impl FnMut() + ?Sized)) -> f64 {
    let begin = Instant::now();
    (0..rounds).for_each(|_| call());
    begin.elapsed().as_secs_f64() / rounds as f64
}
