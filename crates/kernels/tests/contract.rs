//! The machine code and the loops of Contracts against their meaning, bit for bit.
mod guarded;
mod nan;
mod random;

use guarded::Guarded;
use nan::canonical;
use random::Random;
use std::hint::black_box;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::contract::{emit_with, lanes};
use tilewright_codegen::portable::Portable;
use tilewright_kernels::Callable;
use tilewright_loops::contract::{ARGS, Contract, Operands, Product, Steps, interpret};
use tilewright_runtime::code::CodeMemory;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;
use tilewright_tensor::convert::encode_f64;

/// Elements of a product's operand: numbers of one of two sizes, now and then special ones.
fn fill(random: &mut Random, dtype: DType, bytes: &mut [u8]) {
    const SPECIALS: [f64; 7] = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e-40, -3e38, -65504.0];
    // Products of small numbers are around the smallest normal f32.
    let most = if random.below(4) == 0 { 1.3e-19 } else { 13.0 };
    random.fill(dtype, most, bytes);
    let size = dtype.bits() / 8;
    for element in bytes.chunks_exact_mut(size).filter(|_| dtype.is_float()) {
        if random.below(500) == 0 {
            let special = encode_f64(dtype, SPECIALS[random.below(SPECIALS.len())], false);
            element.copy_from_slice(&special.to_le_bytes()[..size]);
        }
    }
}

/// Sizes and distances of one run.
struct Case {
    steps: usize,
    batch: usize,
    accumulate: bool,
    at_end: bool,
}

/// A Contract that can be called.
struct Subject {
    contract: Contract,
    target: Target,
    kernel: Callable,
    listing: String,
    spilled: usize,
}

impl Subject {
    fn new(contract: Contract, target: Target, registers: Registers) -> Self {
        if target.level == Level::Portable {
            let kernel = Callable::Portable(Arc::new(Portable::contract(&contract, target.level).unwrap()));
            return Self { contract, target, kernel, listing: String::new(), spilled: 0 };
        }
        let emitted = emit_with(&contract, &target, registers).unwrap();
        let kernel = CodeMemory::new().publish(&emitted.name, &emitted.code.bytes, emitted.code.entry).unwrap();
        Self { contract, target, kernel: Callable::Code(kernel), listing: emitted.listing(), spilled: emitted.spilled }
    }

    /// Runs it on operands with gaps between rows and compares every byte of C, gaps included.
    fn run(&self, case: &Case, random: &mut Random) {
        let (contract, product) = (&self.contract, self.contract.product);
        let (size, c_size, lanes) = (product.step_bytes(), product.c_bytes(), lanes(product, self.target.level));
        let last = if contract.partial { 1 + random.below(lanes) } else { lanes };
        let columns = (usize::from(contract.vectors) - 1) * lanes + last;
        let (rows, group) = (usize::from(contract.rows), usize::from(contract.group));
        let (groups, steps) = (rows.div_ceil(group), case.steps);
        let in_last = rows - (groups - 1) * group;
        let (a_row, a_step) = match contract.a_steps {
            Steps::Dense => ((steps + random.below(3)) * size, size),
            Steps::Strided => (size, (rows + random.below(5)) * size),
        };
        let a_group = group * a_row + random.below(3) * size;
        let (b_step, c_row) = ((columns + random.below(3)) * size, (columns + random.below(3)) * c_size);
        let c_group = group * c_row + random.below(3) * c_size;
        let a_len = (groups - 1) * a_group + (in_last - 1) * a_row + steps.saturating_sub(1) * a_step + size;
        let b_len = steps.saturating_sub(1) * b_step + columns * size;
        let c_len = (groups - 1) * c_group + (in_last - 1) * c_row + columns * c_size;
        let (mut a, mut b) = (vec![0; a_len * case.batch.max(1)], vec![0; b_len * case.batch.max(1)]);
        let mut c = vec![0xff; c_len];
        fill(random, product.a(), &mut a);
        fill(random, product.b(), &mut b);
        if case.accumulate {
            fill(random, product.c(), &mut c);
        }
        let offsets: Vec<[usize; 2]> = (0..case.batch).rev().map(|i| [i * a_len, i * b_len]).collect();
        let [ga, gb, gc] = [&a, &b, &c].map(|bytes| Guarded::new(bytes, case.at_end));
        let (offsets, accumulate) = (&offsets[..], case.accumulate);
        let (a, b, c_mut) = (&a[..], &b[..], &mut c[..]);
        let mut operands = Operands {
            a,
            b,
            c: c_mut,
            a_row,
            a_group,
            a_step,
            b_step,
            c_row,
            c_group,
            steps,
            offsets,
            columns,
            accumulate,
        };
        interpret(contract, &mut operands).unwrap();
        let mut args = [0u64; ARGS];
        args[..3].copy_from_slice(&[ga.address(), gb.address(), gc.address()]);
        let sizes = [a_row, a_group, a_step, b_step, c_row, c_group, steps];
        args[3..10].iter_mut().zip(sizes).for_each(|(arg, size)| *arg = size as u64);
        args[10..14].copy_from_slice(&[case.batch as u64, offsets.as_ptr() as u64, last as u64, accumulate.into()]);
        // SAFETY: the arguments describe the buffers, as the interpreter's run over the same ones has shown.
        unsafe { self.kernel.call(args.as_ptr()) };
        assert_ne!(black_box(1e-40f32) * black_box(0.5), 0.0, "the rounding of the caller is as it was");
        let [found, want] = [gc.bytes(), &c].map(|bytes| canonical(product.c(), bytes));
        let Self { target, listing, .. } = self;
        assert!(found == want, "{contract:?} on {target:?} with {steps} steps, batch {}, {listing}", case.batch);
    }

