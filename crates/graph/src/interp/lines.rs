//! A sum of products over all reduction points of one strip, where every index is affine: places
//! and guards move by fixed distances from point to point.

use super::index::IxCode;
use super::product::{Floats, add_products};
use super::strip::affine_range;
use crate::scalar::Pred;

/// An affine index over a strip: its value at the first position, its step along the strip, and how
/// it moves with each reduction axis.
pub struct Line {
    start: i64,
    step: i64,
    moves: Vec<i64>,
}

impl Line {
    /// The line of an index at a point whose reduction coordinates are zero.
    pub fn new(ix: &IxCode, point: &[i64], axis: usize, inner: &[usize]) -> Option<Self> {
        ix.is_affine().then(|| Self {
            start: ix.at(point),
            step: ix.coefficients[axis],
            moves: inner.iter().map(|a| ix.coefficients[*a]).collect(),
        })
    }
}

/// The lines of a product's guard and factors.
pub struct Lines<'a> {
    /// Guards.
    pub preds: Vec<(&'a Pred, Line)>,
    /// Places of the left factor.
    pub left: (Floats<'a>, Line),
    /// Places of the right factor.
    pub right: (Floats<'a>, Line),
}

impl Lines<'_> {
    /// Adds the products at positions `from..from+sums.len()` over all reduction points. `extents`
    /// are those of the reduction axes, none of them zero.
    pub fn add_all(&mut self, sums: &mut [f64], from: i64, extents: &[i64]) {
        let mut point = vec![0i64; extents.len()];
        loop {
            let (mut low, mut high) = (0, sums.len());
            for (pred, line) in &self.preds {
                let (a, b) = affine_range(pred, line.start + line.step * from, line.step, sums.len());
                (low, high) = (low.max(a), high.min(b));
            }
            if low < high {
                let at = |line: &Line| (line.start + line.step * (from + low as i64), line.step);
                add_products(&mut sums[low..high], (self.left.0, at(&self.left.1)), (self.right.0, at(&self.right.1)));
            }
            if !self.advance(&mut point, extents) {
                return;
            }
        }
    }

    /// Moves every line to the next reduction point; back to the first, and false, after the last.
    fn advance(&mut self, point: &mut [i64], extents: &[i64]) -> bool {
        for a in (0..point.len()).rev() {
            point[a] += 1;
            if point[a] < extents[a] {
                self.shift(a, 1);
                return true;
            }
            self.shift(a, 1 - extents[a]);
            point[a] = 0;
        }
        false
    }

    fn shift(&mut self, axis: usize, by: i64) {
        let factors = [&mut self.left.1, &mut self.right.1];
        for line in self.preds.iter_mut().map(|(_, line)| line).chain(factors) {
            line.start += line.moves[axis] * by;
        }
    }
}
