//! Comprehensions by kernels against their meaning: what kernels give equals the graph interpreter within bounds, and
//! machine code equals the interpreter of kernels bit for bit.

mod random;
mod run;

use random::Random;
use std::collections::BTreeMap;
use tilewright_graph::ops::STRUCTURED;
use tilewright_graph::{Axis, Combiner, Comp, Func, Pred, Role, Scalar};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// What is refused, and how often.
#[derive(Default)]
struct Refused(BTreeMap<String, Vec<String>>);

impl Refused {
    fn add(&mut self, reason: &str, about: String) {
        self.0.entry(reason.to_string()).or_default().push(about);
    }

    fn show(&self, of: usize) {
        let mut reasons: Vec<_> = self.0.iter().collect();
        reasons.sort_by_key(|(_, v)| std::cmp::Reverse(v.len()));
        for (reason, all) in reasons {
            println!("{} of {of}: {reason}: {}", all.len(), all[..all.len().min(8)].join(" "));
        }
    }
}

#[test]
fn every_sample_of_every_declaration() {
    let (mut refused, mut all) = (Refused::default(), 0);
    for row in STRUCTURED {
        for (k, sample) in (row.samples)().into_iter().enumerate() {
            let comp = sample.comp.unwrap();
            let about = format!("{}.{k}", row.name);
            for seed in 0..4 {
                let mut random = Random(seed * 7919 + k as u64 + 1);
                let tensor = |t: &tilewright_graph::TensorType| {
                    let shape = t.static_shape().unwrap();
                    let n: usize = shape.iter().product();
                    match t.dtype.is_float() {
                        true => random.tensor(t.dtype, &shape),
                        false => {
                            let values: Vec<i64> = (0..n).map(|_| random.below(3) as i64).collect();
                            Tensor::from_i64(t.dtype, &shape, &values).unwrap()
                        }
                    }
                };
                let operands: Vec<Tensor> = sample.operands.iter().map(tensor).collect();
                all += 1;
                if run::inexact(&comp) {
                    continue;
                }
                if let Err(e) = run::check(&comp, &operands, &mut random, &about) {
                    refused.add(&e.message, about.clone());
                }
            }
        }
    }
    refused.show(all);
}

