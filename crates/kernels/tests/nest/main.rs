//! Kernels against their meaning, bit for bit, between guard pages: loops in machine code and in Rust.

#[path = "../guarded/mod.rs"]
mod guarded;
mod random;
#[path = "../random/mod.rs"]
mod rng;

use guarded::Guarded;
use random::{Case, case};
use rng::Random;
use std::ops::Range;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_kernels::Machine;
use tilewright_kernels::nest::Nest;
use tilewright_nests::{Kernel, Role, interpret};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// Random kernels.
const KERNELS: usize = 1000;

const LEVELS: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

fn machine(level: Level) -> Machine {
    Machine::new(Target::detect().at_most(level))
}

/// The arguments before a run, and after it as interpreted.
struct Expected {
    before: Vec<Vec<u8>>,
    after: Vec<Vec<u8>>,
}

fn expected(case: &Case, level: Level, r: &mut Random) -> Expected {
    let kernel = &case.kernel;
    let given = kernel.buffers.iter().zip(&case.limits).filter(|(b, _)| b.role != Role::Scratch);
    let mut before = Vec::new();
    for (buffer, limit) in given {
        let mut bytes = vec![0; buffer.bytes];
        match limit {
            None => r.fill(buffer.dtype, 50.0, &mut bytes),
            Some(limit) => {
                let size = buffer.dtype.bits() / 8;
                bytes.chunks_exact_mut(size).for_each(|b| b[0] = r.below(*limit) as u8);
            }
        }
        before.push(bytes);
    }
    let mut after = before.clone();
    interpret(kernel, level, &mut after).unwrap();
    Expected { before, after }
}

/// Runs a kernel over guarded copies and compares.
fn compare(kernel: &Kernel, expected: &Expected, r: &mut Random, run: &mut dyn FnMut(&[*mut u8], *mut u8)) {
    let at_end = |r: &mut Random| r.below(2) == 0;
    let buffers: Vec<Guarded> = expected.before.iter().map(|b| Guarded::new(b, at_end(r))).collect();
    // Scratch is at a multiple of 64.
    let scratch = Guarded::new(&vec![0xff; kernel.scratch()], true);
    let addresses: Vec<*mut u8> = buffers.iter().map(|b| b.address() as *mut u8).collect();
    run(&addresses, scratch.address() as *mut u8);
    for (n, (buffer, after)) in buffers.iter().zip(&expected.after).enumerate() {
        let at = buffer.bytes().iter().zip(after).position(|(a, b)| a != b);
        assert_eq!(at, None, "argument {n} of\n{kernel}");
    }
}

/// Ranges of at least so many iterations that make the whole, in any order.
fn ranges(n: usize, least: usize, r: &mut Random) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < n {
        let end = (at + least + r.below(n)).min(n);
        all.insert(r.below(all.len() + 1), at..end);
        at = end;
    }
    all
}

#[test]
fn random_kernels_are_what_they_mean() {
    let mut r = Random(11);
    let (mut whole, mut changed) = (0, 0);
    for _ in 0..KERNELS {
        let case = case(&mut r);
        // As text it is the same.
        let kernel = Arc::new(Kernel::parse(&case.kernel.to_string()).unwrap());
        for level in LEVELS {
            let expected = expected(&case, level, &mut r);
            changed += usize::from(expected.before != expected.after);
            let machine = machine(level);
            let nests = [Nest::new(&machine, kernel.clone()), Nest::of_leaves(&machine, kernel.clone())];
            for nest in nests.map(|n| n.unwrap_or_else(|e| panic!("{e:?} of\n{kernel}"))) {
                whole += usize::from(nest.is_whole());
                let iterations = kernel.iterations();
                for parts in [ranges(iterations, iterations, &mut r), ranges(iterations, 1, &mut r)] {
                    compare(&kernel, &expected, &mut r, &mut |buffers, scratch| {
                        for part in &parts {
                            // SAFETY: the buffers are as long as the kernel says, and nobody else uses them.
                            unsafe { nest.run(buffers, part.clone(), scratch) };
                        }
                    });
                }
            }
        }
    }
    let levels = LEVELS.iter().filter(|l| **l != Level::Portable && machine(**l).target().level == **l).count();
    assert_eq!(whole, KERNELS * levels);
    // Others have no iterations, or sizes of nothing.
    assert!(changed > 2 * KERNELS, "{changed}");
}

#[test]
fn few_registers_are_enough() {
    let mut r = Random(12);
    for round in 0..150 {
        let case = case(&mut r);
        let kernel = Arc::new(case.kernel.clone());
        for level in [Level::Avx2, Level::Avx512] {
            let machine = machine(level);
            if machine.target().level != level {
                continue;
            }
            let expected = expected(&case, level, &mut r);
            let all = Registers::of_level(level);
            // Among them none or some that functions keep.
            let generals = [7, 12, 14][round % 3];
            let few = Registers { vectors: 9, masks: all.masks.min(5), generals, ..all };
            let nest = Nest::with_registers(&machine, kernel.clone(), few).unwrap();
            assert!(nest.is_whole());
            compare(&kernel, &expected, &mut r, &mut |buffers, scratch| {
                // SAFETY: the buffers are as long as the kernel says, and nobody else uses them.
                unsafe { nest.run(buffers, 0..kernel.iterations(), scratch) };
            });
        }
    }
}

#[test]
fn kernels_of_one_structure_share_code() {
    let mut r = Random(13);
    let kernel = loop {
        let kernel = case(&mut r).kernel;
        if kernel.parallel.len() == 2 && kernel.buffers.iter().all(|b| b.dtype == DType::F32) {
            break kernel;
        }
    };
    let mut other = kernel.clone();
    other.name = "other".into();
    other.buffers.iter_mut().for_each(|b| b.bytes += 4096);
    other.parallel.iter_mut().for_each(|l| l.axis = "q".into());
    assert_eq!(kernel.structure(), other.structure());
    assert_ne!(kernel.structure(), Kernel { parallel: Vec::new(), ..other }.structure());
}
