//! AffineGrid: the coordinates that an affine map gives to an even grid over `-1..1`.

use crate::import::{Call, Cx};
use tilewright_graph::ops::Iota;
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape, show_shape};

/// ONNX `AffineGrid`: `theta [N, r, r+1]` and a size `[N, C, d1…dr]` give `[N, d1…dr, r]`.
pub fn affine_grid(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (theta, size) = (call.x(0)?, call.x(1)?);
    let ty = cx.b.tensor(theta)?;
    let size = cx.sizes(size)?;
    let r = size.len().saturating_sub(2);
    if !(2..=3).contains(&r) {
        return Err(call.invalid(format!("AffineGrid takes 4 or 5 sizes, found {}", size.len())));
    }
    let wanted = [size[0].clone(), Ix::from(r), Ix::from(r + 1)];
    if ty.rank() != 3 {
        return Err(Diagnostic::shape(format!("theta must be {}, found {ty}", show_shape(&wanted))));
    }
    let mut theta = theta;
    for (found, wanted) in ty.shape.iter().zip(&wanted) {
        theta = cx.check_equal(theta, found, wanted, "dims of theta")?;
    }
    let work = if ty.dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let theta = cx.b.cast(theta, work)?;
    let grid = homogeneous(cx, &size[2..], call.flag("align_corners", false)?, work)?;
    let notation = if r == 2 { "nij,hwj->nhwi" } else { "nij,dhwj->ndhwi" };
    let y = cx.b.einsum(notation, &[theta, grid])?;
    Ok(vec![cx.b.cast(y, ty.dtype)?])
}

/// The grid's positions as `[d1…dr, r + 1]`: the coordinate of the last dim first, then 1.
fn homogeneous(cx: &mut Cx<'_>, dims: &[Ix], align: bool, dtype: DType) -> Result<ValueId> {
    let mut shape: Shape = dims.to_vec();
    shape.push(Ix::konst(1));
    let mut parts = Vec::with_capacity(dims.len() + 1);
    for axis in (0..dims.len()).rev() {
        let place = cx.b.apply(&Iota { shape: shape.clone(), axis }, &[])?;
        parts.push(cx.b.map_named("grid", &[place], |a| even(&a[0].cast(dtype), &dims[axis], align))?);
    }
    let one = cx.b.scalar(dtype, 1.0)?;
    parts.push(cx.b.broadcast(one, shape)?);
    cx.b.concat(&parts, dims.len())
}

/// Place `i` of `n` in `-1..1`; with `align` the ends are at the centres of the first and last.
fn even(i: &Scalar, n: &Ix, align: bool) -> Scalar {
    let n = Scalar::index(n.clone()).cast(i.dtype());
    if !align {
        return (i.clone() * 2.0 + 1.0) / n - 1.0;
    }
    let gaps = (n - 1.0).maximum(&i.lit(1.0));
    i.clone() * 2.0 / gaps - 1.0
}
