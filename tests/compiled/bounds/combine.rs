//! Reductions of sets of values: any order of additions, in the dtype that sums are added up in.

use super::errors::sums;
use super::range::Range;
use super::range::Range::{Float, Int};
use tilewright_graph::interp::naive::{Numbers, Values};
use tilewright_graph::scalars::Lanes;
use tilewright_graph::{Combiner, Comp};
use tilewright_tensor::{DType, convert};

/// What the combination of some values may be.
pub fn combined(comp: &Comp, values: &[Range]) -> Range {
    let dtype = comp.body.dtype();
    let found = match (comp.combiner, dtype.is_float()) {
        (Combiner::Map, _) => return values[0],
        (Combiner::Sum, true) => rounded(dtype, sum(dtype, values)),
        (Combiner::Prod, true) => rounded(dtype, product(dtype, values)),
        _ => match values.iter().map(|r| r.point()).collect::<Option<Vec<Lanes>>>() {
            Some(points) => Numbers.combine(comp, &points).into(),
            None => others(comp, values),
        },
    };
    found.without_sign()
}

/// Reductions that do not round, over more than single values.
fn others(comp: &Comp, values: &[Range]) -> Range {
    if comp.combiner.is_arg() {
        return Int(0, values.len() as i64 - 1);
    }
    if !matches!(comp.combiner, Combiner::Max | Combiner::Min) || values.contains(&Range::NAN) {
        return if values.contains(&Range::NAN) { Range::NAN } else { Range::any(comp.dtype()) };
    }
    let max = comp.combiner == Combiner::Max;
    let further = |a: f64, b: f64| if (a > b) == max { a } else { b };
    let joined = values.iter().copied().reduce(|a, b| match (a, b) {
        (Float(a, b, n), Float(c, d, m)) => Float(further(a, c), further(b, d), n | m),
        _ => Range::any(comp.dtype()),
    });
    joined.unwrap_or(Range::any(comp.dtype()))
}

fn rounded(dtype: DType, found: Range) -> Range {
    let round = |x: f64| convert::round_to(dtype, x, false);
    match found {
        Float(low, high, nan) if low <= high => Float(round(low), round(high), nan),
        none => none,
    }
}

fn bounds(values: &[Range]) -> impl Iterator<Item = (f64, f64, bool)> {
    values.iter().map(|r| match r {
        Float(low, high, nan) => (*low, *high, *nan),
        Int(..) => (f64::NEG_INFINITY, f64::INFINITY, true),
    })
}

/// `(n + 2)` roundings of the sum of what is summed; sums that may leave the range may be anything.
fn sum(dtype: DType, values: &[Range]) -> Range {
    const INFINITE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];
    let [up, down] = INFINITE.map(|x| bounds(values).any(|(low, high, _)| low <= x && x <= high));
    let [surely_up, surely_down] = INFINITE.map(|x| values.contains(&Range::float(x)));
    if values.contains(&Range::NAN) || surely_up && surely_down {
        return Range::NAN;
    }
    let nan = bounds(values).any(|(_, _, nan)| nan) || up && down;
    let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
    let size: f64 = bounds(values).map(|(low, high, _)| finite(low).abs().max(finite(high).abs())).sum();
    let (step, most, least) = sums(dtype);
    let n = values.len() as f64 + 2.0;
    // Terms below the least number lose up to all of it. Sums of f64 are as wide as the bound: both round.
    let both = if dtype == DType::F64 { 2.0 } else { 1.0 + 2f64.powi(-20) };
    let error = if size == 0.0 { 0.0 } else { both * n * step * (size + least) };
    if size + error > most {
        return Float(
            f64::NEG_INFINITY,
            f64::INFINITY,
            nan || bounds(values).any(|b| b.0 < 0.0) && bounds(values).any(|b| b.1 > 0.0),
        );
    }
    let total = |end: fn((f64, f64, bool)) -> f64| bounds(values).map(end).map(finite).sum::<f64>();
    let low = if down {
        f64::NEG_INFINITY
    } else if surely_up {
        f64::INFINITY
    } else {
        total(|b| b.0) - error
    };
    let high = if up {
        f64::INFINITY
    } else if surely_down {
        f64::NEG_INFINITY
    } else {
        total(|b| b.1) + error
    };
    Float(low, high, nan)
}

/// A rounding for every factor, as long as no part of the product can leave the range.
fn product(dtype: DType, values: &[Range]) -> Range {
    let (step, most, least) = sums(dtype);
    let zero = |b: &(f64, f64, bool)| b.0 <= 0.0 && 0.0 <= b.1;
    let infinite = |b: &(f64, f64, bool)| b.0.is_infinite() || b.1.is_infinite();
    let nan = bounds(values).any(|b| b.2);
    if values.contains(&Range::NAN) {
        return Range::NAN;
    }
    let size = |b: (f64, f64, bool)| b.0.abs().max(b.1.abs());
    let smallest = |b: (f64, f64, bool)| if zero(&b) { 1.0 } else { b.0.abs().min(b.1.abs()) };
    let large: f64 = bounds(values).map(|b| size(b).max(1.0)).product();
    let small: f64 = bounds(values).map(|b| smallest(b).min(1.0)).product();
    if bounds(values).any(|b| infinite(&b)) {
        let points: Option<Vec<f64>> = values.iter().map(|r| r.point().map(|p| p.f()[0])).collect();
        return match points {
            Some(points) if small > 2.0 * least => Range::float(points.iter().product()),
            _ => Range::ANY,
        };
    }
    if large > most / 2.0 {
        return Range::ANY;
    }
    if small < 2.0 * least {
        return Float(-large, large, nan);
    }
    let (low, high) = bounds(values).fold((1.0f64, 1.0f64), |(a, b), (c, d, _)| {
        let ends = [a * c, a * d, b * c, b * d];
        (ends.iter().copied().fold(f64::INFINITY, f64::min), ends.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    });
    let error = 2.0 * (values.len() as f64 + 2.0) * step;
    Float(low - error * low.abs(), high + error * high.abs(), nan)
}
