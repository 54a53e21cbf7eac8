//! The machine code and the loops of maps against their meaning, bit for bit; NaN equals NaN.

mod flat;
#[path = "../guarded/mod.rs"]
mod guarded;
#[path = "../nan/mod.rs"]
mod nan;
mod operands;
mod prims;
mod random;
mod run;
mod supports;
mod tpp;

use random::Random;
use run::Run;
use std::ops::Range;
use tilewright_codegen::allocate::Registers;
use tilewright_loops::map::{Combiner, Map, Operand, Order, Rows, Sink, Stride};
use tilewright_loops::normalize;
use tilewright_scalar::{Func, Scalar};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

fn levels() -> Vec<Level> {
    let best = Target::detect().level;
    Level::ALL.into_iter().filter(|l| *l <= best).collect()
}

/// Runs a map at every level with many sizes, with all registers and with few.
fn check(map: &Map, seed: u64) {
    for level in levels() {
        let target = Target { level, ..Target::detect() };
        let mut random = Random(seed);
        for few in [false, true] {
            let mut registers = Registers::of_level(level);
            if few {
                registers.vectors = 6;
            }
            let Some(run) = Run::new(map, &target, registers) else { continue };
            for n in (0..=70).chain([95, 96, 97, 127, 128, 129, 257]) {
                run.compare(random.below(6), n, &mut random);
            }
        }
    }
}

fn unary(dtype: DType, body: impl Fn(&Scalar) -> Scalar) -> Map {
    let map = Map { operands: vec![Operand::tile(dtype), Operand::tile(dtype)], ..Map::default() };
    let value = body(&map.read(0));
    map.stage([Sink::Store { operand: 1, value }])
}

#[test]
fn arithmetic_of_f32() {
    check(&unary(DType::F32, |x| x.clone() * 2.5 + 1.0), 1);
    check(&unary(DType::F32, |x| x.maximum(&x.lit(0.0))), 2);
    check(&unary(DType::F32, |x| (x.abs() + 1.0).sqrt() / (x.clone() - 0.5)), 3);
}

#[test]
fn powers_by_constants() {
    for dtype in [DType::F32, DType::F64, DType::I8, DType::I32, DType::U64] {
        for exponent in [-2.0, -1.0, 0.0, 0.5, 3.0, 5.0, 70.0f64] {
            if dtype.is_float() || exponent.fract() == 0.0 {
                check(&unary(dtype, |x| Scalar::call(Func::Pow, vec![x.clone(), x.lit(exponent)])), 12);
            }
        }
    }
}

#[test]
fn every_dtype_is_copied() {
    use DType::*;
    for dtype in [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64] {
        check(&unary(dtype, Scalar::clone), 4);
        for column in [Stride::Zero, Stride::General] {
            let mut map = unary(dtype, Scalar::clone);
            map.operands[0].column = column;
            check(&map, 5);
            map.operands[1].column = column;
            check(&map, 6);
        }
    }
}

fn softmax(dtype: DType) -> Map {
    normalize::softmax(Operand::tile(dtype), Operand::tile(DType::F32), DType::F32)
}

#[test]
fn normalisations_of_rows() {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let (tile, row) = (Operand::tile(dtype), Operand::row(dtype));
        check(&softmax(dtype), 7);
        check(&normalize::softmax(tile, tile, DType::F32), 8);
        check(&normalize::layer_norm([tile, row, row, tile], 1e-5, DType::F32), 9);
        check(&normalize::rms_norm([tile, row, tile], 1e-5, DType::F32), 10);
    }
    let (tile, row) = (Operand::tile(DType::F64), Operand::row(DType::F64));
    check(&normalize::layer_norm([tile, row, row, tile], 1e-5, DType::F64), 11);
}

#[test]
fn maps_run_in_place() {
    for map in [softmax(DType::F32), unary(DType::F32, |x| x.tanh() + 1.0), unary(DType::U8, |x| x.clone() * x.clone())]
    {
        for level in levels() {
            let target = Target { level, ..Target::detect() };
            let run = Run::new(&map, &target, Registers::of_level(level)).unwrap();
            let mut random = Random(9);
            for n in 1..=140 {
                run.compare_in_place([random.below(6), n], &mut random);
            }
        }
    }
}

