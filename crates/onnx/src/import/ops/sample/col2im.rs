//! Col2Im: overlapping blocks added up into an image.

use crate::import::{Call, Cx};
use std::sync::Arc;
use tilewright_graph::{Combine, Scalar, Scatter, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape, volume};

/// What one spatial axis of the image is made of.
struct Axis {
    image: Ix,
    block: Ix,
    blocks: Ix,
    stride: i64,
    dilation: i64,
    before: i64,
    after: i64,
}

/// ONNX `Col2Im`: `[N, C * product of block, L]` to `[N, C, image…]`. Blocks are added into a padded
/// image of zeros, which is then cropped.
pub fn col2im(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let ty = cx.b.tensor(x)?;
    let [batch, rows, _] = ty.shape.as_slice() else {
        return Err(Diagnostic::shape(format!("Col2Im takes rank 3, found {ty}")));
    };
    let axes = axes(cx, call)?;
    let blocks: Shape = axes.iter().map(|a| a.block.clone()).collect();
    let channels = rows.floor_div(&volume(&blocks));
    let mut split = vec![batch.clone(), channels.clone()];
    split.extend(blocks);
    split.extend(axes.iter().map(|a| a.blocks.clone()));
    let work = if ty.dtype.is_float() && ty.dtype.bits() < 32 { DType::F32 } else { ty.dtype };
    let x = cx.b.cast(x, work)?;
    let x = cx.b.reshape(x, split.clone())?;
    let mut padded = vec![batch.clone(), channels];
    padded.extend(axes.iter().map(|a| &a.image + &Ix::konst(a.before + a.after)));
    let zero = cx.b.scalar(work, 0.0)?;
    let zeros = cx.b.broadcast(zero, padded)?;
    let mut y = cx.b.scatter(scatter(&axes, &split, work), &[zeros, x])?;
    for (i, a) in axes.iter().enumerate() {
        if a.before + a.after > 0 {
            y = cx.b.slice(y, i + 2, a.before, a.image.clone())?;
        }
    }
    Ok(vec![cx.b.cast(y, ty.dtype)?])
}

/// `image[n, c, block * stride + tap * dilation …] += x[n, c, tap…, block…]`.
fn scatter(axes: &[Axis], domain: &[Ix], dtype: DType) -> Scatter {
    let all: Vec<Ix> = (0..domain.len() as u32).map(Ix::axis).collect();
    let mut index = all[..2].to_vec();
    for (i, a) in axes.iter().enumerate() {
        let (tap, block) = (&all[2 + i], &all[2 + axes.len() + i]);
        index.push(block * a.stride + tap * a.dilation);
    }
    let name = |i: usize| Arc::from(format!("i{i}"));
    Scatter {
        axes: domain.iter().enumerate().map(|(i, n)| (name(i), n.clone())).collect(),
        index,
        body: Scalar::read(1, dtype, all),
        combine: Combine::Add,
    }
}

fn axes(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<Axis>> {
    let (image, block) = (cx.sizes(call.x(1)?)?, cx.sizes(call.x(2)?)?);
    let n = image.len();
    if block.len() != n {
        return Err(call.invalid(format!("an image of {n} dims and blocks of {}", block.len())));
    }
    let (strides, dilations) = (call.ints_of("strides", n, 1)?, call.ints_of("dilations", n, 1)?);
    let pads = call.ints_of("pads", 2 * n, 0)?;
    let small = |v: &i64, least: i64| (least..=i64::from(i32::MAX)).contains(v);
    if !strides.iter().chain(&dilations).all(|v| small(v, 1)) || !pads.iter().all(|v| small(v, 0)) {
        return Err(call.invalid("strides and dilations must be positive, pads must not be negative"));
    }
    let axis = |i: usize| {
        let (before, after) = (pads[i], pads[n + i]);
        let reach = (&block[i] - &Ix::konst(1)) * dilations[i] + 1;
        let blocks = (&(&image[i] + &Ix::konst(before + after)) - &reach).floor_div(&Ix::konst(strides[i])) + 1;
        Axis {
            image: image[i].clone(),
            block: block[i].clone(),
            blocks,
            stride: strides[i],
            dilation: dilations[i],
            before,
            after,
        }
    };
    Ok((0..n).map(axis).collect())
}
