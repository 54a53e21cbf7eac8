//! Operators that make tensors of attributes, shapes and random numbers.
mod common;

use common::case::*;
use common::{attribute, node, with};
use tilewright_onnx::proto::{AttributeProto, NodeProto, attribute_type};
use tilewright_tensor::{DType, Tensor};

fn source(op: &str, attributes: &[AttributeProto]) -> NodeProto {
    attributes.iter().cloned().fold(node(op, &[], &["y"]), with)
}

#[test]
fn constants_of_every_attribute() {
    let y = |a: AttributeProto| case(13).node(source("Constant", &[a])).tensor("y");
    assert_eq!(y(float("value_float", 0.5)), f32s(&[], &[0.5]));
    assert_eq!(y(int("value_int", -3)), i64s(&[], &[-3]));
    assert_eq!(y(ints("value_ints", &[1, 2])), i64s(&[2], &[1, 2]));
    assert_eq!(y(ints("value_ints", &[])), i64s(&[0], &[]));
    assert_eq!(y(text("value_string", "é")).strings().unwrap(), ["é"]);
    assert_eq!(y(value("value", &of(&[1, 2], &[true, false]))), of(&[1, 2], &[true, false]));
    let floats = AttributeProto { floats: vec![1.0, 2.0], ..attribute("value_floats", attribute_type::FLOATS) };
    assert_eq!(y(floats), f32s(&[2], &[1.0, 2.0]));
    let words = vec!["a".to_owned().into_bytes().into(), "".to_owned().into_bytes().into()];
    let words = AttributeProto { strings: words, ..attribute("value_strings", attribute_type::STRINGS) };
    assert_eq!(y(words).strings().unwrap(), ["a", ""]);
    case(13).node(source("Constant", &[])).refused(&["y"]);
    case(13).node(source("Constant", &[int("value_int", 1), float("value_float", 1.0)])).refused(&["y"]);
}

#[test]
fn one_value_over_a_shape() {
    let op =
        |attributes: &[AttributeProto]| attributes.iter().cloned().fold(node("ConstantOfShape", &["x0"], &["y"]), with);
    assert_eq!(one(9, op(&[]), &[i64s(&[2], &[2, 1])]).tensor("y"), f32s(&[2, 1], &[0.0; 2]));
    let seven = value("value", &of(&[1], &[7i8]));
    assert_eq!(one(9, op(&[seven]), &[i64s(&[0], &[])]).tensor("y"), of(&[], &[7i8]));
    one(9, op(&[]), &[i64s(&[2], &[2, -1])]).refused(&["y"]);
    one(9, op(&[value("value", &i64s(&[2], &[1, 2]))]), &[i64s(&[1], &[1])]).refused(&["y"]);
    let known = case(9).constant("x0", i64s(&[1], &[-1])).node(op(&[]));
    known.refused(&["y"]);
}

#[test]
fn diagonals() {
    let x = f32s(&[2, 3], &[5.0; 6]);
    for (k, expected) in
        [(0, [1, 0, 0, 0, 1, 0]), (1, [0, 1, 0, 0, 0, 1]), (-1, [0, 0, 0, 1, 0, 0]), (i64::MIN, [0; 6])]
    {
        let op = with(with(node("EyeLike", &["x0"], &["y"]), int("k", k)), int("dtype", 7));
        assert_eq!(one(9, op, std::slice::from_ref(&x)).tensor("y"), i64s(&[2, 3], &expected));
    }
    one(9, node("EyeLike", &["x0"], &["y"]), &[f32s(&[3], &[1.0; 3])]).refused(&["y"]);
}

