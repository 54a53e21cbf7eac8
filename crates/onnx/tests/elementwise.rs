//! Elementwise operators over their versions: broadcasting, dtypes, special values.
mod common;

use common::case::*;
use common::{foreign, node, with};
use tilewright_onnx::proto::{AttributeProto, NodeProto};
use tilewright_tensor::{DType, Tensor};

fn with_all(node: NodeProto, attributes: &[AttributeProto]) -> NodeProto {
    attributes.iter().cloned().fold(node, with)
}

fn binary(op: &str, attributes: &[AttributeProto]) -> NodeProto {
    with_all(node(op, &["x0", "x1"], &["y"]), attributes)
}

fn unary(op: &str, attributes: &[AttributeProto]) -> NodeProto {
    with_all(node(op, &["x0"], &["y"]), attributes)
}

/// Before version 7 the dims of the second operand stand where `axis` says.
#[test]
fn broadcasting_before_version_7() {
    let x = f32s(&[2, 3, 2], &(0..12).map(|i| i as f32).collect::<Vec<_>>());
    let cases: &[(Tensor, &[AttributeProto], [f64; 4])] = &[
        (f32s(&[3], &[10.0, 20.0, 30.0]), &[int("broadcast", 1), int("axis", 1)], [10.0, 11.0, 22.0, 23.0]),
        (f32s(&[3], &[10.0, 20.0, 30.0]), &[int("broadcast", 1), int("axis", -2)], [10.0, 11.0, 22.0, 23.0]),
        (f32s(&[2], &[10.0, 20.0]), &[int("broadcast", 1)], [10.0, 21.0, 12.0, 23.0]),
        (f32s(&[2], &[10.0, 20.0]), &[int("broadcast", 1), int("axis", 0)], [10.0, 11.0, 12.0, 13.0]),
        (f32s(&[], &[10.0]), &[int("broadcast", 1)], [10.0, 11.0, 12.0, 13.0]),
        (f32s(&[1, 1], &[10.0]), &[int("broadcast", 1)], [10.0, 11.0, 12.0, 13.0]),
    ];
    for (other, attributes, expected) in cases {
        let y = one(6, binary("Add", attributes), &[x.clone(), other.clone()]).tensor("y");
        assert_eq!(y.to_vec_f64()[..4], *expected, "{attributes:?}");
    }
    let three = f32s(&[3], &[1.0; 3]);
    let refused: &[&[AttributeProto]] = &[&[], &[int("broadcast", 1)], &[int("broadcast", 1), int("axis", 3)]];
    for attributes in refused {
        one(6, binary("Mul", attributes), &[x.clone(), three.clone()]).refused(&["y"]);
    }
    let late = one(7, binary("Mul", &[int("broadcast", 1), int("axis", 1)]), &[x, three]).refused(&["y"]);
    assert_eq!(late, "Mul has no attribute \"axis\" from opset 7 on");
}

#[test]
fn operands_of_variadic_operators_broadcast_from_version_8() {
    let operands = [f32s(&[2, 1], &[1.0, 4.0]), f32s(&[2], &[2.0, 3.0])];
    for (op, expected) in [("Sum", [3.0, 4.0, 6.0, 7.0]), ("Mean", [1.5, 2.0, 3.0, 3.5]), ("Max", [2.0, 3.0, 4.0, 4.0])]
    {
        assert_eq!(one(8, binary(op, &[]), &operands).tensor("y").to_vec_f64(), expected, "{op}");
        one(6, binary(op, &[]), &operands).refused(&["y"]);
    }
    let half = numbers(DType::F16, &[1], &[65504.0]);
    let mean = one(13, node("Mean", &["x0", "x0"], &["y"]), &[half]).tensor("y");
    assert_eq!((mean.dtype(), mean.to_vec_f64()), (DType::F16, vec![65504.0]));
}

/// Sizes with names are compared when the model runs.
#[test]
fn dims_with_names_broadcast_by_their_sizes() {
    for (n, m) in [(3, 3), (1, 3), (3, 1)] {
        let c = case(17).named("a", f32s(&[n], &vec![1.0; n]), &["N"]).named("b", f32s(&[m], &vec![2.0; m]), &["M"]);
        assert_eq!(c.node(node("Add", &["a", "b"], &["y"])).tensor("y").to_vec_f64(), [3.0; 3]);
    }
    let c = case(17).named("a", f32s(&[2], &[1.0; 2]), &["N"]).named("b", f32s(&[3], &[2.0; 3]), &["M"]);
    c.node(node("Add", &["a", "b"], &["y"])).refused(&["y"]);
}

