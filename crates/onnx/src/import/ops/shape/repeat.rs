//! Expand and Tile: elements repeated along dims.

use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::builder::broadcast_shape;
use tilewright_support::{Code, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Expand", 2..=2, &[], expand).since(8),
    Row::new("Tile", 3..=3, &[], tile_axis).until(5),
    Row::new("Tile", 2..=2, &[], tile).since(6),
];

fn expand(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, to) = (call.x(0)?, call.x(1)?);
    let from = cx.b.shape(x)?;
    let symbolic = cx.b.contents(to).is_some();
    let wanted = cx.sizes(to)?;
    if let Some(e) = wanted.iter().find(|e| e.as_const().is_some_and(|c| c < 0)) {
        return Err(call.invalid(format!("the shape holds {e}")));
    }
    match broadcast_shape(&[&from, &wanted]) {
        Ok(shape) => Ok(vec![cx.b.broadcast(x, shape)?]),
        Err(e) if e.code == Code::Dynamic => match meet(cx, x, wanted) {
            Err(e) if e.code == Code::Dynamic && !symbolic => {
                let wanted = cx.need_ints(to)?.into_iter().map(Ix::konst).collect();
                Ok(vec![meet(cx, x, wanted)?])
            }
            met => Ok(vec![met?]),
        },
        Err(e) => Err(e),
    }
}

/// `x` as an elementwise operation sees it beside a tensor of a shape, where only the run tells which
/// of their dims repeat.
fn meet(cx: &mut Cx<'_>, x: ValueId, shape: Shape) -> Result<ValueId> {
    let zero = cx.b.scalar(DType::I64, 0.0)?;
    let other = cx.b.broadcast(zero, shape)?;
    cx.b.map_named("expand", &[x, other], |a| a[0].clone())
}

fn tile(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, repeats) = (call.x(0)?, call.x(1)?);
    let repeats = cx.sizes(repeats)?;
    Ok(vec![repeat(cx, call, x, &repeats)?])
}

/// Tile of opset 1: a number of copies along one axis, both given as tensors of the input's dtype.
fn tile_axis(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let copies = cx.b.cast(call.x(1)?, DType::I64)?;
    let at = cx.b.cast(call.x(2)?, DType::I64)?;
    let rank = cx.b.rank(x)?;
    let at = axis(cx.need_int(at)?, rank)?;
    let mut repeats = vec![Ix::konst(1); rank];
    repeats[at] = Ix::konst(cx.need_int(copies)?);
    Ok(vec![repeat(cx, call, x, &repeats)?])
}

/// `repeats[i]` copies of every dim `i`: a new dim before each, repeated, then merged with it.
fn repeat(cx: &mut Cx<'_>, call: &Call<'_>, x: ValueId, repeats: &[Ix]) -> Result<ValueId> {
    let dims = cx.b.shape(x)?;
    if repeats.len() != dims.len() {
        return Err(call.invalid(format!("{} repeats for rank {}", repeats.len(), dims.len())));
    }
    if let Some(r) = repeats.iter().find(|r| r.as_const().is_some_and(|c| c < 0)) {
        return Err(call.invalid(format!("{r} repeats")));
    }
    let (mut apart, mut repeated, mut merged) = (Shape::new(), Shape::new(), Shape::new());
    for (n, r) in dims.iter().zip(repeats) {
        if !r.is(1) {
            apart.push(Ix::konst(1));
            repeated.push(r.clone());
        }
        apart.push(n.clone());
        repeated.push(n.clone());
        merged.push(n * r);
    }
    let x = cx.b.reshape(x, apart)?;
    let x = cx.b.broadcast(x, repeated)?;
    cx.b.reshape(x, merged)
}
