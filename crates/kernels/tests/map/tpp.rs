//! Every row of the tables of names, at every level.

use super::random::Random;
use super::{levels, run::Run};
use tilewright_codegen::allocate::Registers;
use tilewright_loops::map::{Map, Operand, Order};
use tilewright_loops::tpp::{ELEMENTWISE, REDUCTIONS, Type};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// Runs a map with some sizes at every level; `name` is for what is missing.
fn check(map: &Map, name: &str, at: Level) {
    let target = Target { level: at, ..Target::detect() };
    let mut random = Random(17);
    let run = Run::new(map, &target, Registers::of_level(at));
    let run = run.unwrap_or_else(|| panic!("{name} is not supported at {}", at.name()));
    for n in [0, 1, 7, 16, 31, 33, 64, 70] {
        run.compare(random.below(5), n, &mut random);
    }
}

#[test]
fn every_elementwise_row() {
    for tpp in ELEMENTWISE {
        for dtype in [DType::F32, DType::BF16, DType::F16, DType::F64] {
            let of = |t: &Type| match t {
                Type::Value => dtype,
                Type::Is(dtype) => *dtype,
            };
            let compute = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
            let inputs: Vec<Operand> = tpp.inputs.iter().map(|t| Operand::tile(of(t))).collect();
            let map = tpp.map(&inputs, Operand::tile(of(&tpp.output)), compute).unwrap();
            for level in levels() {
                check(&map, tpp.name, level);
            }
        }
    }
}

#[test]
fn every_reduction_row() {
    for tpp in REDUCTIONS {
        for order in [Order::Rows, Order::Columns] {
            let out = if order == Order::Rows { Operand::column(DType::F32) } else { Operand::row(DType::F32) };
            for dtype in [DType::F32, DType::BF16, DType::I8] {
                let inputs = vec![Operand::tile(dtype); tpp.inputs];
                let outputs = vec![out; if tpp.name.contains("_and_") || tpp.name.contains("_with_") { 2 } else { 1 }];
                let map = tpp.map(&inputs, &outputs, order, DType::F32).unwrap();
                for level in levels() {
                    check(&map, tpp.name, level);
                }
            }
        }
    }
}
