//! Elements by their numbers, places, and indices of every kind: every dtype, order and width of lanes.

use super::random::Random;
use super::run::{FLAT, Run};
use super::{check, levels};
use tilewright_codegen::allocate::Registers;
use tilewright_loops::map::{Map, Operand, Order, Program, Sink, Tile, interpret, interpret_program};
use tilewright_scalar::{Pred, Scalar};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

const ORDERS: [Order; 2] = [Order::Rows, Order::Columns];

fn map(dtype: DType, index: Option<DType>, order: Order) -> Map {
    let mut operands = vec![Operand::flat(dtype), Operand::tile(dtype)];
    operands.extend(index.map(Operand::flat));
    Map { operands, order, places: 2, ..Map::default() }
}

fn stored(map: Map, value: Scalar) -> Map {
    map.stage([Sink::Store { operand: 1, value }])
}

/// `3 i - 2 j + place`: in range for some lanes only.
fn sloped() -> Ix {
    let down = &(&Ix::axis(0) * &Ix::konst(3)) - &(&Ix::axis(1) * &Ix::konst(2));
    &down + &Map::place(0)
}

fn guarded(map: &Map, number: &Ix) -> Scalar {
    let read = map.read_flat(0, number.clone());
    let preds = Pred::within(number, &Ix::from(FLAT)).to_vec();
    Scalar::guarded(preds, read.clone(), read.lit(1.0))
}

#[test]
fn every_dtype_is_read_where_guards_hold() {
    use DType::*;
    for dtype in [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64] {
        for (order, narrow) in ORDERS.into_iter().flat_map(|order| [(order, false), (order, true)]) {
            let map = Map { narrow, ..map(dtype, None, order) };
            let value = guarded(&map, &sloped());
            check(&stored(map, value), 31);
        }
    }
}

/// Vectors of elements next to each other, of which guards hide some.
#[test]
fn runs_of_elements_are_read_where_guards_hold() {
    use DType::*;
    for dtype in [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64] {
        for (order, narrow) in ORDERS.into_iter().flat_map(|order| [(order, false), (order, true)]) {
            let map = Map { narrow, ..map(dtype, Some(I16), order) };
            let from_row = &(&Ix::axis(0) * &Ix::konst(7)) - &Ix::konst(20);
            let from_load = Ix::load(2, vec![Ix::axis(0).modulo(&Ix::from(FLAT))]);
            for first in [from_row, Map::place(0), from_load] {
                let value = guarded(&map, &(&first + &Ix::axis(1)));
                check(&stored(map.clone(), value), 36);
            }
        }
    }
}

/// One element for all columns of a row.
#[test]
fn single_elements_are_read_where_guards_hold() {
    use DType::*;
    for dtype in [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64] {
        for (order, narrow) in ORDERS.into_iter().flat_map(|order| [(order, false), (order, true)]) {
            let map = Map { narrow, ..map(dtype, None, order) };
            let number = &(&Ix::axis(0) * &Ix::konst(20)) - &Ix::konst(30);
            let value = guarded(&map, &number);
            check(&stored(map, value), 38);
        }
    }
}

/// Without guards the columns alone keep reads within the operand.
#[test]
fn lanes_that_are_not_there_read_nothing() {
    use DType::*;
    for dtype in [U8, I16, F32, F64] {
        for (order, narrow) in ORDERS.into_iter().flat_map(|order| [(order, false), (order, true)]) {
            let map = Map { narrow, ..map(dtype, None, order) };
            for number in [Ix::axis(1), &Ix::from(FLAT - 1) - &Ix::axis(1)] {
                let map = stored(map.clone(), map.read_flat(0, number));
                for level in levels() {
                    let target = Target { level, ..Target::detect() };
                    let run = Run::new(&map, &target, Registers::of_level(level)).unwrap();
                    let mut random = Random(39);
                    (0..=FLAT).for_each(|n| run.compare(3, n, &mut random));
                }
            }
        }
    }
}

/// Both sides of a guard read, each where it may.
#[test]
fn the_second_side_is_read_elsewhere() {
    for (order, narrow) in ORDERS.into_iter().flat_map(|order| [(order, false), (order, true)]) {
        let map = Map { narrow, ..map(DType::F32, None, order) };
        let (size, number) = (Ix::from(FLAT), Ix::axis(1));
        let wrapped = &number - &size;
        let far = Scalar::guarded(
            vec![Pred::less(&wrapped, &size)],
            map.read_flat(0, wrapped),
            Scalar::konst(DType::F32, 7.0),
        );
        let value = Scalar::guarded(vec![Pred::less(&number, &size)], map.read_flat(0, number), far);
        check(&stored(map, value), 32);
    }
}

