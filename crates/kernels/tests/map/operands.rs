//! Packed bits and indexed rows: every order, stride and width of lanes.

use super::random::Random;
use super::run::Run;
use super::{check, levels};
use tilewright_codegen::allocate::Registers;
use tilewright_loops::map::{Combiner, Index, Map, Operand, Order, Rows, Sink, Stride, Tile, interpret};
use tilewright_scalar::Scalar;
use tilewright_support::target::Target;
use tilewright_tensor::DType;

const ORDERS: [Order; 2] = [Order::Rows, Order::Columns];
const INDICES: [Index; 2] = [Index::I32, Index::I64];

/// The value and whether it is positive.
fn relu_with_mask(dtype: DType, order: Order) -> Map {
    let operands = vec![Operand::tile(dtype), Operand::tile(dtype), Operand::bits()];
    let map = Map { operands, order, ..Map::default() };
    let (x, zero) = (map.read(0), map.read(0).lit(0.0));
    let sinks = [(1, x.maximum(&zero)), (2, x.gt(&zero))];
    map.stage(sinks.map(|(operand, value)| Sink::Store { operand, value }))
}

fn select(dtype: DType, order: Order, rows: Rows) -> Map {
    let bits = Operand { rows, ..Operand::bits() };
    let operands = vec![bits, Operand::tile(dtype), Operand::tile(dtype), Operand::tile(dtype)];
    let map = Map { operands, order, ..Map::default() };
    let value = map.read(0).select(&map.read(1), &map.read(2));
    map.stage([Sink::Store { operand: 3, value }])
}

#[test]
fn packed_bits_are_stored_and_loaded() {
    for order in ORDERS {
        for dtype in [DType::F32, DType::F64, DType::BF16, DType::I64, DType::U8] {
            check(&relu_with_mask(dtype, order), 21);
            for rows in [Rows::One, Rows::Strided, Rows::Indexed(Index::I64)] {
                check(&select(dtype, order, rows), 22);
            }
        }
    }
}

/// Bits that are read, changed and read again, beside lanes of a dtype and many more steps.
fn in_place(dtype: DType, order: Order) -> Map {
    let map = Map { operands: vec![Operand::bits(), Operand::tile(dtype)], order, ..Map::default() };
    let (bit, x) = (map.read(0), map.read(1));
    let flipped = bit.not().or(&x.gt(&x.lit(3.0)));
    let map = map.stage([Sink::Store { operand: 0, value: flipped }]);
    let mut value = bit.select(&x, &x.lit(1.0));
    for step in 0..90 {
        value = value * 1.01 + f64::from(step);
    }
    map.stage([Sink::Store { operand: 1, value }])
}

#[test]
fn packed_bits_change_in_place() {
    for order in ORDERS {
        for dtype in [DType::F32, DType::F64] {
            check(&in_place(dtype, order), 23);
        }
    }
}

#[test]
fn a_row_of_packed_bits_is_stored_once() {
    let operands = vec![Operand::tile(DType::F64), Operand { rows: Rows::One, ..Operand::bits() }];
    let map = Map { operands, order: Order::Columns, ..Map::default() };
    let sum = Sink::Reduce { combiner: Combiner::Sum, value: map.read(0) };
    let map = map.stage([sum]);
    let value = map.value_of_row(0).gt(&Scalar::konst(DType::F64, 1.0));
    check(&map.stage([Sink::Store { operand: 1, value }]), 24);
}

#[test]
fn packed_bits_have_no_other_dtype_than_bool() {
    let operands = vec![Operand { column: Stride::Bits, ..Operand::tile(DType::I8) }];
    let map = Map { operands, ..Map::default() };
    let found = interpret(&map, [0, 0], &mut []).unwrap_err();
    assert!(found.message.contains("packed bits"), "{}", found.message);
}

/// Every combiner over rows found through indices, with a weight each.
#[test]
fn indexed_rows_are_reduced() {
    let last = false;
    let combiners = [Combiner::Sum, Combiner::Max, Combiner::Min, Combiner::ArgMax { last }, Combiner::ArgMin { last }];
    for (order, index) in ORDERS.into_iter().zip(INDICES).chain([(Order::Columns, Index::I32)]) {
        for dtype in [DType::F32, DType::BF16, DType::F64, DType::I32] {
            for combiner in combiners {
                let result = combiner.result(dtype);
                let out = if order == Order::Rows { Operand::column(result) } else { Operand::row(result) };
                let operands = vec![Operand::indexed(dtype, index), Operand::column(dtype), out];
                let map = Map { operands, order, ..Map::default() };
                let value = map.read(0) * map.read(1);
                let map = map.stage([Sink::Reduce { combiner, value }]);
                let value = map.value_of_row(0);
                check(&map.stage([Sink::Store { operand: 2, value }]), 25);
            }
        }
    }
}

/// Rows gathered from two tables and scattered.
#[test]
fn indexed_rows_are_gathered_and_scattered() {
    for order in ORDERS {
        for column in [Stride::Unit, Stride::General, Stride::Zero] {
            let from = Operand { column, ..Operand::indexed(DType::F32, Index::I32) };
            let to = Operand::indexed(DType::F16, Index::I64);
            let operands = vec![from, Operand::indexed(DType::F32, Index::I64), to];
            let map = Map { operands, order, ..Map::default() };
            let value = (map.read(0) + map.read(1)).cast(DType::F16);
            check(&map.stage([Sink::Store { operand: 2, value }]), 26);
        }
    }
}

#[test]
fn indices_beyond_the_memory_are_refused() {
    let map = Map { operands: vec![Operand::indexed(DType::F32, Index::I32)], ..Map::default() };
    let mut bytes = [0; 12];
    for indices in [&[0, 3][..], &[0], &[usize::MAX, 0]] {
        let tile = Tile { indices, ..Tile::rows(&mut bytes, 4) };
        assert!(interpret(&map, [2, 1], &mut [tile]).is_err());
    }
}

/// Few general registers, so that addresses of rows and bits are spilled.
#[test]
fn bits_and_indices_with_few_registers() {
    let select = select(DType::F64, Order::Rows, Rows::Indexed(Index::I32));
    for map in [&relu_with_mask(DType::F64, Order::Columns), &select] {
        for level in levels() {
            let target = Target { level, ..Target::detect() };
            let few = Registers { vectors: 6, masks: 4, generals: 6, ..Registers::of_level(level) };
            let run = Run::new(map, &target, few).unwrap();
            let mut random = Random(27);
            (0..70).for_each(|n| run.compare(5, n, &mut random));
        }
    }
}
