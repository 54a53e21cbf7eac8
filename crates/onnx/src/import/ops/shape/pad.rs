//! Pad and CenterCropPad.
//!
//! Negative pads take places away first. Modes other than `constant` read through a table of
//! places for each axis.

use crate::import::call::axes;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::decl::Window;
use tilewright_graph::ops::{Bounds, Gather, Iota, Pad};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Tensor;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Pad", 1..=1, &["paddings", "mode", "value"], |cx, c| pad_of_attributes(cx, c, "paddings")).until(1),
    Row::new("Pad", 1..=1, &["pads", "mode", "value"], |cx, c| pad_of_attributes(cx, c, "pads")).since(2).until(10),
    Row::new("Pad", 2..=4, &["mode"], pad).since(11),
    Row::new("Pad", 2..=3, &["mode"], pad).domain("com.microsoft"),
    Row::new("CenterCropPad", 2..=2, &["axes"], center_crop_pad).since(18),
];

/// Places before and after one axis.
type Ends = (Ix, Ix);

fn pad_of_attributes(cx: &mut Cx<'_>, call: &Call<'_>, name: &str) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let ty = cx.b.tensor(x)?;
    let pads: Vec<Ix> = call.node.required(name, crate::Node::attr_ints)?.iter().map(|n| Ix::konst(*n)).collect();
    let fill = cx.b.scalar(ty.dtype, call.float("value", 0.0)?)?;
    let ends = ends_of(call, &pads, (0..ty.rank()).collect(), ty.rank())?;
    apply(cx, call, &ends, fill)
}

fn pad(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let ty = cx.b.tensor(x)?;
    let pads = match cx.b.contents(call.x(1)?) {
        Some(pads) => pads.to_vec(),
        None => cx.need_ints(call.x(1)?)?.into_iter().map(Ix::konst).collect(),
    };
    let at = match call.opt(3) {
        Some(v) => axes(&cx.need_ints(v)?, ty.rank())?,
        None => (0..ty.rank()).collect(),
    };
    let fill = match call.opt(2) {
        Some(v) if cx.b.dtype(v)? != ty.dtype => {
            return Err(Diagnostic::dtype("the constant value of Pad must have the input's dtype"));
        }
        Some(v) if cx.known(v).is_some_and(|t| t.is_empty()) => cx.b.constant(Tensor::zeros(ty.dtype, &[])?),
        Some(v) => cx.b.reshape(v, vec![])?,
        None => cx.b.constant(Tensor::zeros(ty.dtype, &[])?),
    };
    let ends = ends_of(call, &pads, at, ty.rank())?;
    apply(cx, call, &ends, fill)
}

/// The pads of every axis, from all begins followed by all ends for the axes `at`.
fn ends_of(call: &Call<'_>, pads: &[Ix], at: Vec<usize>, rank: usize) -> Result<Vec<Ends>> {
    if pads.len() != 2 * at.len() {
        return Err(call.invalid(format!("{} pads for {} axes, expected two for each", pads.len(), at.len())));
    }
    let mut ends = vec![(Ix::zero(), Ix::zero()); rank];
    let (before, after) = pads.split_at(at.len());
    for (a, pair) in at.into_iter().zip(before.iter().zip(after)) {
        ends[a] = (pair.0.clone(), pair.1.clone());
    }
    Ok(ends)
}

