//! The machine code and the loops of Contracts against their meaning, bit for bit.
mod guarded;
mod random;

use guarded::Guarded;
use random::Random;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::contract::{emit_with, lanes, supports};
use tilewright_codegen::portable::Portable;
use tilewright_kernels::Callable;
use tilewright_loops::contract::{ARGS, Contract, Operands, Product, Steps, interpret};
use tilewright_runtime::code::CodeMemory;
use tilewright_support::target::{Level, Target};

impl Random {
    /// Elements of a product's operand: numbers of several sizes, now and then special ones.
    fn fill(&mut self, product: Product, bytes: &mut [u8]) {
        let specials = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e-40, -3e38];
        let number = |r: &mut Self| {
            let plain = (r.below(2001) as f64 - 1000.0) / 77.0;
            if r.below(500) == 0 { specials[r.below(specials.len())] } else { plain }
        };
        match product {
            Product::F32 => {
                bytes.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&(number(self) as f32).to_le_bytes()))
            }
            Product::F64 => bytes.chunks_exact_mut(8).for_each(|c| c.copy_from_slice(&number(self).to_le_bytes())),
            Product::Bf16 => {
                bytes.chunks_exact_mut(2).for_each(|c| c.copy_from_slice(&(number(self) as f32).to_le_bytes()[2..]))
            }
            Product::U8S8 | Product::S8S8 | Product::U8U8 => bytes.iter_mut().for_each(|b| *b = self.next() as u8),
        }
    }
}

/// The sums' bits, with one pattern for every NaN.
fn canonical(product: Product, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    match product {
        Product::F32 | Product::Bf16 => bytes.chunks_exact_mut(4).for_each(|c| {
            if f32::from_le_bytes([c[0], c[1], c[2], c[3]]).is_nan() {
                c.copy_from_slice(&f32::NAN.to_le_bytes());
            }
        }),
        Product::F64 => bytes.chunks_exact_mut(8).for_each(|c| {
            if c.try_into().is_ok_and(|c| f64::from_le_bytes(c).is_nan()) {
                c.copy_from_slice(&f64::NAN.to_le_bytes());
            }
        }),
        _ => {}
    }
    bytes
}

/// Sizes and distances of one run.
struct Case {
    steps: usize,
    batch: usize,
    accumulate: bool,
    at_end: bool,
}

/// A Contract that can be called, and its instructions.
fn callable(contract: &Contract, target: &Target, registers: Registers) -> (Callable, String) {
    if target.level == Level::Portable || supports(contract, target).is_err() {
        return (Callable::Portable(Arc::new(Portable::contract(contract, target.level).unwrap())), String::new());
    }
    let emitted = emit_with(contract, target, registers).unwrap();
    let kernel = CodeMemory::new().publish(&emitted.name, &emitted.code.bytes, emitted.code.entry).unwrap();
    (Callable::Code(kernel), format!("{} spilled:\n{}", emitted.spilled, emitted.listing()))
}

