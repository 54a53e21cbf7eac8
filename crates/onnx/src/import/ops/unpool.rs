//! ONNX `MaxUnpool`.

use super::sizes::same_shape;
use super::windows::{Windows, spatial};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::decl::Window;
use tilewright_graph::ops::Pad;
use tilewright_graph::{Combine, Scalar, Scatter, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Shape, volume};

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new("MaxUnpool", 2..=3, &["kernel_shape", "pads", "strides"], max_unpool).since(9)];

/// Puts every element of `x` to the place that `indices` name, counted in the shape that pooling
/// with these attributes would have come from, and zeros elsewhere. Another wanted shape cuts that
/// or extends it by zeros, at the end of each dim.
fn max_unpool(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, indices) = (c.x(0)?, c.x(1)?);
    let shape = cx.b.shape(x)?;
    same_shape(&cx.b.shape(indices)?, &shape, "indices and values")?;
    let whole = whole(c, &shape)?;
    let dtype = cx.b.dtype(x)?;
    let zero = cx.b.scalar(dtype, 0.0)?;
    let zeros = cx.b.broadcast(zero, vec![volume(&whole)])?;
    let n = volume(&shape);
    let (x, indices) = (cx.b.reshape(x, vec![n.clone()])?, cx.b.reshape(indices, vec![n.clone()])?);
    let scatter = Scatter {
        axes: vec![("i".into(), n)],
        index: vec![Ix::load(1, vec![Ix::axis(0)])],
        body: Scalar::read(2, dtype, vec![Ix::axis(0)]),
        combine: Combine::Replace,
    };
    let y = cx.b.scatter(scatter, &[zeros, indices, x])?;
    let y = cx.b.reshape(y, whole.clone())?;
    let Some(wanted) = c.opt(2) else { return Ok(vec![y]) };
    let wanted = cx.sizes(wanted)?;
    if wanted.len() != whole.len() {
        return Err(Diagnostic::shape(format!("{} sizes for rank {}", wanted.len(), whole.len())));
    }
    let windows = wanted.iter().zip(&whole).map(|(to, from)| Window::pad(0, to - from)).collect();
    Ok(vec![cx.b.apply(&Pad { windows }, &[y, zero])?])
}

/// The shape that the attributes imply.
fn whole(c: &Call<'_>, shape: &[Ix]) -> Result<Shape> {
    let n = spatial(shape.len(), 1)?;
    let kernel = c.node.required("kernel_shape", crate::Node::attr_ints)?;
    if kernel.len() != n || kernel.iter().any(|k| !(1..=1 << 31).contains(k)) {
        return Err(c.invalid(format!("kernel_shape {kernel:?} for {n} spatial dims")));
    }
    let windows = Windows::of(c, n)?;
    let size = |i: usize| {
        let (before, after) = windows.pads(i, &shape[2 + i], &kernel[i].into());
        (&shape[2 + i] - &Ix::konst(1)) * windows.strides[i] + kernel[i] - before - after
    };
    Ok(shape[..2].iter().cloned().chain((0..n).map(size)).collect())
}