fn apply(cx: &mut Cx<'_>, call: &Call<'_>, ends: &[Ends], fill: ValueId) -> Result<Vec<ValueId>> {
    let mut x = call.x(0)?;
    let mode = call.str("mode", "constant")?;
    if mode == "constant" {
        let windows = ends.iter().map(|(before, after)| Window::pad(before.clone(), after.clone())).collect();
        return Ok(vec![cx.b.apply(&Pad { windows }, &[x, fill])?]);
    }
    let place: Place = match mode {
        "reflect" => reflected,
        "edge" => clamped,
        "wrap" if call.version >= 19 => wrapped,
        other => return Err(call.invalid(format!("mode \"{other}\" of Pad in opset {}", call.version))),
    };
    let ty = cx.b.tensor(x)?;
    let sizes: Vec<Ix> = ty.shape.iter().zip(ends).map(|(n, (before, after))| &(n + before) + after).collect();
    if let Some(y) = cx.empty(ty.dtype, &sizes)? {
        return Ok(vec![y]);
    }
    for (axis, (before, after)) in ends.iter().enumerate() {
        x = extend(cx, x, axis, (before, after), place)?;
    }
    Ok(vec![x])
}

/// The place in a dim of size `n` that stands at place `j`, which may be outside.
type Place = fn(j: &Scalar, n: &Scalar) -> Scalar;

fn clamped(j: &Scalar, n: &Scalar) -> Scalar {
    j.minimum(&(n.clone() - 1.0)).maximum(&j.lit(0.0))
}

fn wrapped(j: &Scalar, n: &Scalar) -> Scalar {
    Scalar::call(Func::Mod, vec![j.clone(), n.maximum(&j.lit(1.0))])
}

/// Mirrored at the first and last place, again and again.
fn reflected(j: &Scalar, n: &Scalar) -> Scalar {
    let period = ((n.clone() - 1.0) * 2.0).maximum(&j.lit(1.0));
    let t = Scalar::call(Func::Mod, vec![j.clone(), period.clone()]);
    t.minimum(&(period - t.clone()))
}

/// One axis cropped by negative pads, then extended by positive ones.
fn extend(cx: &mut Cx<'_>, x: ValueId, axis: usize, (before, after): (&Ix, &Ix), place: Place) -> Result<ValueId> {
    let zero = Ix::zero();
    let crop = [(-before.clone()).max_with(&zero), (-after.clone()).max_with(&zero)];
    let add = [before.max_with(&zero), after.max_with(&zero)];
    let mut x = x;
    let mut n = cx.b.shape(x)?[axis].clone();
    if crop.iter().any(|c| !c.is(0)) {
        n = &(&n - &crop[0]) - &crop[1];
        x = cx.b.slice(x, axis, crop[0].clone(), n.clone())?;
    }
    if add.iter().all(|p| p.is(0)) {
        return Ok(x);
    }
    let size = &(&n + &add[0]) + &add[1];
    let out = cx.b.apply(&Iota { shape: vec![size], axis: 0 }, &[])?;
    let (n, lead) = (Scalar::index(n), Scalar::index(add[0].clone()));
    let table = cx.b.map_named("place", &[out], |a| place(&(&a[0] - &lead), &n))?;
    cx.b.apply(&Gather { axis, bounds: Bounds::Error }, &[x, table])
}

fn center_crop_pad(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let ty = cx.b.tensor(x)?;
    let at = match call.ints("axes")? {
        Some(list) => axes(list, ty.rank())?,
        None => (0..ty.rank()).collect(),
    };
    let wanted = cx.sizes(call.x(1)?)?;
    if wanted.len() != at.len() {
        return Err(call.invalid(format!("{} sizes for {} axes", wanted.len(), at.len())));
    }
    if let Some(n) = wanted.iter().find(|n| n.as_const().is_some_and(|c| c < 0)) {
        return Err(call.invalid(format!("a size of {n}")));
    }
    let zero = Ix::zero();
    let half = |n: Ix| n.max_with(&zero).floor_div(&Ix::konst(2));
    let mut windows = vec![Window::pad(0, 0); ty.rank()];
    for (a, to) in at.into_iter().zip(wanted) {
        let more = &to - &ty.shape[a];
        let before = half(more.clone()) - half(-more.clone());
        windows[a] = Window::pad(before.clone(), more - before);
    }
    let fill = cx.b.constant(Tensor::zeros(ty.dtype, &[])?);
    Ok(vec![cx.b.apply(&Pad { windows }, &[x, fill])?])
}
