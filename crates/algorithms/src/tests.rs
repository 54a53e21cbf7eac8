//! Every operation on inputs of every kind: none may panic, and types must agree with values.

use super::testing::{floats, ints, words};
use super::*;
use tilewright_tensor::{DType, Tensor};

fn zoo() -> Vec<Value> {
    let tensors = [
        ints(&[], &[i64::MIN]),
        ints(&[1], &[2]),
        ints(&[2, 1], &[1, i64::MAX]),
        floats(&[], &[f32::NAN]),
        floats(&[3], &[f32::INFINITY, -0.0, 0.0]),
        floats(&[1, 2, 4], &[f32::NAN; 8]),
        floats(&[1, 2, 2], &[0.5, f32::NEG_INFINITY, f32::NAN, 1e38]),
        floats(&[2, 0], &[]),
        words(&[2], &["a b", "é"]),
        words(&[1, 0], &[]),
        Tensor::zeros(DType::I4, &[3, 1, 2]).unwrap(),
        Tensor::zeros(DType::U8, &[7]).unwrap(),
        Tensor::from_f64(DType::F16, &[2, 2], &[1.0, 2.0, 3.0, 4.0]).unwrap(),
        Tensor::from_slice(&[2], &[true, false]).unwrap(),
    ];
    tensors.into_iter().map(Value::Tensor).chain([Value::Optional(None), Value::Sequence(vec![])]).collect()
}

/// The type of a value, also with every dim unknown.
fn types(value: &Value) -> [Type; 2] {
    match value {
        Value::Tensor(t) => {
            let known = Type::of(t);
            [known.map_dims(&|_| Ix::sym("n")), known]
        }
        _ => [Type::Dynamic(DType::F32), Type::Optional(Box::new(Type::tensor(DType::F32, vec![])))],
    }
}

fn all() -> Vec<Opaque> {
    let strings = |function| Opaque::from(Strings { function });
    let normalize =
        |case, locale: &str| Normalize { stopwords: vec![], case_sensitive: false, case, locale: locale.into() };
    let grams = NGrams {
        mode: Weighting::Tf,
        shortest: 1,
        longest: 2,
        skips: 1 << 40,
        starts: vec![0],
        pool: Pool::Ints(vec![2]),
        columns: vec![1],
        weights: vec![f32::NAN],
    };
    let mut ops = vec![
        NonZero.into(),
        Lookup.into(),
        LinAlg { function: MatrixFunction::Det }.into(),
        strings(StringFunction::Concat),
        strings(StringFunction::Split { delimiter: "".into(), most: Some(usize::MAX) }),
        strings(StringFunction::Split { delimiter: " ".into(), most: None }),
        strings(StringFunction::FullMatch { pattern: "(?i)a*".into() }),
        strings(StringFunction::FullMatch { pattern: "(".into() }),
        strings(StringFunction::Normalize(normalize(Case::Upper, "az"))),
        strings(StringFunction::Normalize(normalize(Case::Lower, ""))),
        TfIdf::new(grams).unwrap().into(),
    ];
    for axis in [0, 1, 9] {
        for flag in [false, true] {
            ops.push(NonMaxSuppression { center_point_box: flag }.into());
            ops.push(Unique { axis: (axis < 9 || flag).then_some(axis), sorted: flag }.into());
            ops.push(TopK { axis, largest: flag, k: flag.then(|| Ix::konst(-3)) }.into());
            ops.extend([false, true].map(|onesided| Fft { axis, inverse: flag, onesided, length: None }.into()));
        }
    }
    ops
}

#[test]
fn no_input_makes_an_operation_panic() {
    let zoo = zoo();
    let mut evaluated = 0;
    for op in all() {
        let mut rng = 7u64;
        let mut pick = || {
            rng = rng.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            zoo[(rng >> 33) as usize % zoo.len()].clone()
        };
        for trial in 0..400 {
            let most = *op.inputs().end();
            let inputs: Vec<Value> = (0..most - trial % 2).map(|_| pick()).collect();
            for kind in [0, 1] {
                let types: Vec<Type> = inputs.iter().map(|v| types(v)[kind].clone()).collect();
                let _ = op.infer(&types, &mut || Ix::sym("m"));
            }
            evaluated += usize::from(op.eval(&inputs).is_ok());
        }
    }
    assert!(evaluated > 1000, "{evaluated}");
}

#[test]
fn the_list_is_closed() {
    assert!(OPAQUE.len() <= 12, "{OPAQUE:?}");
    assert!(OPAQUE.is_sorted());
    assert!(OPAQUE.iter().all(|(_, doc)| doc.ends_with('.')));
}
