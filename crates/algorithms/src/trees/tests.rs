//! Trees of one node, tables that are wrong, and the examples of ONNX's operators.

use super::*;
use crate::testing::{floats, ints, refused, run};

/// One node that tests feature 0 against 0, and two leaves with one vote each.
fn stump(targets: [usize; 2], weights: [f64; 2]) -> Ensemble {
    Ensemble {
        tests: vec![Test::Leq],
        features: vec![0],
        thresholds: vec![0.0],
        on_true: vec![Next::Leaf(0)],
        on_false: vec![Next::Leaf(1)],
        nan_is_true: vec![],
        members: vec![],
        roots: vec![Next::Node(0)],
        leaves: vec![0, 1],
        targets: targets.to_vec(),
        weights: weights.to_vec(),
        outputs: targets.iter().max().unwrap() + 1,
        aggregate: Aggregate::Sum,
        base: vec![],
        pair: Pair::None,
        post: Post::None,
        dtype: DType::F32,
    }
}

fn scores(tables: Ensemble, x: Tensor) -> (Vec<f64>, Vec<i64>) {
    let out = run(Trees::new(tables).unwrap(), &[x]);
    (out[0].to_vec_f64(), out[1].to_vec_i64())
}

#[test]
fn the_examples_of_onnx() {
    let single = Ensemble {
        tests: vec![Test::Leq; 3],
        features: vec![0; 3],
        thresholds: vec![3.5, 1.2, 4.2],
        on_true: vec![Next::Node(1), Next::Leaf(0), Next::Leaf(1)],
        on_false: vec![Next::Node(2), Next::Leaf(2), Next::Leaf(3)],
        leaves: vec![0, 1, 2, 3],
        targets: vec![0, 1, 0, 1],
        weights: vec![5.23, 12.12, -12.23, 7.21],
        dtype: DType::F64,
        ..stump([0, 1], [0.0, 0.0])
    };
    let x = Tensor::from_slice(&[3, 2], &[1.2, 3.4, -0.12, 1.66, 4.14, 1.77]).unwrap();
    assert_eq!(scores(single, x), (vec![5.23, 0.0, 5.23, 0.0, 0.0, 12.12], vec![0, 0, 1]));

    let set = |members: &[f32]| members.iter().map(|m| f64::from(*m)).collect::<Vec<_>>();
    let sets = Ensemble {
        tests: vec![Test::Leq, Test::Member, Test::Member],
        thresholds: vec![11.0, 232344.0, f64::MAX],
        features: vec![0; 3],
        on_true: vec![Next::Node(1), Next::Leaf(0), Next::Leaf(1)],
        on_false: vec![Next::Leaf(2), Next::Node(2), Next::Leaf(3)],
        members: vec![set(&[1.2, 3.7, 8.0, 9.0]), set(&[12.0, 7.0])],
        leaves: vec![0, 1, 2, 3],
        targets: vec![0, 1, 2, 3],
        weights: vec![1.0, 10.0, 1000.0, 100.0],
        outputs: 4,
        ..stump([0, 1], [0.0, 0.0])
    };
    let x = floats(&[6, 1], &[1.2, 3.4, -0.12, f32::NAN, 12.0, 7.0]);
    let wanted = [[1, 0, 0, 0], [0, 0, 0, 100], [0, 0, 0, 100], [0, 0, 1000, 0], [0, 0, 1000, 0], [0, 10, 0, 0]];
    assert_eq!(scores(sets, x).0, wanted.concat().into_iter().map(f64::from).collect::<Vec<_>>());
}

#[test]
fn every_test_and_nan() {
    let cases = [
        (Test::Leq, [1.0, 1.0, 0.0]),
        (Test::Lt, [1.0, 0.0, 0.0]),
        (Test::Gte, [0.0, 1.0, 1.0]),
        (Test::Gt, [0.0, 0.0, 1.0]),
        (Test::Eq, [0.0, 1.0, 0.0]),
        (Test::Neq, [1.0, 0.0, 1.0]),
        (Test::Member, [1.0, 1.0, 0.0]),
    ];
    for (test, wanted) in cases {
        for nan_is_true in [vec![], vec![false], vec![true]] {
            let nan = f64::from(u8::from(nan_is_true == [true]));
            let members = if test == Test::Member { vec![vec![0.0, 7.0, -1.0]] } else { vec![] };
            let tables = Ensemble { tests: vec![test], nan_is_true, members, ..stump([0, 0], [1.0, 0.0]) };
            let x = floats(&[4, 1], &[-1.0, -0.0, 1.0, f32::NAN]);
            assert_eq!(scores(tables, x).0, [wanted.to_vec(), vec![nan]].concat(), "{test:?}");
        }
    }
}

