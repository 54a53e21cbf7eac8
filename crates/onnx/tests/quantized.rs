//! Quantized operators: how parameters lie over tensors, and products.
mod common;

use common::case::*;
use common::{foreign, node, with};
use tilewright_onnx::proto::{AttributeProto, NodeProto};
use tilewright_tensor::{DType, Tensor};

fn with_all(node: NodeProto, attributes: &[AttributeProto]) -> NodeProto {
    attributes.iter().cloned().fold(node, with)
}

fn operands(n: usize) -> Vec<&'static str> {
    ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"][..n].to_vec()
}

fn microsoft(op: &str, n: usize) -> NodeProto {
    foreign("com.microsoft", op, &operands(n), &["y"])
}

#[test]
fn parameters_by_axis_and_by_block() {
    let x = f32s(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let quantize = |attributes: &[AttributeProto], scale: Tensor| {
        one(21, with_all(node("QuantizeLinear", &["x0", "x1"], &["y"]), attributes), &[x.clone(), scale])
    };
    let cases: &[(&[AttributeProto], Tensor, [i64; 6])] = &[
        (&[], f32s(&[], &[0.5]), [2, 4, 6, 8, 10, 12]),
        (&[], f32s(&[1], &[0.5]), [2, 4, 6, 8, 10, 12]),
        (&[], f32s(&[3], &[1.0, 2.0, 0.5]), [1, 1, 6, 4, 2, 12]),
        (&[int("axis", -2)], f32s(&[2], &[1.0, 0.5]), [1, 2, 3, 8, 10, 12]),
        (&[int("block_size", 2)], f32s(&[2, 2], &[1.0, 0.5, 0.25, 2.0]), [1, 2, 6, 16, 20, 3]),
        (&[int("block_size", 5)], f32s(&[2, 1], &[1.0, 0.5]), [1, 2, 3, 8, 10, 12]),
        (&[int("block_size", 1), int("axis", 0)], f32s(&[2, 3], &[1.0; 6]), [1, 2, 3, 4, 5, 6]),
    ];
    for (attributes, scale, expected) in cases {
        let y = quantize(attributes, scale.clone()).tensor("y");
        assert_eq!((y.dtype(), y.to_vec_i64()), (DType::U8, expected.to_vec()), "{attributes:?}");
    }
    let refused: &[(&[AttributeProto], Tensor)] = &[
        (&[], f32s(&[2], &[1.0; 2])),
        (&[], f32s(&[2, 3], &[1.0; 6])),
        (&[int("axis", 2)], f32s(&[3], &[1.0; 3])),
        (&[int("block_size", 2)], f32s(&[2, 3], &[1.0; 6])),
        (&[int("block_size", -1)], f32s(&[2, 3], &[1.0; 6])),
        (&[int("output_dtype", 7)], f32s(&[], &[1.0])),
        (&[int("output_dtype", 27)], f32s(&[], &[1.0])),
    ];
    for (attributes, scale) in refused {
        quantize(attributes, scale.clone()).refused(&["y"]);
    }
}

/// What ONNX leaves to the word "saturate": infinities, and NaN, which becomes the least value.
#[test]
fn values_out_of_range_saturate() {
    let x = f32s(&[5], &[f32::INFINITY, -f32::INFINITY, f32::NAN, 1e9, -1e9]);
    for (dtype, low, high) in [(DType::I8, -128, 127), (DType::U16, 0, 65535), (DType::I4, -8, 7), (DType::U2, 0, 3)] {
        let zero = numbers(dtype, &[], &[1.0]);
        let q = node("QuantizeLinear", &operands(3), &["y"]);
        let y = one(25, q, &[x.clone(), f32s(&[], &[0.5]), zero]).tensor("y");
        assert_eq!((y.dtype(), y.to_vec_i64()), (dtype, vec![high, low, low, high, low]));
    }
    let float8 = |saturate| {
        let q = with(node("QuantizeLinear", &operands(3), &["y"]), int("saturate", saturate));
        one(19, q, &[x.clone(), f32s(&[], &[0.5]), numbers(DType::F8E5M2, &[], &[0.0])]).tensor("y")
    };
    assert_close(&float8(1), &[57344.0, -57344.0, f64::NAN, 57344.0, -57344.0], 0.0);
    assert_close(&float8(0), &[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::INFINITY, f64::NEG_INFINITY], 0.0);
}

/// The quotient is rounded to the scale's dtype, or to `precision`.
#[test]
fn precision_of_the_quotient() {
    let x = f32s(&[1], &[2049.0]);
    let quantize = |attributes: &[AttributeProto]| {
        let q = with_all(node("QuantizeLinear", &["x0", "x1"], &["y"]), attributes);
        one(23, q, &[x.clone(), numbers(DType::F16, &[], &[1.0])]).tensor("y").to_vec_i64()
    };
    let to_u16 = int("output_dtype", DType::U16.onnx_code().into());
    assert_eq!(quantize(std::slice::from_ref(&to_u16)), [2048]);
    assert_eq!(quantize(&[to_u16, int("precision", 1)]), [2049]);
}

#[test]
fn dequantized_dtypes() {
    let q = |attributes: &[AttributeProto], x: Tensor, scale: Tensor| {
        one(24, with_all(node("DequantizeLinear", &["x0", "x1"], &["y"]), attributes), &[x, scale])
    };
    let y = q(&[], of(&[2], &[i32::MAX, -7]), f32s(&[], &[2.0])).tensor("y");
    assert_eq!((y.dtype(), y.to_vec_f64()), (DType::F32, vec![4294967296.0, -14.0]));
    let y = q(&[int("output_dtype", 10)], of(&[2], &[60000u16, 3]), f32s(&[], &[0.5])).tensor("y");
    assert_eq!((y.dtype(), y.to_vec_f64()), (DType::F16, vec![30000.0, 1.5]));
    let scale = numbers(DType::F8E8M0, &[], &[0.25]);
    let y = q(&[int("output_dtype", 1)], numbers(DType::F4E2M1, &[2], &[6.0, -0.5]), scale.clone()).tensor("y");
    assert_eq!(y.to_vec_f64(), [1.5, -0.125]);
    q(&[], numbers(DType::F4E2M1, &[2], &[6.0, -0.5]), scale).refused(&["y"]);
}

/// A zero point of each row of the left factor and of each column of the right one.
#[test]
fn zero_points_of_rows_and_columns() {
    let (a, b) = (of(&[2, 2], &[1u8, 2, 3, 4]), of(&[2, 2], &[5i8, 6, 7, 8]));
    let product = node("MatMulInteger", &operands(4), &["y"]);
    let y = one(10, product, &[a.clone(), b.clone(), of(&[2], &[1u8, 3]), of(&[2], &[5i8, 0])]).tensor("y");
    assert_eq!(y.to_vec_i64(), [2, 8, 2, 8]);
    let left_out = node("MatMulInteger", &["x0", "x1", "", "x2"], &["y"]);
    assert_eq!(one(10, left_out, &[a.clone(), b.clone(), of(&[], &[5i8])]).tensor("y").to_vec_i64(), [4, 7, 8, 15]);
    let wrong = node("MatMulInteger", &operands(3), &["y"]);
    one(10, wrong.clone(), &[a.clone(), b.clone(), of(&[], &[1i8])]).refused(&["y"]);
    one(10, wrong, &[a, b, of(&[3], &[1u8; 3])]).refused(&["y"]);
}

#[test]
fn a_quantized_product() {
    let scalar = |x: f32| f32s(&[], &[x]);
    let inputs = [
        of(&[1, 2], &[3u8, 5]),
        scalar(0.5),
        of(&[], &[1u8]),
        of(&[2, 2], &[1i8, 2, 3, -4]),
        f32s(&[2], &[0.5, 1.0]),
        of(&[2], &[0i8, 0]),
        scalar(1.0),
        of(&[], &[1u8]),
    ];
    // (2 + 12) * 0.25 = 3.5 and (4 - 16) * 0.5 = -6: ties to even, then the zero point, then bounds.
    let y = one(10, node("QLinearMatMul", &operands(8), &["y"]), &inputs).tensor("y");
    assert_eq!((y.dtype(), y.to_vec_i64()), (DType::U8, vec![5, 0]));
}

/// Against ONNX Runtime.
#[test]
fn contributed_operators() {
    let (s, z) = (|x: f32| f32s(&[], &[x]), |x: u8| of(&[], &[x]));
    let x = of(&[2, 2], &[0u8, 100, 200, 255]);
    let y = of(&[2], &[10u8, 20]);
    let pair = [x.clone(), s(0.5), z(3), y.clone(), s(0.25), z(7), s(0.75), z(10)];
    let cases: &[(NodeProto, Vec<Tensor>, [i64; 4])] = &[
        (microsoft("QLinearAdd", 8), pair.to_vec(), [9, 79, 142, 182]),
        (microsoft("QLinearMul", 8), pair.to_vec(), [8, 220, 108, 255]),
        (microsoft("QLinearSigmoid", 5), vec![x.clone(), s(0.05), z(128), s(1.0 / 256.0), z(0)], [0, 51, 249, 255]),
        (
            with(microsoft("QLinearLeakyRelu", 5), float("alpha", 0.5)),
            vec![x.clone(), s(0.5), z(128), s(0.5), z(128)],
            [64, 114, 200, 255],
        ),
    ];
    for (op, inputs, expected) in cases {
        assert_eq!(one(17, op.clone(), inputs).tensor("y").to_vec_i64(), expected);
    }
    let parts = [s(0.5), z(0), y.clone(), s(0.5), z(0), y, s(1.0), z(10)];
    let joined = with(microsoft("QLinearConcat", 8), int("axis", 0));
    assert_eq!(one(17, joined, &parts).tensor("y").to_vec_i64(), [10, 20, 0, 20]);
    let image = of(&[1, 2, 1, 2], &[10u8, 20, 30, 50]);
    let pool = [image, s(1.0), z(0), s(0.5), z(1)];
    let global = one(17, microsoft("QLinearGlobalAveragePool", 5), &pool).tensor("y");
    assert_eq!((global.shape(), global.to_vec_i64()), (&[1, 2, 1, 1][..], vec![31, 81]));
    let last = with(microsoft("QLinearGlobalAveragePool", 5), int("channels_last", 1));
    let last = one(17, last, &pool).tensor("y");
    assert_eq!((last.shape(), last.to_vec_i64()), (&[1, 1, 1, 2][..], vec![41, 71]));
    let window = with_all(microsoft("QLinearAveragePool", 5), &[ints("kernel_shape", &[1, 2])]);
    assert_eq!(one(17, window, &pool).tensor("y").to_vec_i64(), [31, 81]);
}

#[test]
fn products_with_floats() {
    let (a, b) = (f32s(&[1, 2], &[-1.0, 1.55]), of(&[2, 2], &[1i8, 2, 3, 4]));
    let bias = f32s(&[2], &[0.5, -0.5]);
    let dynamic = foreign("com.microsoft", "DynamicQuantizeMatMul", &["x0", "x1", "x2", "", "x3"], &["y"]);
    let y = one(17, dynamic, &[a, b.clone(), f32s(&[2], &[0.1, 0.2]), bias.clone()]).tensor("y");
    // -1 and 1.55 are -100 and 155 hundredths.
    assert_close(&y, &[0.1 * (-1.0 + 4.65) + 0.5, 0.2 * (-2.0 + 6.2) - 0.5], 1e-6);
    let to_float = microsoft("MatMulIntegerToFloat", 7);
    let inputs =
        [of(&[1, 2], &[3u8, 5]), b, f32s(&[], &[0.5]), f32s(&[], &[0.1]), of(&[], &[1u8]), of(&[], &[0i8]), bias];
    assert_close(&one(17, to_float, &inputs).tensor("y"), &[0.05 * 14.0 + 0.5, 0.05 * 20.0 - 0.5], 1e-6);
    let gemm = with_all(microsoft("QGemm", 6), &[int("transA", 1), int("transB", 1), float("alpha", 2.0)]);
    let inputs = [
        of(&[2, 1], &[3u8, 5]),
        f32s(&[], &[0.5]),
        of(&[], &[1u8]),
        of(&[2, 2], &[1i8, 2, 3, 4]),
        f32s(&[], &[0.1]),
        of(&[], &[0i8]),
    ];
    assert_close(&one(17, gemm, &inputs).tensor("y"), &[0.1 * 10.0, 0.1 * 22.0], 1e-6);
}

/// Weights of 2, 4 and 8 bits, packed along rows, with zero points of each block.
#[test]
fn weights_of_few_bits() {
    for bits in [2i64, 4, 8] {
        let (n, k, block) = (2usize, 20usize, 16usize);
        let each = (8 / bits) as usize;
        let element = |row: usize, at: usize| ((7 * row + 3 * at) % (1 << bits)) as i64;
        let pack = |row: usize, byte: usize| {
            (0..each).map(|i| element(row, byte * each + i) << (i as i64 * bits)).sum::<i64>() as u8
        };
        let bytes = 2 * block / each;
        let packed: Vec<u8> =
            (0..n).flat_map(|row| (0..bytes).map(move |b| (row, b))).map(|(r, b)| pack(r, b)).collect();
        let zeros: Vec<u8> = if bits == 8 { vec![1, 2, 3, 1] } else { vec![1 | 2 << bits, 3 | 1 << bits] };
        let scales = [0.5f32, 1.0, 2.0, 0.25];
        let mut op = microsoft("MatMulNBits", 4);
        for (name, value) in [("K", k as i64), ("N", n as i64), ("bits", bits), ("block_size", block as i64)] {
            op = with(op, int(name, value));
        }
        let x: Vec<f32> = (0..k).map(|i| i as f32 - 5.0).collect();
        let inputs =
            [f32s(&[1, k], &x), of(&[n, 2, block / each], &packed), f32s(&[n, 2], &scales), of(&[zeros.len()], &zeros)];
        let expected: Vec<f64> = (0..n)
            .map(|row| {
                let weight = |at: usize| {
                    let place = 2 * row + at / block;
                    (element(row, at) - [1, 2, 3, 1][place]) as f64 * f64::from(scales[place])
                };
                (0..k).map(|at| weight(at) * f64::from(x[at])).sum()
            })
            .collect();
        assert_close(&one(17, op.clone(), &inputs).tensor("y"), &expected, 1e-6);
        one(17, with(op, int("weight_prepacked", 1)), &inputs).refused(&["y"]);
    }
}

/// One step of one cell, against the same with floats: the state and the input are on 256 values.
#[test]
fn lstm_with_quantized_weights() {
    let inputs = [
        f32s(&[1, 1, 2], &[1.0, -0.5]),
        of(&[1, 2, 4], &[10u8, 20, 30, 40, 50, 60, 70, 80]),
        of(&[1, 1, 4], &[128u8, 130, 120, 140]),
        f32s(&[1], &[0.01]),
        of(&[1], &[5u8]),
        f32s(&[1], &[0.02]),
        of(&[1], &[128u8]),
    ];
    let names = ["x0", "x1", "x2", "", "", "", "", "", "x3", "x4", "x5", "x6"];
    let lstm = with(foreign("com.microsoft", "DynamicQuantizeLSTM", &names, &["y", "h", "c"]), int("hidden_size", 1));
    let found = one(17, lstm, &inputs).tensors(&["y", "h", "c"]);
    // The input is quantized by 1.5/255 about zero: 1 and -0.5 stay.
    let gate = |g: usize| 0.01 * (f64::from(10 * (g as i32 + 1) - 5) - 0.5 * f64::from(10 * (g as i32 + 5) - 5));
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let c = sigmoid(gate(0)) * gate(3).tanh();
    assert_close(&found[2], &[c], 1e-6);
    assert_close(&found[1], &[sigmoid(gate(1)) * c.tanh()], 1e-6);
    assert_eq!(found[0].shape(), [1, 1, 1, 1]);
}
