//! Bounds are tight: faults that kernels might have are outside of them.

use super::Ranges;
use super::check::{Tally, elements};
use super::range::Range;
use crate::maker::Random;
use tilewright_graph::interp::naive::eval_at;
use tilewright_graph::{Axis, Combiner, Comp, Func, Role, Scalar, interp};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// One comprehension of `n` points, and one with a fault in it.
fn caught(combiner: Combiner, dtype: DType, n: i64, bodies: [&dyn Fn(&Scalar) -> Scalar; 2], last: i64) -> bool {
    let role = if combiner == Combiner::Map { Role::Parallel } else { Role::Reduce };
    let comp = |n: i64, body: &dyn Fn(&Scalar) -> Scalar| {
        let axes = vec![Axis { name: "i".into(), extent: Ix::konst(n), role }];
        Comp::new("planted", axes, combiner, body(&Scalar::read(0, dtype, vec![Ix::axis(0)])))
    };
    let mut random = Random(7);
    let x: Vec<f64> = (0..n).map(|_| random.below(4001) as f64 / 1000.0 - 2.0).collect();
    let x = [Tensor::from_f64(dtype, &[n as usize], &x).unwrap()];
    let right = comp(n, bodies[0]);
    let good = interp::eval_comp(&right, &x).unwrap();
    elements(&right, &x, &good, &mut Tally::default()).unwrap();
    let found = interp::eval_comp(&comp(n - last, bodies[1]), &x).unwrap();
    elements(&right, &x, &found, &mut Tally::default()).is_err()
}

const FLOATS: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];

/// Functions whose polynomial has a coefficient that is wrong in its last bits.
#[test]
fn wrong_coefficients_are_caught() {
    let functions = [Func::Exp, Func::Tanh, Func::Log1p, Func::Erf, Func::Sigmoid, Func::Sin, Func::Atan, Func::Expm1];
    for func in functions {
        for dtype in [DType::F32, DType::F64] {
            let wrong = if dtype == DType::F32 { 2f64.powi(-21) } else { 2f64.powi(-50) };
            let right = |x: &Scalar| Scalar::call(func, vec![x.abs() + 1.0]);
            let planted = |x: &Scalar| right(x) * (1.0 + wrong);
            assert!(caught(Combiner::Map, dtype, 100, [&right, &planted], 0), "{func:?} of {dtype:?}");
        }
    }
    // The polynomial of exp(x) to the sixth power: one coefficient of 720 is 719.
    let series = |coefficients: [f64; 6]| {
        move |x: &Scalar| {
            let x = (x * 0.1).cast(DType::F64);
            let sum = coefficients.iter().rev().fold(x.lit(0.0), |s, c| (s + x.lit(1.0 / c)) * x.clone());
            (sum + 1.0).cast(DType::F32)
        }
    };
    let exp = |x: &Scalar| (x * 0.1).exp();
    let (good, bad) = (series([1.0, 2.0, 6.0, 24.0, 120.0, 720.0]), series([1.0, 2.0, 6.01, 24.0, 120.0, 720.0]));
    assert!(!caught(Combiner::Map, DType::F32, 100, [&exp, &good], 0));
    assert!(caught(Combiner::Map, DType::F32, 100, [&exp, &bad], 0));
}

/// A term left out: as long as a share of `1 / n` of a sum is more than `n` roundings, up to some 4000 terms of f32; and
/// terms that are rounded.
#[test]
fn faults_of_sums_are_caught() {
    let itself = |x: &Scalar| x.clone();
    let square = |x: &Scalar| x * x;
    for dtype in FLOATS {
        let sizes: &[i64] = if dtype.bits() == 16 { &[2, 3, 17, 100] } else { &[2, 3, 17, 100, 1000] };
        for n in sizes {
            assert!(caught(Combiner::Sum, dtype, *n, [&itself, &itself], 1), "{n} terms of {dtype:?}");
            assert!(caught(Combiner::Sum, dtype, *n, [&square, &square], 1), "{n} squares of {dtype:?}");
        }
    }
    let narrow = |x: &Scalar| x.cast(DType::BF16).cast(DType::F32);
    assert!(caught(Combiner::Sum, DType::F32, 1000, [&itself, &narrow], 0));
    assert!(caught(Combiner::Prod, DType::F32, 20, [&itself, &itself], 1));
    assert!(caught(Combiner::Max, DType::F32, 20, [&itself, &|x: &Scalar| x * (1.0 + 2f64.powi(-23))], 0));
}

/// Single roundings left out of arithmetic.
#[test]
fn missing_roundings_are_caught() {
    for dtype in [DType::F16, DType::BF16] {
        let rounded = |x: &Scalar| x * x + x.clone();
        let wide = move |x: &Scalar| {
            let x = x.cast(DType::F32);
            (&x * &x + x.clone()).cast(dtype)
        };
        assert!(caught(Combiner::Map, dtype, 100, [&rounded, &wide], 0), "{dtype:?}");
    }
}

/// Numbers of every kind: what is infinite or NaN is so, unless a sum may leave the range.
#[test]
fn kinds_of_numbers_are_kept() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let sum = |x: &[f64]| {
        let axes = vec![Axis { name: "i".into(), extent: Ix::konst(x.len() as i64), role: Role::Reduce }];
        let comp = Comp::new("sum", axes, Combiner::Sum, Scalar::read(0, DType::F32, vec![Ix::axis(0)]));
        let x = Tensor::from_f64(DType::F32, &[x.len()], x).unwrap();
        eval_at(&Ranges, &comp, &[x], &[]).unwrap()
    };
    assert_eq!(sum(&[1.0, inf, 3e38]), Range::float(inf));
    assert_eq!([sum(&[nan, inf]), sum(&[-inf, inf])], [Range::NAN; 2]);
    assert_eq!(sum(&[]), Range::Float(-0.0, 0.0, false));
    assert!(sum(&[3e38, 3e38, -3e38]).is_any());
    assert!(!sum(&[1e38, 1.0]).admits(inf));
}
