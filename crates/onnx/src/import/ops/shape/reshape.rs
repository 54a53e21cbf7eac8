//! Reshape, Flatten, Squeeze, Unsqueeze: row-major order stays, dims change.

use crate::import::call::{axes, axis};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape, volume};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Reshape", 1..=1, &["shape", "consumed_inputs"], |cx, c| {
        let shape = c.node.required("shape", crate::Node::attr_ints)?;
        let shape = cx.b.ints(shape)?;
        reshape(cx, c, shape)
    })
    .until(4),
    Row::new("Reshape", 2..=2, &["allowzero"], |cx, c| {
        let shape = c.x(1)?;
        reshape(cx, c, shape)
    })
    .since(5),
    Row::new("Flatten", 1..=1, &["axis"], flatten),
    Row::new("Squeeze", 1..=2, &["axes"], squeeze),
    Row::new("Unsqueeze", 1..=2, &["axes"], unsqueeze),
    Row::new("ExpandDims", 2..=2, &[], |cx, c| {
        let at = cx.need_ints(c.x(1)?)?;
        insert(cx, c, &at)
    })
    .domain("com.microsoft"),
];

fn reshape(cx: &mut Cx<'_>, call: &Call<'_>, shape: ValueId) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let ty = cx.b.tensor(shape)?;
    if ty.dtype != DType::I64 || ty.rank() != 1 {
        return Err(call.invalid(format!("the shape must be an i64 vector, found {ty}")));
    }
    let keep_zero = call.flag("allowzero", false)?;
    let from = cx.b.shape(x)?;
    let sizes = match cx.b.contents(shape) {
        Some(wanted) if wanted.iter().all(|e| e.as_const().is_some() || e.is_size()) => {
            let wanted = wanted.to_vec();
            resolve(call, &from, &wanted, keep_zero)?
        }
        _ => {
            let resolved = resolve_at_run_time(cx, &from, shape, keep_zero)?;
            cx.sizes(resolved)?
        }
    };
    Ok(vec![cx.b.reshape(x, sizes)?])
}

/// The dims that a known shape asks for: 0 copies the dim at the same position, one -1 takes what is left.
fn resolve(call: &Call<'_>, from: &[Ix], wanted: &[Ix], keep_zero: bool) -> Result<Shape> {
    if wanted.iter().filter(|e| e.is(-1)).count() > 1 {
        return Err(call.invalid("the shape holds -1 more than once"));
    }
    if keep_zero && wanted.iter().any(|e| e.is(-1)) && wanted.iter().any(|e| e.is(0)) {
        return Err(call.invalid("with allowzero the shape must not hold both 0 and -1"));
    }
    let mut sizes = Vec::with_capacity(wanted.len());
    for (i, e) in wanted.iter().enumerate() {
        sizes.push(match e.as_const() {
            Some(c) if c < -1 => return Err(call.invalid(format!("the shape holds {c}"))),
            Some(0) if !keep_zero => from.get(i).cloned().ok_or_else(|| {
                call.invalid(format!("the shape holds 0 at position {i}, but the input has rank {}", from.len()))
                    .help("0 copies the input's dim at the same position; allowzero = 1 makes it a size")
            })?,
            _ => e.clone(),
        });
    }
    if let Some(at) = wanted.iter().position(|e| e.is(-1)) {
        sizes[at] = left_over(call, from, &sizes, at)?;
    }
    Ok(sizes)
}

/// The size at `at` that makes the volumes equal. Dims that occur on both sides cancel, so that
/// `[N, 12, 64]` to `[N, -1]` gives 768 even where `N` may be zero.
fn left_over(call: &Call<'_>, from: &[Ix], to: &[Ix], at: usize) -> Result<Ix> {
    let mut own = from.to_vec();
    let mut others = Vec::new();
    for (_, n) in to.iter().enumerate().filter(|(i, _)| *i != at) {
        match own.iter().position(|o| o == n) {
            Some(i) => drop(own.remove(i)),
            None => others.push(n.clone()),
        }
    }
    let (all, rest) = (volume(&own), volume(&others));
    match (all.as_const(), rest.as_const()) {
        (_, Some(0)) => Err(call.invalid("-1 cannot be inferred beside a dim of size 0")),
        (Some(a), Some(b)) if a % b != 0 => {
            Err(Diagnostic::shape(format!("{a} elements do not divide into {b}: -1 cannot be inferred")))
        }
        _ => Ok(all.floor_div(&rest)),
    }
}

