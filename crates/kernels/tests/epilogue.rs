//! Contracts with epilogues against a Contract followed by a Map, both interpreted, bit for bit.
mod guarded;
mod random;

use guarded::Guarded;
use random::Random;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::contract::{emit_fused, lanes};
use tilewright_codegen::portable::Portable;
use tilewright_kernels::Callable;
use tilewright_loops::contract::{ARGS, Contract, Operands, Product, Steps};
use tilewright_loops::map::{Index, Map, Operand, Sink, Tile};
use tilewright_loops::{contract, map};
use tilewright_runtime::code::CodeMemory;
use tilewright_scalar::Scalar;
use tilewright_scalar::{Func, Overflow};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// The largest factor, and the largest operand of an epilogue.
const MOST: f64 = 1.3;

fn of(operands: &[Operand], outputs: &[u32], values: impl Fn(&Map) -> Vec<Scalar>) -> Map {
    let map = Map { operands: operands.to_vec(), ..Map::default() };
    let sinks: Vec<Sink> =
        outputs.iter().zip(values(&map)).map(|(operand, value)| Sink::Store { operand: *operand, value }).collect();
    map.stage(sinks)
}

/// Epilogues of sums of floats.
fn float_maps() -> Vec<Map> {
    use DType::{BF16, F16, F32, I8};
    let sums = Operand::tile(F32);
    let relu = |x: &Scalar| Scalar::call(Func::Max, vec![x.clone(), x.lit(0.0)]);
    let bias_relu_residual = of(&[sums, Operand::row(F32), Operand::tile(F32), Operand::tile(F32)], &[3], |m| {
        vec![relu(&(m.read(0) + m.read(1) + m.read(2)))]
    });
    let scale_per_row = of(&[sums, Operand::column(F32), Operand::tile(F32)], &[2], |m| vec![m.read(0) * m.read(1)]);
    let two_outputs =
        of(&[sums, Operand::tile(BF16), Operand::tile(F32)], &[1, 2], |m| vec![m.read(0).cast(BF16), relu(&m.read(0))]);
    let half = of(&[sums, Operand::row(F32), Operand::tile(F16)], &[2], |m| vec![(m.read(0) * m.read(1)).cast(F16)]);
    let quantize = of(&[sums, Operand::row(F32), Operand::scalar(F32), Operand::tile(I8)], &[3], |m| {
        let scaled = m.read(0) * m.read(1) + m.read(2);
        let round = Scalar::call(Func::RoundEven, vec![scaled]);
        let low = Scalar::call(Func::Max, vec![round.clone(), round.lit(-128.0)]);
        let clamped = Scalar::call(Func::Min, vec![low.clone(), low.lit(127.0)]);
        vec![Scalar::call(Func::Cast(I8, Overflow::Saturate), vec![clamped])]
    });
    let masked = of(&[sums, Operand::tile(F32), Operand::bits()], &[1, 2], |m| {
        vec![relu(&m.read(0)), m.read(0).gt(&m.read(0).lit(0.0))]
    });
    let select = of(&[sums, Operand::bits(), Operand::tile(F32)], &[2], |m| {
        vec![m.read(1).select(&m.read(0), &m.read(0).lit(0.0))]
    });
    vec![bias_relu_residual, scale_per_row, two_outputs, half, quantize, masked, select]
}

/// Epilogues of sums of bytes.
fn int_maps() -> Vec<Map> {
    use DType::{F32, I32, U8};
    let sums = Operand::tile(I32);
    let dequantize =
        of(&[sums, Operand::row(F32), Operand::tile(F32)], &[2], |m| vec![m.read(0).cast(F32) * m.read(1)]);
    let requantize = of(&[sums, Operand::row(I32), Operand::row(F32), Operand::tile(U8)], &[3], |m| {
        let scaled = (m.read(0) + m.read(1)).cast(F32) * m.read(2);
        let round = Scalar::call(Func::RoundEven, vec![scaled]);
        let low = Scalar::call(Func::Max, vec![round.clone(), round.lit(0.0)]);
        let clamped = Scalar::call(Func::Min, vec![low.clone(), low.lit(255.0)]);
        vec![Scalar::call(Func::Cast(U8, Overflow::Saturate), vec![clamped])]
    });
    vec![dequantize, requantize]
}

/// Epilogues of sums of f64.
fn wide_maps() -> Vec<Map> {
    use DType::{F32, F64};
    let (sums, outputs) = (Operand::tile(F64), [Operand::tile(F64), Operand::tile(F32)]);
    let scale = of(&[sums, Operand::row(F64), outputs[0]], &[2], |m| vec![m.read(0) * m.read(1)]);
    let both = of(&[sums, outputs[0], outputs[1]], &[1, 2], |m| vec![m.read(0) + m.read(0), m.read(0).cast(F32)]);
    vec![scale, both]
}

/// A Contract with an epilogue that can be called, and its instructions.
fn callable(contract: &Contract, fused: &Map, target: &Target, registers: Registers) -> (Callable, String) {
    if target.level == Level::Portable {
        return (Callable::Portable(Arc::new(Portable::fused(contract, fused, target.level).unwrap())), String::new());
    }
    let emitted = emit_fused(contract, fused, target, registers).unwrap();
    let kernel = CodeMemory::new().publish(&emitted.name, &emitted.code.bytes, emitted.code.entry).unwrap();
    (Callable::Code(kernel), emitted.listing())
}

