//! Products and convolutions through the drivers against plain loops, bit for bit.

use tilewright_codegen::contract;
use tilewright_kernels::conv::{self, BLOCK, Conv};
use tilewright_kernels::matmul::{Matmul, Operands, Right, Sizes, Tile2d};
use tilewright_kernels::{Machine, Plain, Tile};
use tilewright_loops::contract::{Contract, Product, Steps};
use tilewright_loops::map::{Map, Operand, Sink};
use tilewright_scalar::{Func, Scalar};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

fn floats(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn bytes(x: &[f32]) -> Vec<u8> {
    x.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// One chain of multiply-adds for each element, in rising k.
fn product([m, n, k]: [usize; 3], a: &[f32], b: &[f32]) -> Vec<f32> {
    let element = |i: usize, j: usize| (0..k).fold(0f32, |sum, p| a[i * k + p].mul_add(b[p * n + j], sum));
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

#[test]
fn products_of_all_sizes() {
    let here = Target::detect();
    for target in Level::ALL.map(|level| here.at_most(level)) {
        // Small caches make many blocks.
        for l2 in [here.l2, 4096] {
            let machine = Machine::new(Target { l2, ..target });
            for sizes in [
                [1, 1, 1],
                [1, 17, 300],
                [5, 7, 9],
                [31, 47, 63],
                [16, 16, 0],
                [0, 3, 5],
                [64, 200, 1024],
                [127, 130, 129],
            ] {
                let [m, n, k] = sizes;
                let (a, b) = (floats(m * k, 1), floats(k * n, 2));
                let (a_row, c_row) = (k * 4, n * 4 + 8);
                let plan = Matmul::new(&machine, Product::F32, Sizes { m, n, k, a_row, c_row }).unwrap();
                let mut packed = plan.packed().unwrap();
                packed.fill(&machine, Plain { bytes: &bytes(&b), row: n * 4, transposed: false }).unwrap();
                for threads in [1, 2, 3] {
                    let mut c = vec![0xffu8; m * c_row];
                    plan.run(&bytes(&a), &packed, &mut c, threads).unwrap();
                    let want = product(sizes, &a, &b);
                    let mut scratch = plan.scratch(&machine, threads).unwrap();
                    let mut d = vec![0xffu8; m * c_row];
                    plan.run_plain(
                        &bytes(&a),
                        Plain { bytes: &bytes(&b), row: n * 4, transposed: false },
                        &mut d,
                        &mut scratch,
                    )
                    .unwrap();
                    assert_eq!(c, d);
                    for (row, want) in c.chunks_exact(c_row).zip(want.chunks_exact(n)) {
                        assert_eq!(row[..n * 4], bytes(want), "{sizes:?} on {:?} with l2 {l2}", target.level);
                        assert_eq!(row[n * 4..], [0xff; 8]);
                    }
                }
            }
        }
    }
}

/// `max(sum + bias + residual, 0)` over a tile, to the last operand.
fn bias_residual_relu() -> Map {
    let f32s = DType::F32;
    let operands = vec![Operand::tile(f32s), Operand::row(f32s), Operand::tile(f32s), Operand::tile(f32s)];
    let map = Map { operands, ..Map::default() };
    let sum = map.read(0) + map.read(1) + map.read(2);
    let value = Scalar::call(Func::Max, vec![sum.clone(), sum.lit(0.0)]);
    map.stage([Sink::Store { operand: 3, value }])
}

#[test]
fn products_with_a_map_over_the_sums() {
    let here = Target::detect();
    let map = bias_residual_relu();
    for (level, l2) in Level::ALL.into_iter().flat_map(|level| [(level, here.l2), (level, 4096)]) {
        let machine = Machine::new(Target { l2, ..here.at_most(level) });
        for [m, n, k] in [[1, 1, 1], [5, 17, 300], [31, 130, 64]] {
            let (a, b) = (floats(m * k, 1), floats(k * n, 2));
            let (mut bias, mut residual) = (floats(n, 3), floats(m * n, 4));
            let sums = product([m, n, k], &a, &b);
            let want = (0..m * n).map(|at| (sums[at] + bias[at % n] + residual[at]).max(0.0) + 0.0);
            let want: Vec<f32> = want.collect();
            let sizes = Sizes { m, n, k, a_row: k * 4, c_row: n * 4 };
            let plan = Matmul::fused(&machine, Product::F32, sizes, &map).unwrap();
            let mut packed = plan.packed().unwrap();
            packed.fill(&machine, Plain { bytes: &bytes(&b), row: n * 4, transposed: false }).unwrap();
            for threads in [1, 2] {
                let mut out = vec![f32::NAN; m * n];
                let tile = |x: &mut [f32], row: usize| Tile2d { address: x.as_mut_ptr().cast(), len: x.len() * 4, row };
                let operands = [tile(&mut bias, 0), tile(&mut residual, n * 4), tile(&mut out, n * 4)];
                let mut c = vec![0; m * n * 4];
                let mut run = |after: &[Tile2d], threads: usize| {
                    let operands = Operands { a: &bytes(&a), c: &mut c, before: &[], after };
                    // SAFETY: the operands are as large as they say, or refused, and used by nobody else.
                    unsafe { plan.run_around(Right::Packed(&packed), operands, threads) }
                };
                run(&operands, threads).unwrap();
                assert_eq!(bytes(&out), bytes(&want), "{m}x{n}x{k} with l2 {l2}");
                let short = [operands[0], operands[1], Tile2d { len: m * n * 4 - 1, ..operands[2] }];
                assert!(run(&short, 1).is_err());
            }
        }
    }
}

/// Which sums are positive, as packed bits, by threads that write bytes next to each other.
#[test]
fn a_mask_follows_a_product() {
    let here = Target::detect();
    for target in Level::ALL.map(|level| here.at_most(level)) {
        for of in [Product::F32, Product::F64] {
            (1..20).for_each(|n| mask_of_product(&Machine::new(target), of, [37, n * 13, 5]));
        }
    }
}

fn mask_of_product(machine: &Machine, of: Product, [m, n, k]: [usize; 3]) {
    let map = Map { operands: vec![Operand::tile(of.c()), Operand::bits()], ..Map::default() };
    let value = map.read(0).gt(&map.read(0).lit(0.0));
    let map = map.stage([Sink::Store { operand: 1, value }]);
    let size = of.c_bytes();
    let encode = |x: &[f32]| match of {
        Product::F64 => x.iter().flat_map(|x| f64::from(*x).to_le_bytes()).collect(),
        _ => bytes(x),
    };
    let (a, b) = (floats(m * k, 3), floats(k * n, 4));
    let plan = Matmul::fused(machine, of, Sizes { m, n, k, a_row: k * size, c_row: n * size }, &map).unwrap();
    let mut packed = plan.packed().unwrap();
    packed.fill(machine, Plain { bytes: &encode(&b), row: n * size, transposed: false }).unwrap();
    let row = n.div_ceil(8);
    let mut mask = vec![0xa5u8; m * row];
    let operands = [Tile2d { address: mask.as_mut_ptr(), len: mask.len(), row }];
    let operands = Operands { a: &encode(&a), c: &mut vec![0; m * n * size], before: &[], after: &operands };
    // SAFETY: the operand is as large as it says and used by nobody else.
    unsafe { plan.run_around(Right::Packed(&packed), operands, 2) }.unwrap();
    let sum = |i: usize, j: usize| (0..k).map(|p| f64::from(a[i * k + p]) * f64::from(b[p * n + j])).sum::<f64>();
    let positive = |i: usize, j: usize| j < n && sum(i, j) > 0.0;
    let byte = |i: usize, at: usize| (0..8).fold(0, |byte, bit| byte | u8::from(positive(i, at * 8 + bit)) << bit);
    let want: Vec<u8> = (0..m * row).map(|at| byte(at / row, at % row)).collect();
    assert_eq!(mask, want, "{of:?} {m}x{n}x{k} on {:?}", machine.target().level);
}

#[test]
fn products_of_narrow_dtypes() {
    let here = Target::detect();
    Level::ALL.map(|level| here.at_most(level)).into_iter().for_each(product_of_bytes);
}

fn product_of_bytes(target: Target) {
    let machine = Machine::new(target);
    let (m, n, k) = (9usize, 50usize, 21usize);
    let padded = k.next_multiple_of(4);
    let a: Vec<u8> = (0..m * padded).map(|i| if i % padded < k { (i * 37 % 256) as u8 } else { 0 }).collect();
    let b: Vec<u8> = (0..k * n).map(|i| (i * 91 % 256) as u8).collect();
    let want =
        |i: usize, j: usize| (0..k).map(|p| i32::from(a[i * padded + p]) * i32::from(b[p * n + j] as i8)).sum::<i32>();
    let sizes = Sizes { m, n, k, a_row: padded, c_row: n * 4 };
    let plan = Matmul::new(&machine, Product::U8S8, sizes).unwrap();
    let mut packed = plan.packed().unwrap();
    packed.fill(&machine, Plain { bytes: &b, row: n, transposed: false }).unwrap();
    let mut c = vec![0u8; m * n * 4];
    plan.run(&a, &packed, &mut c, 2).unwrap();
    let want: Vec<u8> = (0..m * n).flat_map(|at| want(at / n, at % n).to_le_bytes()).collect();
    assert_eq!(c, want);
}

#[test]
fn operands_of_other_sizes_are_refused() {
    let machine = Machine::new(Target::detect());
    let plan = Matmul::new(&machine, Product::F32, Sizes { m: 4, n: 4, k: 4, a_row: 16, c_row: 16 }).unwrap();
    let mut packed = plan.packed().unwrap();
    assert!(packed.fill(&machine, Plain { bytes: &[0; 63], row: 16, transposed: false }).is_err());
    assert!(plan.run(&[0; 63], &packed, &mut [0; 64], 1).is_err());
    assert!(plan.run(&[0; 64], &packed, &mut [0; 63], 1).is_err());
    assert!(plan.run(&[0; 64], &packed, &mut [0; 64], 1).is_ok());
}

/// A convolution by its definition, each element one chain over blocks, rows, columns and channels.
fn convolution(sizes: &conv::Sizes, input: &[f32], weights: &[f32]) -> Vec<f32> {
    let [height, width] = sizes.output();
    let [rows, columns] = sizes.window;
    let mut output = Vec::new();
    for block in 0..sizes.output_blocks {
        for at in 0..height * width {
            for channel in 0..BLOCK {
                let mut sum = 0f32;
                for from in 0..sizes.input_blocks {
                    for tap in 0..rows * columns {
                        let place = |out: usize, tap: usize, size: usize| {
                            (out * sizes.stride + tap).checked_sub(sizes.pad).filter(|p| *p < size)
                        };
                        let y = place(at / width, tap / columns, sizes.input[0]);
                        let x = place(at % width, tap % columns, sizes.input[1]);
                        let (Some(y), Some(x)) = (y, x) else { continue };
                        let input = &input[((from * sizes.input[0] + y) * sizes.input[1] + x) * BLOCK..];
                        let weights =
                            &weights[((block * sizes.input_blocks + from) * rows * columns + tap) * BLOCK * BLOCK..];
                        sum = (0..BLOCK).fold(sum, |sum, c| input[c].mul_add(weights[c * BLOCK + channel], sum));
                    }
                }
                output.push(sum);
            }
        }
    }
    output
}

#[test]
fn convolutions() {
    let here = Target::detect();
    Level::ALL.map(|level| here.at_most(level)).into_iter().for_each(convolutions_of);
}

fn convolutions_of(target: Target) {
    let machine = Machine::new(target);
    for (window, stride, pad, input) in [
        ([1, 1], 1, 0, [5, 7]),
        ([3, 3], 1, 1, [7, 9]),
        ([3, 3], 2, 1, [8, 5]),
        ([1, 3], 1, 1, [2, 3]),
        ([5, 5], 1, 2, [3, 3]),
    ] {
        let sizes = conv::Sizes { input_blocks: 2, output_blocks: 1, input, window, stride, pad };
        let plan = Conv::new(&machine, sizes).unwrap();
        let [height, width] = sizes.output();
        let from = floats(sizes.input_blocks * input[0] * input[1] * BLOCK, 3);
        let weights = floats(plan.weights(), 4);
        let want = convolution(&sizes, &from, &weights);
        for threads in [1, 2] {
            let mut output = vec![f32::NAN; height * width * BLOCK];
            plan.run(&from, &weights, &mut output, threads).unwrap();
            assert_eq!(bytes(&output), bytes(&want), "{sizes:?}");
        }
    }
}

/// Without input channels every sum is zero; without output channels there is none.
#[test]
fn convolutions_without_channels() {
    let machine = Machine::new(Target::detect());
    let sizes = conv::Sizes { input_blocks: 0, output_blocks: 1, input: [2, 3], window: [1, 1], stride: 1, pad: 0 };
    let mut output = vec![f32::NAN; 6 * BLOCK];
    Conv::new(&machine, sizes).unwrap().run(&[], &[], &mut output, 2).unwrap();
    assert_eq!(output, [0.0; 6 * BLOCK]);
    let sizes = conv::Sizes { input_blocks: 1, output_blocks: 0, ..sizes };
    Conv::new(&machine, sizes).unwrap().run(&output, &[], &mut [], 2).unwrap();
}

/// The tiles that are chosen stay in registers.
#[test]
fn no_product_spills() {
    let here = Target::detect();
    for target in [here.at_most(Level::Avx2), here, Target { vnni: false, bf16: false, ..here }] {
        for product in Product::ALL {
            for vectors in 1..=8 {
                let tile = Tile::choose(&target, product, 1000, vectors);
                let (rows, vectors) = (tile.rows as u8, tile.vectors as u8);
                let group = Contract::GROUP.min(rows);
                let contract = Contract { product, rows, vectors, group, a_steps: Steps::Dense, partial: true };
                if let Ok(emitted) = contract::emit(&contract, &target) {
                    // Six groups of rows leave some addresses and counters to the frame; a vector too many would be dozens.
                    assert!(emitted.spilled <= 6, "{}: {} spilled", emitted.name, emitted.spilled);
                }
            }
        }
    }
}

/// Sizes beyond any memory, and windows without a place.
#[test]
fn impossible_sizes_are_refused() {
    let machine = Machine::new(Target::detect());
    let sizes = Sizes { m: usize::MAX, n: 4, k: 4, a_row: 16, c_row: usize::MAX / 2 };
    let plan = Matmul::new(&machine, Product::F32, sizes).unwrap();
    assert!(plan.run(&[0; 64], &plan.packed().unwrap(), &mut [0; 64], 1).is_err());
    assert!(plan.scratch(&machine, 1 << 58).is_err());
    let sizes = Sizes { m: 1, n: 1 << 33, k: 1 << 33, a_row: 1 << 35, c_row: 1 << 35 };
    assert!(Matmul::new(&machine, Product::F32, sizes).unwrap().packed().is_err());
    let sizes = conv::Sizes { input_blocks: 1, output_blocks: 1, input: [2, 2], window: [3, 3], stride: 1, pad: 0 };
    assert!(Conv::new(&machine, sizes).is_err());
    assert!(Conv::new(&machine, conv::Sizes { stride: 0, pad: 1, ..sizes }).is_err());
    assert_eq!(conv::Sizes { stride: 0, ..sizes }.output(), [0, 0]);
    assert!(Conv::new(&machine, conv::Sizes { input: [1 << 20; 2], pad: 1, ..sizes }).is_err());
    assert!(Conv::new(&machine, conv::Sizes { pad: usize::MAX, ..sizes }).is_err());
    assert!(Conv::new(&machine, conv::Sizes { input: [1 << 30; 2], input_blocks: 1 << 4, ..sizes }).is_err());
}

/// A product without columns is nothing to do, however many rows it has.
#[test]
fn no_columns_take_no_time() {
    let machine = Machine::new(Target::detect());
    let sizes = Sizes { m: usize::MAX, n: 0, k: 0, a_row: 0, c_row: 0 };
    let plan = Matmul::new(&machine, Product::F32, sizes).unwrap();
    plan.run(&[], &plan.packed().unwrap(), &mut [], 2).unwrap();
}

/// A machine uses nothing that this one lacks.
#[test]
fn targets_are_held_to_what_is_here() {
    let here = Target::detect();
    let most = Target { level: Level::Avx512, vnni: true, bf16: true, ..here };
    assert_eq!(Machine::new(most).target(), here);
}