#[test]
fn numbers_are_elements_of_other_operands() {
    for index in [DType::U8, DType::I16, DType::I32, DType::U32, DType::I64] {
        let both = [(Order::Rows, false), (Order::Columns, false), (Order::Rows, true), (Order::Columns, true)];
        for (order, narrow) in both.into_iter().filter(|(_, narrow)| !narrow || index.bits() < 32) {
            for dtype in [DType::F32, DType::F64, DType::U8] {
                let map = Map { narrow, ..map(dtype, Some(index), order) };
                let slope = sloped();
                let loaded = Ix::load(2, vec![slope.clone()]);
                let inside = Pred::within(&loaded, &Ix::from(FLAT));
                let preds = Pred::within(&slope, &Ix::from(FLAT)).into_iter().chain(inside).collect();
                let value = Scalar::guarded(preds, map.read_flat(0, loaded), Scalar::konst(dtype, 5.0));
                check(&stored(map, value), 33);
            }
        }
    }
}

#[test]
fn quotients_extremes_and_products() {
    for (order, narrow) in ORDERS.into_iter().flat_map(|order| [(order, false), (order, true)]) {
        for by in [1, 2, 3, 7, 16, 37, 1000] {
            let map = Map { narrow, ..map(DType::I64, None, order) };
            let (slope, by) = (sloped(), Ix::konst(by));
            let product = &slope.floor_div(&by) * &Map::place(1).max_with(&Ix::axis(0));
            let number = &product - &slope.modulo(&by).min_with(&Ix::axis(1));
            let value = guarded(&map, &number) + Scalar::index(number);
            check(&stored(map, value), 34);
        }
    }
}

/// Few registers of every class: masks, indices and elements go through the frame.
#[test]
fn reads_with_few_registers() {
    for (dtype, narrow) in [(DType::F32, true), (DType::F64, false), (DType::I8, true), (DType::BF16, false)] {
        let map = Map { narrow, ..map(dtype, Some(DType::I32), Order::Rows) };
        let numbers =
            (0..6).map(|k| &sloped() + &Ix::load(2, vec![(&sloped() * &Ix::konst(k)).modulo(&Ix::from(FLAT))]));
        let values: Vec<Scalar> = numbers.map(|number| guarded(&map, &number)).collect();
        let value = values.iter().skip(1).fold(values[0].clone(), |a, b| &(&a * b) + &values[0]);
        let map = stored(map, value);
        for level in levels() {
            let target = Target { level, ..Target::detect() };
            let few = Registers { vectors: 6, masks: 4, generals: 6, ..Registers::of_level(level) };
            let run = Run::new(&map, &target, few).unwrap();
            let mut random = Random(35);
            (0..70).for_each(|n| run.compare(5, n, &mut random));
        }
    }
}

#[test]
fn small_indices_keep_lanes_narrow() {
    for narrow in [false, true] {
        let map = Map { narrow, ..map(DType::F32, None, Order::Rows) };
        let number = &Ix::axis(0) + &Ix::axis(1).floor_div(&Ix::konst(3)).modulo(&Ix::konst(20));
        let near = stored(map.clone(), map.read_flat(0, number));
        assert!(!Program::for_level(&near, Level::Avx2).unwrap().wide);
        let far = stored(map.clone(), map.read_flat(0, &(&Ix::axis(0) * &Ix::konst(1000)) + &Map::place(1)));
        assert_eq!(Program::for_level(&far, Level::Avx2).unwrap().wide, !narrow);
    }
}

#[test]
fn mistakes_are_named() {
    let map = map(DType::F32, None, Order::Rows);
    let (mut one, mut other) = (vec![0; 12], vec![0; 8]);
    let mut found = |value: Scalar, places: &[i64]| {
        let map = stored(map.clone(), value);
        let program = Program::new(&map)?;
        let mut tiles = [Tile::rows(&mut one, 0), Tile::rows(&mut other, 8)];
        interpret_program(&map, &program, [1, 2], places, &mut tiles)
    };
    assert!(found(map.read_flat(0, &Ix::axis(1) + &Ix::konst(1)), &[0, 0]).is_ok());
    let beyond = found(map.read_flat(0, &Ix::axis(1) + &Ix::konst(2)), &[0, 0]).unwrap_err();
    assert!(beyond.message.contains("element 3 of flat operand 0"), "{beyond:?}");
    assert!(found(map.read_flat(0, Ix::axis(1)), &[0]).is_err());
    assert!(found(map.read_flat(0, Ix::axis(4)), &[0, 0]).is_err());
    assert!(found(map.read_flat(0, Ix::sym("n")), &[0, 0]).is_err());
    assert!(found(map.read(0), &[0, 0]).is_err());
    let by_zero = Ix::axis(1).floor_div(&Map::place(0));
    assert!(found(map.read_flat(0, by_zero), &[0, 0]).is_err());
    let to_flat = map.clone().stage([Sink::Store { operand: 0, value: Scalar::konst(DType::F32, 0.0) }]);
    assert!(interpret(&to_flat, [0, 0], &mut []).is_err());
}
