//! Every scalar function of every dtype that it takes.

use super::random::Random;
use super::{levels, run::Run};
use tilewright_codegen::allocate::Registers;
use tilewright_loops::map::{Map, Operand, Sink};
use tilewright_scalar::func::{Row, Rule, TABLE};
use tilewright_scalar::{Func, Scalar};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

const DTYPES: [DType; 13] = [
    DType::Bool,
    DType::I8,
    DType::U8,
    DType::I16,
    DType::U16,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::U64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
];

/// The function of whole operands, if it takes the dtype.
fn map(row: &Row, dtype: DType) -> Option<Map> {
    let from = match row.rule {
        Rule::Select => vec![DType::Bool, dtype, dtype],
        Rule::Random => vec![DType::I64; 2],
        _ => vec![dtype; row.arity],
    };
    let mut operands: Vec<Operand> = from.iter().map(|d| Operand::tile(*d)).collect();
    let reads = |map: &Map| -> Vec<Scalar> { (0..row.arity).map(|n| map.read(n as u32)).collect() };
    let args = reads(&Map { operands: operands.clone(), ..Map::default() });
    row.func.check(&args).ok()?;
    operands.push(Operand::tile(row.func.result(&args)));
    let map = Map { operands, ..Map::default() };
    let value = Scalar::call(row.func, reads(&map));
    Some(map.stage([Sink::Store { operand: row.arity as u32, value }]))
}

#[test]
fn every_function_of_every_dtype() {
    let mut rows = 0;
    for (row, dtype) in TABLE.iter().flat_map(|row| DTYPES.map(|dtype| (row, dtype))) {
        let Some(map) = map(row, dtype) else { continue };
        for (level, few) in levels().into_iter().flat_map(|level| [(level, false), (level, true)]) {
            let target = Target { level, ..Target::detect() };
            let mut registers = Registers::of_level(level);
            if few {
                registers.vectors = 8;
            }
            let run = Run::new(&map, &target, registers);
            let run = run.unwrap_or_else(|| panic!("{:?} of {dtype:?} at {}", row.func, level.name()));
            rows += usize::from(level != Level::Portable);
            let mut random = Random(11);
            for n in [1, 5, 16, 39, 70] {
                run.compare(3, n, &mut random);
            }
        }
    }
    assert!(rows == 0 || rows > 400, "{rows}");
}

#[test]
fn powers_by_constants() {
    for dtype in [DType::F32, DType::F64, DType::I8, DType::I32, DType::U64] {
        for exponent in [-2.0, -1.0, 0.0, 0.5, 3.0, 5.0, 70.0f64] {
            if dtype.is_float() || exponent.fract() == 0.0 {
                super::check(&super::unary(dtype, |x| Scalar::call(Func::Pow, vec![x.clone(), x.lit(exponent)])), 12);
            }
        }
    }
}
