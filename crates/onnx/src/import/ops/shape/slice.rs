//! Slice: ranges of places with a step, for some axes.
//!
//! Bounds follow the operator's text: a negative bound counts from the end; starts are clamped to
//! `0..=n` (to `0..=n-1` where the step is negative), ends to `0..=n` (to `-1..=n-1`). Bounds that
//! are numbers or sizes give the places as expressions; others are resolved in the graph.

use crate::import::call::axes;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::ops::Slice;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Slice", 1..=1, &["axes", "starts", "ends"], slice_of_attributes).until(9),
    Row::new("Slice", 3..=5, &[], slice).since(10),
];

/// Bounds of this size and beyond mean the end of a dim whose size is not known beforehand.
const FAR: i64 = i32::MAX as i64;

/// The places of one axis.
struct Span {
    start: Ix,
    size: Ix,
}

fn slice_of_attributes(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let starts = call.node.required("starts", crate::Node::attr_ints)?;
    let ends = call.node.required("ends", crate::Node::attr_ints)?;
    let at = call.ints("axes")?.map_or_else(|| (0..starts.len() as i64).collect(), <[i64]>::to_vec);
    let starts = cx.b.ints(starts)?;
    let ends = cx.b.ints(ends)?;
    let steps = vec![1; at.len()];
    take(cx, call, [starts, ends], (&at, &steps))
}

fn slice(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (starts, ends) = (call.x(1)?, call.x(2)?);
    let at = match (call.opt(3), cx.need_static(&[starts, ends])?[0].as_slice()) {
        (Some(v), _) => cx.need_ints(v)?,
        (None, [n]) => (0..*n).collect(),
        (None, _) => return Err(call.invalid("the starts of a slice must be a vector")),
    };
    let steps = match call.opt(4) {
        Some(v) => cx.need_ints(v)?,
        None => vec![1; at.len()],
    };
    take(cx, call, [starts, ends], (&at, &steps))
}

fn take(cx: &mut Cx<'_>, call: &Call<'_>, bounds: [ValueId; 2], (at, steps): (&[i64], &[i64])) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    let at = axes(at, dims.len())?;
    let lengths = bounds.iter().map(|v| cx.b.shape(*v)).collect::<Result<Vec<_>>>()?;
    if steps.len() != at.len() || lengths.iter().any(|s| *s != [Ix::from(at.len())]) {
        return Err(call.invalid("starts, ends, axes and steps of a slice differ in length"));
    }
    if steps.contains(&0) {
        return Err(call.invalid("a step of a slice is 0"));
    }
    let own: Vec<Ix> = at.iter().map(|a| dims[*a].clone()).collect();
    let spans = match known_spans(cx, &own, bounds, steps) {
        Some(spans) => spans,
        None => run_time_spans(cx, &own, bounds, steps)?,
    };
    let mut op = Slice { starts: vec![Ix::zero(); dims.len()], steps: vec![1; dims.len()], sizes: dims };
    for ((a, step), span) in at.into_iter().zip(steps).zip(spans) {
        (op.starts[a], op.steps[a], op.sizes[a]) = (span.start, *step, span.size);
    }
    Ok(vec![cx.b.apply(&op, &[x])?])
}

fn known_spans(cx: &Cx<'_>, dims: &[Ix], [starts, ends]: [ValueId; 2], steps: &[i64]) -> Option<Vec<Span>> {
    let (starts, ends) = (cx.b.contents(starts)?, cx.b.contents(ends)?);
    let bounds = starts.iter().zip(ends).zip(dims.iter().zip(steps));
    bounds.map(|((start, end), (n, step))| span(n, start, end, *step)).collect()
}

/// A bound of a dim.
enum Bound {
    /// Before the first place.
    Before,
    /// Behind the last place.
    Behind,
    /// Counted from the first place.
    First(Ix),
    /// Counted back from behind the last place.
    Last(i64),
}

/// What a bound counts from; `None` where its sign is not known.
fn bound(at: &Ix, n: &Ix) -> Option<Bound> {
    let known = n.as_const().is_some();
    Some(match at.as_const() {
        Some(c) if !known && c >= FAR => Bound::Behind,
        Some(c) if !known && c <= -FAR => Bound::Before,
        Some(c) if c < 0 => Bound::Last(c),
        Some(_) => Bound::First(at.clone()),
        None if at == n => Bound::Behind,
        None if at.is_size() => Bound::First(at.clone()),
        None => return None,
    })
}

