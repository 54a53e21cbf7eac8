//! Reports of wrong results of gathers and scatters in other runtimes, with the right answers.

use crate::common::case::*;
use crate::common::{load, node, with};
use tilewright_graph::{diff, interp};
use tilewright_onnx::import::{Facts, Outcome, import};
use tilewright_tensor::{DType, Tensor};

/// 1 to 12.
fn matrix() -> Tensor {
    f32s(&[3, 4], &[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.])
}

/// A15: indices from the end.
#[test]
fn negative_indices() {
    let last = i64s(&[3, 4], &[-1; 12]);
    let n = with(node("GatherElements", &["x0", "x1"], &["y"]), int("axis", 1));
    let y = one(13, n, &[matrix(), last]).tensor("y");
    assert_eq!(y.to_vec_f64(), [4., 4., 4., 4., 8., 8., 8., 8., 12., 12., 12., 12.]);

    let tuples = i64s(&[2, 2], &[-1, -1, 0, -2]);
    let y = one(13, node("GatherND", &["x0", "x1"], &["y"]), &[matrix(), tuples]).tensor("y");
    assert_eq!(y.to_vec_f64(), [12., 3.]);

    let updates = f32s(&[2, 4], &[20., 21., 22., 23., 30., 31., 32., 33.]);
    let n = node("ScatterND", &["x0", "x1", "x2"], &["y"]);
    let y = one(13, n, &[matrix(), i64s(&[2, 1], &[-1, 0]), updates]).tensor("y");
    assert_eq!(y.to_vec_f64(), [30., 31., 32., 33., 5., 6., 7., 8., 20., 21., 22., 23.]);
}

fn one_hot(axis: i64) -> Vec<f64> {
    let n = with(node("OneHot", &["x0", "x1", "x2"], &["y"]), int("axis", axis));
    let inputs = [i64s(&[4], &[0, 2, -1, 7]), i64s(&[], &[5]), f32s(&[2], &[0., 1.])];
    one(13, n, &inputs).tensor("y").to_vec_f64()
}

/// A15, A20: off comes before on; indices count from the end, those outside give no place.
#[test]
fn one_hot_vectors() {
    let rows = [1., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0.];
    let columns = [1., 0., 0., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 1., 0.];
    for (axis, expected) in [(-1, rows), (1, rows), (-2, columns), (0, columns)] {
        assert_eq!(one_hot(axis), expected, "axis {axis}");
    }
}

/// A16: tuples as long as the data's rank write elements.
#[test]
fn scatter_of_elements() {
    let n = node("ScatterND", &["x0", "x1", "x2"], &["y"]);
    let inputs = [Tensor::zeros(DType::F32, &[4, 4]).unwrap(), i64s(&[3, 2], &[0, 1, 2, 3, -1, -4])];
    let y = one(13, n, &[inputs[0].clone(), inputs[1].clone(), f32s(&[3], &[1., 2., 3.])]).tensor("y");
    let mut expected = [0.; 16];
    (expected[1], expected[11], expected[12]) = (1., 2., 3.);
    assert_eq!(y.to_vec_f64(), expected);
}

/// A17: indices of rank 1 are one tuple.
#[test]
fn scatter_of_one_tuple() {
    let n = node("ScatterND", &["x0", "x1", "x2"], &["y"]);
    let inputs = [f32s(&[3], &[1., 2., 3.]), i64s(&[1], &[1]), f32s(&[], &[5.])];
    assert_eq!(one(13, n, &inputs).tensor("y").to_vec_f64(), [1., 5., 3.]);
}

/// A18: places that are written twice.
#[test]
fn scatter_with_reductions() {
    let indices = i64s(&[3, 2], &[0, 0, 0, 0, 1, 1]);
    let updates = f32s(&[3], &[3., 7., -2.]);
    let cases = [
        ("max", [7., 0., 0., 0.]),
        ("min", [0., 0., 0., -2.]),
        ("add", [10., 0., 0., -2.]),
        ("mul", [0., 0., 0., 0.]),
        ("none", [7., 0., 0., -2.]),
    ];
    for (reduction, expected) in cases {
        let n = with(node("ScatterND", &["x0", "x1", "x2"], &["y"]), text("reduction", reduction));
        let inputs = [f32s(&[2, 2], &[0.; 4]), indices.clone(), updates.clone()];
        assert_eq!(one(18, n, &inputs).tensor("y").to_vec_f64(), expected, "{reduction}");
    }
}

/// A65: what was read before a write stays what it was.
#[test]
fn read_before_write() {
    let c = case(13).input("y", f32s(&[4], &[1., 2., 3., 4.])).constant("at", i64s(&[2, 1], &[1, 3]));
    let c = c.constant("flat", i64s(&[2], &[1, 3])).node(node("Gather", &["y", "flat"], &["g"]));
    let c = c.node(node("Add", &["g", "g"], &["twice"])).node(node("ScatterND", &["y", "at", "twice"], &["z"]));
    let out = c.tensors(&["z", "y"]);
    assert_eq!(out[0].to_vec_f64(), [1., 4., 3., 8.]);
    assert_eq!(out[1].to_vec_f64(), [1., 2., 3., 4.]);
}

#[test]
fn indices_out_of_range_are_refused() {
    for at in [3, -4] {
        let y = one(13, node("Gather", &["x0", "x1"], &["y"]), &[matrix(), i64s(&[1], &[at])]);
        assert!(y.refused(&["y"]).contains("out of bounds"));
    }
    let n = node("ScatterElements", &["x0", "x1", "x2"], &["y"]);
    let inputs = [f32s(&[2], &[0., 0.]), i64s(&[1], &[2]), f32s(&[1], &[1.])];
    assert!(one(13, n, &inputs).refused(&["y"]).contains("out of bounds"));
}

/// A87: the derivative of a gather adds up at indices that count from the end.
#[test]
fn derivative_of_a_gather() {
    let x = f32s(&[3], &[0., 0., 0.]);
    let c = case(13).input("x", x.clone()).constant("at", i64s(&[3], &[0, -1, -1]));
    let model = load(&c.node(node("Gather", &["x", "at"], &["y"])).file(&["y"])).unwrap();
    let Outcome::Ready(graph) = import(&model, &Facts::default()).unwrap() else { panic!("not ready") };
    let backward = diff::vjp(&graph, &graph.inputs).unwrap();
    let out = interp::run(&backward, &[x.into(), f32s(&[3], &[1., 1., 1.]).into()]).unwrap();
    assert_eq!(out[1].as_tensor().unwrap().to_vec_f64(), [1., 0., 2.]);
}
