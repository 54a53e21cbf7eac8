//! Reductions over axes.

use super::statistics::{mean, widen};
use crate::import::call::{axes, axis};
use crate::import::table::{Import, Row};
use crate::import::{Call, Cx};
use tilewright_graph::{Combiner, Func, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    before("ReduceSum", 12, |cx, c| reduce(cx, c, Reduction::Sum)),
    since("ReduceSum", 13, |cx, c| reduce(cx, c, Reduction::Sum)),
    before("ReduceMean", 17, |cx, c| reduce(cx, c, Reduction::Mean)),
    since("ReduceMean", 18, |cx, c| reduce(cx, c, Reduction::Mean)),
    before("ReduceMax", 17, |cx, c| reduce(cx, c, Reduction::Max)),
    since("ReduceMax", 18, |cx, c| reduce(cx, c, Reduction::Max)),
    before("ReduceMin", 17, |cx, c| reduce(cx, c, Reduction::Min)),
    since("ReduceMin", 18, |cx, c| reduce(cx, c, Reduction::Min)),
    before("ReduceProd", 17, |cx, c| reduce(cx, c, Reduction::Prod)),
    since("ReduceProd", 18, |cx, c| reduce(cx, c, Reduction::Prod)),
    before("ReduceL1", 17, |cx, c| reduce(cx, c, Reduction::L1)),
    since("ReduceL1", 18, |cx, c| reduce(cx, c, Reduction::L1)),
    before("ReduceL2", 17, |cx, c| reduce(cx, c, Reduction::L2)),
    since("ReduceL2", 18, |cx, c| reduce(cx, c, Reduction::L2)),
    before("ReduceLogSum", 17, |cx, c| reduce(cx, c, Reduction::LogSum)),
    since("ReduceLogSum", 18, |cx, c| reduce(cx, c, Reduction::LogSum)),
    before("ReduceLogSumExp", 17, |cx, c| reduce(cx, c, Reduction::LogSumExp)),
    since("ReduceLogSumExp", 18, |cx, c| reduce(cx, c, Reduction::LogSumExp)),
    before("ReduceSumSquare", 17, |cx, c| reduce(cx, c, Reduction::SumSquare)),
    since("ReduceSumSquare", 18, |cx, c| reduce(cx, c, Reduction::SumSquare)),
    Row::new("ArgMax", 1..=1, ARG, |cx, c| arg(cx, c, |last| Combiner::ArgMax { last })),
    Row::new("ArgMin", 1..=1, ARG, |cx, c| arg(cx, c, |last| Combiner::ArgMin { last })),
];

const ARG: &[&str] = &["axis", "keepdims", "select_last_index"];

/// A reduction whose axes are an attribute.
const fn before(name: &'static str, last: i64, import: Import) -> Row {
    Row::new(name, 1..=1, &["axes", "keepdims"], import).until(last)
}

/// A reduction whose axes are an input.
const fn since(name: &'static str, first: i64, import: Import) -> Row {
    Row::new(name, 1..=2, &["keepdims", "noop_with_empty_axes"], import).since(first)
}

/// What follows `Reduce` in the operators' names.
#[derive(Clone, Copy)]
enum Reduction {
    Sum,
    Mean,
    Max,
    Min,
    Prod,
    L1,
    L2,
    LogSum,
    LogSumExp,
    SumSquare,
}

/// The axes that are combined. None at all, with `noop_with_empty_axes`, leaves the shape as it is
/// and only does what the operator does beside combining.
fn axes_of(cx: &mut Cx<'_>, c: &Call<'_>, rank: usize) -> Result<Vec<usize>> {
    let given = match c.opt(1) {
        Some(v) => cx.need_ints(v)?,
        None => c.ints("axes")?.unwrap_or_default().to_vec(),
    };
    match given.is_empty() {
        false => axes(&given, rank),
        true if c.flag("noop_with_empty_axes", false)? => Ok(Vec::new()),
        true => Ok((0..rank).collect()),
    }
}

