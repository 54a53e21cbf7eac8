//! Every row of the table of primitives that a level claims, emitted and run.

use super::random::Random;
use super::{levels, run::Run};
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::map::computes;
use tilewright_loops::block::{Block, Step, Val};
use tilewright_loops::expand;
use tilewright_loops::map::{Map, Operand, Pass, Program};
use tilewright_loops::prim::{self, Lane, Prim, Rounding};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

const LANES: [Lane; 5] = [Lane::F32, Lane::F64, Lane::I32, Lane::I64, Lane::Mask];

fn all() -> Vec<Prim> {
    use Prim::*;
    let mut all = vec![
        Add,
        Sub,
        Mul,
        Div,
        Sqrt,
        Fma,
        Min,
        Max,
        Scale,
        IAdd,
        ISub,
        IMul,
        IMulHigh,
        IMin,
        IMax,
        IEq,
        IGt,
        And,
        Or,
        Xor,
        AndNot,
        ShlBy,
        ShrBy,
        SarBy,
        MaskAnd,
        MaskOr,
        MaskXor,
        MaskNot,
        Select,
        IntToFloat,
        FloatToInt,
        FloatToIntTrunc,
        Extend,
        ExtendUnsigned,
        Narrow,
        Bits,
        HalfToFloat,
        FloatToHalf,
        Lookup(&TABLE),
    ];
    all.extend([1, 7, 31].into_iter().flat_map(|n| [Shl(n), Shr(n), Sar(n)]));
    all.extend([Rounding::Even, Rounding::Floor, Rounding::Ceil, Rounding::Trunc].map(Round));
    all.extend([prim::Cmp::Lt, prim::Cmp::Le, prim::Cmp::Eq, prim::Cmp::Unordered].map(Prim::Cmp));
    all
}

/// Entries that differ.
static TABLE: prim::Table =
    prim::table([0.0, 1.5, -2.25, 3.0, 4.0, 5.0, -6.5, 7.0, 8.0, 9.0, -0.0, 11.0, f32::INFINITY, 13.0, 14.0, 1e-40]);

fn dtype(lane: Lane) -> DType {
    match lane {
        Lane::F32 => DType::F32,
        Lane::F64 => DType::F64,
        Lane::I32 => DType::I32,
        Lane::I64 => DType::I64,
        Lane::Mask => DType::Bool,
    }
}

/// One primitive from operands to an operand.
fn program(prim: Prim, args: &[Lane]) -> (Map, Program) {
    let mut operands: Vec<Operand> = args.iter().map(|l| Operand::tile(dtype(*l))).collect();
    let result = dtype(prim.result(args[args.len() - 1]));
    operands.push(Operand::tile(result));
    let map = Map { operands, ..Map::default() };
    let mut block = Block::new();
    let mut vals: Vec<Val> = Vec::new();
    for (n, lane) in args.iter().enumerate() {
        let raw = if *lane == Lane::Mask { Lane::I32 } else { *lane };
        let raw = block.step(Step::Load(n as u32), raw);
        vals.push(expand::loaded(&mut block, dtype(*lane), raw));
    }
    if prim == Prim::Scale {
        let mut within = |v: Val, low: f64, high: f64| {
            let (low, high) = (block.number(args[0], low), block.number(args[0], high));
            let v = block.prim(Prim::Max, &[v, low]);
            block.prim(Prim::Min, &[v, high])
        };
        vals = vec![within(vals[0], 1.0 / 256.0, 256.0), within(vals[1], -2000.0, 2000.0)];
        vals[1] = block.prim(Prim::Round(Rounding::Even), &[vals[1]]);
    }
    let value = block.prim(prim, &vals);
    let bits = expand::stored(&mut block, result, value);
    let pass = Pass::new(&map, block, vec![(args.len() as u32, bits)], vec![]).unwrap();
    (map, Program::of(vec![pass]))
}

#[test]
fn every_primitive_of_the_table() {
    let mut rows = 0;
    for prim in all() {
        for last in LANES {
            let mut args = vec![last; prim.arity()];
            if prim == Prim::Select {
                args[0] = Lane::Mask;
            }
            if !prim.takes(&args) {
                continue;
            }
            for level in levels() {
                let target = Target { level, ..Target::detect() };
                let (map, program) = program(prim, &args);
                let run = Run::of(&map, program, &target, Registers::of_level(level));
                let expected = level == Level::Portable || computes(prim, last, level);
                assert_eq!(run.is_some(), expected, "{prim:?} of {last:?} at {}", level.name());
                let Some(run) = run else {
                    assert_ne!(level, Level::Avx512, "{prim:?} of {last:?}");
                    continue;
                };
                rows += 1;
                let mut random = Random(3);
                for n in [1, 5, 16, 40, 70] {
                    run.compare(4, n, &mut random);
                }
            }
        }
    }
    assert!(rows > 50);
}
