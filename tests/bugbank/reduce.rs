//! Reports of wrong reductions, softmaxes and products in other runtimes, with the right answers.

use crate::common::case::*;
use crate::common::{node, with};
use tilewright_onnx::proto::NodeProto;
use tilewright_tensor::{DType, Tensor};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn unary(op: &str) -> NodeProto {
    node(op, &["x0"], &["y"])
}

fn counting(shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32).collect();
    f32s(shape, &values)
}

/// A25: NaN wins wherever it stands.
#[test]
fn the_largest_of_nan_is_nan() {
    let x = f32s(&[2, 2], &[f32::NAN, 1., 2., f32::NAN]);
    for op in ["ReduceMax", "ReduceMin"] {
        let n = with(with(unary(op), ints("axes", &[1])), int("keepdims", 0));
        assert_close(&one(13, n, std::slice::from_ref(&x)).tensor("y"), &[NAN, NAN], 0.0);
    }
}

/// A26: the position of NaN, as in NumPy.
#[test]
fn the_position_of_nan() {
    for (values, expected) in [([8., f32::NAN, 3., 1.], 1), ([f32::NAN, 2., f32::NAN, 1.], 0)] {
        for op in ["ArgMin", "ArgMax"] {
            assert_eq!(one(13, unary(op), &[f32s(&[4], &values)]).tensor("y").to_vec_i64(), [expected], "{op}");
        }
    }
}

/// A36: a mean is a sum, divided; the sum may overflow. ONNX Runtime and the reference agree.
#[test]
fn a_mean_overflows_with_its_sum() {
    let y = one(13, unary("ReduceMean"), &[f32s(&[2], &[3e38, 3e38])]).tensor("y");
    assert_eq!(y.to_vec_f64(), [INF]);
    let y = one(13, unary("ReduceMean"), &[numbers(DType::F16, &[2], &[60000., 60000.])]).tensor("y");
    assert_eq!(y.to_vec_f64(), [60000.]);
}

/// A37: over nothing, and of scalars.
#[test]
fn reductions_of_nothing() {
    let cases = [
        ("ReduceMax", -INF),
        ("ReduceMin", INF),
        ("ReduceProd", 1.0),
        ("ReduceSum", 0.0),
        ("ReduceLogSum", -INF),
        ("ReduceLogSumExp", -INF),
        ("ReduceMean", NAN),
        ("ReduceL1", 0.0),
        ("ReduceL2", 0.0),
        ("ReduceSumSquare", 0.0),
    ];
    for (op, expected) in cases {
        for (keep, shape) in [(0, vec![2]), (1, vec![2, 1])] {
            let n = with(with(unary(op), ints("axes", &[1])), int("keepdims", keep));
            let y = one(11, n, &[counting(&[2, 0])]).tensor("y");
            assert_eq!(y.shape(), shape, "{op}");
            assert_close(&y, &[expected; 2], 0.0);
        }
        let y = one(11, unary(op), &[f32s(&[], &[1.0])]).tensor("y");
        assert_eq!(y.shape(), [0usize; 0], "{op}");
    }
    let n = with(unary("ReduceMax"), ints("axes", &[0]));
    assert_eq!(one(13, n, &[of::<i32>(&[0], &[])]).tensor("y").to_vec_i64(), [i32::MIN as i64]);
    let n = with(unary("ReduceMin"), ints("axes", &[0]));
    assert_eq!(one(13, n, &[of::<u8>(&[0], &[])]).tensor("y").to_vec_i64(), [255]);
    assert!(one(13, unary("ArgMax"), &[counting(&[0, 2])]).refused(&["y"]).contains("no position"));
}

/// A37, A38: products without elements.
#[test]
fn products_of_nothing() {
    let product = |a: Tensor, b: Tensor| one(13, node("MatMul", &["x0", "x1"], &["y"]), &[a, b]).tensor("y");
    assert_eq!(product(counting(&[2, 0]), counting(&[0, 3])).to_vec_f64(), [0.0; 6]);
    assert_eq!(product(i64s(&[0, 4, 8], &[]), i64s(&[0, 8, 4], &[])).shape(), [0, 4, 4]);
    let gemm = node("Gemm", &["x0", "x1", "x2"], &["y"]);
    let y = one(13, gemm.clone(), &[counting(&[0, 3]), counting(&[3, 2]), counting(&[2])]).tensor("y");
    assert_eq!(y.shape(), [0, 2]);
    let y = one(13, gemm, &[counting(&[2, 0]), counting(&[0, 2]), counting(&[2])]).tensor("y");
    assert_eq!(y.to_vec_f64(), [0., 1., 0., 1.]);
}

