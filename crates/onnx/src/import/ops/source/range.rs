//! Arithmetic progressions.

use super::super::elementwise::is_number;
use super::super::statistics::wide;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::Iota;
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new("Range", 3..=3, &["stash_type"], range).since(11)];

/// ONNX `Range`: `start + i * delta` for `i` in `0..ceil((limit - start) / delta)`. The count is formed in i64 or f64,
/// elements in the operands' dtype, or f32 (f64 with `stash_type` 11) where that is a narrower float.
fn range(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let mut ends = Vec::new();
    for i in 0..3 {
        ends.push(cx.b.reshape(c.x(i)?, vec![])?);
    }
    let dtypes = ends.iter().map(|v| cx.b.dtype(*v)).collect::<Result<Vec<_>>>()?;
    let dtype = dtypes[0];
    if dtypes.iter().any(|t| *t != dtype) || !is_number(dtype) {
        return Err(Diagnostic::dtype(format!("Range does not take {} to {} by {}", dtypes[0], dtypes[1], dtypes[2])));
    }
    let stash = match c.int("stash_type", 1)? {
        1 => wide(dtype),
        11 if wide(dtype) != dtype => DType::F64,
        11 => dtype,
        other => return Err(c.invalid(format!("stash_type = {other} is neither float nor double"))),
    };
    let count = count(cx, &ends)?;
    let places = cx.b.apply(&Iota { shape: vec![count], axis: 0 }, &[])?;
    let y = cx.b.map_named("Range", &[ends[0], ends[2], places], |a| {
        (a[0].cast(stash) + a[2].cast(stash) * a[1].cast(stash)).cast(dtype)
    })?;
    Ok(vec![y])
}

/// The number of elements.
fn count(cx: &mut Cx<'_>, ends: &[ValueId]) -> Result<Ix> {
    let float = cx.b.dtype(ends[0])?.is_float();
    let formula = if float { count_floats } else { count_ints };
    let n = cx.b.map_named("range_count", ends, |a| formula(a).0)?;
    let ok = cx.b.map_named("range_fits", ends, |a| formula(a).1)?;
    // What follows from sizes needs no check when the graph runs.
    let settled = cx.known(ok).is_none() && cx.b.contents(n).is_some();
    let n = match settled {
        true => n,
        false => cx.check(n, ok, "Range with a delta of zero, or more elements than can be counted")?,
    };
    let n = cx.sizes(n)?;
    n.into_iter().next().ok_or_else(|| Diagnostic::internal("one size was expected"))
}

/// The count over `start, limit, delta`, and whether it is one.
fn count_floats(ends: &[Scalar]) -> (Scalar, Scalar) {
    let [start, limit, delta] = [0, 1, 2].map(|i| ends[i].cast(DType::F64));
    let n = ((limit - start) / delta).ceil();
    let most = n.lit((1u64 << 62) as f64);
    (n.maximum(&n.lit(0.0)).cast(DType::I64), n.abs().lt(&most))
}

/// As [`count_floats`]: division truncates, so both signs of `delta` are made positive and it rounds up by hand.
fn count_ints(ends: &[Scalar]) -> (Scalar, Scalar) {
    let [start, limit, delta] = [0, 1, 2].map(|i| ends[i].cast(DType::I64));
    let zero = delta.lit(0.0);
    let sign = delta.lt(&zero).select(&delta.lit(-1.0), &delta.lit(1.0));
    let (span, step) = (&limit - &start, &delta * &sign);
    let n = (&span * &sign + (&step - 1.0)) / step;
    let fits = limit.ge(&start).equals(&span.ge(&zero));
    let some = Scalar::call(Func::Ne, vec![delta, zero.clone()]);
    (n.maximum(&zero), some.and(&fits))
}