#[test]
fn progressions() {
    let range = |version, ends: [Tensor; 3]| one(version, node("Range", &["x0", "x1", "x2"], &["y"]), &ends);
    let longs = |a, b, d| range(11, [a, b, d].map(|x| i64s(&[], &[x])));
    for (a, b, d, expected) in [
        (0, 10, 3, vec![0, 3, 6, 9]),
        (10, 4, -2, vec![10, 8, 6]),
        (5, 5, 1, vec![]),
        (0, 3, -1, vec![]),
        (i64::MAX - 2, i64::MAX, 1, vec![i64::MAX - 2, i64::MAX - 1]),
    ] {
        assert_eq!(longs(a, b, d).tensor("y").to_vec_i64(), expected);
    }
    longs(0, 3, 0).refused(&["y"]);
    longs(i64::MIN, i64::MAX, 1).refused(&["y"]);
    longs(0, i64::MAX, 1).refused(&["y"]);
    let floats = |a: f32, b: f32, d: f32| range(11, [a, b, d].map(|x| f32s(&[], &[x])));
    assert_close(&floats(0.0, 0.3, 0.1).tensor("y"), &[0.0, 0.1, 0.2, 0.3], 1e-7);
    assert_close(&floats(1.0, -1.0, -0.75).tensor("y"), &[1.0, 0.25, -0.5], 0.0);
    floats(0.0, f32::INFINITY, 1.0).refused(&["y"]);
    floats(0.0, 1.0, 0.0).refused(&["y"]);
    let halves = [2046.0, 2051.0, 1.0].map(|x| numbers(DType::F16, &[], &[x]));
    let found = range(27, halves).tensor("y");
    assert_eq!((found.dtype(), found.to_vec_f64()), (DType::F16, vec![2046.0, 2047.0, 2048.0, 2048.0, 2050.0, 2052.0]));
}

