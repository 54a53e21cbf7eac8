//! The classes with the highest scores.

use crate::style;
use tilewright::{DType, Tensor};

/// A class and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Index along the last axis.
    pub class: usize,
    /// Its value.
    pub score: f64,
}

/// The `k` best classes of each row along the last axis, best first; NaN comes last. Empty for tensors without rows
/// of numbers.
pub fn rows(tensor: &Tensor, k: usize) -> Vec<Vec<Scored>> {
    let width = tensor.shape().last().copied().unwrap_or(0);
    if width == 0 || tensor.dtype() == DType::String {
        return Vec::new();
    }
    tensor.to_vec_f64().chunks_exact(width).map(|row| best(row, k)).collect()
}

fn best(row: &[f64], k: usize) -> Vec<Scored> {
    let mut scored: Vec<Scored> = row.iter().enumerate().map(|(class, &score)| Scored { class, score }).collect();
    let key = |s: &Scored| if s.score.is_nan() { f64::NEG_INFINITY } else { s.score };
    scored.sort_by(|a, b| key(b).total_cmp(&key(a)));
    scored.truncate(k);
    scored
}

/// Whether every row holds probabilities: from 0 to 1, and 1 in sum.
pub fn are_probabilities(tensor: &Tensor) -> bool {
    let width = tensor.shape().last().copied().unwrap_or(0);
    let fits =
        |row: &[f64]| row.iter().all(|p| (0.0..=1.0).contains(p)) && (row.iter().sum::<f64>() - 1.0).abs() < 1e-2;
    width > 0 && tensor.dtype().is_float() && tensor.to_vec_f64().chunks_exact(width).all(fits)
}

/// One line for a row: `3 (99.8 %)  8 (0.1 %)`.
pub fn line(row: &[Scored], percent: bool) -> String {
    let show = |(i, s): (usize, &Scored)| {
        let style = if i == 0 { style::GOOD } else { style::DIM };
        let score = if percent { format!("{:.1} %", s.score * 100.0) } else { format!("{:.4}", s.score) };
        format!("{style}{}{style:#} ({score})", s.class)
    };
    row.iter().enumerate().map(show).collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_rows_by_score() {
        let tensor = Tensor::from_slice(&[2, 3], &[0.1f32, 0.7, 0.2, f32::NAN, -1.0, -2.0]).unwrap();
        let classes: Vec<Vec<usize>> = rows(&tensor, 2).iter().map(|r| r.iter().map(|s| s.class).collect()).collect();
        assert_eq!(classes[0], [1, 2]);
        assert_eq!(classes[1], [1, 2]);
        assert!(rows(&Tensor::scalar(1.0f32), 1).is_empty());
        assert!(rows(&Tensor::zeros(DType::String, &[2]).unwrap(), 1).is_empty());
    }

    #[test]
    fn percents_only_for_probabilities() {
        let tensor = |v: [f32; 2]| Tensor::from_slice(&[1, 2], &v).unwrap();
        assert!(are_probabilities(&tensor([0.25, 0.75])));
        assert!(!are_probabilities(&tensor([0.25, 0.25])));
        assert!(!are_probabilities(&tensor([-1.0, 2.0])));
        let line = |percent| {
            let styled = line(&[Scored { class: 3, score: 0.998 }, Scored { class: 8, score: 0.001 }], percent);
            anstream::adapter::strip_str(&styled).to_string()
        };
        assert_eq!(line(true), "3 (99.8 %)  8 (0.1 %)");
        assert_eq!(line(false), "3 (0.9980)  8 (0.0010)");
    }
}
