//! ONNX `DeformConv`: a convolution whose taps lie at computed places.
//!
//! For every tap of every result, offsets move the place that is read. A table holds the `2^n`
//! elements around it and their weights; one product gathers the taps `[N, C, taps, places]`, which
//! an ordinary contraction with the weights sums.

use super::linear::accumulator;
use super::sizes::{per_channel, same_size};
use super::statistics::wide;
use super::windows::{Windows, ints, spatial};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{Contract, Interpolate, Iota, Place};
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Shape, volume};
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new(
    "DeformConv",
    3..=5,
    &["dilations", "group", "kernel_shape", "offset_group", "pads", "strides"],
    deform_conv,
)
.since(19)];

/// The sizes of one call. `places` are those of the result.
struct Sizes {
    x: Shape,
    weights: Shape,
    taps: Vec<i64>,
    places: Shape,
    groups: i64,
    offset_groups: i64,
}

impl Sizes {
    fn of(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Self> {
        let (x, weights, offset) = (cx.b.shape(c.x(0)?)?, cx.b.shape(c.x(1)?)?, cx.b.shape(c.x(2)?)?);
        let n = spatial(x.len(), 1)?;
        if weights.len() != n + 2 || offset.len() != n + 2 || n > 8 {
            return Err(Diagnostic::shape("DeformConv takes input, weights and offsets of one rank"));
        }
        let taps = cx.need_static(&[c.x(1)?])?[0][2..].to_vec();
        if ints(c, "kernel_shape", n, 0)?.iter().zip(&taps).any(|(k, t)| *k != 0 && k != t) {
            return Err(c.invalid(format!("kernel_shape differs from the weights, which have {taps:?} taps")));
        }
        let (groups, offset_groups) = (c.int("group", 1)?, c.int("offset_group", 1)?);
        if groups < 1 || offset_groups < 1 {
            return Err(c.invalid("group and offset_group must be at least 1"));
        }
        let (g, og) = (Ix::konst(groups), Ix::konst(offset_groups));
        same_size(&(&weights[1] * &g), &x[1], "channels of the weights times groups, and of the input")?;
        same_size(&weights[0].modulo(&g), &Ix::zero(), "output channels left over by groups")?;
        same_size(&x[1].modulo(&og), &Ix::zero(), "channels left over by offset groups")?;
        let (k, one) = (taps.iter().map(|t| Ix::konst(*t)).collect::<Shape>(), Ix::konst(n as i64));
        same_size(&offset[0], &x[0], "batch of the offsets and the input")?;
        same_size(&offset[1], &(volume(&k) * og * one), "channels of the offsets")?;
        Ok(Self { places: offset[2..].to_vec(), x, weights, taps, groups, offset_groups })
    }

    /// The number of spatial dims.
    fn n(&self) -> usize {
        self.taps.len()
    }

    fn all_taps(&self) -> Ix {
        self.taps.iter().fold(Ix::konst(1), |n, t| n * *t)
    }

    fn all_places(&self) -> Ix {
        volume(&self.places)
    }
}

fn deform_conv(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, w) = (c.x(0)?, c.x(1)?);
    let (dtype, sizes) = (cx.b.dtype(x)?, Sizes::of(cx, c)?);
    let windows = Windows::of(c, sizes.n())?;
    for i in 0..sizes.n() {
        let (before, after) = windows.pads(i, &sizes.x[2 + i], &sizes.taps[i].into());
        let room = &(&sizes.x[2 + i] + &before) + &after - windows.reach(i, &sizes.taps[i].into());
        let expected = room.floor_div(&Ix::konst(windows.strides[i])) + 1;
        same_size(&sizes.places[i], &expected, "places of the offsets and of the result")?;
    }
    let taps = sampled(cx, c, &sizes, &windows)?;
    let (g, n) = (Ix::konst(sizes.groups), &sizes.x[0]);
    let (m, k, p) = (sizes.weights[0].floor_div(&g), sizes.all_taps(), sizes.all_places());
    let taps = cx.b.reshape(taps, vec![n.clone(), g.clone(), sizes.weights[1].clone(), k.clone(), p])?;
    let w = cx.b.reshape(w, vec![g, m, sizes.weights[1].clone(), k])?;
    let product = Contract { accumulate: accumulator(dtype), ..Contract::parse("ngckp,gmck->ngmp") };
    let y = cx.b.apply(&product, &[taps, w])?;
    let mut shape = vec![n.clone(), sizes.weights[0].clone()];
    shape.extend(sizes.places.iter().cloned());
    let mut terms = vec![cx.b.reshape(y, shape)?];
    if let Some(bias) = c.opt(3) {
        let bias = per_channel(cx, bias, &sizes.weights[0], sizes.n() + 2, "bias and output channels")?;
        terms.push(cx.b.cast(bias, wide(dtype))?);
    }
    let sum = |t: &[Scalar]| t[1..].iter().fold(t[0].clone(), |sum, t| &sum + t).cast(dtype);
    Ok(vec![cx.b.map_named("DeformConv", &terms, sum)?])
}