fn run(contract: &Contract, fused: &Map, target: &Target, registers: Registers, random: &mut Random) {
    let (kernel, listing) = callable(contract, fused, target, registers);
    let lanes = lanes(contract.product, target.level);
    let last = if contract.partial { 1 + random.below(lanes) } else { lanes };
    let (rows, columns) = (usize::from(contract.rows), (usize::from(contract.vectors) - 1) * lanes + last);
    let steps = 1 + random.below(9);
    let (size, c_size) = (contract.product.step_bytes(), contract.product.c_bytes());
    let (mut a, mut b) = (vec![0u8; rows * steps * size], vec![0u8; steps * columns * size]);
    random.fill(contract.product.a(), MOST, &mut a);
    random.fill(contract.product.b(), MOST, &mut b);
    let group = usize::from(contract.group);
    let mut sums = vec![0u8; rows * columns * c_size];
    let mut operands = Operands {
        a: &a,
        b: &b,
        c: &mut sums,
        a_row: steps * size,
        a_group: group * steps * size,
        a_step: 0,
        b_step: columns * size,
        c_row: columns * c_size,
        c_group: group * columns * c_size,
        steps,
        offsets: &[[0, 0]],
        columns,
        accumulate: false,
    };
    contract::interpret(contract, &mut operands).unwrap();
    let strides: Vec<usize> = fused.operands.iter().map(|o| o.row_bytes(columns + 3)).collect();
    let mut tiles: Vec<Vec<u8>> = strides.iter().map(|s| vec![0u8; s * rows]).collect();
    for (tile, operand) in tiles.iter_mut().zip(&fused.operands) {
        random.fill(operand.dtype, MOST, tile);
    }
    let guarded: Vec<Guarded> = tiles.iter().map(|t| Guarded::new(t, true)).collect();
    let offsets = [[0u64; 2]];
    let mut args = vec![0u64; ARGS + 3 * tiles.len() + 2];
    args[..3].copy_from_slice(&[a.as_ptr() as u64, b.as_ptr() as u64, 0]);
    let (a_row, c_row) = (steps * size, columns * c_size);
    let distances = [a_row, group * a_row, 0, columns * size, c_row, group * c_row, steps, 1];
    args[3..11].iter_mut().zip(distances).for_each(|(to, from)| *to = from as u64);
    args[11..14].copy_from_slice(&[offsets.as_ptr() as u64, last as u64, 0]);
    for (o, (tile, stride)) in guarded.iter().zip(&strides).enumerate() {
        args[ARGS + o] = tile.address();
        args[ARGS + tiles.len() + o] = if fused.operands[o].has_rows() { *stride as u64 } else { 0 };
    }
    // SAFETY: the arguments describe the operands, which are as large as their strides say.
    unsafe { kernel.call(args.as_ptr()) };
    // The interpreter reads the sums as operand 0.
    for (to, from) in tiles[0].chunks_exact_mut(strides[0]).zip(sums.chunks_exact(c_row)) {
        to[..from.len()].copy_from_slice(from);
    }
    let mut interpreted: Vec<Tile> =
        tiles.iter_mut().zip(&strides).map(|(bytes, row)| Tile::rows(bytes, *row)).collect();
    let program = map::Program::for_level(fused, target.level).unwrap();
    map::interpret_program(fused, &program, [rows, columns], &[], &mut interpreted).unwrap();
    for (o, (found, want)) in guarded.iter().zip(&tiles).enumerate().skip(1) {
        assert!(found.bytes() == want, "{} on {:?}: operand {o}\n{listing}", kernel.name(), target.level);
    }
}

#[test]
fn fused_kernels_equal_their_parts() {
    let here = Target::detect();
    let mut random = Random(7);
    let plain = Target { vnni: false, bf16: false, ..here };
    for target in Level::ALL.into_iter().map(|level| here.at_most(level)).chain([plain]) {
        let all = Registers::of_level(target.level);
        for (product, maps) in [
            (Product::F32, float_maps()),
            (Product::F16, float_maps()),
            (Product::Bf16, float_maps()),
            (Product::U8S8, int_maps()),
            (Product::F64, wide_maps()),
        ] {
            for fused in &maps {
                for (rows, vectors) in [(1, 1), (3, 2), (6, 2), (7, 1)] {
                    for partial in [false, true] {
                        let group = Contract::GROUP.min(rows);
                        let contract = Contract { product, rows, vectors, group, a_steps: Steps::Dense, partial };
                        for registers in [all, Registers { vectors: 9, ..all }] {
                            run(&contract, fused, &target, registers, &mut random);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn epilogues_that_do_not_fit_are_refused() {
    let target = Target::detect();
    let contract =
        Contract { product: Product::F32, rows: 2, vectors: 1, group: 2, a_steps: Steps::Dense, partial: false };
    let refused = |map: &Map| {
        let found = Portable::fused(&contract, map, Level::Portable).unwrap_err().message;
        if target.level != Level::Portable {
            let registers = Registers::of_level(target.level);
            assert_eq!(emit_fused(&contract, map, &target, registers).unwrap_err().message, found);
        }
        found
    };
    let sums = Operand::tile(DType::F32);
    let stages = of(&[sums, sums], &[1], |m| vec![m.read(0)])
        .stage([Sink::Store { operand: 1, value: Scalar::konst(DType::F32, 1.0) }]);
    assert!(refused(&stages).contains("several stages"));
    let stored = of(&[sums], &[0], |m| vec![m.read(0)]);
    assert!(refused(&stored).contains("stored to"));
    let wide = of(&[sums, Operand::tile(DType::F64)], &[1], |m| vec![m.read(0).cast(DType::F64)]);
    assert!(refused(&wide).contains("wider"));
    let gathered = of(&[sums, Operand::indexed(DType::F32, Index::I32), sums], &[2], |m| vec![m.read(0) + m.read(1)]);
    assert!(refused(&gathered).contains("indexed rows"));
}