#[test]
fn every_reduction_of_every_dtype() {
    use DType::*;
    let combiners = [Combiner::Sum, Combiner::Prod, Combiner::Max, Combiner::Min];
    let positions = [false, true].map(|last| [Combiner::ArgMax { last }, Combiner::ArgMin { last }]);
    for combiner in combiners.into_iter().chain(positions.into_iter().flatten()) {
        for dtype in [I8, U8, I32, U32, I64, U64, F16, BF16, F32, F64] {
            for order in [Order::Rows, Order::Columns] {
                let to = combiner.result(dtype);
                let out = if order == Order::Rows { Operand::column(to) } else { Operand::row(to) };
                let map = Map { operands: vec![Operand::tile(dtype), out], order, ..Map::default() };
                let value = map.read(0);
                let map = map.stage([Sink::Reduce { combiner, value }]);
                let value = map.value_of_row(0);
                check(&map.stage([Sink::Store { operand: 1, value }]), 8);
            }
        }
    }
}

#[test]
fn long_expressions_run_or_are_refused() {
    for (steps, emitted) in [(300, true), (40_000, false)] {
        let mut map = Map { operands: vec![Operand::tile(DType::F32), Operand::tile(DType::F32)], ..Map::default() };
        for stage in 0..steps / 100 {
            let mut value = map.read((stage > 0).into());
            for n in 0..100 {
                value = value * (1.0 + f64::from(n) / 1e4) + f64::from(stage);
            }
            map = map.stage([Sink::Store { operand: 1, value }]);
        }
        for level in levels() {
            let target = Target { level, ..Target::detect() };
            let run = Run::new(&map, &target, Registers::of_level(level));
            assert_eq!(run.is_some(), emitted || level == Level::Portable);
            if let Some(run) = run {
                run.compare(2, 35, &mut Random(5));
            }
        }
    }
}

/// A map of so many values that live at once.
fn many_values(count: usize) -> Map {
    let tile = Operand::tile(DType::F32);
    let map = Map { operands: vec![tile; 3], ..Map::default() };
    let scaled = |n: usize| map.read(0) * (1.0 + n as f64 / 1e4);
    let mut sides = [0, 1].map(|_| Vec::new());
    (0..count).map(scaled).for_each(|x| sides.iter_mut().for_each(|side| side.push(x.clone())));
    let fold = |mut values: Vec<Scalar>, join: fn(&Scalar, &Scalar) -> Scalar| {
        while values.len() > 1 {
            values = values.chunks(2).map(|x| x.iter().skip(1).fold(x[0].clone(), |a, b| join(&a, b))).collect();
        }
        values.swap_remove(0)
    };
    let [left, right] = sides;
    let sinks = [(1, fold(left, |a, b| a + b)), (2, fold(right, Scalar::maximum))];
    map.stage(sinks.map(|(operand, value)| Sink::Store { operand, value }))
}

/// Frames of many pages, and those too large for a stack.
#[test]
fn many_values_live_in_the_frame() {
    for (count, emitted) in [(300, true), (6000, false)] {
        let map = many_values(count);
        for level in levels().into_iter().filter(|l| *l != Level::Portable) {
            let run = Run::new(&map, &Target { level, ..Target::detect() }, Registers::of_level(level));
            assert_eq!(run.is_some(), emitted, "{count}");
            if let Some(run) = run {
                run.compare(3, 37, &mut Random(6));
            }
        }
    }
}

/// Seeds of random maps: `MAPS=from..to`, or `MAPS=to`.
fn seeds() -> Range<u64> {
    let given = std::env::var("MAPS").unwrap_or_default();
    let (from, to) = given.split_once("..").unwrap_or(("0", &given));
    from.parse().unwrap_or(0)..to.parse().unwrap_or(400)
}

#[test]
fn random_expressions() {
    let (mut emitted, mut refused, mut bits, mut indexed, mut flat) = (0, 0, 0, 0, 0);
    for seed in seeds() {
        let mut random = Random(seed * 7919 + 1);
        let map = random::map(&mut random);
        bits += usize::from(map.operands.iter().any(|o| o.column == Stride::Bits));
        flat += usize::from(map.operands.iter().any(Operand::is_flat));
        indexed += usize::from(map.operands.iter().any(|o| matches!(o.rows, Rows::Indexed(_))));
        for level in levels() {
            let target = Target { level, ..Target::detect() };
            let mut registers = Registers::of_level(level);
            if random.below(2) == 0 {
                registers.vectors = 6 + random.below(10) as u16;
                registers.masks = 4 + random.below(4) as u16;
                registers.generals = 6 + random.below(10) as u16;
            }
            let Some(run) = Run::new(&map, &target, registers) else {
                refused += 1;
                continue;
            };
            emitted += 1;
            for _ in 0..3 {
                run.compare(random.below(6), random.below(71), &mut random);
            }
        }
    }
    println!(
        "{emitted} emitted, {refused} refused; maps with packed bits {bits}, with indexed rows {indexed}, flat {flat}"
    );
    assert!(emitted > refused, "{emitted} emitted, {refused} refused");
}