/// The interpolated and masked taps `[N, offset groups, C/offset group, taps, places]`.
fn sampled(cx: &mut Cx<'_>, c: &Call<'_>, sizes: &Sizes, windows: &Windows) -> Result<ValueId> {
    let (x, offset) = (c.x(0)?, c.x(2)?);
    let work = wide(cx.b.dtype(x)?);
    let (og, n) = (Ix::konst(sizes.offset_groups), sizes.n());
    let lead = [sizes.x[0].clone(), og.clone(), sizes.all_taps()];
    let shape = |more: &[Ix]| [&lead[..], more].concat();
    let offset = cx.b.reshape(offset, shape(&[Ix::from(n), sizes.all_places()]))?;
    let offset = cx.b.cast(offset, work)?;
    let mut at = Vec::new();
    for d in 0..n {
        let moved = cx.b.slice(offset, 3, Ix::from(d), 1)?;
        let moved = cx.b.reshape(moved, shape(&[sizes.all_places()]))?;
        let (tap, place) = (tap_offsets(cx, sizes, windows, d)?, place_offsets(cx, sizes, windows, d)?);
        at.push(cx.b.map_named("coordinate", &[moved, tap, place], |a| &a[0] + &(&a[1] + &a[2]).cast(work))?);
    }
    let mask = match c.opt(4) {
        Some(mask) => {
            let mask = cx.b.reshape(mask, shape(&[sizes.all_places(), Ix::konst(1)]))?;
            Some(cx.b.cast(mask, work)?)
        }
        None => None,
    };
    let (places, weights) = corners(cx, &at, &sizes.x[2..], mask)?;
    let x = cx.b.cast(x, work)?;
    let mut split = vec![sizes.x[0].clone(), og.clone(), sizes.x[1].floor_div(&og)];
    split.extend(sizes.x[2..].iter().cloned());
    let x = cx.b.reshape(x, split)?;
    let label = |ls: &str| ls.chars().map(Place::Label).collect::<Vec<_>>();
    let mut first = label("ngc");
    first.extend((0..n).map(|d| Place::Table(2 + d, "ngkpq".chars().collect())));
    let product = Interpolate {
        combiner: Combiner::Sum,
        factors: vec![first, label("ngkpq")],
        output: "ngckp".chars().collect(),
    };
    let operands: Vec<ValueId> = [x, weights].into_iter().chain(places).collect();
    cx.b.apply(&product, &operands)
}

/// Where each tap lies along dim `d`, as `[taps, 1]`.
fn tap_offsets(cx: &mut Cx<'_>, sizes: &Sizes, windows: &Windows, d: usize) -> Result<ValueId> {
    let later: i64 = sizes.taps[d + 1..].iter().product();
    let all: i64 = sizes.taps.iter().product();
    let at: Vec<i64> = (0..all).map(|k| k / later.max(1) % sizes.taps[d].max(1) * windows.dilations[d]).collect();
    Ok(cx.b.constant(Tensor::from_vec(&[at.len(), 1], at)?))
}

/// Where the first tap of each result lies along dim `d`, as `[places]`.
fn place_offsets(cx: &mut Cx<'_>, sizes: &Sizes, windows: &Windows, d: usize) -> Result<ValueId> {
    let along = cx.b.apply(&Iota { shape: sizes.places.clone(), axis: d }, &[])?;
    let along = cx.b.reshape(along, vec![sizes.all_places()])?;
    let (before, _) = windows.pads(d, &sizes.x[2 + d], &sizes.taps[d].into());
    let (step, before) = (windows.strides[d] as f64, Scalar::index(before));
    cx.b.map_named("place", &[along], |a| a[0].clone() * step - before.clone())
}

/// The elements around coordinates `[…]` and their weights, as tables `[…, 2^n]`. An element that
/// is not there has weight zero.
fn corners(cx: &mut Cx<'_>, at: &[ValueId], dims: &[Ix], mask: Option<ValueId>) -> Result<(Vec<ValueId>, ValueId)> {
    let n = at.len();
    let mut shape = cx.b.shape(at[0])?;
    shape.push(Ix::konst(1));
    let number = cx.b.apply(&Iota { shape: vec![Ix::konst(1 << n)], axis: 0 }, &[])?;
    let (mut places, mut weights) = (Vec::new(), mask);
    for (d, (at, size)) in at.iter().zip(dims).enumerate() {
        let at = cx.b.reshape(*at, shape.clone())?;
        let last = Scalar::index(size.clone()) - 1.0;
        let place = |a: &[Scalar]| {
            let bit = Scalar::call(
                tilewright_graph::Func::And,
                vec![Scalar::call(tilewright_graph::Func::Shr, vec![a[1].clone(), a[1].lit(d as f64)]), a[1].lit(1.0)],
            );
            a[0].floor().cast(DType::I64) + bit
        };
        places.push(cx.b.map_named("place", &[at, number], |a| {
            let place = place(a);
            place.maximum(&place.lit(0.0)).minimum(&last)
        })?);
        let own = cx.b.map_named("weight", &[at, number], |a| {
            let place = place(a);
            let inside = place.ge(&place.lit(0.0)).and(&place.le(&last));
            let distance = (&a[0] - &place.cast(a[0].dtype())).abs();
            inside.select(&(distance.lit(1.0) - distance.clone()), &distance.lit(0.0))
        })?;
        weights = Some(match weights {
            None => own,
            Some(w) => cx.b.map_named("weight", &[w, own], |a| &a[0] * &a[1])?,
        });
    }
    let weights = weights.ok_or_else(|| Diagnostic::internal("no spatial dims"))?;
    Ok((places, weights))
}
