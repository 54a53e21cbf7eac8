//! Concat and Split.

use crate::import::call::axis;
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Concat", 1..=MANY, &["axis"], concat),
    Row::new("Split", 1..=2, &["axis", "split"], split).outputs(1..=MANY).until(1),
    Row::new("Split", 1..=1, &["axis", "split"], split).outputs(1..=MANY).since(2).until(12),
    Row::new("Split", 1..=2, &["axis", "num_outputs"], split).outputs(1..=MANY).since(13),
];

fn concat(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let parts = call.all()?;
    let at = match call.node.attr_int("axis")? {
        Some(at) => at,
        None if call.version < 4 => 1,
        None => return Err(call.invalid("attribute \"axis\" of Concat is missing")),
    };
    let at = axis(at, cx.b.rank(parts[0])?)?;
    Ok(vec![cx.b.concat(&parts, at)?])
}

fn split(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let mut x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    let at = axis(call.int("axis", 0)?, dims.len())?;
    let parts = sizes(cx, call, &dims[at])?;
    if parts.len() != call.node.outputs.len() {
        return Err(call.invalid(format!("{} parts for {} outputs", parts.len(), call.node.outputs.len())));
    }
    if let Some(n) = parts.iter().find(|n| n.as_const().is_some_and(|c| c < 0)) {
        return Err(call.invalid(format!("a part of size {n}")));
    }
    let total = parts.iter().fold(Ix::zero(), |sum, n| sum + n);
    x = cx.check_equal(x, &total, &dims[at], "the sizes of a split must add up to the dim")?;
    let mut start = Ix::zero();
    let mut out = Vec::with_capacity(parts.len());
    for n in parts {
        out.push(cx.b.slice(x, at, start.clone(), n.clone())?);
        start = start + n;
    }
    Ok(out)
}

/// The sizes of the parts of a dim.
fn sizes(cx: &mut Cx<'_>, call: &Call<'_>, dim: &Ix) -> Result<Vec<Ix>> {
    if let (true, Some(v)) = (call.version == 1 || call.version >= 13, call.opt(1)) {
        if call.node.attr_int("num_outputs")?.is_some() {
            return Err(call.invalid("Split takes sizes or num_outputs, not both"));
        }
        return cx.sizes(v);
    }
    if let (true, Some(list)) = (call.version < 13, call.ints("split")?) {
        return Ok(list.iter().map(|n| Ix::konst(*n)).collect());
    }
    let n = call.node.outputs.len() as i64;
    let count = Ix::konst(n);
    if call.version < 18 {
        if dim.as_const().is_some_and(|d| d % n != 0) {
            return Err(Diagnostic::shape(format!("a dim of size {dim} does not split into {n} equal parts")));
        }
        return Ok(vec![dim.floor_div(&count); n as usize]);
    }
    match call.node.attr_int("num_outputs")? {
        Some(m) if m == n => {}
        Some(m) => return Err(call.invalid(format!("num_outputs = {m}, but there are {n} outputs"))),
        None => return Err(call.invalid("Split takes sizes or num_outputs")),
    }
    let each = dim.ceil_div(&count);
    let mut parts = vec![each.clone(); n as usize - 1];
    parts.push(dim - &(each * (n - 1)));
    Ok(parts)
}