#[test]
fn random_comprehensions() {
    let count = std::env::var("COMPS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let first = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut refused = Refused::default();
    for seed in first..first + count {
        let mut random = Random(seed as u64 * 0x9e37_79b9 + 1);
        let case = random::case(&mut random);
        let about = format!("seed {seed}");
        if let Err(e) = run::check(&case.comp, &case.operands, &mut random, &about) {
            refused.add(&e.message, seed.to_string());
        }
    }
    refused.show(count);
}

/// What a guard fills in is multiplied, also where the guard is decided: 0 times infinity is NaN, 0 times -1 is -0.
#[test]
fn zeros_of_guards_are_multiplied() {
    let i = Ix::axis(0);
    let read = |o: u32| Scalar::read(o, DType::F32, vec![i.clone()]);
    let inner = Scalar::guarded(vec![Pred::Ge0(&i - &Ix::konst(6))], read(1), read(1).lit(0.0));
    let outer = Scalar::guarded(vec![Pred::Ge0(Ix::konst(40) - &i)], inner, read(1).lit(7.0));
    let axes = || vec![Axis { name: "i".into(), extent: Ix::konst(50), role: Role::Parallel }];
    let weights: Vec<f64> = (0..50).map(|i| [f64::INFINITY, f64::NAN, -1.0, 2.0][i % 4]).collect();
    let operands = [weights, vec![1.5; 50]].map(|x| Tensor::from_f64(DType::F32, &[50], &x).unwrap());
    for body in [read(0) * outer.clone(), outer * read(0)] {
        let comp = Comp::new("guarded", axes(), Combiner::Map, body);
        run::check(&comp, &operands, &mut Random(5), "guarded").unwrap();
        let found = tilewright_graph::interp::eval_comp(&comp, &operands).unwrap().to_vec_f64();
        assert!(found[0].is_nan() && found[2].to_bits() == (-0f64).to_bits() && found[3] == 0.0, "{found:?}");
    }
}

/// A value twice as large, 60 times over, is computed 60 times and not 2^60 times.
#[test]
fn what_is_shared_is_lowered_once() {
    let i = Ix::axis(0);
    let guard = vec![Pred::Ge0(&i - &Ix::konst(3))];
    for dtype in [DType::F32, DType::I64] {
        let read = Scalar::read(0, dtype, vec![&i * 1]);
        let shared = |x: Scalar| (0..60).fold(x, |x, _| Scalar::call(Func::Add, vec![x.clone(), x]));
        let sum = shared(Scalar::guarded(guard.clone(), shared(read.clone()), read.clone()));
        let product = (0..60).fold(read.clone(), |x, _| &x * &x);
        for (combiner, body) in [(Combiner::Map, &sum), (Combiner::Sum, &sum), (Combiner::Sum, &product)] {
            let role = if combiner == Combiner::Map { Role::Parallel } else { Role::Reduce };
            let axes = vec![Axis { name: "i".into(), extent: Ix::konst(33), role }];
            let comp = Comp::new("shared", axes, combiner, body.clone());
            let start = std::time::Instant::now();
            let x = [Tensor::from_i64(dtype, &[33], &[1; 33]).unwrap()];
            let meaning = tilewright_graph::interp::eval_comp(&comp, &x).unwrap();
            let layouts = [tilewright_lower::Layout::row_major(dtype, &[33])];
            let found = run::plain(&comp, &x).unwrap();
            tilewright_lower::comp::kernels(
                &comp,
                &layouts,
                &tilewright_lower::Layout::row_major(dtype, meaning.shape()),
            )
            .unwrap();
            assert!(found.bit_eq(&meaning), "{found:?} {meaning:?}");
            assert!(start.elapsed().as_secs_f64() < 1.0, "{combiner:?} of {dtype:?}");
        }
    }
}

/// A guard around a value and the value itself, 40 times over or 90, where masks are left, do not take 2^40 steps.
#[test]
fn what_guards_share_is_bounded() {
    let i = Ix::axis(0);
    let read = || Scalar::read(0, DType::F32, vec![i.clone()]);
    let x = [Tensor::from_f64(DType::F32, &[100], &(0..100).map(f64::from).collect::<Vec<_>>()).unwrap()];
    let axes = || vec![Axis { name: "i".into(), extent: Ix::konst(100), role: Role::Parallel }];
    let apart = |n: i64| vec![Pred::Eq0(&i - &Ix::konst(n))];
    let from = |i: &Ix, n: i64| Pred::Ge0(i - &Ix::konst(n));
    let only = |i: &Ix, n: i64| Pred::Eq0(i - &Ix::konst(n));
    type Guard = fn(&Ix, i64) -> Pred;
    let cases: [(Guard, i64); 4] = [(from, 40), (only, 40), (from, 90), (only, 90)];
    for (guard, count) in cases {
        let start = std::time::Instant::now();
        let nested = |x: Scalar, n| Scalar::guarded(vec![guard(&i, n)], &x + &x.lit(1.0), x);
        let comp = Comp::new("nested", axes(), Combiner::Map, (0..count).fold(read(), nested));
        let meaning = tilewright_graph::interp::eval_comp(&comp, &x).unwrap();
        let more = |at: i64| (0..count).filter(|n| guard(&Ix::konst(at), *n).holds(at - n)).count();
        let expected: Vec<f64> = (0..100).map(|at| at as f64 + more(at) as f64).collect();
        assert_eq!(meaning.to_vec_f64(), expected);
        match run::plain(&comp, &x) {
            Ok(found) => assert!(found.bit_eq(&meaning), "{found:?}"),
            Err(e) => assert_eq!(e.code, tilewright_support::Code::Unsupported, "{e}"),
        }
        assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
    }
    // Both under guards of their own.
    let start = std::time::Instant::now();
    let twice = |x: Scalar, n: i64| {
        let one = |n| Scalar::guarded(apart(n), x.clone(), x.lit(0.0));
        &one(n) + &one(n + 7)
    };
    let comp = Comp::new("twice", axes(), Combiner::Map, (0..40).fold(read(), twice));
    let meaning = tilewright_graph::interp::eval_comp(&comp, &x).unwrap();
    assert_eq!(meaning.to_vec_f64(), [0.0; 100]);
    let refused = run::plain(&comp, &x).err();
    assert!(refused.is_none_or(|e| e.code == tilewright_support::Code::Unsupported));
    assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
}
