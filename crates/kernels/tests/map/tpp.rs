//! Every row of the tables of names, at every level.

use super::random::Random;
use super::{levels, run::Run};
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::movement;
use tilewright_loops::map::{Combiner, Index, Map, Operand, Order, Program, Stride};
use tilewright_loops::movement::Move;
use tilewright_loops::tpp::{ELEMENTWISE, Here, LIST, Numbers, REDUCTIONS, Type, elementwise};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// Runs a map with some sizes at every level; `name` is for what is missing.
fn check(map: &Map, name: &str) {
    for level in levels() {
        let target = Target { level, ..Target::detect() };
        let mut random = Random(17);
        let run = Run::new(map, &target, Registers::of_level(level));
        let run = run.unwrap_or_else(|| panic!("{name} is not supported at {}", level.name()));
        for n in [0, 1, 7, 16, 31, 33, 64, 70] {
            run.compare(random.below(5), n, &mut random);
        }
    }
}

/// Dtypes of arguments, of results, and of the computation.
const DTYPES: [[DType; 3]; 14] = {
    use DType::*;
    [
        [F32, F32, F32],
        [F64, F64, F64],
        [BF16, BF16, F32],
        [F16, F16, F32],
        [F32, BF16, F32],
        [BF16, F32, BF16],
        [I8, F32, F32],
        [F32, I8, F32],
        [F32, I32, F32],
        [F64, U32, F64],
        [I32, I32, I32],
        [U8, I8, U8],
        [I64, I64, I64],
        [I16, U16, F32],
    ]
};

#[test]
fn every_elementwise_row() {
    for tpp in ELEMENTWISE {
        for (at, [from, to, compute]) in DTYPES.into_iter().enumerate() {
            // Truth values in bytes and packed, by turns.
            let operand = |t: &Type, value: DType| match t {
                Type::Is(DType::Bool) if at % 2 == 0 => Operand::bits(),
                Type::Is(dtype) => Operand::tile(*dtype),
                Type::Value | Type::Within => Operand::tile(value),
            };
            let inputs: Vec<Operand> = tpp.inputs.iter().map(|t| operand(t, from)).collect();
            let outputs: Vec<Operand> = tpp.outputs.iter().map(|t| operand(t, to)).collect();
            let map = tpp.map(&inputs, &outputs, compute);
            assert_eq!(map.is_ok(), tpp.numbers == Numbers::All || compute.is_float(), "{} {compute:?}", tpp.name);
            // What has no expansion has none at any level.
            if let Ok(map) = map.and_then(|map| Program::new(&map).map(|_| map)) {
                check(&map, tpp.name);
            } else {
                assert!(!compute.is_float() || tpp.numbers == Numbers::Floats, "{} {compute:?}", tpp.name);
            }
        }
    }
}

#[test]
fn every_reduction_row() {
    for tpp in REDUCTIONS {
        for order in [Order::Rows, Order::Columns] {
            for dtype in [DType::F32, DType::BF16, DType::I8] {
                let out = if order == Order::Rows { Operand::column(DType::F32) } else { Operand::row(DType::F32) };
                let outputs = vec![out; tpp.combiners.len()];
                for input in [Operand::tile(dtype), Operand::indexed(dtype, Index::I32)] {
                    let inputs = vec![input; tpp.inputs];
                    check(&tpp.map(&inputs, &outputs, order, DType::F32).unwrap(), tpp.name);
                    if let Ok(map) = tpp.accumulate(&inputs, &outputs, order, DType::F32) {
                        check(&map, tpp.name);
                    }
                }
            }
        }
        let (tile, out) = (Operand::tile(DType::F16), Operand::column(DType::F16));
        let whole = tpp.whole(&vec![tile; tpp.inputs], &vec![out; tpp.combiners.len()], DType::F32);
        whole.into_iter().flatten().for_each(|map| check(&map, tpp.name));
    }
}

/// Gathers, combines and reduces at once.
#[test]
fn every_combination_of_indexed_rows() {
    let (rows, weights) = (Operand::indexed(DType::F32, Index::I64), Operand::column(DType::F32));
    for name in ["add", "sub", "mul", "div"] {
        for combiner in [Combiner::Sum, Combiner::Max, Combiner::Min] {
            for other in [rows, weights, Operand { column: Stride::Zero, ..rows }] {
                let along = (combiner, Order::Columns);
                let map =
                    elementwise(name).unwrap().reduce(&[rows, other], Operand::row(DType::F32), along, DType::F32);
                check(&map.unwrap(), name);
            }
        }
    }
}

#[test]
fn every_move_of_the_list() {
    let levels: Vec<Level> = levels().into_iter().filter(|l| *l != Level::Portable).collect();
    for named in LIST {
        let Here::Moves(orders, _) = named.here else { continue };
        for (order, level) in orders.iter().flat_map(|o| levels.iter().map(move |l| (o, l))) {
            for element in [1, 2, 4] {
                let target = Target { level: *level, ..Target::detect() };
                movement::supports(&Move { element, order: *order }, &target).unwrap();
            }
        }
    }
}
