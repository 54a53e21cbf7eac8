//! Rotary position embedding.

use crate::import::{Call, Cx};
use tilewright_graph::ops::{Bounds, Gather, Slice};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;

/// ONNX `RotaryEmbedding`: the first `rotary_embedding_dim` elements of each head, taken in pairs,
/// turn by the angles of their position.
pub fn rotary(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let shape = cx.b.shape(x)?;
    let heads = call.int("num_heads", 0)?;
    let split = match (shape.len(), heads) {
        (4, _) => cx.b.permute(x, &[0, 2, 1, 3])?,
        (3, h) if h > 0 => {
            let d = shape[2].floor_div(&Ix::konst(h));
            cx.b.reshape(x, vec![shape[0].clone(), shape[1].clone(), Ix::konst(h), d])?
        }
        _ => return Err(call.invalid("X has rank 4, or rank 3 and num_heads is given")),
    };
    let size = cx.b.shape(split)?[3].clone();
    let turned = match call.int("rotary_embedding_dim", 0)? {
        0 => size.clone(),
        n => Ix::konst(n),
    };
    let half = turned.floor_div(&Ix::konst(2));
    let interleaved = call.flag("interleaved", false)?;
    let (step, second) = if interleaved { (2, Ix::konst(1)) } else { (1, half.clone()) };
    let first_half = strided(cx, split, Ix::zero(), step, half.clone())?;
    let second_half = strided(cx, split, second, step, half.clone())?;
    let (cos, sin) = (angles(cx, call, 1)?, angles(cx, call, 2)?);
    let turn = |cx: &mut Cx<'_>, f: fn(&[Scalar]) -> Scalar| cx.b.map(&[first_half, second_half, cos, sin], f);
    let real = turn(cx, |a| &a[0] * &a[2] - &a[1] * &a[3])?;
    let imaginary = turn(cx, |a| &a[0] * &a[3] + &a[1] * &a[2])?;
    let joined = match interleaved {
        false => cx.b.concat(&[real, imaginary], 3)?,
        true => {
            let pairs = [&cx.b.shape(real)?[..], &[Ix::konst(1)]].concat();
            let (r, i) = (cx.b.reshape(real, pairs.clone())?, cx.b.reshape(imaginary, pairs)?);
            let both = cx.b.concat(&[r, i], 4)?;
            let s = cx.b.shape(both)?;
            cx.b.reshape(both, vec![s[0].clone(), s[1].clone(), s[2].clone(), turned.clone()])?
        }
    };
    let whole = match size == turned {
        true => joined,
        false => {
            let rest = cx.b.slice(split, 3, turned.clone(), &size - &turned)?;
            cx.b.concat(&[joined, rest], 3)?
        }
    };
    Ok(vec![match shape.len() {
        4 => cx.b.permute(whole, &[0, 2, 1, 3])?,
        _ => cx.b.reshape(whole, shape)?,
    }])
}

/// Every `step`-th of the last dim, from `start`.
fn strided(cx: &mut Cx<'_>, x: ValueId, start: Ix, step: i64, size: Ix) -> Result<ValueId> {
    let mut sizes = cx.b.shape(x)?;
    let (mut starts, mut steps) = (vec![Ix::zero(); sizes.len()], vec![1; sizes.len()]);
    let last = sizes.len() - 1;
    (starts[last], steps[last], sizes[last]) = (start, step, size);
    cx.b.apply(&Slice { starts, steps, sizes }, &[x])
}

/// A cache of cosines or sines at the positions, as `[B, S, 1, R/2]`.
fn angles(cx: &mut Cx<'_>, call: &Call<'_>, input: usize) -> Result<ValueId> {
    let cache = call.x(input)?;
    let chosen = match call.opt(3) {
        Some(positions) => cx.b.apply(&Gather { axis: 0, bounds: Bounds::Error }, &[cache, positions])?,
        None => cache,
    };
    let s = cx.b.shape(chosen)?;
    if s.len() != 3 {
        return Err(call.invalid(format!("the cache of angles has rank {}, expected 3", s.len())));
    }
    cx.b.reshape(chosen, vec![s[0].clone(), s[1].clone(), Ix::konst(1), s[2].clone()])
}