    fn run_all(&self, steps: &[usize], random: &mut Random) {
        for steps in steps.iter().copied() {
            let [accumulate, at_end] = [0, 1].map(|_| random.below(2) == 1);
            let batch = if steps < 10 { random.below(4) } else { 1 };
            self.run(&Case { steps, batch, accumulate, at_end }, random);
        }
    }
}

/// Every level, and the widest without dot products.
fn targets() -> Vec<Target> {
    let here = Target::detect();
    let mut found = Level::ALL.map(|level| here.at_most(level)).to_vec();
    found.push(Target { vnni: false, bf16: false, ..here });
    found.dedup();
    found
}

fn tile(product: Product, rows: u8, vectors: u8) -> Contract {
    Contract { product, rows, vectors, group: Contract::GROUP.min(rows), a_steps: Steps::Dense, partial: false }
}

/// Registers for sums of a level.
fn most_sums(level: Level) -> u8 {
    match level {
        Level::Portable => 6,
        Level::Avx2 => 12,
        Level::Avx512 => 28,
    }
}

#[test]
fn every_tile_of_the_registers() {
    let mut random = Random(1);
    for target in targets() {
        let most = most_sums(target.level);
        let tiles = (1..=4).flat_map(|vectors| (1..=most / vectors).map(move |rows| (rows, vectors)));
        for ((rows, vectors), product) in tiles.flat_map(|tile| Product::ALL.map(|product| (tile, product))) {
            let a_steps = if random.below(3) == 0 { Steps::Strided } else { Steps::Dense };
            let contract = Contract { a_steps, partial: random.below(2) == 0, ..tile(product, rows, vectors) };
            let subject = Subject::new(contract, target, Registers::of_level(target.level));
            subject.run_all(&[0, 1, 3, 4, 5, 9], &mut random);
        }
    }
}

#[test]
fn every_group_and_layout() {
    let mut random = Random(3);
    for target in targets() {
        for (product, group) in Product::ALL.into_iter().flat_map(|p| [1, 3, Contract::GROUP].map(|group| (p, group))) {
            for (a_steps, partial) in [(Steps::Dense, false), (Steps::Dense, true), (Steps::Strided, true)] {
                let contract = Contract { group, a_steps, partial, ..tile(product, 7, 2) };
                let subject = Subject::new(contract, target, Registers::of_level(target.level));
                subject.run_all(&[0, 1, 2, 4, 6, 7, 9], &mut random);
            }
        }
    }
}

#[test]
fn every_number_of_steps() {
    let mut random = Random(4);
    let steps: Vec<usize> =
        (1..=70).chain([16, 32, 48, 64].into_iter().flat_map(|n| [4 * n - 1, 4 * n, 4 * n + 1])).collect();
    for target in targets() {
        for product in Product::ALL {
            // As many sums as there are registers for end in a way of their own.
            for rows in [3, most_sums(target.level) / 2] {
                let contract = Contract { partial: true, ..tile(product, rows, 2) };
                Subject::new(contract, target, Registers::of_level(target.level)).run_all(&steps, &mut random);
            }
        }
    }
}

#[test]
fn few_registers_spill_and_change_nothing() {
    let mut random = Random(2);
    for target in targets().into_iter().filter(|t| t.level != Level::Portable) {
        let all = Registers::of_level(target.level);
        for (vectors, product) in [6, 8, 11].into_iter().flat_map(|v| Product::ALL.map(|product| (v, product))) {
            let contract = Contract { group: 3, partial: true, ..tile(product, 7, 2) };
            let subject = Subject::new(contract, target, Registers { vectors, generals: 11, ..all });
            assert!(subject.spilled > 0);
            subject.run_all(&[0, 1, 3, 4, 5, 9], &mut random);
        }
    }
}

/// `1 - 2^-24` of the smallest normal number: as a denormal it would round up to that.
#[test]
fn sums_below_the_smallest_normal_number() {
    let bf16 = |x: f32| u32::from_le_bytes(x.to_le_bytes()) & 0xffff_0000;
    let smallest = f32::MIN_POSITIVE;
    for target in targets() {
        let contract = tile(Product::Bf16, 1, 1);
        let subject = Subject::new(contract, target, Registers::of_level(target.level));
        for (sum, a, b) in [
            (smallest, 2f32.powi(-75), -2f32.powi(-75)),
            (smallest, 2f32.powi(-75), -2f32.powi(-76)),
            (-smallest, 2f32.powi(-75), 2f32.powi(-74)),
            (smallest, smallest, smallest),
            (smallest / 2.0, smallest, 1.0),
            (smallest, smallest, -0.5),
        ] {
            for shift in [0, 16] {
                let left = [bf16(a) >> shift];
                let lanes = lanes(Product::Bf16, target.level);
                let right = vec![bf16(b) >> shift; lanes];
                let mut found = vec![sum; lanes];
                let want =
                    f32::from_bits(Product::Bf16.step(sum.to_bits().into(), left[0].into(), right[0].into()) as u32);
                let mut args = [0u64; ARGS];
                args[..3].copy_from_slice(&[left.as_ptr() as u64, right.as_ptr() as u64, found.as_mut_ptr() as u64]);
                let offsets = [[0u64; 2]];
                args[9..14].copy_from_slice(&[1, 1, offsets.as_ptr() as u64, 0, 1]);
                // SAFETY: one step of one row and one vector of columns.
                unsafe { subject.kernel.call(args.as_ptr()) };
                let found: Vec<u32> = found.iter().map(|x| x.to_bits()).collect();
                assert_eq!(found, vec![want.to_bits(); lanes], "{sum:e} + {a:e} * {b:e} on {target:?}");
            }
        }
    }
}
