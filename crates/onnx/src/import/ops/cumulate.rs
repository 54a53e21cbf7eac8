//! Running sums and products.

use super::statistics::widen;
use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::Cumulate;
use tilewright_graph::{Combiner, ValueId};
use tilewright_support::Result;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("CumSum", 2..=2, &["exclusive", "reverse"], |cx, c| cumulate(cx, c, Combiner::Sum)).since(11),
    Row::new("CumProd", 2..=2, &["exclusive", "reverse"], |cx, c| cumulate(cx, c, Combiner::Prod)).since(26),
];

/// Accumulates along the axis that input 1 names.
fn cumulate(cx: &mut Cx<'_>, c: &Call<'_>, combiner: Combiner) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let dtype = cx.b.dtype(x)?;
    let at = cx.need_int(c.x(1)?)?;
    let op = Cumulate {
        combiner,
        axis: axis(at, cx.b.rank(x)?)?,
        reverse: c.flag("reverse", false)?,
        exclusive: c.flag("exclusive", false)?,
    };
    let x = widen(cx, x)?;
    let y = cx.b.apply(&op, &[x])?;
    Ok(vec![cx.b.cast(y, dtype)?])
}
