//! ONNX Runtime's `EmbedLayerNormalization`: the sum of word, position and segment embeddings,
//! normalised.

use super::layer_norm::LastDims;
use super::sizes::{same_shape, same_size};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{Bounds, Gather, Iota};
use tilewright_graph::{Combiner, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] =
    &[Row::new("EmbedLayerNormalization", 7..=9, &["epsilon", "mask_index_type"], embed_layer_norm)
        .outputs(1..=3)
        .domain("com.microsoft")];

/// Inputs: word ids `[B, S]`, segment ids, tables of words, positions and segments, scale, bias,
/// mask, position ids. Outputs: result, number of ones in each row of the mask, sum.
fn embed_layer_norm(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let ids = c.x(0)?;
    let shape = cx.b.shape(ids)?;
    let [batch, length] = &shape[..] else {
        return Err(Diagnostic::shape(format!("word ids of rank {}, expected 2", shape.len())));
    };
    let positions = match c.opt(8) {
        Some(v) => v,
        None => cx.b.apply(&Iota { shape: vec![length.clone()], axis: 0 }, &[])?,
    };
    let mut terms = vec![rows(cx, c.x(2)?, ids)?, rows(cx, c.x(3)?, positions)?];
    match (c.opt(1), c.opt(4)) {
        (Some(segments), Some(table)) => {
            same_shape(&cx.b.shape(segments)?, &shape, "segment ids and word ids")?;
            terms.push(rows(cx, table, segments)?);
        }
        (None, None) => {}
        _ => return Err(c.invalid("segment ids and their embeddings go together")),
    }
    let width = cx.b.shape(terms[0])?[2].clone();
    for v in &terms[1..] {
        let own = cx.b.shape(*v)?;
        same_size(&own[own.len() - 1], &width, "widths of embeddings")?;
    }
    let sum = cx.b.map_named("embeddings", &terms, |a| a[1..].iter().fold(a[0].clone(), |s, x| &s + x))?;
    let norm = LastDims { centered: true, axis: 2, epsilon: c.float("epsilon", 1e-12)?, work: DType::F32 };
    let y = norm.apply(cx, sum, c.x(5)?, c.opt(6))?.y;
    let ones = match c.opt(7) {
        Some(mask) => {
            let ones = cx.b.map_named("ones", &[mask], |a| a[0].equals(&a[0].lit(1.0)).cast(DType::I32))?;
            cx.b.reduce(ones, Combiner::Sum, &[1], false)?
        }
        None => {
            let zero = cx.b.scalar(DType::I32, 0.0)?;
            cx.b.broadcast(zero, vec![batch.clone()])?
        }
    };
    Ok(vec![y, ones, sum])
}

/// The rows of a table at ids; an id outside is an error when it runs.
fn rows(cx: &mut Cx<'_>, table: ValueId, ids: ValueId) -> Result<ValueId> {
    if cx.b.rank(table)? != 2 {
        return Err(Diagnostic::shape("embeddings must be matrices"));
    }
    let rank = cx.b.rank(ids)?;
    let found = cx.b.apply(&Gather { axis: 0, bounds: Bounds::Error }, &[table, ids])?;
    let mut shape = cx.b.shape(found)?;
    if rank == 1 {
        shape.insert(0, Ix::konst(1));
    }
    cx.b.reshape(found, shape)
}
