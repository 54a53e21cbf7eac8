//! Direct convolution on blocked layouts: channels in blocks of 64, the input without padding.
//!
//! Output places with the same taps inside the input form a region; a tile is a run of places of one region, and its
//! batch is the region's taps, so that a tap on padding costs nothing. The input blocks are walked outside of the
//! regions, which keeps a block's weights in the second cache.
//!
//! A tile of one place takes the weights of its taps from the second cache, which is half as fast as it multiplies. So
//! an edge of a small image, where the corners would be such tiles, goes tap by tap: all places that have a tap add its
//! products to what is stored.

use crate::arguments;
use crate::callable::Callable;
use crate::machine::Machine;
use crate::shared::Shared;
use std::ops::Range;
use tilewright_codegen::contract::lanes;
use tilewright_loops::contract::{AHEAD, ARGS, Arg, Contract, Product, Steps};
use tilewright_runtime::pool::Pool;
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Result};

/// Channels of a block.
pub const BLOCK: usize = 64;

/// Bytes of the channels of a block.
const BYTES: usize = BLOCK * 4;

/// The most vectors of sums that stay in registers: those of 32 of them, or of 16.
const SUMS: [usize; 2] = [24, 12];

/// The sizes of a convolution of one image in f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Blocks of input channels.
    pub input_blocks: usize,
    /// Blocks of output channels.
    pub output_blocks: usize,
    /// Rows and columns of the input.
    pub input: [usize; 2],
    /// Rows and columns of the window.
    pub window: [usize; 2],
    /// Places from a window to the next.
    pub stride: usize,
    /// Zeros around the input, which are not there.
    pub pad: usize,
}

/// The most places of an output: a plan lists them by the tile.
const MOST_PLACES: usize = 1 << 24;

impl Sizes {
    /// Whether a window fits the input with its zeros, and each operand any memory.
    fn check(&self) -> Result<()> {
        let fits = |axis: usize| {
            let places = self.pad.checked_mul(2).and_then(|zeros| zeros.checked_add(self.input[axis]));
            self.window[axis] > 0 && places.is_some_and(|places| self.window[axis] <= places)
        };
        if self.stride == 0 || !fits(0) || !fits(1) {
            return Err(Diagnostic::usage("a convolution without a stride, or whose window is larger than the input"));
        }
        let ([from, to], [height, width]) = ([self.input_blocks, self.output_blocks], self.output());
        if height.saturating_mul(width) > MOST_PLACES {
            let limit = format!("a convolution with an output of more than {MOST_PLACES} places");
            return Err(Diagnostic::limit(limit));
        }
        let ([high, wide], [rows, columns]) = (self.input, self.window);
        let holds = |sizes: &[usize]| sizes.iter().try_fold(BYTES, |bytes, size| bytes.checked_mul((*size).max(1)));
        let operands = [&[from, high, wide][..], &[to, from, rows, columns, BLOCK], &[to, height, width]];
        match operands.into_iter().chain([&[self.stride, wide][..]]).all(|sizes| holds(sizes).is_some()) {
            true => Ok(()),
            false => Err(Diagnostic::limit("a convolution whose operands are larger than any memory")),
        }
    }

    /// Rows and columns of the output: none where no window fits.
    pub fn output(&self) -> [usize; 2] {
        let size = |axis: usize| {
            let room = self.pad.saturating_mul(2).saturating_add(self.input[axis]).checked_sub(self.window[axis]);
            room.and_then(|room| room.checked_div(self.stride)).map_or(0, |steps| steps.saturating_add(1))
        };
        [size(0), size(1)]
    }

    /// Operations, two for each tap inside the input.
    pub fn operations(&self) -> usize {
        let taps = |axis: usize| (0..self.output()[axis]).map(|at| self.taps(axis, at).len()).sum::<usize>();
        2 * taps(0) * taps(1) * self.input_blocks * self.output_blocks * BLOCK * BLOCK
    }

    /// The taps of an output place that fall inside the input, along one axis.
    fn taps(&self, axis: usize, at: usize) -> Range<usize> {
        let start = at * self.stride;
        let first = self.pad.saturating_sub(start);
        let last = (self.input[axis] + self.pad).saturating_sub(start).min(self.window[axis]);
        first..last.max(first)
    }