/// Runs a Contract on operands with gaps between rows and compares every byte of C, gaps included.
fn run(contract: &Contract, target: &Target, registers: Registers, case: &Case, random: &mut Random) {
    let product = contract.product;
    let (kernel, listing) = callable(contract, target, registers);
    let (size, lanes) = (product.step_bytes(), lanes(product, target.level));
    let last = if contract.partial { 1 + random.below(lanes) } else { lanes };
    let columns = (usize::from(contract.vectors) - 1) * lanes + last;
    let (rows, group) = (usize::from(contract.rows), usize::from(contract.group));
    let (groups, steps) = (rows.div_ceil(group), case.steps);
    let in_last = rows - (groups - 1) * group;
    let (a_row, a_step) = match contract.a_steps {
        Steps::Dense => ((steps + random.below(3)) * size, 0),
        Steps::Strided => (size, (rows + random.below(5)) * size),
    };
    let a_group = group * a_row + random.below(3) * size;
    let (b_step, c_row) = ((columns + random.below(3)) * size, (columns + random.below(3)) * size);
    let c_group = group * c_row + random.below(3) * size;
    let a_steps = steps.saturating_sub(1) * if contract.a_steps == Steps::Dense { size } else { a_step };
    let a_len = (groups - 1) * a_group + (in_last - 1) * a_row + a_steps + size;
    let b_len = steps.saturating_sub(1) * b_step + columns * size;
    let c_len = (groups - 1) * c_group + (in_last - 1) * c_row + columns * size;
    let mut bytes = [vec![0; a_len * case.batch.max(1)], vec![0; b_len * case.batch.max(1)], vec![0; c_len]];
    let [a, b, c] = &mut bytes;
    random.fill(product, a);
    random.fill(product, b);
    random.fill(if product == Product::Bf16 { Product::F32 } else { product }, c);
    let offsets: Vec<[usize; 2]> = (0..case.batch).rev().map(|i| [i * a_len, i * b_len]).collect();
    let [a, b, c] = &bytes;
    let mut want = c.clone();
    let sizes = [a_row, a_group, a_step, b_step, c_row, c_group, steps];
    let (columns, accumulate) = (columns, case.accumulate);
    let [a_row, a_group, a_step, b_step, c_row, c_group, steps] = sizes;
    let offsets_ref = &offsets;
    let c_mut = &mut want;
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
        offsets: offsets_ref,
        columns,
        accumulate,
    };
    interpret(contract, &mut operands).unwrap();
    let [ga, gb, gc] = [a, b, c].map(|bytes| Guarded::new(bytes, case.at_end));
    let mut args = [0u64; ARGS];
    args[..3].copy_from_slice(&[ga.address(), gb.address(), gc.address()]);
    args[3..10].iter_mut().zip(sizes).for_each(|(arg, size)| *arg = size as u64);
    args[10..14].copy_from_slice(&[case.batch as u64, offsets.as_ptr() as u64, last as u64, accumulate.into()]);
    // SAFETY: the arguments describe the buffers, as the interpreter's run over the same ones has shown.
    unsafe { kernel.call(args.as_ptr()) };
    let [found, want] = [gc.bytes(), &want].map(|bytes| canonical(product, bytes));
    assert!(found == want, "{contract:?} on {:?} with {steps} steps, batch {}, {listing}", target.level, case.batch,);
}

fn each_case(contract: &Contract, target: &Target, registers: Registers, random: &mut Random) {
    for steps in [0, 1, 3, 4, 5, 9] {
        let case =
            Case { steps, batch: random.below(4), accumulate: random.below(2) == 1, at_end: random.below(2) == 1 };
        run(contract, target, registers, &case, random);
    }
}

fn targets() -> Vec<Target> {
    let here = Target::detect();
    let mut found = Level::ALL.map(|level| here.at_most(level)).to_vec();
    found.dedup();
    found
}

#[test]
fn every_product_tile_and_layout() {
    let mut random = Random(1);
    let mut count = 0;
    for target in targets() {
        for product in Product::ALL {
            for (rows, vectors) in
                [(1, 1), (1, 4), (2, 3), (3, 1), (5, 2), (6, 4), (7, 3), (8, 3), (11, 2), (14, 2), (28, 1)]
            {
                for group in [1, 3, Contract::GROUP] {
                    for (a_steps, partial) in [(Steps::Dense, false), (Steps::Dense, true), (Steps::Strided, true)] {
                        let contract = Contract { product, rows, vectors, group, a_steps, partial };
                        each_case(&contract, &target, Registers::of_level(target.level), &mut random);
                        count += 1;
                    }
                }
            }
        }
    }
    println!("{count} contracts");
}

#[test]
fn few_registers_spill_and_change_nothing() {
    let mut random = Random(2);
    for target in targets() {
        let all = Registers::of_level(target.level);
        for vectors in [6, 8, 11] {
            let registers = Registers { vectors, generals: 11, ..all };
            for product in Product::ALL {
                let contract =
                    Contract { product, rows: 7, vectors: 2, group: 3, a_steps: Steps::Dense, partial: true };
                if supports(&contract, &target).is_ok() {
                    assert!(emit_with(&contract, &target, registers).unwrap().spilled > 0);
                    each_case(&contract, &target, registers, &mut random);
                }
            }
        }
    }
}
