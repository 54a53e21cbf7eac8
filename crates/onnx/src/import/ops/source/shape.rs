//! Shapes as values.

use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::Result;
use tilewright_tensor::ix::volume;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Shape", 1..=1, &["end", "start"], shape),
    Row::new("Size", 1..=1, &[], |cx, c| {
        let n = volume(&cx.b.shape(c.x(0)?)?);
        let n = cx.b.dims(&[n])?;
        Ok(vec![cx.b.reshape(n, vec![])?])
    }),
];

/// ONNX `Shape`: the sizes from `start` to `end`, both counted from the end if negative and clamped.
fn shape(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let dims = cx.b.shape(c.x(0)?)?;
    let rank = dims.len() as i64;
    let place = |at: i64| (if at < 0 { at.saturating_add(rank) } else { at }).clamp(0, rank) as usize;
    let (start, end) = (place(c.int("start", 0)?), place(c.int("end", rank)?));
    Ok(vec![cx.b.dims(dims.get(start..end).unwrap_or_default())?])
}
