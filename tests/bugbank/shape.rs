//! Reports of wrong results of Resize, Slice, Reshape and their like in other runtimes, with the right answers.

use crate::common::case::*;
use crate::common::{node, with};
use tilewright_tensor::{DType, Tensor};

fn counting(shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32).collect();
    f32s(shape, &values)
}

fn resize(mode: &str, coordinates: &str) -> tilewright_onnx::proto::NodeProto {
    let n = with(node("Resize", &["x0", "", "", "x1"], &["y"]), text("mode", mode));
    with(n, text("coordinate_transformation_mode", coordinates))
}

/// A01: ties at exact halves, with a scale that is no short binary fraction.
#[test]
fn nearest_resize_of_ties() {
    let inputs = [counting(&[1, 1, 1, 20]), i64s(&[4], &[1, 1, 1, 6])];
    let ties =
        [("round_prefer_ceil", [1., 5., 8., 11., 15., 18.]), ("round_prefer_floor", [1., 4., 8., 11., 14., 18.])];
    for (mode, expected) in ties {
        let n = with(resize("nearest", "half_pixel"), text("nearest_mode", mode));
        assert_eq!(one(13, n, &inputs).tensor("y").to_vec_f64(), expected, "{mode}");
    }
}

/// A02: an output of length 1 lies at coordinate 0.
#[test]
fn pytorch_half_pixel_of_length_one() {
    let inputs = [f32s(&[1, 1, 1, 4], &[1., 2., 4., 8.]), i64s(&[4], &[1, 1, 1, 1])];
    for mode in ["nearest", "linear", "cubic"] {
        let y = one(13, resize(mode, "pytorch_half_pixel"), &inputs).tensor("y");
        assert_eq!(y.to_vec_f64(), [1.], "{mode}");
    }
}

/// A03: axes with scale 1 stay as they are, whatever the modes.
#[test]
fn resize_does_not_mix_batches() {
    let x = counting(&[4, 4, 3, 2]);
    for coordinates in ["half_pixel", "tf_half_pixel_for_nn", "align_corners", "asymmetric"] {
        let n = with(resize("nearest", coordinates), text("nearest_mode", "ceil"));
        let y = one(11, with_empty(n), &[x.clone(), i64s(&[4], &[4, 4, 6, 4])]).constant("none", f32s(&[0], &[]));
        let y = y.tensor("y").to_vec_f64();
        for (i, v) in y.iter().enumerate() {
            assert_eq!((*v as usize) / 6, i / 24, "{coordinates}: element {i} is {v}");
        }
    }
}

/// The form of opset 11, where region and scales are there but empty.
fn with_empty(mut n: tilewright_onnx::proto::NodeProto) -> tilewright_onnx::proto::NodeProto {
    n.input = ["x0", "none", "none", "x1"].map(String::from).to_vec();
    n
}

fn slice(x: Tensor, bounds: [&[i64]; 4]) -> Tensor {
    let [starts, ends, axes, steps] = bounds.map(|b| i64s(&[b.len()], b));
    let n = node("Slice", &["x0", "x1", "x2", "x3", "x4"], &["y"]);
    let given = one(13, n.clone(), &[x.clone(), starts.clone(), ends.clone(), axes.clone(), steps.clone()]).tensor("y");
    let known = one(13, n, &[x]).constant("x1", starts).constant("x2", ends).constant("x3", axes);
    let known = known.constant("x4", steps).tensor("y");
    assert!(given.bit_eq(&known), "bounds as inputs and as constants differ");
    given
}

