//! Trilu and ReverseSequence: elements chosen by their position.

use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{GatherNd, Iota};
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Trilu", 1..=2, &["upper"], trilu).since(14),
    Row::new("Trilu", 1..=2, &["upper"], trilu).domain("com.microsoft"),
    Row::new("ReverseSequence", 2..=2, &["batch_axis", "time_axis"], reverse_sequence).since(10),
];

fn trilu(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    let [.., rows, columns] = dims.as_slice() else {
        return Err(Diagnostic::shape(format!("Trilu takes matrices, found rank {}", dims.len())));
    };
    let i = cx.b.apply(&Iota { shape: vec![rows.clone(), Ix::konst(1)], axis: 0 }, &[])?;
    let j = cx.b.apply(&Iota { shape: vec![columns.clone()], axis: 0 }, &[])?;
    let k = match call.opt(1) {
        Some(k) if cx.b.dtype(k)? == DType::I64 => cx.b.reshape(k, vec![])?,
        Some(_) => return Err(Diagnostic::dtype("the diagonal of Trilu must be i64")),
        None => cx.b.scalar(DType::I64, 0.0)?,
    };
    let upper = call.flag("upper", true)?;
    let y = cx.b.map_named("trilu", &[x, i, j, k], |a| {
        let diagonal = &a[2] - &a[1];
        let kept = if upper { diagonal.ge(&a[3]) } else { diagonal.le(&a[3]) };
        kept.select(&a[0], &a[0].lit(0.0))
    })?;
    Ok(vec![y])
}

/// `y[b, t] = x[b, t < len[b] ? len[b] - 1 - t : t]` for batch and time as the first two dims.
fn reverse_sequence(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, lengths) = (call.x(0)?, call.x(1)?);
    let dims = cx.b.shape(x)?;
    let (batch, time) = (axis(call.int("batch_axis", 1)?, dims.len())?, axis(call.int("time_axis", 0)?, dims.len())?);
    let [batch, time] = match (batch, time) {
        (0, 1) | (1, 0) => [batch, time],
        _ => return Err(call.invalid(format!("batch_axis {batch} and time_axis {time} must be 0 and 1"))),
    };
    if cx.b.dtype(lengths)? != DType::I64 {
        return Err(Diagnostic::dtype("the lengths of ReverseSequence must be i64"));
    }
    let limit = Scalar::index(dims[time].clone());
    let wrong = cx.b.map_named("wrong", &[lengths], |a| {
        let low = a[0].lt(&a[0].lit(0.0));
        low.select(&low, &a[0].gt(&limit)).cast(DType::I64)
    })?;
    let axes: Vec<usize> = (0..cx.b.rank(wrong)?).collect();
    let wrong = cx.b.reduce(wrong, Combiner::Sum, &axes, false)?;
    let none = cx.b.map_named("none", &[wrong], |a| a[0].equals(&a[0].lit(0.0)))?;
    let lengths = cx.check(lengths, none, "a length of ReverseSequence is negative or more than there are steps")?;
    let lengths = cx.b.reshape(lengths, vec![dims[batch].clone(), Ix::konst(1), Ix::konst(1)])?;
    let t = cx.b.apply(&Iota { shape: vec![dims[time].clone(), Ix::konst(1)], axis: 0 }, &[])?;
    let places =
        cx.b.map_named("place", &[t, lengths], |a| a[0].lt(&a[1]).select(&(a[1].clone() - 1.0 - a[0].clone()), &a[0]))?;
    let order: Vec<usize> = [batch, time].into_iter().chain(2..dims.len()).collect();
    // The order swaps the first two dims or keeps them, so it is its own inverse.
    let x = cx.b.permute(x, &order)?;
    let y = cx.b.apply(&GatherNd { batch: 1, tuple: 1 }, &[x, places])?;
    Ok(vec![cx.b.permute(y, &order)?])
}
