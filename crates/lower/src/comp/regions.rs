//! Regions: boxes in which guards are decided.
//!
//! A guard that depends on one axis, but for little, holds from some point of it on. The axis is cut there, so that most
//! points lie in regions without the guard: the inside of an image, the pieces of a concatenation.

use super::part::{Part, bounds};
use std::collections::BTreeSet;
use tilewright_graph::Role;
use tilewright_graph::scalar::{Kind, Pred};
use tilewright_tensor::ix::Ix;

/// More regions than this are not made; guards that are left are masks.
const MOST: usize = 64;

/// Cuts a part into regions; together they have its points.
pub fn regions(part: &Part) -> Vec<Part> {
    let mut cuts: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); part.axes.len()];
    part.body.visit(&mut |s| {
        if let Kind::Where(preds, ..) = s.kind() {
            preds.iter().for_each(|p| cut(part, p, &mut cuts));
        }
    });
    let mut done = vec![part.clone()];
    for (axis, cuts) in cuts.iter().enumerate().filter(|(_, c)| !c.is_empty()) {
        if done.len() * (cuts.len() + 1) > MOST {
            continue;
        }
        let n = part.axes[axis].extent;
        let ends: Vec<i64> = cuts.iter().copied().chain([n]).collect();
        let starts: Vec<i64> = std::iter::once(0).chain(cuts.iter().copied()).collect();
        let pieces = |p: &Part| {
            let piece = |(from, to): (&i64, &i64)| p.within(axis, *from, *to);
            starts.iter().zip(&ends).map(piece).collect::<Vec<_>>()
        };
        done = done.iter().flat_map(pieces).collect();
    }
    done
}

/// Adds the points of axes at which the outcome of a predicate changes.
fn cut(part: &Part, pred: &Pred, cuts: &mut [BTreeSet<i64>]) {
    let extents: Vec<Ix> = part.extents();
    for axis in (0..part.axes.len()).filter(|a| part.axes[*a].role == Role::Parallel) {
        let Some((c, rest)) = pred.ix().affine_in(axis as u32).filter(|(c, _)| *c != 0) else { continue };
        let Some((low, high)) = bounds(&rest, &extents) else { continue };
        let n = part.axes[axis].extent;
        let [first, second] = match pred {
            Pred::Ge0(_) => changes(c, low, high),
            Pred::Eq0(_) => meets(c, low, high),
        };
        // What is undecided in between must be the smaller part.
        if (second - first).saturating_mul(2) <= n.max(2) {
            cuts[axis].extend([first, second].into_iter().filter(|at| *at > 0 && *at < n));
        }
    }
}

/// Where `c * a + rest >= 0` begins to be open, and to be decided again, for `low <= rest <= high`.
fn changes(c: i64, low: i64, high: i64) -> [i64; 2] {
    let up = |x: i64, by: i64| -(-x).div_euclid(by);
    match c > 0 {
        true => [up(-high, c), up(-low, c)],
        false => [low.div_euclid(-c) + 1, high.div_euclid(-c) + 1],
    }
}

/// Between which points `c * a + rest = 0` may hold.
fn meets(c: i64, low: i64, high: i64) -> [i64; 2] {
    let (low, high) = if c > 0 { (-high, -low) } else { (low, high) };
    let c = c.abs();
    [-(-low).div_euclid(c), high.div_euclid(c) + 1]
}
