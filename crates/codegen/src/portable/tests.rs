//! The plain loops against those with fused multiply-adds as instructions.

use super::contract::plain as plain_contract;
use super::map::map_with;
use super::{contract, map, prims};
use tilewright_loops::contract::{ARGS, Contract, Product, Steps};
use tilewright_loops::map::{Operand, Program};
use tilewright_loops::normalize;
use tilewright_tensor::DType;

/// Columns of a vector.
const LANES: usize = 8;

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 2654435761 % 2001) as f32 / 77.0 - 13.0).collect()
}

#[test]
fn softmax_is_the_same_by_plain_loops() {
    let tile = Operand::tile(DType::F32);
    let form = normalize::softmax(tile, tile, DType::F32);
    let program = Program::new(&form).unwrap();
    let (m, n) = (3, 77);
    let input = floats(m * n);
    let run = |fast: bool| {
        let mut output = vec![0f32; m * n];
        let row = 4 * n as u64;
        let args = [input.as_ptr() as u64, output.as_mut_ptr() as u64, row, row, 0, 0, m as u64, n as u64];
        // SAFETY: the arguments describe the two buffers; the plain loops run anywhere.
        unsafe {
            match fast {
                true => map(&form, &program, args.as_ptr()),
                false => map_with(&form, &program, args.as_ptr(), prims::plain),
            }
        }
        output
    };
    assert_eq!(run(true), run(false));
    assert!((run(true)[..n].iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn products_are_the_same_by_plain_loops() {
    for product in Product::ALL {
        let form = Contract { product, rows: 7, vectors: 2, group: 5, a_steps: Steps::Dense, partial: true };
        let (size, c_size, steps, columns) = (product.step_bytes(), product.c_bytes(), 9, LANES + 3);
        let (a, b) = (floats(7 * steps * size), floats(steps * columns * size));
        let offsets = [[0u64; 2]];
        let run = |fast: bool| {
            let mut c = floats(7 * columns * c_size / 4);
            let [row, step, c_row] = [steps * size, columns * size, columns * c_size].map(|bytes| bytes as u64);
            let mut args = [0; ARGS];
            args[..3].copy_from_slice(&[a.as_ptr() as u64, b.as_ptr() as u64, c.as_mut_ptr() as u64]);
            args[3..9].copy_from_slice(&[row, 5 * row, 0, step, c_row, 5 * c_row]);
            args[9..14].copy_from_slice(&[steps as u64, 1, offsets.as_ptr() as u64, 3, 1]);
            // SAFETY: the arguments describe buffers of at least these sizes.
            unsafe {
                match fast {
                    true => contract(&form, LANES, args.as_ptr()),
                    false => plain_contract(&form, LANES, &args),
                }
            }
            c
        };
        let [fast, plain] = [true, false].map(|fast| run(fast).into_iter().map(f32::to_bits).collect::<Vec<_>>());
        assert_eq!(fast, plain, "{product:?}");
    }
}