/// A12, A13: negative steps, and bounds far outside.
#[test]
fn slices_backwards() {
    let cases: [([i64; 3], &[i64]); 7] = [
        ([9, 0, -1], &[9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ([9, 0, -3], &[9, 6, 3]),
        ([9, i64::MIN, -1], &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ([-1, -100, -4], &[9, 5, 1]),
        ([1 << 62, 2, -3], &[9, 6, 3]),
        ([-100, i64::MAX, 4], &[0, 4, 8]),
        ([4, 4, -1], &[]),
    ];
    for ([start, end, step], expected) in cases {
        let x = i64s(&[10], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let y = slice(x, [&[start], &[end], &[0], &[step]]);
        assert_eq!(y.to_vec_i64(), expected, "[{start}:{end}:{step}]");
    }
    let y = slice(counting(&[3, 4]), [&[2, 3], &[0, 0], &[0, 1], &[-1, -2]]);
    assert_eq!((y.shape(), y.to_vec_f64()), (&[2, 2][..], vec![11., 9., 7., 5.]));
    let long = slice(counting(&[20]), [&[19], &[0], &[0], &[-3]]);
    assert_eq!(long.to_vec_f64(), [19., 16., 13., 10., 7., 4., 1.]);
}

/// A14: a dim without places, backwards.
#[test]
fn slice_of_nothing_backwards() {
    let y = slice(f32s(&[0, 3], &[]), [&[-1], &[i64::MIN], &[0], &[-1]]);
    assert_eq!(y.shape(), [0, 3]);
}

fn reshape(x: Tensor, shape: &[i64], allowzero: i64) -> Case {
    let n = with(node("Reshape", &["x0", "x1"], &["y"]), int("allowzero", allowzero));
    one(14, n, &[x, i64s(&[shape.len()], shape)])
}

/// A21, A22: what 0 and -1 mean in a shape.
#[test]
fn zeros_in_a_shape() {
    let x = counting(&[2, 2, 3, 2]);
    assert_eq!(reshape(x, &[-1, 0, 0], 0).tensor("y").shape(), [4, 2, 3]);
    let empty = || f32s(&[2, 0], &[]);
    assert!(reshape(empty(), &[1, 2, 0], 0).refused(&["y"]).contains("0"));
    assert_eq!(reshape(empty(), &[1, 2, 0], 1).tensor("y").shape(), [1, 2, 0]);
    assert_eq!(reshape(counting(&[2, 3]), &[3, -1], 1).tensor("y").shape(), [3, 2]);
    let known = one(14, with(node("Reshape", &["x0", "s"], &["y"]), int("allowzero", 1)), &[empty()]);
    assert!(known.constant("s", i64s(&[2], &[0, -1])).refused(&["y"]).contains("allowzero"));
    assert!(reshape(counting(&[4]), &[-1, -1], 0).refused(&["y"]).contains("-1"));
}

/// A23: 1 in the shape of Expand keeps a dim, also one whose size is not known beforehand.
#[test]
fn expand_keeps_dims_at_one() {
    let n = node("Expand", &["x0", "x1"], &["y"]);
    let x = f32s(&[3, 1], &[1., 2., 3.]);
    let expected = [1., 1., 1., 1., 2., 2., 2., 2., 3., 3., 3., 3.];
    let shape = i64s(&[2], &[1, 4]);
    let dynamic = case(13).named("x0", x.clone(), &["a", "b"]).constant("x1", shape.clone()).node(n.clone());
    for y in [one(13, n, &[x, shape]).tensor("y"), dynamic.tensor("y")] {
        assert_eq!((y.shape(), y.to_vec_f64()), (&[3, 4][..], expected.to_vec()));
    }
}

/// A24: only the first steps of each sequence turn round.
#[test]
fn reverse_sequence() {
    let x = counting(&[4, 4]);
    let along = |batch: i64, time: i64, lengths: &[i64]| {
        let n = with(node("ReverseSequence", &["x0", "x1"], &["y"]), int("batch_axis", batch));
        one(10, with(n, int("time_axis", time)), &[x.clone(), i64s(&[4], lengths)]).tensor("y").to_vec_f64()
    };
    let rows = [0., 1., 2., 3., 5., 4., 6., 7., 10., 9., 8., 11., 15., 14., 13., 12.];
    assert_eq!(along(0, 1, &[1, 2, 3, 4]), rows);
    let columns = [12., 9., 6., 3., 8., 5., 2., 7., 4., 1., 10., 11., 0., 13., 14., 15.];
    assert_eq!(along(1, 0, &[4, 3, 2, 1]), columns);
}

/// A60: outputs that are an initializer or an input.
#[test]
fn outputs_that_no_node_makes() {
    let c = case(13).input("x", f32s(&[2], &[-1., 2.])).constant("c", f32s(&[1], &[7.]));
    let out = c.node(node("Relu", &["x"], &["r"])).tensors(&["r", "c", "x"]);
    let values: Vec<Vec<f64>> = out.iter().map(Tensor::to_vec_f64).collect();
    assert_eq!(values, [vec![0., 2.], vec![7.], vec![-1., 2.]]);
}

/// A68: a matrix repeated along the batch.
#[test]
fn product_with_a_repeated_matrix() {
    let ones = |shape: &[usize]| Tensor::full(shape, 1f32).unwrap();
    let c = case(13).input("a", ones(&[1, 32, 32])).input("b", ones(&[32, 32, 32]));
    let c = c.constant("shape", i64s(&[3], &[32, 32, 32])).node(node("Expand", &["a", "shape"], &["wide"]));
    let y = c.node(node("MatMul", &["wide", "b"], &["y"])).tensor("y");
    assert_eq!((y.len(), y.dtype()), (32 * 32 * 32, DType::F32));
    assert!(y.to_vec_f64().iter().all(|v| *v == 32.));
}
