//! NonZero and Compress: results whose size depends on values.

use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{Bounds, Gather};
use tilewright_graph::{ValueId, opaque};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::volume;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("NonZero", 1..=1, &[], |cx, c| {
        let x = c.x(0)?;
        cx.b.opaque(opaque::NonZero.into(), &[x])
    })
    .since(9),
    Row::new("Compress", 2..=2, &["axis"], compress).since(9),
];

fn compress(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, condition) = (call.x(0)?, call.x(1)?);
    let dims = cx.b.shape(x)?;
    let ty = cx.b.tensor(condition)?;
    if ty.dtype != DType::Bool || ty.rank() != 1 {
        return Err(Diagnostic::dtype(format!("the condition of Compress must be a bool vector, found {ty}")));
    }
    let (x, at) = match call.node.attr_int("axis")? {
        Some(at) => (x, axis(at, dims.len())?),
        None => (cx.b.reshape(x, vec![volume(&dims)])?, 0),
    };
    let chosen = cx.b.opaque(opaque::NonZero.into(), &[condition])?[0];
    let count = cx.b.shape(chosen)?[1].clone();
    let chosen = cx.b.reshape(chosen, vec![count])?;
    Ok(vec![cx.b.apply(&Gather { axis: at, bounds: Bounds::Error }, &[x, chosen])?])
}