/// The places from `start` to `end` of a dim of size `n`.
fn span(n: &Ix, start: &Ix, end: &Ix, step: i64) -> Option<Span> {
    let (start, end) = (bound(start, n)?, bound(end, n)?);
    let zero = Ix::zero();
    let (start, length) = if step > 0 {
        let end = match end {
            Bound::Before => zero.clone(),
            Bound::Behind => n.clone(),
            Bound::First(e) => e.min_with(n),
            Bound::Last(back) => n + back,
        };
        match start {
            Bound::Before => (zero.clone(), end),
            Bound::Behind => (zero.clone(), zero.clone()),
            Bound::First(s) if (&s - n).is_size() => (zero.clone(), zero.clone()),
            Bound::First(s) => (s.clone(), end - s),
            // The start is max(0, n + back).
            Bound::Last(back) => ((n + back).max_with(&zero), end.min_with(&(&end - &(n + back)))),
        }
    } else {
        let last = n - &Ix::konst(1);
        let start = match start {
            Bound::Before => last.min_with(&zero),
            Bound::Behind | Bound::Last(-1) => last.clone(),
            Bound::First(s) => s.min_with(&last),
            Bound::Last(back) => (n + back).max_with(&zero).min_with(&last),
        };
        let end = match end {
            Bound::Before => Ix::konst(-1),
            Bound::Behind => last.clone(),
            Bound::First(e) => e.min_with(&last),
            Bound::Last(back) => (n + back).max_with(&Ix::konst(-1)),
        };
        (start.clone(), start - end)
    };
    let stride = Ix::konst(step.checked_abs().unwrap_or(i64::MAX));
    Some(Span { start, size: length.max_with(&zero).ceil_div(&stride) })
}

/// [`span`] in the graph.
fn run_time_spans(cx: &mut Cx<'_>, dims: &[Ix], bounds: [ValueId; 2], steps: &[i64]) -> Result<Vec<Span>> {
    let n = cx.b.dims(dims)?;
    let dtypes = bounds.iter().map(|v| cx.b.dtype(*v)).collect::<Result<Vec<_>>>()?;
    if let Some(d) = dtypes.iter().find(|d| !matches!(d, DType::I32 | DType::I64)) {
        return Err(Diagnostic::dtype(format!("bounds of a slice must be i32 or i64, found {}", d.name())));
    }
    let start = cx.b.cast(bounds[0], DType::I64)?;
    let end = cx.b.cast(bounds[1], DType::I64)?;
    let back: Vec<i64> = steps.iter().map(|s| i64::from(*s < 0)).collect();
    let back = cx.b.ints(&back)?;
    let stride: Vec<i64> = steps.iter().map(|s| s.checked_abs().unwrap_or(i64::MAX)).collect();
    let stride = cx.b.constant(Tensor::from_vec(&[stride.len()], stride)?);
    // `back` is 1 where the step is negative: starts then reach n - 1, ends -1.
    let start = cx.b.map_named("start", &[start, n, back], |a| {
        let zero = a[0].lit(0.0);
        let from_end = a[0].lt(&zero).select(&(&a[0] + &a[1]), &a[0]);
        from_end.maximum(&zero).minimum(&(&a[1] - &a[2]))
    })?;
    let end = cx.b.map_named("end", &[end, n, back], |a| {
        let zero = a[0].lit(0.0);
        let from_end = a[0].lt(&zero).select(&(&a[0] + &a[1]), &a[0]);
        from_end.maximum(&(&zero - &a[2])).minimum(&(&a[1] - &a[2]))
    })?;
    let size = cx.b.map_named("size", &[start, end, back, stride], |a| {
        let zero = a[0].lit(0.0);
        let length = a[2].equals(&zero).select(&(&a[1] - &a[0]), &(&a[0] - &a[1])).maximum(&zero);
        length.gt(&zero).select(&((length.clone() - 1.0) / a[3].clone() + 1.0), &zero)
    })?;
    // An empty dim has no place to start from; nothing is read then.
    let start = cx.b.map_named("start", &[start], |a| a[0].maximum(&a[0].lit(0.0)))?;
    let both = cx.b.concat(&[start, size], 0)?;
    let mut starts = cx.sizes(both)?;
    let sizes = starts.split_off(dims.len());
    let span = |((start, size), n): ((Ix, Ix), &Ix)| match n.is(0) {
        true => Span { start: Ix::zero(), size: Ix::zero() },
        false => Span { start, size },
    };
    Ok(starts.into_iter().zip(sizes).zip(dims).map(span).collect())
}