#[test]
fn dtypes_that_operators_do_not_take() {
    let floats = f32s(&[1], &[1.0]);
    let words = Tensor::from_strings(&[1], vec!["a".to_string()]).unwrap();
    let cases = [
        ("Relu", vec![words.clone()]),
        ("Less", vec![words.clone(), words]),
        ("Add", vec![of(&[1], &[true]), of(&[1], &[true])]),
        ("Add", vec![floats.clone(), of(&[1], &[1f64])]),
        ("Sqrt", vec![of(&[1], &[4i32])]),
        ("And", vec![floats.clone(), floats.clone()]),
        ("Neg", vec![of(&[1], &[1u8])]),
        ("BitwiseAnd", vec![floats.clone(), floats]),
    ];
    for (op, inputs) in cases {
        let names: Vec<String> = (0..inputs.len()).map(|i| format!("x{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        one(18, node(op, &names, &["y"]), &inputs).refused(&["y"]);
    }
}

/// The result of a power has the base's dtype; integers to the power of integers wrap.
#[test]
fn powers_of_mixed_dtypes() {
    let cases: &[(Tensor, Tensor, &[f64])] = &[
        (of(&[3], &[2i32, -3, 7]), of(&[3], &[10u64, 3, 0]), &[1024.0, -27.0, 1.0]),
        (of(&[4], &[1i64, -1, 2, -1]), of(&[4], &[-5i8, -5, -1, -4]), &[1.0, -1.0, 0.0, 1.0]),
        (of(&[2], &[3i64, 2]), of(&[2], &[40i32, 64]), &[12157665459056928801.0 - 18446744073709551616.0, 0.0]),
        (of(&[2], &[2i32, 9]), of(&[2], &[1.5f32, 0.5]), &[2.0, 3.0]),
        (f32s(&[2], &[2.0, 0.5]), of(&[2], &[3i64, -2]), &[8.0, 4.0]),
        (f32s(&[2], &[-8.0, 0.0]), f32s(&[2], &[1.0 / 3.0, 0.0]), &[f64::NAN, 1.0]),
    ];
    for (base, exponent, expected) in cases {
        let y = one(15, binary("Pow", &[]), &[base.clone(), exponent.clone()]).tensor("y");
        assert_eq!(y.dtype(), base.dtype());
        assert_close(&y, expected, 0.0);
    }
}

/// The sign is the divisor's, or with `fmod` the dividend's; of floats the former came with version 28.
#[test]
fn remainders() {
    let ints = [of(&[4], &[-4i32, 7, 5, -5]), of(&[4], &[3i32, -3, 8, 0])];
    assert_eq!(one(13, binary("Mod", &[]), &ints).tensor("y").to_vec_i64(), [2, -2, 5, 0]);
    assert_eq!(one(13, binary("Mod", &[int("fmod", 1)]), &ints).tensor("y").to_vec_i64(), [-1, 1, 5, 0]);
    let inf = f32::INFINITY;
    let floats = [f32s(&[6], &[-4.5, 4.5, -0.0, inf, -1.0, 1.0]), f32s(&[6], &[2.0, -2.0, 3.0, 2.0, inf, 0.0])];
    let y = one(28, binary("Mod", &[]), &floats).tensor("y");
    assert_close(&y, &[1.5, -1.5, 0.0, f64::NAN, f64::INFINITY, f64::NAN], 0.0);
    assert!(y.get_f64(2).is_sign_positive());
    let y = one(28, binary("Mod", &[int("fmod", 1)]), &floats).tensor("y");
    assert_close(&y, &[-0.5, 0.5, 0.0, f64::NAN, -1.0, f64::NAN], 0.0);
    one(13, binary("Mod", &[]), &floats).refused(&["y"]);
    one(13, binary("Mod", &[int("fmod", 2)]), &floats).refused(&["y"]);
}

/// Shifts by the width or more leave nothing but sign bits.
#[test]
fn shifts_beyond_the_width() {
    let operands = [of(&[6], &[-8i8, -8, 7, -8, 1, 1]), of(&[6], &[1i8, 8, 9, -1, 7, 8])];
    let right = one(28, binary("BitShift", &[text("direction", "RIGHT")]), &operands).tensor("y");
    assert_eq!(right.to_vec_i64(), [-4, -1, 0, -1, 0, 0]);
    let left = one(28, binary("BitShift", &[text("direction", "LEFT")]), &operands).tensor("y");
    assert_eq!(left.to_vec_i64(), [-16, 0, 0, 0, -128, 0]);
    one(28, binary("BitShift", &[]), &operands).refused(&["y"]);
}

#[test]
fn bounds_as_attributes_and_as_inputs() {
    let (nan, inf) = (f64::NAN, f32::INFINITY);
    let x = f32s(&[4], &[-3.0, inf, f32::NAN, 0.5]);
    let attributes =
        |list: &[AttributeProto], version| one(version, unary("Clip", list), std::slice::from_ref(&x)).tensor("y");
    assert_close(&attributes(&[float("min", -1.0), float("max", 2.0)], 6), &[-1.0, 2.0, nan, 0.5], 0.0);
    assert_close(&attributes(&[], 6), &[-3.0, f64::from(f32::MAX), nan, 0.5], 0.0);
    assert_close(&attributes(&[], 1), &[-3.0, f64::INFINITY, nan, 0.5], 0.0);
    let bounds = |names: &[&str], low: f32, high: f32| {
        let c = case(13).input("x", x.clone()).input("low", f32s(&[], &[low])).input("high", f32s(&[1], &[high]));
        c.node(node("Clip", names, &["y"])).tensor("y")
    };
    assert_close(&bounds(&["x", "low", "high"], -1.0, 2.0), &[-1.0, 2.0, nan, 0.5], 0.0);
    assert_close(&bounds(&["x", "", "high"], 0.0, 2.0), &[-3.0, 2.0, nan, 0.5], 0.0);
    assert_close(&bounds(&["x", "low"], 0.0, 2.0), &[0.0, f64::INFINITY, nan, 0.5], 0.0);
    assert_close(&bounds(&["x", "low", "high"], 2.0, -2.0), &[-2.0, -2.0, nan, -2.0], 0.0);
    assert_close(&bounds(&["x", "low", "high"], f32::NAN, 2.0), &[nan; 4], 0.0);
    case(13).input("x", x.clone()).node(node("Clip", &["x", "x"], &["y"])).refused(&["y"]);
    one(13, unary("Clip", &[float("min", 0.0)]), std::slice::from_ref(&x)).refused(&["y"]);
}

#[test]
fn infinities_by_sign() {
    let x = f32s(&[4], &[f32::INFINITY, -f32::INFINITY, f32::NAN, 1.0]);
    for (negative, positive, expected) in
        [(1, 1, [1, 1, 0, 0]), (1, 0, [0, 1, 0, 0]), (0, 1, [1, 0, 0, 0]), (0, 0, [0; 4])]
    {
        let op = unary("IsInf", &[int("detect_negative", negative), int("detect_positive", positive)]);
        assert_eq!(one(10, op, std::slice::from_ref(&x)).tensor("y").to_vec_i64(), expected);
    }
}

/// Activations at a few points, as ONNX Runtime gives them.
#[test]
fn activations() {
    let x = f32s(&[4], &[-3.0, -0.5, 0.0, 2.0]);
    let microsoft = |op: &str| foreign("com.microsoft", op, &["x0"], &["y"]);
    let cases: &[(NodeProto, [f64; 4])] = &[
        (unary("LeakyRelu", &[]), [-0.03, -0.005, 0.0, 2.0]),
        (unary("Elu", &[float("alpha", 2.0)]), [-1.900_425_9, -0.786_938_7, 0.0, 2.0]),
        (unary("Selu", &[]), [-1.670_568_7, -0.691_758_2, 0.0, 2.101_402]),
        (unary("Celu", &[float("alpha", 2.0)]), [-1.553_739_7, -0.442_398_43, 0.0, 2.0]),
        (unary("ThresholdedRelu", &[]), [0.0, 0.0, 0.0, 2.0]),
        (unary("HardSigmoid", &[]), [0.0, 0.4, 0.5, 0.9]),
        (unary("HardSwish", &[]), [0.0, -0.208_333_33, 0.0, 1.666_666_6]),
        (unary("Softplus", &[]), [0.048_587_35, 0.474_076_99, std::f64::consts::LN_2, 2.126_928]),
        (unary("Softsign", &[]), [-0.75, -0.333_333_34, 0.0, 0.666_666_7]),
        (unary("Mish", &[]), [-0.145_647_42, -0.220_743_73, 0.0, 1.943_958_9]),
        (unary("Shrink", &[float("bias", 0.5), float("lambd", 1.0)]), [-2.5, 0.0, 0.0, 1.5]),
        (unary("Swish", &[float("alpha", 2.0)]), [-0.007_417_87, -0.134_470_72, 0.0, 1.964_027_6]),
        (unary("Gelu", &[]), [-0.004_049_69, -0.154_268_77, 0.0, 1.954_499_7]),
        (unary("Gelu", &[text("approximate", "tanh")]), [-0.003_637_39, -0.154_285_99, 0.0, 1.954_597_7]),
        (microsoft("Gelu"), [-0.004_049_69, -0.154_268_77, 0.0, 1.954_499_7]),
        (microsoft("QuickGelu"), [-0.018_071_31, -0.149_611_56, 0.0, 1.935_658_6]),
        (microsoft("FastGelu"), [-0.003_637_39, -0.154_285_99, 0.0, 1.954_597_7]),
    ];
    for (op, expected) in cases {
        assert_close(&one(24, op.clone(), std::slice::from_ref(&x)).tensor("y"), expected, 2e-6);
    }
    let slope = one(6, binary("PRelu", &[]), &[f32s(&[1, 2, 2], &[-1.0; 4]), f32s(&[2], &[0.5, 2.0])]).tensor("y");
    assert_eq!(slope.to_vec_f64(), [-0.5, -0.5, -2.0, -2.0]);
    let bias = f32s(&[4], &[3.0, 0.5, 0.0, -2.0]);
    let biased = foreign("com.microsoft", "BiasGelu", &["x0", "x1"], &["y"]);
    assert_eq!(one(17, biased, &[x, bias]).tensor("y").to_vec_f64(), [0.0; 4]);
}