    /// Runs of output places with the same taps, along one axis.
    fn runs(&self, axis: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let mut runs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for at in 0..self.output()[axis] {
            let taps = self.taps(axis, at);
            match runs.last_mut() {
                Some((places, same)) if *same == taps => places.end = at + 1,
                _ => runs.push((at..at + 1, taps)),
            }
        }
        runs
    }
}

/// A tile: where it reads and writes, and which taps it has.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// Places.
    rows: usize,
    /// Bytes from the start of a block of the input, before the tap is added; may be negative.
    a: isize,
    /// Bytes from the start of a block of the output.
    c: usize,
    a_row: usize,
    c_row: usize,
    /// The first offset of its taps, and how many there are for an input block.
    taps: (usize, usize),
    /// Whether it adds to what a call of the same unit stored.
    adds: bool,
}

/// Calls that run one after the other on one thread.
#[derive(Clone, Debug)]
struct Unit {
    calls: Range<usize>,
    /// Bytes of a block of the output that are zeros before the first input block.
    zeros: Range<usize>,
}

impl Call {
    /// What the tiles of a region share; regions without taps may agree in some of it.
    fn region(&self) -> ((usize, usize), [usize; 2], bool) {
        (self.taps, [self.a_row, self.c_row], self.adds)
    }

    /// Writes the arguments that the tiles of a region share.
    fn describe(&self, blocks: usize, offsets: &[[u64; 2]], args: &mut [u64; ARGS]) {
        arguments::rows(args, [self.a_row, self.c_row]);
        args[Arg::Batch as usize] = (self.taps.1 * blocks) as u64;
        args[Arg::Offsets as usize] = offsets[self.taps.0..].as_ptr() as u64;
    }
}

/// A convolution of fixed sizes and its kernels.
#[derive(Debug)]
pub struct Conv {
    sizes: Sizes,
    kernels: Vec<Callable>,
    calls: Vec<Call>,
    units: Vec<Unit>,
    /// For each region the taps of each input block of a group.
    offsets: Vec<[u64; 2]>,
    /// Input blocks whose products are one batch: as many as leave their weights in the second cache.
    group: usize,
}

impl Conv {
    /// Plans a convolution and emits its kernels.
    ///
    /// # Errors
    /// `Limit` where there is no memory for them.
    pub fn new(machine: &Machine, sizes: Sizes) -> Result<Self> {
        sizes.check()?;
        let vectors = BLOCK / lanes(Product::F32, machine.target().level);
        let sums = SUMS[usize::from(machine.target().level == Level::Avx2)];
        let contract = |rows: usize| Contract {
            product: Product::F32,
            rows: rows as u8,
            vectors: vectors as u8,
            group: Contract::GROUP.min(rows as u8),
            a_steps: Steps::Dense,
            partial: false,
        };
        let kernels = (1..=sums / vectors).map(|rows| machine.contract(&contract(rows))).collect::<Result<_>>()?;
        let weights = sizes.window[0] * sizes.window[1] * BLOCK * BYTES;
        let group = (machine.target().l2 / 4 / weights).clamp(1, sizes.input_blocks.max(1));
        let lists = (Vec::new(), Vec::new(), Vec::new());
        let mut plan = Self { sizes, kernels, calls: lists.0, units: lists.1, offsets: lists.2, group };
        for (ys, r) in sizes.runs(0) {
            if ys.len() == 1 && plan.better_by_taps(&r) {
                plan.row_by_taps(ys.start, &r);
                continue;
            }
            for (xs, s) in sizes.runs(1) {
                plan.region(&ys, &xs, &r, &s);
            }
        }
        Ok(plan)
    }

    /// Whether a row of the output is faster tap by tap: a call costs about 100 cycles more than its products, a tap of
    /// a place alone 256.
    fn better_by_taps(&self, r: &Range<usize>) -> bool {
        let alone = self.sizes.runs(1).iter().filter(|(xs, _)| xs.len() == 1).map(|(_, s)| s.len()).sum::<usize>();
        let [_, width] = self.sizes.output();
        let calls = self.sizes.window[1] * width.div_ceil(self.kernels.len());
        // Blocks of one batch would come before the taps.
        self.group == 1 && alone * r.len() * 5 > calls * r.len() * 2
    }

