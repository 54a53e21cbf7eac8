//! Reductions over sliding windows: pooling.

use super::{Body, Structured, f32s, tensor};
use crate::comp::Combiner;
use crate::decl::{Decl, Window};
use crate::scalar::Scalar;
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// One windowed dim.
#[derive(Clone)]
pub struct WindowDim {
    /// Taps.
    pub size: i64,
    /// Step.
    pub stride: i64,
    /// Distance between taps.
    pub dilation: i64,
    /// Absent places before and after the dim.
    pub pads: (Ix, Ix),
    /// The number of windows where it does not follow from the reads (`ceil_mode`): later ones may
    /// reach beyond the padding, where taps are absent too.
    pub count: Option<Ix>,
}

/// Combines the last dims of an operand over sliding windows.
pub struct ReduceWindow {
    /// How.
    pub combiner: Combiner,
    /// The windows, for the last dims.
    pub dims: Vec<WindowDim>,
}

impl ReduceWindow {
    /// What an absent tap reads as: the combiner's identity.
    fn absent(&self, like: &Scalar) -> Result<Scalar> {
        let float = like.dtype().is_float();
        let extreme = |sign: f64, bits: i64| {
            if float { like.lit(sign * f64::INFINITY) } else { Scalar::int(like.dtype(), bits) }
        };
        let (lowest, highest) = tilewright_tensor::convert::int_bounds(like.dtype());
        Ok(match self.combiner {
            Combiner::Sum => like.lit(0.0),
            Combiner::Prod => like.lit(1.0),
            Combiner::Max | Combiner::ArgMax { .. } => extreme(-1.0, lowest),
            Combiner::Min | Combiner::ArgMin { .. } => extreme(1.0, highest),
            other => return Err(Diagnostic::internal(format!("windows are not combined by {}", other.name()))),
        })
    }
}

impl Structured for ReduceWindow {
    const NAME: &'static str = "reduce_window";
    const DOC: &'static str = "Combines the last dims of `x` over sliding windows; taps on padding are absent. Arg \
        combiners give the row-major position within the window.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let x = d.operand(0)?;
        let Some(lead) = x.rank().checked_sub(self.dims.len()) else {
            return Err(Diagnostic::shape(format!("{} windows over rank {}", self.dims.len(), x.rank())));
        };
        if self.dims.iter().any(|w| w.size < 1 || w.stride < 1 || w.dilation < 1) {
            return Err(Diagnostic::shape("window sizes, strides and dilations must be at least 1"));
        }
        let mut at = d.pars("n", lead);
        let mut windows = vec![Window::pad(0, 0); lead];
        for (i, (w, size)) in self.dims.iter().zip(&x.shape()[lead..]).enumerate() {
            let y = match &w.count {
                Some(count) => d.par_of(&format!("y{i}"), count.clone()),
                None => d.par(&format!("y{i}")),
            };
            let r = d.reduce_of(&format!("r{i}"), w.size);
            let (before, mut after) = w.pads.clone();
            if let Some(count) = &w.count {
                let (window, places) = (Ix::konst((w.size - 1) * w.dilation + 1), &(&before + size) + &after);
                d.require_room(count, &window, &places, &format!("window along axis y{i} exceeds its places"))?;
                let reach = (count - &Ix::konst(1)) * w.stride + (w.size - 1) * w.dilation + 1;
                after = after.max_with(&(&reach - &(&before + size)));
            }
            windows.push(Window::pad(before, after));
            at.push(y * w.stride + r * w.dilation);
        }
        let absent = self.absent(&x.lit(0.0))?;
        Ok((self.combiner, x.windowed(windows, absent).at(&at)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let dim = |size, stride, dilation, pads: (i64, i64), count: Option<i64>| WindowDim {
            size,
            stride,
            dilation,
            pads: (Ix::konst(pads.0), Ix::konst(pads.1)),
            count: count.map(Ix::konst),
        };
        let of = |combiner, dims| Self { combiner, dims };
        vec![
            (of(Combiner::Max, vec![dim(3, 2, 1, (1, 1), None); 2]), vec![f32s(&[1, 2, 7, 6])]),
            (of(Combiner::Sum, vec![dim(2, 2, 1, (0, 0), Some(3))]), vec![f32s(&[2, 1, 5])]),
            (of(Combiner::Max, vec![dim(2, 1, 2, (1, 1), None)]), vec![f32s(&[1, 1, 9])]),
            (of(Combiner::ArgMax { last: false }, vec![dim(2, 2, 1, (1, 0), None); 2]), vec![f32s(&[1, 1, 5, 5])]),
            (of(Combiner::Min, vec![dim(3, 3, 1, (0, 0), None)]), vec![f32s(&[9])]),
        ]
    }
}

/// Where windows found what an arg combiner took.
pub struct WindowPlaces {
    /// The windows, over the last dims.
    pub dims: Vec<WindowDim>,
    /// The dims of what the windows slide over.
    pub sizes: Shape,
    /// The distance of neighbours along each of those dims, in the order that places are counted.
    pub strides: Shape,
}

impl Structured for WindowPlaces {
    const NAME: &'static str = "window_places";
    const DOC: &'static str = "Turns `taps`, positions within windows as `reduce_window` gives them, into places in the \
        operand. A tap on padding counts as the nearest element.";
    const OPERANDS: &'static [&'static str] = &["taps"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let taps = d.operand(0)?;
        let rank = self.sizes.len();
        let lead = rank.checked_sub(self.dims.len()).filter(|_| taps.rank() == rank && self.strides.len() == rank);
        let Some(lead) = lead else {
            return Err(Diagnostic::shape(format!("{} windows over ranks {rank}, {}", self.dims.len(), taps.rank())));
        };
        let at = d.pars("i", rank);
        let tap = taps.load(&at);
        let mut place = Ix::zero();
        for (i, axis) in at.iter().enumerate() {
            let Some(w) = i.checked_sub(lead).map(|k| &self.dims[k]) else {
                place = place + axis * &self.strides[i];
                continue;
            };
            let later: i64 = self.dims[i - lead + 1..].iter().map(|w| w.size).product();
            let own = tap.floor_div(&Ix::konst(later)).modulo(&Ix::konst(w.size));
            let along = axis * w.stride + own * w.dilation - &w.pads.0;
            let last = &self.sizes[i] - &Ix::konst(1);
            place = place + &along.max_with(&Ix::zero()).min_with(&last) * &self.strides[i];
        }
        Ok((Combiner::Map, Scalar::index(place)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let dim = |size, stride| WindowDim { size, stride, dilation: 1, pads: (1.into(), 0.into()), count: None };
        let sizes = |dims: &[i64]| dims.iter().map(|n| Ix::konst(*n)).collect::<Shape>();
        let two = Self { dims: vec![dim(2, 2), dim(3, 1)], sizes: sizes(&[2, 3, 4]), strides: sizes(&[12, 4, 1]) };
        vec![(two, vec![tensor(DType::I64, &[2, 2, 3])])]
    }
}
