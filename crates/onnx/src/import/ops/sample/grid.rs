//! Places and weights of the neighbours that a grid of coordinates addresses.

use crate::import::Cx;
use crate::import::ops::resize::kernel::Kernel;
use tilewright_graph::ops::Iota;
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// The kernel that weights neighbours; without one, the nearest element counts alone (halves go to
/// the even one).
pub type Taps = Option<Kernel>;

/// What lies outside an image.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// Zeros.
    Zeros,
    /// The nearest element.
    Border,
    /// The image mirrored at its borders.
    Reflection,
}

/// Tables of one sampling. Each spatial dim has its own axis of taps: table `k` broadcasts over
/// `shape`, which is `[N, out…, taps…]`.
pub struct Grid {
    /// Places along each spatial dim, i64, within the image.
    pub places: Vec<ValueId>,
    /// Weights along each spatial dim, if there is a kernel.
    pub weights: Vec<ValueId>,
    /// With [`Padding::Zeros`]: whether a neighbour is an element of the image.
    pub inside: Option<ValueId>,
    /// The dims of all tables together.
    pub shape: Shape,
}

/// The number of neighbours along a dim.
fn count(taps: Taps) -> i64 {
    taps.map_or(1, |k| 2 * k.radius())
}

/// The extent of a spatial dim, as scalars of the coordinates' dtype.
struct Border {
    size: Scalar,
    low: Scalar,
    high: Scalar,
}

impl Border {
    fn new(n: &Ix, dtype: DType, align: bool) -> Self {
        let size = Scalar::index(n.clone()).cast(dtype);
        let half = if align { 0.0 } else { 0.5 };
        Self { low: size.lit(-half), high: size.clone() - (1.0 - half), size }
    }

    /// A coordinate in `-1..1` as a coordinate in elements.
    fn scaled(&self, g: &Scalar, align: bool) -> Scalar {
        match align {
            true => (g.clone() + 1.0) * 0.5 * (self.size.clone() - 1.0),
            false => ((g.clone() + 1.0) * self.size.clone() - 1.0) * 0.5,
        }
    }

    fn clamped(&self, x: &Scalar) -> Scalar {
        x.minimum(&(self.size.clone() - 1.0)).maximum(&x.lit(0.0))
    }

    /// Mirrored at both borders, again and again, until it is inside.
    fn reflected(&self, x: &Scalar) -> Scalar {
        let span = self.high.clone() - self.low.clone();
        let period = span.clone() * 2.0;
        let t = Scalar::call(Func::Mod, vec![x.clone() - self.low.clone(), period.clone()]);
        let folded = t.le(&span).select(&t, &(period - t.clone())) + self.low.clone();
        let inside = x.ge(&self.low).and(&x.le(&self.high));
        let flat = span.le(&x.lit(0.0)).select(&self.low, &folded);
        inside.select(x, &flat)
    }
}

impl Grid {
    /// The tables of `grid [N, out…, r]` over an image with spatial dims `dims`.
    pub fn new(
        cx: &mut Cx<'_>,
        grid: ValueId,
        dims: &[Ix],
        (taps, padding, align): (Taps, Padding, bool),
    ) -> Result<Self> {
        let (r, dtype) = (dims.len(), cx.b.dtype(grid)?);
        if !dtype.is_float() {
            return Err(Diagnostic::dtype(format!("the grid must be of floats, found {}", dtype.name())));
        }
        let work = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let grid = cx.b.cast(grid, work)?;
        let mut shape = cx.b.shape(grid)?;
        shape.truncate(r + 1);
        let mut single = shape.clone();
        single.extend(vec![Ix::konst(1); r]);
        shape.extend(vec![Ix::konst(count(taps)); r]);
        let mut out = Self { places: Vec::new(), weights: Vec::new(), inside: None, shape };
        for (k, n) in dims.iter().enumerate() {
            // The innermost dim comes first in a location.
            let g = cx.b.slice(grid, r + 1, r - 1 - k, 1)?;
            let g = cx.b.reshape(g, single.clone())?;
            let border = Border::new(n, work, align);
            let at = cx.b.map_named("locate", &[g], |a| {
                let at = border.scaled(&a[0], align);
                let at = if taps.is_none() { at.round_even() } else { at };
                let outside = at.lt(&border.low).or(&at.gt(&border.high));
                match padding {
                    Padding::Zeros => at,
                    Padding::Border => outside.select(&border.clamped(&at), &at),
                    Padding::Reflection => border.reflected(&at),
                }
            })?;
            out.add(cx, at, &border, (k, r, taps, padding))?;
        }
        Ok(out)
    }

    /// Adds the tables of spatial dim `k` of `r`, around the coordinates `at`.
    fn add(
        &mut self,
        cx: &mut Cx<'_>,
        at: ValueId,
        border: &Border,
        (k, r, taps, padding): (usize, usize, Taps, Padding),
    ) -> Result<()> {
        let mut line = vec![Ix::konst(1); r - k];
        line[0] = Ix::konst(count(taps));
        let tap = cx.b.apply(&Iota { shape: line, axis: 0 }, &[])?;
        let before = taps.map_or(0, |k| k.radius() - 1) as f64;
        let place = cx.b.map_named("taps", &[at, tap], |a| a[0].floor() + a[1].cast(a[0].dtype()) - before)?;
        if let Some(kernel) = taps {
            self.weights.push(cx.b.map_named("weights", &[at, place], |a| kernel.weight(&(&a[1] - &a[0])))?);
        }
        let inner = cx.b.map_named("places", &[place], |a| {
            let place = if padding == Padding::Reflection { border.reflected(&a[0]) } else { a[0].clone() };
            border.clamped(&place).cast(DType::I64).maximum(&Scalar::int(DType::I64, 0))
        })?;
        self.places.push(inner);
        if padding == Padding::Zeros {
            let last = border.size.clone() - 1.0;
            let here = cx.b.map_named("inside", &[place], |a| a[0].ge(&a[0].lit(0.0)).and(&a[0].le(&last)))?;
            self.inside = Some(match self.inside {
                None => here,
                Some(other) => cx.b.map_named("inside", &[other, here], |a| a[0].and(&a[1]))?,
            });
        }
        Ok(())
    }
}