    /// A row of the output, tap by tap.
    fn row_by_taps(&mut self, y: usize, r: &Range<usize>) {
        let Sizes { input, window, stride, pad, .. } = self.sizes;
        let [_, width] = self.sizes.output();
        let first = self.calls.len();
        for (row, column) in r.clone().flat_map(|row| (0..window[1]).map(move |column| (row, column))) {
            let has = |x: &usize| self.sizes.taps(1, *x).contains(&column);
            let Some(start) = (0..width).find(has) else { continue };
            let places = (start..width).take_while(has).count();
            let taps = (self.offsets.len(), 1);
            let tap = (row * window[1] + column) * BLOCK * BYTES;
            self.offsets.push([((row * input[1] + column) * BYTES) as u64, tap as u64]);
            let tiles = places.div_ceil(self.kernels.len());
            for tile in 0..tiles {
                let x = start + places * tile / tiles;
                let rows = start + places * (tile + 1) / tiles - x;
                let at = |at: usize| (at * stride) as isize - pad as isize;
                let a = (at(y) * input[1] as isize + at(x)) * BYTES as isize;
                let [a_row, c_row] = [stride * BYTES, BYTES];
                self.calls.push(Call { rows, a, c: (y * width + x) * BYTES, a_row, c_row, taps, adds: true });
            }
        }
        let zeros = y * width * BYTES..(y + 1) * width * BYTES;
        self.units.push(Unit { calls: first..self.calls.len(), zeros });
    }

    /// Elements of the packed weights: output block, input block, row and column of the window, input channel, output
    /// channel.
    pub fn weights(&self) -> usize {
        let s = &self.sizes;
        s.output_blocks * s.input_blocks * s.window[0] * s.window[1] * BLOCK * BLOCK
    }

    /// The tiles of a region, along its longer side.
    fn region(&mut self, ys: &Range<usize>, xs: &Range<usize>, r: &Range<usize>, s: &Range<usize>) {
        let Sizes { input, window, stride, pad, .. } = self.sizes;
        let taps = (self.offsets.len(), r.len() * s.len());
        for block in 0..self.group {
            for (row, column) in r.clone().flat_map(|row| s.clone().map(move |column| (row, column))) {
                let place = (block * input[0] + row) * input[1] + column;
                let tap = (block * window[0] + row) * window[1] + column;
                self.offsets.push([(place * BYTES) as u64, (tap * BLOCK * BYTES) as u64]);
            }
        }
        let [_, width] = self.sizes.output();
        // Where rows of the input and of the output follow each other alike, all places are one run.
        let row = if stride == 1 && xs.len() == width && input[1] == width { ys.len() } else { 1 };
        let (ys, xs) = (&(ys.start..ys.end + 1 - row), &(xs.start..xs.start + xs.len() * row));
        let across = xs.len() >= ys.len();
        let (outer, inner) = if across { (ys, xs) } else { (xs, ys) };
        let [a_row, c_row] = if across { [stride, 1] } else { [stride * input[1], width] }.map(|places| places * BYTES);
        for fixed in outer.clone() {
            let tiles = inner.len().div_ceil(self.kernels.len());
            for tile in 0..tiles {
                let start = inner.start + inner.len() * tile / tiles;
                let rows = inner.start + inner.len() * (tile + 1) / tiles - start;
                let (y, x) = if across { (fixed, start) } else { (start, fixed) };
                let at = |at: usize| (at * stride) as isize - pad as isize;
                let a = (at(y) * input[1] as isize + at(x)) * BYTES as isize;
                self.units.push(Unit { calls: self.calls.len()..self.calls.len() + 1, zeros: 0..0 });
                self.calls.push(Call { rows, a, c: (y * width + x) * BYTES, a_row, c_row, taps, adds: false });
            }
        }
    }

