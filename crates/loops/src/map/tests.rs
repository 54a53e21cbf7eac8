//! Maps against plain loops.

use super::*;
use tilewright_scalar::{Func, Pred, Scalar};

fn run(map: &Map, m: usize, n: usize, tiles: &mut [Vec<f32>]) -> tilewright_support::Result<()> {
    let mut bytes: Vec<Vec<u8>> = tiles.iter().map(|t| t.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
    let mut views: Vec<Tile> = bytes.iter_mut().map(|b| Tile::rows(b, n * 4)).collect();
    for (view, operand) in views.iter_mut().zip(&map.operands) {
        view.row = if operand.column == Stride::Zero { 4 } else { 4 * n as isize };
    }
    interpret(map, [m, n], &mut views)?;
    for (tile, bytes) in tiles.iter_mut().zip(&bytes) {
        *tile = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    }
    Ok(())
}

fn two(order: Order) -> Map {
    Map { operands: vec![Operand::tile(DType::F32), Operand::tile(DType::F32)], order, ..Map::default() }
}

#[test]
fn a_row_is_divided_by_its_sum() {
    let map = two(Order::Rows);
    let x = map.read(0);
    let map = map.stage([Sink::Reduce { combiner: Combiner::Sum, value: x.clone() }]);
    let value = x / map.value_of_row(0);
    let map = map.stage([Sink::Store { operand: 1, value }]);
    let mut tiles = vec![(1..=70).map(|x| x as f32).collect(), vec![0.0; 70]];
    run(&map, 2, 35, &mut tiles).unwrap();
    assert_eq!(tiles[1][3], 4.0 / 630.0);
    assert_eq!(tiles[1][69], 70.0 / 1855.0);
}

#[test]
fn positions_along_both_axes() {
    for (order, column, expected) in [(Order::Rows, true, vec![2., 1., 0.]), (Order::Columns, false, vec![1., 2., 0.])]
    {
        let mut map = two(order);
        map.operands[1] = if column { Operand::column(DType::F32) } else { Operand::row(DType::F32) };
        let combiner = Combiner::ArgMax { last: false };
        let map = Map { stages: vec![], ..map };
        let value = map.read(0);
        let map = map.stage([Sink::Reduce { combiner, value }]);
        let value = map.value_of_row(0).cast(DType::F32);
        let map = map.stage([Sink::Store { operand: 1, value }]);
        let mut tiles = vec![vec![0., 1., 3., 2., f32::NAN, f32::NAN, 1., 1., 1.], vec![9.0; 3]];
        tiles[0][3..6].copy_from_slice(&[2., 3., 1.]);
        tiles[0][7] = if column { 1. } else { 4. };
        tiles[0][8] = 1.;
        run(&map, 3, 3, &mut tiles).unwrap();
        assert_eq!(tiles[1], expected, "{order:?}");
    }
}

#[test]
fn mistakes_are_named() {
    let mut map = two(Order::Rows);
    map.operands[1] = Operand::column(DType::F32);
    let value = map.read(0);
    let map = map.stage([Sink::Store { operand: 1, value }]);
    assert!(run(&map, 1, 1, &mut [vec![0.0], vec![0.0]]).is_err());
    let map = two(Order::Rows).stage([Sink::Store { operand: 1, value: Scalar::konst(DType::F64, 1.0) }]);
    assert!(Program::new(&map).is_err());
}

#[test]
fn a_function_of_nothing_is_refused() {
    let value = Scalar::call(Func::Add, vec![]);
    let operand = Operand::tile(value.dtype());
    let map = Map { operands: vec![operand], ..Map::default() }.stage([Sink::Store { operand: 0, value }]);
    assert!(Program::new(&map).is_err());
}

/// A map that stores a value over a tile of f32.
fn stored(value: Scalar) -> Map {
    two(Order::Rows).stage([Sink::Store { operand: 1, value }])
}

/// What is shared at every level is expanded, and compared with what was built anew, once.
#[test]
fn shared_parts_are_visited_once() {
    let chain = |levels: i64| {
        let read = two(Order::Rows).read(0);
        let level = |x: Scalar, n: i64| {
            let pred = Pred::Ge0(Ix::axis(1) - Ix::konst(n));
            Scalar::guarded(vec![pred], x.clone() + x.clone(), -(x.clone() * x))
        };
        stored((0..levels).fold(read, level))
    };
    let (one, other) = (chain(60), chain(60));
    assert!(one == other && one != chain(61));
    assert!(Program::new(&one).is_ok());
}

#[test]
fn what_is_too_deep_is_refused() {
    let deep = |levels: usize| stored((0..levels).fold(two(Order::Rows).read(0), |x, _| -x));
    assert!(Program::new(&deep(400)).is_ok());
    let refused = Program::new(&deep(3000)).unwrap_err();
    assert!(refused.message.contains("levels deep"), "{refused:?}");
}
