//! GridSample: values of an image at coordinates, interpolated between its elements.
//!
//! For each spatial dim there is a table of places `[N, out…, taps]` and one of weights; their outer
//! product over the dims addresses all neighbours at once, which one contraction then adds up.

use super::grid::{Grid, Padding, Taps};
use crate::import::ops::resize::kernel::Kernel;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::ops::{Contract, GatherNd};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// ONNX `GridSample`: `x [N, C, d1…dr]`, `grid [N, o1…or, r]` give `[N, C, o1…or]`.
pub fn grid_sample(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, grid) = (call.x(0)?, call.x(1)?);
    let (tx, tg) = (cx.b.tensor(x)?, cx.b.tensor(grid)?);
    let r = tx.rank().saturating_sub(2);
    if r == 0 || tg.rank() != r + 2 {
        return Err(Diagnostic::shape(format!(
            "GridSample takes [N, C, d1…dr] and [N, o1…or, r], found {tx} and {tg}"
        )));
    }
    let grid = cx.check_equal(grid, &tg.shape[r + 1], &Ix::from(r), "coordinates of a location")?;
    let taps = taps(call)?;
    let padding = padding(call)?;
    let work = match tx.dtype {
        _ if taps.is_none() => tx.dtype,
        DType::F64 => DType::F64,
        d if d.is_float() => DType::F32,
        DType::String => return Err(call.invalid("strings can only be sampled with mode \"nearest\"")),
        _ => DType::F64,
    };
    let x = cx.b.cast(x, work)?;
    let grid = Grid::new(cx, grid, &tx.shape[2..], (taps, padding, call.flag("align_corners", false)?))?;
    let neighbours = neighbours(cx, x, &grid)?;
    let y = match taps {
        None => {
            let order: Vec<usize> = [0, r + 1].into_iter().chain(1..r + 1).collect();
            let flat: Shape = tg.shape[..r + 1].iter().cloned().chain([tx.shape[1].clone()]).collect();
            let y = cx.b.reshape(neighbours, flat)?;
            cx.b.permute(y, &order)?
        }
        Some(_) => weighted(cx, neighbours, &grid, work)?,
    };
    Ok(vec![cx.b.cast(y, tx.dtype)?])
}

fn taps(call: &Call<'_>) -> Result<Taps> {
    Ok(match call.str("mode", "linear")? {
        "nearest" => None,
        "linear" | "bilinear" => Some(Kernel::Linear),
        "cubic" | "bicubic" => Some(Kernel::Cubic(-0.75)),
        other => return Err(call.invalid(format!("mode \"{other}\" of GridSample"))),
    })
}

fn padding(call: &Call<'_>) -> Result<Padding> {
    Ok(match call.str("padding_mode", "zeros")? {
        "zeros" => Padding::Zeros,
        "border" => Padding::Border,
        "reflection" => Padding::Reflection,
        other => return Err(call.invalid(format!("padding_mode \"{other}\" of GridSample"))),
    })
}

/// The elements at all neighbours, `[N, out…, taps of dim 1, …, taps of dim r, C]`.
fn neighbours(cx: &mut Cx<'_>, x: ValueId, grid: &Grid) -> Result<ValueId> {
    let r = grid.places.len();
    let last: Vec<usize> = [0].into_iter().chain(2..r + 2).chain([1]).collect();
    let x = cx.b.permute(x, &last)?;
    let mut shape = grid.shape.clone();
    shape.push(Ix::konst(1));
    let mut tuple = Vec::with_capacity(r);
    for places in &grid.places {
        let places = cx.b.broadcast(*places, grid.shape.clone())?;
        tuple.push(cx.b.reshape(places, shape.clone())?);
    }
    let tuple = cx.b.concat(&tuple, grid.shape.len())?;
    let found = cx.b.apply(&GatherNd { batch: 1, tuple: r }, &[x, tuple])?;
    let Some(inside) = grid.inside else { return Ok(found) };
    let inside = cx.b.reshape(inside, shape)?;
    cx.b.map_named("inside", &[inside, found], |a| a[0].select(&a[1], &a[1].lit(0.0)))
}

/// The sum of neighbours by weight, as `[N, C, out…]`.
fn weighted(cx: &mut Cx<'_>, neighbours: ValueId, grid: &Grid, work: DType) -> Result<ValueId> {
    let r = grid.places.len();
    let label = |i: usize| char::from_u32('A' as u32 + i as u32).unwrap_or('?');
    let mut all: Vec<char> = (0..2 * r + 1).map(label).collect();
    let mut output = all[..r + 1].to_vec();
    let weights = cx.b.map_named("weights", &grid.weights, |a| {
        let first = a[0].clone();
        a[1..].iter().fold(first, |w, x| w * x.clone())
    })?;
    let weights = cx.b.cast(weights, work)?;
    let own = all.clone();
    all.push('*');
    output.insert(1, '*');
    cx.b.apply(&Contract { inputs: vec![all, own], output, accumulate: None }, &[neighbours, weights])
}