    /// Runs it: input `[block, y, x, channel]`, weights as [`Conv::weights`] says, output like the input.
    ///
    /// # Errors
    /// `Usage` where an operand has another size.
    pub fn run(&self, input: &[f32], weights: &[f32], output: &mut [f32], threads: usize) -> Result<()> {
        let s = &self.sizes;
        let [height, width] = s.output();
        let places = s.input[0] * s.input[1];
        let want = [s.input_blocks * places * BLOCK, self.weights(), s.output_blocks * height * width * BLOCK];
        if [input.len(), weights.len(), output.len()] != want {
            return Err(Diagnostic::usage("operands do not have the sizes that the convolution was planned for"));
        }
        if weights.is_empty() {
            output.fill(0.0);
            return Ok(());
        }
        let c = Shared(output.as_mut_ptr().cast());
        let cuts = if threads > 1 {
            threads.saturating_mul(4).div_ceil(s.output_blocks).min(self.units.len().max(1))
        } else {
            1
        };
        let body = |chunk: usize, _: usize| {
            let (block, cut) = (chunk / cuts, chunk % cuts);
            let units = &self.units[self.units.len() * cut / cuts..self.units.len() * (cut + 1) / cuts];
            self.block(input, weights, c, block, units);
        };
        Pool::global().run(s.output_blocks * cuts, threads, &body);
        Ok(())
    }

    /// Some units of a block of output channels.
    fn block(&self, input: &[f32], weights: &[f32], c: Shared, block: usize, units: &[Unit]) {
        let s = &self.sizes;
        let window = s.window[0] * s.window[1] * BLOCK * BLOCK;
        let [height, width] = s.output();
        let out = block * height * width * BYTES;
        let mut args = [0u64; ARGS];
        args[Arg::BStep as usize] = BYTES as u64;
        args[Arg::Steps as usize] = BLOCK as u64;
        args[Arg::NextStep as usize] = AHEAD as u64;
        for from in (0..s.input_blocks).step_by(self.group) {
            let blocks = self.group.min(s.input_blocks - from);
            let a = input[from * s.input[0] * s.input[1] * BLOCK..].as_ptr();
            let own = (block * s.input_blocks + from) * window;
            args[Arg::B as usize] = weights[own..].as_ptr() as u64;
            let upcoming = weights[(own + blocks * window).min(weights.len() - 1)..].as_ptr() as usize;
            let mut weights_ahead = upcoming..upcoming + blocks * window * 4;
            if from == 0 {
                for zeros in units.iter().map(|unit| &unit.zeros) {
                    // SAFETY: these places of the output belong to this unit alone.
                    unsafe { c.at(out + zeros.start).write_bytes(0, zeros.len()) };
                }
            }
            let mut region = None;
            let calls = units.iter().flat_map(|unit| &self.calls[unit.calls.clone()]);
            for (turn, call) in calls.enumerate() {
                // Arguments wait in the store queue beside the sums of the call before: only new ones are written.
                if region != Some(call.region()) {
                    region = Some(call.region());
                    call.describe(blocks, &self.offsets, &mut args);
                    args[Arg::Accumulate as usize] = u64::from(from > 0 || call.adds);
                }
                args[Arg::A as usize] = (a as u64).wrapping_add_signed(call.a as i64);
                args[Arg::C as usize] = c.at(out + call.c) as u64;
                args[Arg::Next as usize] = match weights_ahead.is_empty() {
                    true => self.ahead(call, &args, (turn % blocks, blocks)),
                    false => weights_ahead.start as u64,
                };
                weights_ahead.start += call.taps.1 * blocks * BLOCK / 4 * AHEAD as usize;
                // SAFETY: `run` has checked the operands' sizes; a region's taps lie inside the input for all of its
                // places, so every address is inside its operand; calls of all chunks write disjoint places.
                unsafe { self.kernels[call.rows - 1].call(args.as_ptr()) };
            }
        }
    }

    /// What a tile hints at after the weights of the next group: where the tiles after it write, or read one block of
    /// so many after the other, whichever has more channels and so comes from further away.
    fn ahead(&self, call: &Call, args: &[u64; ARGS], (block, blocks): (usize, usize)) -> u64 {
        let Sizes { input_blocks, output_blocks, input: [height, width], .. } = self.sizes;
        let (arg, far) = if input_blocks > output_blocks {
            (Arg::A, block * height * width * BYTES + blocks * call.rows * call.a_row)
        } else {
            (Arg::C, call.rows * call.c_row)
        };
        args[arg as usize].wrapping_add(far as u64)
    }
}
