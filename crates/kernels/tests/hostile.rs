//! Sizes, strides and numbers of threads that no caller means: an error or the right bits, never memory of others.

use tilewright_kernels::conv::{self, Conv};
use tilewright_kernels::matmul::{Around, Matmul, Sizes};
use tilewright_kernels::{Machine, Plain};
use tilewright_loops::contract::Product;
use tilewright_loops::map::{Map, Operand, Sink};
use tilewright_support::Code;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

fn machines() -> Vec<Machine> {
    Level::ALL.into_iter().map(|level| Machine::new(Target::detect().at_most(level))).collect()
}

fn plan(machine: &Machine, of: Product, [m, n, k]: [usize; 3]) -> Matmul {
    let row = |elements: usize, bytes: usize| elements.saturating_mul(bytes);
    let a_row = row(k.div_ceil(of.per_step()), of.step_bytes());
    Matmul::new(machine, of, Sizes { m, n, k, a_row, c_row: row(n, of.c_bytes()) }).unwrap()
}

/// Bytes that a count of them would wrap around to few.
#[test]
fn no_room_for_more_than_there_is() {
    for machine in machines() {
        for of in Product::ALL {
            for [n, k] in
                [[1 << 62, 1], [1 << 61, 1], [usize::MAX, 1], [1 << 32, 1 << 32], [1, usize::MAX], [usize::MAX; 2]]
            {
                let plan = plan(&machine, of, [1, n, k]);
                assert_eq!(plan.packed().unwrap_err().code, Code::Limit);
            }
        }
        let plan = plan(&machine, Product::F32, [64, 64, 64]);
        for threads in [usize::MAX, 1 << 58, 1 << 60] {
            assert_eq!(plan.scratch(&machine, threads).unwrap_err().code, Code::Limit);
        }
    }
}

/// Products of nothing, however often.
#[test]
fn nothing_takes_no_time() {
    for machine in machines() {
        for of in Product::ALL {
            let many = Matmul::new(&machine, of, Sizes { m: usize::MAX, n: 0, k: 0, a_row: 0, c_row: 0 }).unwrap();
            many.run(&[], &many.packed().unwrap(), &mut [], 1).unwrap();
            many.run(&[], &many.packed().unwrap(), &mut [], 2).unwrap();
            let wide = plan(&machine, of, [0, 1 << 62, 0]);
            let mut packed = wide.packed().unwrap();
            packed.fill(&machine, Plain { bytes: &[], row: 0, transposed: false }).unwrap();
            wide.run(&[], &packed, &mut [], 2).unwrap();
        }
    }
}

/// The distance between rows of a matrix of one row.
#[test]
fn a_row_that_is_alone_ends_anywhere() {
    for machine in machines() {
        for far in [usize::MAX, usize::MAX / 2, 1 << 62] {
            for n in [3, 1000] {
                let sizes = Sizes { m: 1, n, k: 1, a_row: far, c_row: far };
                let plan = Matmul::new(&machine, Product::F32, sizes).unwrap();
                let (a, b) = (2f32.to_le_bytes(), 3f32.to_le_bytes().repeat(n));
                for transposed in [false, true] {
                    let row = if transposed { 4 } else { far };
                    let plain = Plain { bytes: &b, row, transposed };
                    let mut packed = plan.packed().unwrap();
                    packed.fill(&machine, plain).unwrap();
                    let mut c = [vec![0; 4 * n], vec![0; 4 * n]];
                    plan.run(&a, &packed, &mut c[0], 2).unwrap();
                    let mut scratch = plan.scratch(&machine, 2).unwrap();
                    plan.run_plain(&a, plain, &mut c[1], &mut scratch).unwrap();
                    assert!(c.iter().all(|c| *c == 6f32.to_le_bytes().repeat(n)));
                }
            }
        }
    }
}

/// A transposed A is put side by side on all threads that are asked for.
#[test]
fn any_number_of_threads() {
    for machine in machines() {
        for threads in [3, 1 << 61, 1 << 62, usize::MAX] {
            let around = Around { transposed: true, ..Around::default() };
            let sizes = Sizes { m: 9, n: 5, k: 8, a_row: 9, c_row: 20 };
            let plan = Matmul::around(&machine, Product::U8S8, sizes, &around).unwrap();
            let mut packed = plan.packed().unwrap();
            packed.fill(&machine, Plain { bytes: &[1; 40], row: 5, transposed: false }).unwrap();
            let mut c = vec![0xff; 9 * 20];
            plan.run(&[3; 72], &packed, &mut c, threads).unwrap();
            assert_eq!(c, 24i32.to_le_bytes().repeat(45), "{threads}");
        }
    }
}

/// Operands of one column are there even where rows have no columns.
#[test]
fn a_map_before_a_product_of_no_steps() {
    for machine in machines() {
        let map = Map { operands: vec![Operand::column(DType::F32), Operand::tile(DType::F32)], ..Map::default() };
        let value = map.read(0);
        let map = map.stage([Sink::Store { operand: 1, value }]);
        let around = Around { before: Some(&map), ..Around::default() };
        let sizes = Sizes { m: 3, n: 2, k: 0, a_row: 0, c_row: 8 };
        let plan = Matmul::around(&machine, Product::F32, sizes, &around).unwrap();
        let mut c = vec![1; 24];
        match plan.run(&[], &plan.packed().unwrap(), &mut c, 1) {
            Ok(()) => assert_eq!(c, [0; 24]),
            Err(error) => assert_eq!(error.code, Code::Usage),
        }
    }
}

fn one_by_one() -> conv::Sizes {
    conv::Sizes { input_blocks: 1, output_blocks: 1, input: [2, 2], window: [1, 1], stride: 1, pad: 0 }
}

#[test]
fn convolutions_of_no_blocks() {
    for machine in machines() {
        let none = Conv::new(&machine, conv::Sizes { output_blocks: 0, ..one_by_one() }).unwrap();
        let none_in = Conv::new(&machine, conv::Sizes { input_blocks: 0, ..one_by_one() }).unwrap();
        for threads in [1, 2] {
            none.run(&[1.0; 256], &[], &mut [], threads).unwrap();
            let mut output = [1.0; 256];
            none_in.run(&[], &[], &mut output, threads).unwrap();
            assert_eq!(output, [0.0; 256]);
        }
    }
}

#[test]
fn convolutions_on_any_number_of_threads() {
    for machine in machines() {
        let plan = Conv::new(&machine, one_by_one()).unwrap();
        for threads in [1 << 61, 1 << 62, usize::MAX] {
            let mut output = [0.0; 256];
            plan.run(&[1.0; 256], &[1.0; 64 * 64], &mut output, threads).unwrap();
            assert_eq!(output, [64.0; 256]);
        }
    }
}

/// Operands whose sizes wrap around.
#[test]
fn convolutions_larger_than_memory() {
    for machine in machines() {
        let large = |input: [usize; 2], window: [usize; 2], pad: usize, blocks: usize| {
            let sizes = conv::Sizes { input, window, pad, output_blocks: blocks, ..one_by_one() };
            assert!(Conv::new(&machine, sizes).is_err(), "{sizes:?}");
        };
        large([1, 1], [1 << 32; 2], 1 << 31, 1);
        large([1, 1], [1 << 14; 2], 1 << 13, 1 << 24);
        large([1, 1], [1, 1], 0, 1 << 60);
    }
}