/// A39: without axes and with `noop_with_empty_axes`, only the combining is left out.
#[test]
fn reductions_over_no_axes() {
    let noop = |op: &str| with(unary(op), int("noop_with_empty_axes", 1));
    let x = f32s(&[2, 1], &[2., 3.]);
    let cases = [
        ("ReduceSum", [2., 3.]),
        ("ReduceSumSquare", [4., 9.]),
        ("ReduceL2", [2., 3.]),
        ("ReduceLogSumExp", [2., 3.]),
        ("ReduceLogSum", [2f64.ln(), 3f64.ln()]),
        ("ReduceMean", [2., 3.]),
    ];
    for (op, expected) in cases {
        for keep in [0, 1] {
            let n = with(noop(op), int("keepdims", keep));
            let y = one(18, n.clone(), std::slice::from_ref(&x)).tensor("y");
            assert_eq!(y.shape(), [2, 1], "{op}");
            assert_close(&y, &expected, 1e-6);
            let empty = NodeProto { input: vec!["x0".into(), "x1".into()], ..n };
            let y = one(18, empty, &[x.clone(), i64s(&[0], &[])]).tensor("y");
            assert_eq!(y.shape(), [2, 1], "{op}");
        }
    }
    let y = one(18, unary("ReduceSum"), std::slice::from_ref(&x)).tensor("y");
    assert_eq!((y.shape(), y.to_vec_f64()), (&[1, 1][..], vec![5.0]));
}

/// A40: before opset 13 all dims from `axis` on, 1 by default, are one row.
#[test]
fn softmax_of_a_matrix() {
    let x: Vec<f32> = (0..24).map(|i| i as f32 / 8.0).collect();
    let y = one(11, unary("Softmax"), &[f32s(&[2, 3, 4], &x)]).tensor("y").to_vec_f64();
    assert!((y[0] - 0.038_242).abs() < 1e-6 && (y[..12].iter().sum::<f64>() - 1.0).abs() < 1e-6, "{y:?}");
    let y = one(11, unary("LogSoftmax"), &[f32s(&[1, 2, 3], &[0.0; 6])]).tensor("y");
    assert_close(&y, &[-1.791_759; 6], 1e-6);
    let y = one(11, unary("Hardmax"), &[counting(&[2, 2, 2])]).tensor("y");
    assert_eq!(y.to_vec_f64(), [0., 0., 0., 1., 0., 0., 0., 1.]);
    let y = one(13, unary("Hardmax"), &[counting(&[2, 2, 2])]).tensor("y");
    assert_eq!(y.to_vec_f64(), [0., 1., 0., 1., 0., 1., 0., 1.]);
}

/// A44: a softmax of nothing but minus infinity is no number.
#[test]
fn softmax_of_a_masked_row() {
    let y = one(13, unary("Softmax"), &[f32s(&[2, 2], &[f32::NEG_INFINITY, f32::NEG_INFINITY, 0., 0.])]).tensor("y");
    assert_close(&y, &[NAN, NAN, 0.5, 0.5], 0.0);
}

/// A45: einsum that sums and transposes, takes a diagonal, or has three operands.
#[test]
fn einsum_beyond_products() {
    let einsum = |equation: &str, inputs: &[Tensor]| {
        let names: Vec<String> = (0..inputs.len()).map(|i| format!("x{i}")).collect();
        let n = node("Einsum", &names.iter().map(String::as_str).collect::<Vec<_>>(), &["y"]);
        one(12, with(n, text("equation", equation)), inputs).tensor("y")
    };
    let y = einsum("ijk->ki", &[counting(&[2, 3, 4])]);
    assert_eq!(y.to_vec_f64(), [12., 48., 15., 51., 18., 54., 21., 57.]);
    assert_eq!(einsum("iij->ij", &[counting(&[2, 2, 3])]).to_vec_f64(), [0., 1., 2., 9., 10., 11.]);
    let operands = [counting(&[1, 2, 2]), counting(&[2, 2]), counting(&[2, 1, 2])];
    assert_eq!(einsum("abc,cd,def->abd", &operands).to_vec_f64(), [2., 15., 6., 55.]);
    let y = einsum("...ij,...jk", &[counting(&[2, 1, 2]), counting(&[2, 2])]);
    assert_eq!((y.shape(), y.to_vec_f64()), (&[2, 1, 2][..], vec![2., 3., 6., 11.]));
}

/// What breaks the rules is refused, not run.
#[test]
fn malformed_products_and_axes() {
    let matmul = node("MatMul", &["x0", "x1"], &["y"]);
    for (a, b) in
        [(&[2, 3][..], &[2, 3][..]), (&[2, 1], &[3, 2]), (&[3, 2], &[1, 2]), (&[2, 2, 2], &[3, 2, 2]), (&[], &[2])]
    {
        one(13, matmul.clone(), &[counting(a), counting(b)]).refused(&["y"]);
    }
    let gemm = node("Gemm", &["x0", "x1", "x2"], &["y"]);
    one(13, gemm, &[counting(&[1, 2]), counting(&[2, 2]), counting(&[3, 2])]).refused(&["y"]);
    let x = counting(&[2, 2]);
    for axes in [&[2][..], &[-3], &[0, -2], &[i64::MIN], &[i64::MAX]] {
        one(13, with(unary("ReduceMax"), ints("axes", axes)), std::slice::from_ref(&x)).refused(&["y"]);
    }
    one(13, with(unary("Softmax"), int("axis", 2)), std::slice::from_ref(&x)).refused(&["y"]);
    one(11, unary("Softmax"), &[counting(&[2])]).refused(&["y"]);
    one(13, node("CumSum", &["x0", "x1"], &["y"]), &[x, i64s(&[], &[2])]).refused(&["y"]);
}
