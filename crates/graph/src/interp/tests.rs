//! The interpreter against its own plain meaning, over every sample of every declaration.

use super::{comp, naive};
use crate::ops::STRUCTURED;
use crate::types::TensorType;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// Deterministic values: small mixed floats, or indices valid for a dim of at least 3.
pub fn sample_tensor(ty: &TensorType, seed: u64) -> Tensor {
    let shape = ty.static_shape().unwrap();
    let n: usize = shape.iter().product();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as i64
    };
    if ty.dtype.is_float() {
        let values: Vec<f64> = (0..n).map(|_| (next() % 2001 - 1000) as f64 / 250.0).collect();
        return Tensor::from_f64(ty.dtype, &shape, &values).unwrap();
    }
    let values: Vec<i64> = (0..n).map(|_| next() % 3).collect();
    Tensor::from_i64(ty.dtype, &shape, &values).unwrap()
}

#[test]
fn strips_agree_with_points_on_every_sample() {
    for row in STRUCTURED {
        for (k, sample) in (row.samples)().into_iter().enumerate() {
            let c = sample.comp.unwrap_or_else(|e| panic!("{} sample {k}: {e}", row.name));
            let operands: Vec<Tensor> =
                sample.operands.iter().enumerate().map(|(i, t)| sample_tensor(t, (i + 7 * k) as u64 + 1)).collect();
            let fast = comp::eval(&c, &operands, 1).unwrap_or_else(|e| panic!("{} sample {k}: {e}", row.name));
            let plain = naive::eval_comp(&c, &operands).unwrap();
            assert_eq!(fast.shape(), plain.shape(), "{} sample {k}", row.name);
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-5 * (1.0 + b.abs()) || (a.is_nan() && b.is_nan());
            let same = match fast.dtype().is_float() {
                true => fast.to_vec_f64().iter().zip(plain.to_vec_f64()).all(|(a, b)| close(*a, b)),
                false => fast.bit_eq(&plain),
            };
            assert!(same, "{} sample {k}:\n{:?}\n{:?}", row.name, fast.to_vec_f64(), plain.to_vec_f64());
        }
    }
}

#[test]
fn out_of_range_gather_is_an_error() {
    let op = crate::ops::Gather { axis: 0, bounds: crate::ops::Bounds::Error };
    use crate::ops::Structured;
    let types = [TensorType::new(DType::F32, vec![3.into()]), TensorType::new(DType::I64, vec![2.into()])];
    let c = op.comp(&types).unwrap();
    let x = Tensor::from_slice(&[3], &[1f32, 2.0, 3.0]).unwrap();
    let bad = Tensor::from_slice(&[2], &[0i64, 3]).unwrap();
    let e = comp::eval(&c, &[x, bad], 1).unwrap_err();
    assert_eq!(e.message, "index 3 is out of bounds for a dim of size 3");
}

#[test]
fn products_of_narrow_floats_are_summed_unrounded() {
    use crate::ops::{Contract, Structured};
    let half = |n: i64| TensorType::new(DType::F16, vec![n.into()]);
    let c = Contract::parse("k,k->").comp(&[half(2), half(2)]).unwrap();
    // 1.0009765625^2 needs 21 bits; the difference of the products is 2^-20.
    let x = Tensor::from_f64(DType::F16, &[2], &[1.0009765625, 1.001953125]).unwrap();
    let y = Tensor::from_f64(DType::F16, &[2], &[1.0009765625, -1.0]).unwrap();
    for found in [comp::eval(&c, &[x.clone(), y.clone()], 1), naive::eval_comp(&c, &[x, y])] {
        assert_eq!(found.unwrap().to_vec_f64(), [2f64.powi(-20)]);
    }
}

#[test]
fn dims_that_cannot_be_compared_broadcast_when_they_run() {
    use crate::ops::{Map, Structured};
    use tilewright_tensor::ix::Ix;
    let sym = |name: &str| TensorType::new(DType::F64, vec![Ix::sym(name)]);
    let add = Map::new(&[DType::F64, DType::F64], |a| &a[0] + &a[1]).comp(&[sym("n"), sym("m")]).unwrap();
    let run = |n: i64, m: i64| {
        let bound = add.bind(&|s| Some(Ix::konst(if &**s == "n" { n } else { m })));
        let row = |k: i64, step: f64| {
            Tensor::from_vec(&[k as usize], (0..k).map(|i| i as f64 * step + 1.0).collect::<Vec<_>>()).unwrap()
        };
        comp::eval(&bound, &[row(n, 1.0), row(m, 10.0)], 1).map(|t| t.to_vec_f64())
    };
    assert_eq!(run(3, 3).unwrap(), [2.0, 13.0, 24.0]);
    assert_eq!(run(1, 3).unwrap(), [2.0, 12.0, 22.0]);
    assert_eq!(run(3, 1).unwrap(), [2.0, 3.0, 4.0]);
    assert_eq!(run(1, 1).unwrap(), [2.0]);
    assert_eq!(run(0, 1).unwrap(), [0.0; 0]);
    assert_eq!(run(1, 0).unwrap(), [0.0; 0]);
    assert!(run(2, 3).is_err() && run(0, 2).is_err());
}

#[test]
fn threads_change_no_bit() {
    use crate::ops::{Conv, Map, Structured};
    let f32s = |dims: &[i64]| TensorType::new(DType::F32, dims.iter().map(|d| (*d).into()).collect::<Vec<_>>());
    let padded = Conv { pads: vec![(1.into(), 1.into()); 2], ..Conv::plain(2) };
    let product = Map::new(&[DType::F32, DType::F32], |a| (&a[0] * &a[1]).exp());
    let cases = [
        (
            padded.comp(&[f32s(&[1, 16, 33, 31]), f32s(&[9, 16, 3, 3])]).unwrap(),
            vec![f32s(&[1, 16, 33, 31]), f32s(&[9, 16, 3, 3])],
        ),
        (product.comp(&[f32s(&[1025, 1030]), f32s(&[1030])]).unwrap(), vec![f32s(&[1025, 1030]), f32s(&[1030])]),
    ];
    for (c, types) in cases {
        let operands: Vec<Tensor> = types.iter().enumerate().map(|(i, t)| sample_tensor(t, i as u64 + 3)).collect();
        let one = comp::eval(&c, &operands, 1).unwrap();
        for threads in [2, 3, 7] {
            assert!(comp::eval(&c, &operands, threads).unwrap().bit_eq(&one), "{threads} threads");
        }
    }
}

#[test]
fn a_result_beyond_the_address_space_is_refused() {
    use crate::ops::{Broadcast, Structured};
    let shape = vec![Ix::konst(1 << 62), Ix::konst(1 << 62)];
    let c = Broadcast { shape }.comp(&[TensorType::new(DType::F32, vec![])]).unwrap();
    let error = comp::eval(&c, &[Tensor::scalar(1f32)], 1).unwrap_err();
    assert!(error.message.contains("address space"), "{error}");
}
