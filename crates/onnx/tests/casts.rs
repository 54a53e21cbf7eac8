//! Conversions between dtypes.
mod common;

use common::case::*;
use common::{node, with};
use tilewright_onnx::proto::{AttributeProto, NodeProto};
use tilewright_tensor::{DType, Tensor};

fn cast(to: DType, attributes: &[AttributeProto]) -> NodeProto {
    let node = with(node("Cast", &["x0"], &["y"]), int("to", to.onnx_code().into()));
    attributes.iter().cloned().fold(node, with)
}

fn strings(list: &[&str]) -> Tensor {
    Tensor::from_strings(&[list.len()], list.iter().map(|s| s.to_string()).collect::<Vec<_>>()).unwrap()
}

#[test]
fn narrow_floats_saturate_or_not() {
    let x = f32s(&[4], &[1000.0, f32::INFINITY, -1e9, 0.3]);
    let full = one(19, cast(DType::F8E4M3FN, &[]), std::slice::from_ref(&x)).tensor("y");
    assert_eq!(full.to_vec_f64(), [448.0, 448.0, -448.0, 0.3125]);
    let special = one(19, cast(DType::F8E5M2, &[int("saturate", 0)]), std::slice::from_ref(&x)).tensor("y");
    assert_eq!(special.to_vec_f64(), [1024.0, f64::INFINITY, f64::NEG_INFINITY, 0.3125]);
    let nan = one(19, cast(DType::F8E4M3FN, &[int("saturate", 0)]), &[x]).tensor("y").to_vec_f64();
    assert!(nan[..3].iter().all(|x| x.is_nan()), "{nan:?}");
}

#[test]
fn scales_round_to_powers_of_two() {
    let x = [1.1f32, 1.5, 2.0, 0.7, 3.9e-39, f32::NAN, f32::INFINITY, 0.0];
    let least = 2f64.powi(-127);
    let most = 2f64.powi(127);
    let cases = [
        ("up", 1, [2.0, 2.0, 2.0, 1.0, least, f64::NAN, most, least]),
        ("down", 1, [1.0, 1.0, 2.0, 0.5, least, f64::NAN, most, least]),
        ("nearest", 1, [1.0, 2.0, 2.0, 0.5, least, f64::NAN, most, least]),
        ("nearest", 0, [1.0, 2.0, 2.0, 0.5, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
    ];
    for (mode, saturate, expected) in cases {
        let op = cast(DType::F8E8M0, &[text("round_mode", mode), int("saturate", saturate)]);
        assert_close(&one(24, op, &[f32s(&[8], &x)]).tensor("y"), &expected, 0.0);
    }
    one(24, cast(DType::F8E8M0, &[text("round_mode", "even")]), &[f32s(&[8], &x)]).refused(&["y"]);
}

#[test]
fn strings_and_numbers() {
    let read = one(19, cast(DType::F32, &[]), &[strings(&["3.25", " 1e-5", "+INF", "nan"])]).tensor("y");
    assert_close(&read, &[3.25, 1e-5, f64::INFINITY, f64::NAN], 1e-7);
    let read = one(19, cast(DType::F16, &[]), &[strings(&["0.1"])]).tensor("y");
    assert_eq!((read.dtype(), read.get_f64(0)), (DType::F16, 0.099_975_585_937_5));
    let read = one(19, cast(DType::U64, &[]), &[strings(&["18446744073709551615", "100.5"])]).tensor("y");
    assert_eq!(read.to_vec_i64(), [-1, 100]);
    let shown = one(19, cast(DType::String, &[]), &[f32s(&[4], &[314.159_26, -0.0, f32::NAN, 1e20])]).tensor("y");
    assert_eq!(shown.strings().unwrap(), ["314.15927", "-0", "NaN", "1e+20"]);
    let like = node("CastLike", &["x0", "x1"], &["y"]);
    let shown = one(19, like, &[of(&[2], &[7i8, -8]), strings(&[])]).tensor("y");
    assert_eq!(shown.strings().unwrap(), ["7", "-8"]);
    one(19, cast(DType::F32, &[]), &[strings(&["Hello World!"])]).refused(&["y"]);
}

#[test]
fn targets_by_name_by_number_and_by_example() {
    let x = f32s(&[2], &[1.5, 0.0]);
    let named = with(node("Cast", &["x0"], &["y"]), text("to", "INT32"));
    assert_eq!(one(1, named, std::slice::from_ref(&x)).tensor("y").dtype(), DType::I32);
    let like = node("CastLike", &["x0", "x1"], &["y"]);
    let y = one(15, like, &[x.clone(), of(&[0], &[] as &[bool])]).tensor("y");
    assert_eq!((y.dtype(), y.to_vec_i64()), (DType::Bool, vec![1, 0]));
    for code in [0, 14, 27, 99] {
        let op = with(node("Cast", &["x0"], &["y"]), int("to", code));
        one(28, op, std::slice::from_ref(&x)).refused(&["y"]);
    }
    one(19, node("Cast", &["x0"], &["y"]), &[x]).refused(&["y"]);
}

#[test]
fn bits_as_another_dtype() {
    let to = |dtype: DType| with(node("BitCast", &["x0"], &["y"]), int("to", dtype.onnx_code().into()));
    let signaling = of(&[2], &[0x7f80_0001u32, 0xbf80_0000]);
    let c = case(26).input("x0", signaling.clone()).node(to(DType::F32));
    let back = with(node("BitCast", &["y"], &["z"]), int("to", DType::U32.onnx_code().into()));
    let found = c.node(back).tensors(&["y", "z"]);
    assert_eq!(found[0].get_f64(1), -1.0);
    assert!(found[1].bit_eq(&signaling), "{found:?}");
    one(26, to(DType::F64), &[signaling]).refused(&["y"]);
}