fn reduce(cx: &mut Cx<'_>, c: &Call<'_>, reduction: Reduction) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let dtype = cx.b.dtype(x)?;
    let axes = axes_of(cx, c, cx.b.rank(x)?)?;
    let keep = c.flag("keepdims", true)?;
    let over = |cx: &mut Cx<'_>, x: ValueId, combiner: Combiner| cx.b.reduce(x, combiner, &axes, keep);
    let back = |cx: &mut Cx<'_>, y: ValueId, f: fn(&Scalar) -> Scalar| {
        cx.b.map_named("reduced", &[y], |a| f(&a[0]).cast(dtype))
    };
    let y = match reduction {
        Reduction::Sum => over(cx, x, Combiner::Sum)?,
        Reduction::Prod => over(cx, x, Combiner::Prod)?,
        Reduction::Max if dtype == DType::Bool => over(cx, x, Combiner::Any)?,
        Reduction::Min if dtype == DType::Bool => over(cx, x, Combiner::All)?,
        Reduction::Max => over(cx, x, Combiner::Max)?,
        Reduction::Min => over(cx, x, Combiner::Min)?,
        Reduction::Mean => mean(cx, x, &axes, keep)?,
        Reduction::L1 => {
            let x = cx.b.map_named("absolute", &[x], |a| a[0].abs())?;
            over(cx, x, Combiner::Sum)?
        }
        Reduction::SumSquare | Reduction::L2 => {
            let x = widen(cx, x)?;
            let x = cx.b.map_named("square", &[x], |a| &a[0] * &a[0])?;
            let sum = over(cx, x, Combiner::Sum)?;
            match reduction {
                Reduction::L2 => {
                    let sum = real(cx, sum)?;
                    back(cx, sum, |x| x.sqrt())?
                }
                _ => cx.b.cast(sum, dtype)?,
            }
        }
        Reduction::LogSum => {
            let x = real(cx, x)?;
            let sum = over(cx, x, Combiner::Sum)?;
            back(cx, sum, |x| x.ln())?
        }
        Reduction::LogSumExp => {
            let x = real(cx, x)?;
            let y = log_sum_exp(cx, x, &axes, keep)?;
            cx.b.cast(y, dtype)?
        }
    };
    Ok(vec![y])
}

/// A value as f64 if it holds integers, as f32 if it holds narrower floats.
fn real(cx: &mut Cx<'_>, x: ValueId) -> Result<ValueId> {
    if cx.b.dtype(x)?.is_float() { widen(cx, x) } else { cx.b.cast(x, DType::F64) }
}

/// `log(sum(exp(x)))`, shifted by the largest so that no exponential overflows. An infinite largest
/// is not taken off: what is left would be NaN.
fn log_sum_exp(cx: &mut Cx<'_>, x: ValueId, axes: &[usize], keep: bool) -> Result<ValueId> {
    let largest = cx.b.reduce(x, Combiner::Max, axes, true)?;
    let shift = cx.b.map_named("shift", &[largest], |a| {
        Scalar::call(Func::IsInf, vec![a[0].clone()]).select(&a[0].lit(0.0), &a[0])
    })?;
    let terms = cx.b.map_named("exp", &[x, shift], |a| (&a[0] - &a[1]).exp())?;
    let sum = cx.b.reduce(terms, Combiner::Sum, axes, true)?;
    let y = cx.b.map_named("log_sum_exp", &[sum, shift], |a| a[0].ln() + a[1].clone())?;
    if keep {
        return Ok(y);
    }
    let shape = cx.b.shape(y)?;
    let kept = shape.iter().enumerate().filter(|(i, _)| !axes.contains(i)).map(|(_, n)| n.clone());
    cx.b.reshape(y, kept.collect::<Vec<_>>())
}

/// ONNX `ArgMax` and `ArgMin`: the first (or last) position; the first (or last) NaN wins.
fn arg(cx: &mut Cx<'_>, c: &Call<'_>, combiner: fn(bool) -> Combiner) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let shape = cx.b.shape(x)?;
    let axis = axis(c.int("axis", 0)?, shape.len())?;
    if shape[axis].is(0) {
        return Err(c.invalid(format!("axis {axis} is empty: there is no position in it")));
    }
    let combiner = combiner(c.flag("select_last_index", false)?);
    Ok(vec![cx.b.reduce(x, combiner, &[axis], c.flag("keepdims", true)?)?])
}
