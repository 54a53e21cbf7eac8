//! Reports against other runtimes that concern elementwise operators: what they must give here.
use crate::common::case::*;
use crate::common::{foreign, node, with};
use tilewright_onnx::proto::NodeProto;
use tilewright_tensor::{DType, Tensor};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

fn unary(op: &str) -> NodeProto {
    node(op, &["x0"], &["y"])
}

fn binary(op: &str) -> NodeProto {
    node(op, &["x0", "x1"], &["y"])
}

fn apply(version: i64, node: NodeProto, inputs: &[Tensor]) -> Tensor {
    one(version, node, inputs).tensor("y")
}

/// apache/tvm 19572 and 19579: NaN came out as 0, or not, by its place among SIMD lanes.
#[test]
fn nan_passes_through_relu_sign_max_and_min() {
    let x = f32s(&[4], &[NAN, 1.0, NAN, -2.0]);
    assert_close(&apply(14, unary("Relu"), std::slice::from_ref(&x)), &[f64::NAN, 1.0, f64::NAN, 0.0], 0.0);
    assert_close(&apply(13, unary("Sign"), &[x]), &[f64::NAN, 1.0, f64::NAN, -1.0], 0.0);
    for place in 0..19 {
        let mut values = [1.5f32; 19];
        values[place] = NAN;
        let (x, other) = (f32s(&[19], &values), f32s(&[19], &[0.5; 19]));
        for op in ["Max", "Min"] {
            for operands in [[x.clone(), other.clone()], [other.clone(), x.clone()]] {
                let found = apply(13, binary(op), &operands).to_vec_f64();
                assert!((0..19).all(|i| found[i].is_nan() == (i == place)), "{op} with NaN at {place}: {found:?}");
            }
        }
        let found = apply(14, unary("Relu"), &[x]).to_vec_f64();
        assert!((0..19).all(|i| found[i].is_nan() == (i == place)), "{place}: {found:?}");
    }
}

/// microsoft/onnxruntime 28462.
#[test]
fn erf_of_nan_is_nan() {
    let x = f32s(&[4], &[NAN, INF, -INF, 0.5]);
    assert_close(&apply(13, unary("Erf"), &[x]), &[f64::NAN, 1.0, -1.0, 0.520_499_9], 1e-7);
}

/// microsoft/onnxruntime 22557: a polynomial gave a negative sigmoid.
#[test]
fn sigmoid_stays_between_0_and_1() {
    let found = apply(13, unary("Sigmoid"), &[f32s(&[5], &[-18.0, -88.0, -104.0, 89.0, NAN])]).to_vec_f64();
    assert!((found[0] - 1.522_998e-8).abs() < 1e-14, "{found:?}");
    assert!((found[1] - 6.054_601e-39).abs() < 1e-44 && found[2] < 1e-44 && found[2] >= 0.0, "{found:?}");
    assert!(found[3] == 1.0 && found[4].is_nan(), "{found:?}");
}

/// microsoft/onnxruntime 28308: the argument was clamped.
#[test]
fn exp_over_the_whole_range() {
    let found = apply(13, unary("Exp"), &[f32s(&[6], &[-104.0, -100.0, -88.0, 88.5, 88.7, 89.0])]).to_vec_f64();
    let expected = [0.0, 3.783_506e-44, 6.054_601e-39, 2.723_088e38, 3.326_000e38, f64::INFINITY];
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= 2e-5 * b + 1e-45;
    assert!(found.iter().zip(expected).all(|(a, b)| close(*a, b)), "{found:?}");
}

/// microsoft/onnxruntime 26997, onnx/onnx 7570: floor or truncation. A constant divides like an input.
#[test]
fn integer_division_truncates() {
    let (a, b) = ([8, -8, 7, -7], [-3, 3, -2, 2]);
    for dtype in [DType::I8, DType::I16, DType::I32, DType::I64] {
        let (x, y) = (numbers(dtype, &[4], &a.map(f64::from)), numbers(dtype, &[4], &b.map(f64::from)));
        assert_eq!(apply(14, binary("Div"), &[x.clone(), y.clone()]).to_vec_i64(), [-2, -2, -3, -3], "{dtype}");
        let folded = case(14).constant("x0", x).constant("x1", y).node(binary("Div")).tensor("y");
        assert_eq!(folded.to_vec_i64(), [-2, -2, -3, -3], "{dtype}");
    }
    let extremes = [of(&[2], &[i32::MIN, 5]), of(&[2], &[-1i32, 0])];
    assert_eq!(apply(14, binary("Div"), &extremes).to_vec_i64(), [i64::from(i32::MIN), 0]);
}

