//! Operators on shapes in the forms of their older versions.

mod common;

use common::case::*;
use common::{node, with};
use tilewright_onnx::proto::NodeProto;
use tilewright_tensor::Tensor;

fn x() -> Tensor {
    f32s(&[2, 3], &[1., 2., 3., 4., 5., 6.])
}

/// A node over `x` alone, in an operator set.
fn of_x(version: i64, op: &str, attributes: Vec<tilewright_onnx::proto::AttributeProto>) -> Case {
    one(version, attributes.into_iter().fold(node(op, &["x0"], &["y"]), with), &[x()])
}

fn gives(c: Case, shape: &[usize], values: &[f64]) {
    let y = c.tensor("y");
    assert_eq!((y.shape(), y.to_vec_f64()), (shape, values.to_vec()));
}

#[test]
fn attributes_instead_of_inputs() {
    let all = [1., 2., 3., 4., 5., 6.];
    gives(of_x(1, "Reshape", vec![ints("shape", &[0, -1, 1])]), &[2, 3, 1], &all);
    gives(of_x(11, "Unsqueeze", vec![ints("axes", &[0, -1])]), &[1, 2, 3, 1], &all);
    let two = [ints("starts", &[0, 1]), ints("ends", &[-1, 1000])];
    gives(of_x(9, "Slice", two.to_vec()), &[1, 2], &[2., 3.]);
    let padded = [0., 0., 1., 2., 3., 0., 0., 4., 5., 6.];
    gives(of_x(1, "Pad", vec![ints("paddings", &[0, 2, 0, 0])]), &[2, 5], &padded);
    let edge = vec![ints("pads", &[0, 0, 1, 0]), text("mode", "edge")];
    gives(of_x(2, "Pad", edge), &[3, 3], &[1., 2., 3., 4., 5., 6., 4., 5., 6.]);
    let c = one(11, with(node("Squeeze", &["x0"], &["y"]), ints("axes", &[0])), &[f32s(&[1, 2], &[1., 2.])]);
    gives(c, &[2], &[1., 2.]);
}

#[test]
fn splits() {
    let parts = |version, attributes: Vec<tilewright_onnx::proto::AttributeProto>, inputs: &[&str]| {
        let n: NodeProto = attributes.into_iter().fold(node("Split", inputs, &["a", "b"]), with);
        let c = one(version, n, &[x()]).constant("sizes", i64s(&[2], &[2, 1]));
        c.run(&["a", "b"]).map(|out| out.iter().map(|v| v.as_tensor().unwrap().to_vec_f64()).collect::<Vec<_>>())
    };
    let uneven = Ok(vec![vec![1., 2., 4., 5.], vec![3., 6.]]);
    assert_eq!(parts(2, vec![int("axis", 1), ints("split", &[2, 1])], &["x0"]), uneven);
    assert_eq!(parts(13, vec![int("axis", -1)], &["x0", "sizes"]), uneven);
    assert_eq!(parts(18, vec![int("axis", 1), int("num_outputs", 2)], &["x0"]), uneven);
    assert_eq!(parts(13, vec![], &["x0"]), Ok(vec![vec![1., 2., 3.], vec![4., 5., 6.]]));
    assert!(parts(13, vec![int("axis", 1)], &["x0"]).is_err());
    assert!(parts(18, vec![int("axis", 1), int("num_outputs", 3)], &["x0"]).is_err());
    assert!(parts(2, vec![int("axis", 1), ints("split", &[2, 2])], &["x0"]).is_err());
}

#[test]
fn first_versions() {
    let n = node("Tile", &["x0", "x1", "x2"], &["y"]);
    gives(
        one(1, n, &[x(), f32s(&[], &[2.]), f32s(&[], &[0.])]),
        &[4, 3],
        &[1., 2., 3., 4., 5., 6., 1., 2., 3., 4., 5., 6.],
    );
    let column = || f32s(&[2, 1], &[8., 9.]);
    gives(one(1, node("Concat", &["x0", "x1"], &["y"]), &[x(), column()]), &[2, 4], &[1., 2., 3., 8., 4., 5., 6., 9.]);
    let n = with(node("Scatter", &["x0", "x1", "x2"], &["y"]), int("axis", 1));
    let inputs = [x(), i64s(&[2, 1], &[-1, 0]), column()];
    gives(one(9, n, &inputs), &[2, 3], &[1., 2., 8., 9., 5., 6.]);
    let missing = one(4, node("Concat", &["x0", "x1"], &["y"]), &[x(), column()]);
    assert!(missing.refused(&["y"]).contains("axis"));
}

/// Mirrored again and again, cropped before, and around as on a torus.
#[test]
fn pads() {
    let run = |mode: &str, pads: &[i64]| {
        let n = with(node("Pad", &["x0", "x1"], &["y"]), text("mode", mode));
        one(19, n, &[f32s(&[3], &[0., 1., 2.]), i64s(&[2], pads)]).tensor("y").to_vec_f64()
    };
    assert_eq!(run("reflect", &[5, 3]), [1., 0., 1., 2., 1., 0., 1., 2., 1., 0., 1.]);
    assert_eq!(run("reflect", &[-1, 2]), [1., 2., 1., 2.]);
    assert_eq!(run("wrap", &[4, 1]), [2., 0., 1., 2., 0., 1., 2., 0.]);
    assert_eq!(run("edge", &[1, -2]), [0., 0.]);
    assert_eq!(run("constant", &[-2, 1]), [2., 0.]);
}
