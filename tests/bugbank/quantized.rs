//! Reports against other runtimes that concern quantized operators: what they must give here.
use crate::common::case::*;
use crate::common::{foreign, node, with};
use tilewright_tensor::{DType, Tensor};

/// sonos/tract 2672 and 2850, microsoft/onnxruntime 18576: ties rounded away from zero.
#[test]
fn quantization_takes_ties_to_even() {
    let x = f32s(&[8], &[0.25, 0.75, 1.25, 1.75, -0.25, -0.75, 200.0, -200.0]);
    let q = node("QuantizeLinear", &["x0", "x1", "x2"], &["y"]);
    let found = one(13, q, &[x, f32s(&[], &[0.5]), of(&[], &[0i8])]).tensor("y");
    assert_eq!((found.dtype(), found.to_vec_i64()), (DType::I8, vec![0, 2, 2, 4, 0, -2, 127, -128]));
    let dynamic = |values: &[f32]| {
        let q = node("DynamicQuantizeLinear", &["x0"], &["y", "scale", "zero"]);
        one(11, q, &[f32s(&[values.len()], values)]).tensors(&["y", "scale", "zero"])
    };
    let found = dynamic(&[-127.0, 128.0, 0.5]);
    assert_eq!(found[0].to_vec_i64(), [0, 255, 127]);
    assert_eq!((found[1].to_vec_f64(), found[2].to_vec_i64()), (vec![1.0], vec![127]));
    let found = dynamic(&[-253.0, 257.0]);
    assert_eq!((found[1].to_vec_f64(), found[2].to_vec_i64()), (vec![2.0], vec![126]));
}

/// microsoft/onnxruntime 28447: zero points that differ between output channels were refused.
#[test]
fn weights_with_zero_points_of_their_own() {
    let conv = node("QLinearConv", &["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"], &["y"]);
    let operands = [
        of(&[1, 1, 2, 2], &[130u8; 4]),
        f32s(&[], &[0.05]),
        of(&[], &[128u8]),
        of(&[2, 1, 2, 2], &[100u8; 8]),
        f32s(&[2], &[0.02, 0.02]),
        of(&[2], &[5u8, 90]),
        f32s(&[], &[0.1]),
        of(&[], &[128u8]),
    ];
    assert_eq!(one(10, conv, &operands).tensor("y").to_vec_i64(), [136, 129]);
}

/// microsoft/onnxruntime 6004, 14642 and 5849 and others: sums of two products saturated in 16 bits.
#[test]
fn products_of_bytes_never_saturate() {
    for k in [1, 2, 63, 64, 65, 300] {
        let operands = [of(&[2, k], &vec![255u8; 2 * k]), of(&[k, 3], &vec![127i8; 3 * k])];
        let found = one(10, node("MatMulInteger", &["x0", "x1"], &["y"]), &operands).tensor("y");
        assert_eq!((found.dtype(), found.to_vec_i64()), (DType::I32, vec![255 * 127 * k as i64; 6]));
    }
}

/// openvinotoolkit/openvino 31006, microsoft/onnxruntime 32578: odd numbers of 4-bit elements, differences of unsigned.
#[test]
fn odd_counts_of_four_bits_and_unsigned_differences() {
    for n in [5usize, 7] {
        let x: Vec<f32> = (0..n).map(|i| i as f32 * 1.5 - 4.0).collect();
        for dtype in [DType::U4, DType::I4] {
            let zero = numbers(dtype, &[], &[if dtype == DType::U4 { 7.0 } else { -1.0 }]);
            let c = case(21).input("x", f32s(&[n], &x)).input("s", f32s(&[], &[0.5])).input("z", zero);
            let c = c.node(node("QuantizeLinear", &["x", "s", "z"], &["q"]));
            let c = c.node(node("DequantizeLinear", &["q", "s", "z"], &["y"]));
            let (low, high) = (-3.5, 4.0);
            let expected: Vec<f64> = x.iter().map(|v| f64::from(*v).clamp(low, high)).collect();
            assert_eq!(c.tensor("y").to_vec_f64(), expected, "{dtype} {n}");
        }
    }
    let dq = node("DequantizeLinear", &["x0", "x1", "x2"], &["y"]);
    let found = one(10, dq, &[of(&[3], &[0u8, 5, 255]), f32s(&[], &[0.5]), of(&[], &[128u8])]).tensor("y");
    assert_eq!(found.to_vec_f64(), [-64.0, -61.5, 63.5]);
}

/// ROCm/hip-ep 134: without zero points they are the middle of the range, not 0; the first element has the low bits.
#[test]
fn few_bits_have_their_zero_in_the_middle() {
    let packed: Vec<u8> = (0..8).map(|i| (2 * i) | (2 * i + 1) << 4).collect();
    let mut matmul = foreign("com.microsoft", "MatMulNBits", &["x0", "x1", "x2"], &["y"]);
    for (name, value) in [("K", 16), ("N", 1), ("bits", 4), ("block_size", 16)] {
        matmul = with(matmul, int(name, value));
    }
    let mut identity = [0f32; 256];
    (0..16).for_each(|i| identity[17 * i] = 1.0);
    let operands = [f32s(&[16, 16], &identity), of(&[1, 1, 8], &packed), f32s(&[1, 1], &[0.5])];
    let found = one(17, matmul, &operands).tensor("y");
    let expected: Vec<f64> = (0..16).map(|i| (f64::from(i) - 8.0) * 0.5).collect();
    assert_eq!(found.to_vec_f64(), expected);
}

/// ROCm/AMDMIGraphX 4521: the bias counts in units of both scales, of each channel.
#[test]
fn the_bias_of_a_quantized_convolution() {
    let names = ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"];
    let operands: [Tensor; 9] = [
        of(&[1, 1, 1, 1], &[10u8]),
        f32s(&[], &[0.5]),
        of(&[], &[0u8]),
        of(&[2, 1, 1, 1], &[1i8, 1]),
        f32s(&[2], &[0.25, 2.0]),
        of(&[2], &[0i8, 0]),
        f32s(&[], &[1.0]),
        of(&[], &[0u8]),
        of(&[2], &[30i32, 3]),
    ];
    let found = one(10, node("QLinearConv", &names, &["y"]), &operands).tensor("y");
    // (10 + 30) * 0.125 and (10 + 3) * 1.
    assert_eq!(found.to_vec_i64(), [5, 13]);
}