/// onnx/onnx 3637.
#[test]
fn narrow_products_wrap() {
    assert_eq!(apply(14, binary("Mul"), &[of(&[1], &[22u8]), of(&[1], &[21u8])]).to_vec_i64(), [206]);
}

/// apache/tvm 19542, iree-org/iree 24591: one meaning for what ONNX leaves open, at every place of a vector.
#[test]
fn floats_out_of_range_cast_in_one_way() {
    let cast = |to: DType| with(unary("Cast"), int("to", to.onnx_code().into()));
    let odd = [300.0, NAN, INF, -INF, 50.9, -50.9];
    let many: Vec<f32> = odd.iter().copied().cycle().take(6 * 47).collect();
    let expected: Vec<i64> = [44, 0, 0, 0, 50, -50].into_iter().cycle().take(many.len()).collect();
    let x = f32s(&[many.len()], &many);
    assert_eq!(apply(19, cast(DType::I8), std::slice::from_ref(&x)).to_vec_i64(), expected);
    let folded = case(19).constant("x0", x).node(cast(DType::I8)).tensor("y");
    assert_eq!(folded.to_vec_i64(), expected);
    let large = f32s(&[2], &[3e9, -3e9]);
    assert_eq!(apply(19, cast(DType::I32), &[large]).to_vec_i64(), [i64::from(i32::MIN); 2]);
}

/// microsoft/onnxruntime 26451: here the fraction is dropped and the rest wraps.
#[test]
fn floats_to_four_bits() {
    let x = f32s(&[5], &[1.5, 2.5, -1.5, 20.0, -20.0]);
    let found = apply(21, with(unary("Cast"), int("to", DType::I4.onnx_code().into())), &[x]);
    assert_eq!((found.dtype(), found.to_vec_i64()), (DType::I4, vec![1, 2, -1, 4, -4]));
}

/// The class of sonos/tract 2850: ties rounded away from zero.
#[test]
fn round_takes_ties_to_even() {
    let found = apply(11, unary("Round"), &[f32s(&[5], &[0.5, 1.5, 2.5, -0.5, -1.5])]);
    assert!(found.bit_eq(&f32s(&[5], &[0.0, 2.0, 2.0, -0.0, -2.0])), "{found:?}");
}

/// iree-org/iree 20803: `x - (x + 1)` became 1.
#[test]
fn a_difference_keeps_its_order() {
    let c = case(17).input("x", f32s(&[1], &[5.0])).constant("one", f32s(&[], &[1.0]));
    let c = c.node(node("Add", &["x", "one"], &["a"])).node(node("Sub", &["x", "a"], &["y"]));
    assert_eq!(c.tensor("y").to_vec_f64(), [-1.0]);
}

/// microsoft/onnxruntime 4110: a fused value that is also an output disappeared.
#[test]
fn a_value_inside_a_pattern_is_still_an_output() {
    let c = case(17).input("x", f32s(&[2], &[1.0, -3.0])).constant("b", f32s(&[2], &[0.5, 1.0]));
    let c = c.node(node("Add", &["x", "b"], &["sum"])).node(node("Relu", &["sum"], &["y"]));
    let found = c.tensors(&["sum", "y"]);
    assert_eq!(found[0].to_vec_f64(), [1.5, -2.0]);
    assert_eq!(found[1].to_vec_f64(), [1.5, 0.0]);
}

/// microsoft/onnxruntime 13978: operators of com.microsoft in files that do not import the domain.
#[test]
fn contributed_operators_without_an_import() {
    let x = f32s(&[2], &[1.0, -2.0]);
    let gelu = foreign("com.microsoft", "FastGelu", &["x0"], &["y"]);
    let found = one(17, gelu, std::slice::from_ref(&x)).plain().tensor("y");
    assert_close(&found, &[0.841_192, -0.045_402_3], 1e-6);
    let unknown = one(17, foreign("com.nowhere", "FastGelu", &["x0"], &["y"]), &[x]).plain();
    assert!(unknown.refused(&["y"]).contains("com.nowhere"), "{}", unknown.refused(&["y"]));
}