/// [`resolve`] in the graph, for a shape that is known only when it runs.
fn resolve_at_run_time(cx: &mut Cx<'_>, from: &[Ix], shape: ValueId, keep_zero: bool) -> Result<ValueId> {
    let length = cx.b.shape(shape)?[0].as_const().and_then(|n| usize::try_from(n).ok());
    let n = length.ok_or_else(|| Diagnostic::dynamic("the rank of a reshape is known only at run time"))?;
    // A 0 without a dim to copy turns into a size that is refused.
    let own: Vec<Ix> = (0..n).map(|i| from.get(i).cloned().unwrap_or(Ix::konst(-2))).collect();
    let own = cx.b.dims(&own)?;
    let copied = cx.b.map(&[shape], |a| match keep_zero {
        true => Scalar::bool(false),
        false => a[0].equals(&a[0].lit(0.0)),
    })?;
    let open = cx.b.map(&[shape], |a| a[0].equals(&a[0].lit(-1.0)))?;
    let product = |cx: &mut Cx<'_>, v: ValueId| cx.b.reduce(v, Combiner::Prod, &[0], false);
    // Copied dims cancel: what is left on both sides gives the size of -1.
    let others = cx.b.map(&[open, copied, shape], |a| a[0].or(&a[1]).select(&a[2].lit(1.0), &a[2]))?;
    let others = product(cx, others)?;
    let own_dims = cx.b.dims(&from[..n.min(from.len())])?;
    let uncopied = cx.b.slice(copied, 0, 0, n.min(from.len()))?;
    let rest = cx.b.map(&[uncopied, own_dims], |a| a[0].select(&a[1].lit(1.0), &a[1]))?;
    let rest = product(cx, rest)?;
    let beyond = Scalar::index(volume(&from[n.min(from.len())..]));
    let left = cx.b.map(&[rest, others], |a| a[0].clone() * beyond / a[1].clone())?;
    let wanted = cx.b.map(&[copied, own, shape], |a| a[0].select(&a[1], &a[2]))?;
    let sizes = cx.b.map(&[open, left, wanted], |a| a[0].select(&a[1], &a[2]))?;
    let count = cx.b.cast(open, DType::I64)?;
    let count = cx.b.reduce(count, Combiner::Sum, &[0], false)?;
    let least = cx.b.reduce(wanted, Combiner::Min, &[0], false)?;
    let ok = cx.b.map(&[count, least, others], |a| {
        let (zero, one) = (a[0].lit(0.0), a[0].lit(1.0));
        let known = a[0].equals(&zero).or(&a[2].equals(&zero).not());
        a[0].le(&one).and(&a[1].ge(&a[1].lit(-1.0))).and(&known)
    })?;
    cx.check(sizes, ok, "the shape holds more than one -1, -1 beside 0, a smaller number, or 0 beyond the input's rank")
}

fn flatten(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    let at = call.int("axis", 1)?;
    let at = if at == dims.len() as i64 { dims.len() } else { axis(at, dims.len())? };
    Ok(vec![cx.b.reshape(x, vec![volume(&dims[..at]), volume(&dims[at..])])?])
}

/// The axes given as attribute (before opset 13) or as second input.
fn given_axes(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Option<Vec<i64>>> {
    if call.version < 13 {
        return Ok(call.ints("axes")?.map(<[i64]>::to_vec));
    }
    call.opt(1).map(|v| cx.need_ints(v)).transpose()
}

fn squeeze(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let mut x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    let gone = match given_axes(cx, call)? {
        Some(at) => axes(&at, dims.len())?,
        None => {
            let sizes = cx.need_static(&[x])?.remove(0);
            (0..sizes.len()).filter(|i| sizes[*i] == 1).collect()
        }
    };
    for a in &gone {
        x = cx.check_equal(x, &dims[*a], &Ix::konst(1), &format!("axis {a}, which is squeezed, must have size 1"))?;
    }
    let kept: Shape = (0..dims.len()).filter(|i| !gone.contains(i)).map(|i| dims[i].clone()).collect();
    Ok(vec![cx.b.reshape(x, kept)?])
}

fn unsqueeze(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let at = given_axes(cx, call)?.ok_or_else(|| call.invalid("the axes of Unsqueeze are missing"))?;
    insert(cx, call, &at)
}

/// New dims of size 1 at positions in the result.
fn insert(cx: &mut Cx<'_>, call: &Call<'_>, at: &[i64]) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    let rank = dims.len() + at.len();
    let new = axes(at, rank)?;
    let mut old = dims.into_iter();
    let size = |i| if new.contains(&i) { Some(Ix::konst(1)) } else { old.next() };
    let sizes: Shape = (0..rank).filter_map(size).collect();
    Ok(vec![cx.b.reshape(x, sizes)?])
}
