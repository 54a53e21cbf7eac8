//! Gather, GatherElements, GatherND.

use crate::import::call::axis;
use crate::import::checks::from_start;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::ops::{Bounds, Gather, GatherElements, GatherNd};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Gather", 2..=2, &["axis"], gather),
    Row::new("GatherElements", 2..=2, &["axis"], gather_elements).since(11),
    Row::new("GatherND", 2..=2, &["batch_dims"], gather_nd).since(11),
    Row::new("GatherND", 2..=2, &[], gather_nd).domain("com.microsoft"),
];

fn gather(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, indices) = (call.x(0)?, call.x(1)?);
    let dims = cx.b.shape(x)?;
    let at = axis(call.int("axis", 0)?, dims.len())?;
    let indices = cx.count_from_start(indices, &dims[at])?;
    Ok(vec![cx.b.apply(&Gather { axis: at, bounds: Bounds::Error }, &[x, indices])?])
}

fn gather_elements(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, indices) = (call.x(0)?, call.x(1)?);
    let dims = cx.b.shape(x)?;
    let at = axis(call.int("axis", 0)?, dims.len())?;
    let indices = cx.count_from_start(indices, &dims[at])?;
    Ok(vec![cx.b.apply(&GatherElements { axis: at }, &[x, indices])?])
}

fn gather_nd(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, indices) = (call.x(0)?, call.x(1)?);
    let dims = cx.b.shape(x)?;
    let batch = call.int("batch_dims", 0)?;
    let batch = usize::try_from(batch).map_err(|_| call.invalid(format!("batch_dims = {batch}")))?;
    let tuple = tuple_length(cx, indices)?;
    if cx.b.rank(indices)? <= batch || batch + tuple > dims.len() {
        let ranks = (dims.len(), cx.b.rank(indices)?);
        return Err(Diagnostic::shape(format!(
            "{batch} batch dims and index tuples of {tuple} over data of rank {} and indices of rank {}",
            ranks.0, ranks.1
        )));
    }
    let indices = tuples_from_start(cx, indices, &dims[batch..batch + tuple])?;
    Ok(vec![cx.b.apply(&GatherNd { batch, tuple }, &[x, indices])?])
}

/// The length of the index tuples in the last dim.
pub fn tuple_length(cx: &mut Cx<'_>, indices: ValueId) -> Result<usize> {
    let dims = cx.b.shape(indices)?;
    let last = dims.last().ok_or_else(|| Diagnostic::shape("indices must have at least one dim"))?;
    let n =
        last.as_const().ok_or_else(|| Diagnostic::dynamic("the length of index tuples is known only at run time"))?;
    usize::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| Diagnostic::shape(format!("index tuples of length {n}")))
}

/// Index tuples whose elements address dims of the given sizes, as tuples that count from 0.
pub fn tuples_from_start(cx: &mut Cx<'_>, indices: ValueId, dims: &[Ix]) -> Result<ValueId> {
    let dtype = cx.b.dtype(indices)?;
    if !matches!(dtype, DType::I32 | DType::I64) {
        return Err(Diagnostic::dtype(format!("indices must be i32 or i64, found {}", dtype.name())));
    }
    let i = cx.b.cast(indices, DType::I64)?;
    let sizes = cx.b.dims(dims)?;
    cx.b.map_named("from_start", &[i, sizes], |a| from_start(&a[0], &a[1]))
}
