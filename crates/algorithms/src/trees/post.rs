//! What becomes of the scores of a row at the end.

use super::{Pair, Post};
use std::f64::consts::{PI, SQRT_2};

/// One score as those of two classes.
pub(super) fn pair(kind: Pair, scores: Vec<f64>) -> Vec<f64> {
    match (kind, scores.as_slice()) {
        (Pair::Half, [score]) => vec![1.0 - score, *score],
        (Pair::Sign, [score]) => vec![-score, *score],
        _ => scores,
    }
}

/// The scores transformed.
pub(super) fn post(kind: Post, scores: &mut [f64]) {
    match kind {
        Post::None => {}
        Post::Softmax => softmax(scores, |_| false),
        Post::SoftmaxZero => softmax(scores, |s| s.abs() <= 1e-7),
        Post::Logistic => scores.iter_mut().for_each(|s| *s = 1.0 / (1.0 + libm::exp(-*s))),
        Post::Probit => scores.iter_mut().for_each(|s| *s = probit(*s)),
    }
}

/// Softmax of the scores that are not `absent`, which become 0.
fn softmax(scores: &mut [f64], absent: impl Fn(f64) -> bool) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|s| *s = if absent(*s) { 0.0 } else { libm::exp(*s - most) });
    let sum: f64 = scores.iter().sum();
    if sum != 0.0 {
        scores.iter_mut().for_each(|s| *s /= sum);
    }
}

/// The inverse of the normal distribution function: Winitzki's formula, then three Newton steps.
fn probit(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 || p.is_nan() {
        return match p {
            0.0 => f64::NEG_INFINITY,
            1.0 => f64::INFINITY,
            _ => f64::NAN,
        };
    }
    const A: f64 = 0.147;
    let log = libm::log(4.0 * p * (1.0 - p));
    let half = 2.0 / (PI * A) + log / 2.0;
    let mut x = libm::copysign(SQRT_2 * libm::sqrt(libm::sqrt(half * half - log / A) - half), p - 0.5);
    for _ in 0..3 {
        let density = libm::exp(-x * x / 2.0) / libm::sqrt(2.0 * PI);
        x -= (libm::erfc(-x / SQRT_2) / 2.0 - p) / density;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms() {
        let cases: [(Post, &[f64], &[f64]); 6] = [
            (Post::Softmax, &[0.5, 0.0], &[0.62245933, 0.37754067]),
            (Post::SoftmaxZero, &[-0.7, 0.0, 1.0], &[0.15446527, 0.0, 0.84553473]),
            (Post::SoftmaxZero, &[0.0, 0.0], &[0.0, 0.0]),
            (Post::Logistic, &[0.5, 0.0, -800.0], &[0.62245933, 0.5, 0.0]),
            (Post::Probit, &[0.25, 0.5, 0.975, 1e-12], &[-0.67448975, 0.0, 1.95996398, -7.03448383]),
            (Post::Probit, &[0.0, 1.0], &[f64::NEG_INFINITY, f64::INFINITY]),
        ];
        for (kind, scores, wanted) in cases {
            let mut found = scores.to_vec();
            post(kind, &mut found);
            let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() < 1e-7;
            assert!(found.iter().zip(wanted).all(close), "{kind:?}: {found:?}");
        }
        let mut outside = [1.5, f64::NAN];
        post(Post::Probit, &mut outside);
        assert!(outside.iter().all(|s| s.is_nan()));
        assert_eq!(pair(Pair::Half, vec![0.25]), [0.75, 0.25]);
        assert_eq!(pair(Pair::Sign, vec![0.25]), [-0.25, 0.25]);
    }
}