/// A length that follows from a size stays one expression: the sum needs no run to be translated.
#[test]
fn a_progression_as_long_as_a_dim() {
    let c = case(17).named("x", f32s(&[3, 2], &[1.0; 6]), &["N", "M"]).constant("zero", i64s(&[], &[0]));
    let c = c.constant("one", i64s(&[], &[1])).node(node("Shape", &["x"], &["shape"]));
    let c = c.node(node("Gather", &["shape", "zero"], &["n"])).node(node("Range", &["zero", "n", "one"], &["r"]));
    let c = c.node(with(node("Cast", &["r"], &["places"]), int("to", 1))).constant("axis", i64s(&[1], &[1]));
    let c = c.node(node("Unsqueeze", &["places", "axis"], &["column"])).node(node("Add", &["x", "column"], &["y"]));
    assert_eq!(c.tensor("y").to_vec_f64(), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
    let model = common::load(&c.file(&["y"])).unwrap();
    let outcome = tilewright_onnx::import::import(&model, &Default::default()).unwrap();
    assert!(matches!(outcome, tilewright_onnx::import::Outcome::Ready(_)));
}

#[test]
fn parts_of_shapes() {
    let x = f32s(&[2, 3, 0, 5], &[]);
    let cases: &[(&[AttributeProto], &[i64])] = &[
        (&[], &[2, 3, 0, 5]),
        (&[int("start", 1)], &[3, 0, 5]),
        (&[int("start", -1)], &[5]),
        (&[int("end", -1)], &[2, 3, 0]),
        (&[int("start", i64::MIN), int("end", i64::MAX)], &[2, 3, 0, 5]),
        (&[int("start", 3), int("end", 1)], &[]),
    ];
    for (attributes, expected) in cases {
        let op = attributes.iter().cloned().fold(node("Shape", &["x0"], &["y"]), with);
        assert_eq!(one(15, op, std::slice::from_ref(&x)).tensor("y").to_vec_i64(), *expected);
    }
    assert_eq!(one(13, node("Size", &["x0"], &["y"]), &[x]).tensor("y"), i64s(&[], &[0]));
}

#[test]
fn dropout_trains_or_passes() {
    let x = f32s(&[1000], &[1.0; 1000]);
    let c = |training: bool, ratio: f32| {
        let c = case(13).input("x", x.clone()).input("r", f32s(&[], &[ratio])).input("t", of(&[], &[training]));
        c.node(with(node("Dropout", &["x", "r", "t"], &["y", "mask"]), int("seed", 7)))
    };
    let found = c(true, 0.75).tensors(&["y", "mask"]);
    let kept = found[1].to_vec_i64().iter().sum::<i64>();
    assert!((200..300).contains(&kept), "{kept}");
    let scaled = found[0].to_vec_f64().iter().zip(found[1].to_vec_i64()).all(|(y, m)| *y == 4.0 * m as f64);
    assert!(scaled && found[1].dtype() == DType::Bool);
    assert_eq!(found, c(true, 0.75).tensors(&["y", "mask"]));
    let found = c(false, 7.0).tensors(&["y", "mask"]);
    assert!(found[0] == x && found[1].to_vec_i64().iter().all(|m| *m == 1));
    c(true, 1.0).refused(&["y"]);
    let old = with(node("Dropout", &["x0"], &["y", "mask"]), int("is_test", 1));
    let found = one(6, old, std::slice::from_ref(&x)).tensors(&["y", "mask"]);
    assert!(found[0] == x && found[1].dtype() == DType::F32);
}

#[test]
fn random_numbers_have_their_distribution() {
    let drawn = |op: &str, attributes: &[AttributeProto]| {
        let all = [attributes, &[ints("shape", &[200, 50]), float("seed", 3.0)]].concat();
        case(22).node(source(op, &all)).tensor("y")
    };
    let moments = |t: &Tensor| {
        let v = t.to_vec_f64();
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        (mean, v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / v.len() as f64)
    };
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        let code = int("dtype", dtype.onnx_code().into());
        let t = drawn("RandomNormal", &[code.clone(), float("mean", 2.0), float("scale", 3.0)]);
        let (mean, variance) = moments(&t);
        assert!((mean - 2.0).abs() < 0.1 && (variance - 9.0).abs() < 0.4, "{dtype}: {mean} {variance}");
        let t = drawn("RandomUniform", &[code, float("low", -1.0), float("high", 3.0)]);
        let (mean, variance) = moments(&t);
        assert!((mean - 1.0).abs() < 0.05 && (variance - 16.0 / 12.0).abs() < 0.05, "{dtype}: {mean} {variance}");
        assert!(t.dtype() == dtype && t.to_vec_f64().iter().all(|x| (-1.0..=3.0).contains(x)));
    }
    let p = f32s(&[3, 1000], &[[0.0f32; 1000], [0.25; 1000], [1.0; 1000]].concat());
    let coins = one(15, with(node("Bernoulli", &["x0"], &["y"]), int("dtype", 7)), &[p]).tensor("y").to_vec_i64();
    let heads: Vec<i64> = coins.chunks(1000).map(|c| c.iter().sum()).collect();
    assert!(heads[0] == 0 && (200..300).contains(&heads[1]) && heads[2] == 1000, "{heads:?}");
    let logs = f32s(&[2, 3], &[0.1f32.ln(), 0.2f32.ln(), 0.7f32.ln(), 0.0, -f32::INFINITY, -f32::INFINITY]);
    let classes = with(node("Multinomial", &["x0"], &["y"]), int("sample_size", 1000));
    let classes = one(7, classes, &[logs]).tensor("y");
    assert_eq!((classes.dtype(), classes.shape()), (DType::I32, &[2, 1000][..]));
    let count =
        |row: usize, class: i64| classes.to_vec_i64()[1000 * row..][..1000].iter().filter(|c| **c == class).count();
    assert!((60..140).contains(&count(0, 0)) && (650..750).contains(&count(0, 2)) && count(1, 0) == 1000);
}

/// Nodes without a seed differ from each other, and agree with themselves.
#[test]
fn nodes_without_a_seed() {
    let uniform = |y: &str| with(node("RandomUniform", &[], &[y]), ints("shape", &[4]));
    let c = case(22).node(uniform("a")).node(uniform("b"));
    let (first, second) = (c.tensors(&["a", "b"]), c.tensors(&["a", "b"]));
    assert_eq!(first, second);
    assert_ne!(first[0], first[1]);
}
