//! Weighted sums of neighbours along one axis.

use super::extent::{Extent, length};
use super::kernel::Kernel;
use crate::import::Cx;
use tilewright_graph::ops::{Interpolate, Iota, Place};
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// How neighbours are weighted.
#[derive(Clone, Copy)]
pub struct Filter {
    /// By distance.
    pub kernel: Kernel,
    /// Widened by `1 / scale` where the scale is below 1.
    pub antialias: bool,
    /// Places outside have weight 0 instead of the value at the edge; the others sum to 1.
    pub exclude_outside: bool,
}

impl Filter {
    /// A kernel alone.
    pub fn plain(kernel: Kernel) -> Self {
        Self { kernel, antialias: false, exclude_outside: false }
    }
}

/// The sums of neighbours around the coordinates `at`.
pub fn along(cx: &mut Cx<'_>, x: ValueId, e: &Extent, (at, filter): (ValueId, Filter)) -> Result<ValueId> {
    let shrink = if filter.antialias { shrink(e) } else { 1.0 };
    let reach = (filter.kernel.radius() as f64 / shrink).ceil() as i64;
    let at = cx.b.reshape(at, vec![e.to.clone(), Ix::konst(1)])?;
    let taps = cx.b.apply(&Iota { shape: vec![Ix::konst(2 * reach)], axis: 0 }, &[])?;
    let places =
        cx.b.map_named("taps", &[at, taps], |a| a[0].floor().cast(DType::I64) + a[1].clone() - (reach - 1) as f64)?;
    let weights = weights(cx, (at, places), e, (filter, shrink))?;
    let last = Scalar::index(&e.from - &Ix::konst(1));
    let places = cx.b.map_named("clamp", &[places], |a| a[0].minimum(&last).maximum(&a[0].lit(0.0)))?;
    let dtype = cx.b.dtype(x)?;
    let weights = cx.b.cast(weights, dtype)?;
    let label = |i: usize| char::from_u32('A' as u32 + i as u32).unwrap_or('?');
    let output: Vec<char> = (0..cx.b.rank(x)?).map(label).collect();
    let taps = vec![label(e.axis), '*'];
    let mut neighbours: Vec<Place> = output.iter().map(|l| Place::Label(*l)).collect();
    neighbours[e.axis] = Place::Table(2, taps.clone());
    let factors = vec![neighbours, taps.into_iter().map(Place::Label).collect()];
    cx.b.apply(&Interpolate { combiner: Combiner::Sum, factors, output }, &[x, weights, places])
}

/// The scale where it is below 1, else 1. An output of size 0 has no neighbours; otherwise 1 over the
/// scale is at most about the input's size.
fn shrink(e: &Extent) -> f64 {
    let scale = e.known_scale().filter(|_| !e.to.is(0));
    scale.map_or(1.0, |s| s.min(1.0))
}

/// The weights of the places `places` around the coordinates `at`.
fn weights(
    cx: &mut Cx<'_>,
    (at, places): (ValueId, ValueId),
    e: &Extent,
    (filter, shrink): (Filter, f64),
) -> Result<ValueId> {
    let size = length(&e.from);
    let weights = cx.b.map_named("weights", &[at, places], |a| {
        let place = a[1].cast(DType::F64);
        let weight = filter.kernel.weight(&((&place - &a[0]) * shrink));
        if !filter.exclude_outside {
            return weight;
        }
        let inside = place.ge(&place.lit(0.0)).and(&place.lt(&size));
        inside.select(&weight, &weight.lit(0.0))
    })?;
    if !filter.exclude_outside && !filter.antialias {
        return Ok(weights);
    }
    let sum = cx.b.reduce(weights, Combiner::Sum, &[1], true)?;
    // Where all neighbours are outside, nothing is there to be scaled.
    cx.b.map_named("normalize", &[weights, sum], |a| a[1].equals(&a[1].lit(0.0)).select(&a[0], &(&a[0] / &a[1])))
}
