//! OneHot: positions as vectors.

use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::Iota;
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, show_shape};

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new("OneHot", 3..=3, &["axis"], one_hot).since(9)];

fn one_hot(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (indices, depth, values) = (call.x(0)?, call.x(1)?, call.x(2)?);
    let mut dims = cx.b.shape(indices)?;
    let at = crate::import::call::axis(call.int("axis", -1)?, dims.len() + 1)?;
    let depth = cx.b.cast(depth, DType::I64)?;
    let depth = match cx.sizes(depth)?.as_slice() {
        [n] if n.as_const().is_none_or(|c| c >= 0) => n.clone(),
        found => return Err(call.invalid(format!("the depth must be one size, found {}", show_shape(found)))),
    };
    let [length] = cx.b.shape(values)?.try_into().map_err(|_| Diagnostic::shape("the values must be a vector"))?;
    let values = cx.check_equal(values, &length, &Ix::konst(2), "values of OneHot: off and on")?;
    let off = cx.b.slice(values, 0, 0, 1)?;
    let on = cx.b.slice(values, 0, 1, 1)?;
    let (off, on) = (cx.b.reshape(off, vec![])?, cx.b.reshape(on, vec![])?);
    let indices = cx.b.cast(indices, DType::I64)?;
    dims.insert(at, depth.clone());
    if let Some(y) = cx.empty(cx.b.dtype(values)?, &dims)? {
        return Ok(vec![y]);
    }
    dims[at] = Ix::konst(1);
    let trailing = dims.len() - at;
    let indices = cx.b.reshape(indices, dims)?;
    let mut line = vec![Ix::konst(1); trailing];
    line[0] = depth.clone();
    let line = cx.b.apply(&Iota { shape: line, axis: 0 }, &[])?;
    let depth = Scalar::index(depth);
    let y = cx.b.map_named("one_hot", &[line, indices, off, on], |a| {
        let place = a[1].lt(&a[1].lit(0.0)).select(&(&a[1] + &depth), &a[1]);
        a[0].equals(&place).select(&a[3], &a[2])
    })?;
    Ok(vec![y])
}
