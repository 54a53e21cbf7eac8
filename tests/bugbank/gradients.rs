//! Reports of wrong derivatives in other frameworks, with what holds here, taken of models as loaded.

use crate::common::case::*;
use crate::common::{load, node, with};
use tilewright_graph::{diff, interp};
use tilewright_onnx::import::{Facts, Outcome, import};
use tilewright_tensor::Tensor;

/// The derivative of the sum of `y` by the only input.
fn derivative(c: Case, x: &Tensor) -> Vec<f64> {
    let model = load(&c.file(&["y"])).unwrap();
    let Outcome::Ready(graph) = import(&model, &Facts::default()).unwrap() else { panic!("not ready") };
    let y = interp::run(&graph, &[x.clone().into()]).unwrap().remove(0);
    let ones = Tensor::full(y.as_tensor().unwrap().shape(), 1f32).unwrap();
    let backward = diff::vjp(&graph, &graph.inputs).unwrap();
    interp::run(&backward, &[x.clone().into(), ones.into()]).unwrap()[1].as_tensor().unwrap().to_vec_f64()
}

/// A85: a branch that is not taken multiplies 0 by its own slope, which may be infinite.
#[test]
fn a_branch_that_overflows() {
    let x = f32s(&[2], &[100., -1.]);
    let c = case(17).input("x", x.clone()).constant("zero", f32s(&[], &[0.])).constant("one", f32s(&[], &[1.]));
    let c = c.node(node("LessOrEqual", &["x", "zero"], &["low"])).node(node("Exp", &["x"], &["e"]));
    let c = c.node(node("Add", &["x", "one"], &["a"])).node(node("Where", &["low", "e", "a"], &["y"]));
    let found = derivative(c, &x);
    assert!(found[0].is_nan() && (found[1] - (-1f64).exp()).abs() < 1e-6, "{found:?}");
    // Choosing the operand first keeps it finite.
    let c = case(17).input("x", x.clone()).constant("zero", f32s(&[], &[0.])).constant("one", f32s(&[], &[1.]));
    let c = c.node(node("LessOrEqual", &["x", "zero"], &["low"])).node(node("Where", &["low", "x", "zero"], &["safe"]));
    let c = c.node(node("Exp", &["safe"], &["e"])).node(node("Add", &["x", "one"], &["a"]));
    let found = derivative(c.node(node("Where", &["low", "e", "a"], &["y"])), &x);
    assert!(found[0] == 1. && (found[1] - (-1f64).exp()).abs() < 1e-6, "{found:?}");
}

/// A86: a value that is used twice gets both derivatives.
#[test]
fn a_product_with_its_own_transpose() {
    let x = f32s(&[1, 2], &[1., 3.]);
    let c = case(17).input("x", x.clone()).node(node("Transpose", &["x"], &["t"]));
    assert_eq!(derivative(c.node(node("MatMul", &["x", "t"], &["y"])), &x), [2., 6.]);
}

/// A88: nothing flows to the scores of labels that are all ignored, if the losses are added.
#[test]
fn losses_without_labels() {
    let x = f32s(&[2, 3], &[1., 2., 3., 1., 2., 3.]);
    let c = case(13).input("x", x.clone()).constant("labels", i64s(&[2], &[-100, -100]));
    let n = with(node("SoftmaxCrossEntropyLoss", &["x", "labels"], &["y"]), int("ignore_index", -100));
    assert_eq!(derivative(c.node(with(n, text("reduction", "sum"))), &x), [0.; 6]);
}

/// A89: at 0 the root has no finite slope; a choice beside it does not hide that, one before it does.
#[test]
fn a_root_at_zero() {
    let x = f32s(&[2], &[0., 4.]);
    let start = || {
        let c = case(17).input("x", x.clone()).constant("zero", f32s(&[], &[0.])).constant("one", f32s(&[], &[1.]));
        c.node(node("Equal", &["x", "zero"], &["none"]))
    };
    let c = start().node(node("Sqrt", &["x"], &["r"])).node(node("Mul", &["x", "r"], &["p"]));
    let found = derivative(c.node(node("Where", &["none", "zero", "p"], &["y"])), &x);
    assert!(found[0].is_nan() && found[1] == 3., "{found:?}");
    let c = start().node(node("Where", &["none", "one", "x"], &["safe"])).node(node("Sqrt", &["safe"], &["r"]));
    let c = c.node(node("Mul", &["x", "r"], &["p"]));
    assert_eq!(derivative(c.node(node("Where", &["none", "zero", "p"], &["y"])), &x), [0., 3.]);
}

/// A90: the largest of a row or of two operands shares its derivative evenly; each of several
/// windows gives all to its first. The sum is 1.
#[test]
fn derivatives_of_ties() {
    let x = f32s(&[4], &[1., 2., 2., 2.]);
    let third = f64::from(1f32 / 3.);
    let c = case(17).input("x", x.clone()).node(node("ReduceMax", &["x"], &["y"]));
    assert_eq!(derivative(c, &x), [0., third, third, third]);
    let c = case(17).input("x", x.clone()).node(node("Max", &["x", "x"], &["y"]));
    assert_eq!(derivative(c, &x), [1.; 4]);
    let pool = |x: &Tensor, kernel: &[i64]| {
        let n = with(node("MaxPool", &["x"], &["y"]), ints("kernel_shape", kernel));
        derivative(case(17).input("x", x.clone()).node(with(n, ints("strides", kernel))), x)
    };
    let x = f32s(&[1, 1, 2, 4], &[1., 2., 3., 3., 2., 2., 3., 3.]);
    assert_eq!(pool(&x, &[2, 2]), [0., 1., 1., 0., 0., 0., 0., 0.]);
    assert!((pool(&x, &[2, 4]).iter().sum::<f64>() - 1.).abs() < 1e-6);
}
