//! Axes that suit the reads: those under quotients are split, neighbours that move alike are merged.

use super::part::{Part, Span, bends};
use std::collections::BTreeSet;
use tilewright_graph::Role;
use tilewright_tensor::ix::{Atom, Ix};

/// Rounds of splitting.
const ROUNDS: usize = 8;

/// More parts than this are not made.
const MOST: usize = 32;

/// Splits parallel axes under quotients and remainders by `k` into quotient and phase, cutting off what does not fill a
/// period. What does not get simpler so stays.
pub fn split(part: &Part) -> Vec<Part> {
    let mut parts = vec![part.clone()];
    for _ in 0..ROUNDS {
        if parts.len() >= MOST {
            break;
        }
        let pieces: Vec<Vec<Part>> = parts.iter().map(|p| split_once(p).unwrap_or_else(|| vec![p.clone()])).collect();
        if pieces.iter().all(|p| p.len() == 1 && p[0].axes.len() == part.axes.len()) {
            break;
        }
        parts = pieces.into_iter().flatten().collect();
    }
    parts
}

/// The pieces of a part after one split that makes it simpler.
fn split_once(part: &Part) -> Option<Vec<Part>> {
    divided(part).into_iter().find_map(|(axis, period, phase)| pieces(part, axis, period, phase))
}

/// Axes in quotients, with the period of these and the first point at which one begins.
fn divided(part: &Part) -> BTreeSet<(usize, i64, i64)> {
    let mut found = BTreeSet::new();
    part.body.visit_ix(&mut |ix| {
        ix.visit(&mut |a| {
            let (Atom::Div(e, k) | Atom::Mod(e, k)) = a else { return };
            let Some(k) = k.as_const().filter(|k| *k > 1) else { return };
            for (axis, span) in part.axes.iter().enumerate() {
                let Some((c, rest)) = e.affine_in(axis as u32) else { continue };
                let period = k / gcd(c.unsigned_abs() as i64 % k, k);
                if span.role == Role::Parallel && period > 1 && period < span.extent {
                    let first = |p: &i64| (c * p + rest.constant_term()).rem_euclid(k) < c.abs();
                    found.insert((axis, period, (0..period.min(64)).find(first).unwrap_or(0)));
                }
            }
        });
    });
    found
}

fn gcd(a: i64, b: i64) -> i64 {
    if a == 0 { b } else { gcd(b % a, a) }
}

fn pieces(part: &Part, axis: usize, period: i64, first: i64) -> Option<Vec<Part>> {
    let n = part.axes[axis].extent;
    let whole = (n - first) / period * period;
    if whole <= period {
        return None;
    }
    let middle = in_phases(&part.within(axis, first, first + whole), axis, period);
    if bends(&middle.body) >= bends(&part.body) {
        return None;
    }
    let ends = [(0, first), (first + whole, n)];
    let ends = ends.into_iter().filter(|(from, to)| from < to).map(|(from, to)| part.within(axis, from, to));
    Some(std::iter::once(middle).chain(ends).collect())
}

/// Axis `a = period * q + t`, as `q` and `t` in its place.
fn in_phases(part: &Part, axis: usize, period: i64) -> Part {
    let mut axes = part.axes.clone();
    let span = axes[axis].clone();
    axes[axis] = Span { extent: span.extent / period, stride: span.stride * period, ..span.clone() };
    axes.insert(axis + 1, Span { extent: period, ..span });
    let value = |a: usize| match a.cmp(&axis) {
        std::cmp::Ordering::Less => Ix::axis(a as u32),
        std::cmp::Ordering::Equal => Ix::axis(a as u32) * period + Ix::axis(a as u32 + 1),
        std::cmp::Ordering::Greater => Ix::axis(a as u32 + 1),
    };
    let values: Vec<Ix> = (0..part.axes.len()).map(value).collect();
    part.over(axes, &values)
}

/// Merges neighbouring axes wherever every index moves as if they were one.
pub fn merge(part: &Part) -> Part {
    let mut part = part.without_units();
    let mut inner = part.axes.len();
    while inner > 1 {
        inner -= 1;
        if let Some(merged) = merged(&part, inner - 1) {
            part = merged;
        }
    }
    part
}

/// Axes `outer` and `outer + 1` as one, if that makes nothing more intricate.
fn merged(part: &Part, outer: usize) -> Option<Part> {
    let one = joined(part, outer)?;
    (bends(&one.body) <= bends(&part.body)).then_some(one)
}

/// Axes `outer` and `outer + 1` as one, if they have one role and the result moves alike.
pub fn joined(part: &Part, outer: usize) -> Option<Part> {
    let (a, b) = (&part.axes[outer], &part.axes[outer + 1]);
    let scans = |s: &Span| matches!(s.role, Role::Scan { .. });
    if a.role != b.role || a.outer != b.outer || scans(a) || a.stride != b.stride.checked_mul(b.extent)? {
        return None;
    }
    let n = Ix::konst(b.extent);
    let mut axes = part.axes.clone();
    axes[outer] = Span { extent: a.extent.checked_mul(b.extent)?, ..b.clone() };
    axes.remove(outer + 1);
    let at = Ix::axis(outer as u32);
    let value = |i: usize| match i {
        _ if i == outer => at.floor_div(&n),
        _ if i == outer + 1 => at.modulo(&n),
        _ if i > outer => Ix::axis(i as u32 - 1),
        _ => Ix::axis(i as u32),
    };
    let values: Vec<Ix> = (0..part.axes.len()).map(value).collect();
    Some(part.over(axes, &values))
}