#[test]
fn aggregates_and_base_values() {
    for (aggregate, wanted) in [
        (Aggregate::Sum, [10.75, 20.0, 30.0]),
        (Aggregate::Average, [10.25, 20.0, 30.0]),
        (Aggregate::Min, [10.25, 20.0, 30.0]),
        (Aggregate::Max, [10.5, 20.0, 30.0]),
    ] {
        let tables = Ensemble {
            roots: vec![Next::Node(0), Next::Leaf(1), Next::Leaf(2)],
            leaves: vec![0, 1, 2],
            aggregate,
            outputs: 3,
            base: vec![10.0, 20.0, 30.0],
            ..stump([0, 0], [0.5, 0.25])
        };
        let (found, best) = scores(tables, ints(&[1, 2], &[-5, 0]));
        assert_eq!((found, best), (wanted.to_vec(), vec![2]), "{aggregate:?}");
    }
}

#[test]
fn two_classes_of_one_score() {
    let x = || floats(&[2, 1], &[-1.0, 1.0]);
    let half = Ensemble { pair: Pair::Half, dtype: DType::F64, ..stump([0, 0], [0.25, 0.75]) };
    assert_eq!(scores(half, x()), (vec![0.75, 0.25, 0.25, 0.75], vec![0, 1]));
    let sign = Ensemble { pair: Pair::Sign, post: Post::Logistic, ..stump([0, 0], [-0.3, 0.0]) };
    let (found, best) = scores(sign, x());
    assert!((found[0] - 0.5744425).abs() < 1e-6 && found[2] == 0.5);
    assert_eq!(best, [0, 0]);
    let none = Ensemble { pair: Pair::Sign, ..stump([0, 0], [1.0, 2.0]) };
    assert_eq!(scores(none, floats(&[0, 1], &[])), (vec![], vec![]));
}

#[test]
fn wrong_tables_are_refused() {
    let base = || stump([0, 1], [1.0, 2.0]);
    let pair = |a, b| Ensemble {
        tests: vec![Test::Leq; 2],
        features: vec![0; 2],
        thresholds: vec![0.0; 2],
        on_true: vec![a, Next::Leaf(0)],
        on_false: vec![Next::Leaf(0), b],
        ..base()
    };
    let cases = [
        (Ensemble { features: vec![], ..base() }, "0 features, where there must be 1"),
        (Ensemble { tests: vec![Test::Member], ..base() }, "0 sets, where there must be 1"),
        (Ensemble { base: vec![1.0], ..base() }, "1 base values, where there must be 2"),
        (Ensemble { pair: Pair::Half, ..base() }, "2 paired scores, where there must be 1"),
        (Ensemble { roots: vec![Next::Node(1)], ..base() }, "Node(1) is not among 1 nodes and 2 leaves"),
        (Ensemble { on_true: vec![Next::Leaf(2)], ..base() }, "Leaf(2) is not among 1 nodes and 2 leaves"),
        (Ensemble { leaves: vec![1, 0], ..base() }, "the votes of leaf 0 end before they start"),
        (Ensemble { leaves: vec![0, 3], ..base() }, "the votes of leaf 1 end before they start"),
        (Ensemble { outputs: 1, ..base() }, "a vote for target 1 of 1"),
        (Ensemble { on_true: vec![Next::Node(0)], ..base() }, "node 0 leads back to itself, or follows one that does"),
        (pair(Next::Node(1), Next::Node(0)), "node 0 leads back to itself, or follows one that does"),
    ];
    for (tables, why) in cases {
        assert_eq!(Trees::new(tables).unwrap_err().message, format!("trees: {why}"));
    }
    assert!(Trees::new(pair(Next::Node(1), Next::Leaf(1))).is_ok());
    let op = Trees::new(Ensemble { features: vec![7], ..base() }).unwrap();
    assert_eq!(refused(op.clone(), &[floats(&[1, 2], &[1.0, 2.0])]), "the trees test feature 7, but rows have 2");
    assert_eq!(refused(op, &[floats(&[2], &[1.0, 2.0])]), "trees take [rows, features], not f32[2]");
}
