//! Where a place of the output lies in the input, along one axis.

use super::extent::{Extent, length};
use crate::import::Cx;
use tilewright_graph::ops::{Bounds, Gather, Iota};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// `coordinate_transformation_mode`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `(i + 0.5) / scale - 0.5`.
    HalfPixel,
    /// The same, centred where the output's size was rounded.
    HalfPixelSymmetric,
    /// The same, but 0 for an output of size 1.
    PytorchHalfPixel,
    /// First and last places coincide.
    AlignCorners,
    /// `i / scale`.
    Asymmetric,
    /// `(i + 0.5) / scale` (until opset 12).
    TfHalfPixelForNn,
    /// Evenly over a region of the input.
    CropAndResize,
}

impl Mode {
    /// The mode of a name in ONNX.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "half_pixel" => Self::HalfPixel,
            "half_pixel_symmetric" => Self::HalfPixelSymmetric,
            "pytorch_half_pixel" => Self::PytorchHalfPixel,
            "align_corners" => Self::AlignCorners,
            "asymmetric" => Self::Asymmetric,
            "tf_half_pixel_for_nn" => Self::TfHalfPixelForNn,
            "tf_crop_and_resize" => Self::CropAndResize,
            _ => return None,
        })
    }
}

/// `nearest_mode`.
#[derive(Clone, Copy)]
pub enum Nearest {
    /// Halves round down.
    PreferFloor,
    /// Halves round up.
    PreferCeil,
    /// Down.
    Floor,
    /// Up.
    Ceil,
    /// Down, or up where the scale is below 1 (before opset 11).
    FloorOrCeil,
}

/// The coordinates in the input, an f64 vector over the output's places.
pub fn source(cx: &mut Cx<'_>, e: &Extent, mode: Mode) -> Result<ValueId> {
    let places = cx.b.apply(&Iota { shape: vec![e.to.clone()], axis: 0 }, &[])?;
    let known = e.from.as_const().is_some() && e.to.as_const().is_some();
    cx.b.map_named("source", &[places], |a| {
        let i = a[0].cast(DType::F64);
        let at = coordinate(&i, e, mode);
        if known || mode == Mode::CropAndResize {
            return at;
        }
        // Sizes that turn out to be equal leave the axis as it is.
        let (p, q) = e.quotient();
        p.equals(&q).select(&i, &at)
    })
}

fn coordinate(i: &Scalar, e: &Extent, mode: Mode) -> Scalar {
    let (p, q) = e.quotient();
    let divided = |x: Scalar| x * q.clone() / p.clone();
    let half_pixel = divided(i.clone() + 0.5) - 0.5;
    let (from, to) = (length(&e.from), length(&e.to));
    let zero = i.lit(0.0);
    let last = from.clone() - 1.0;
    match mode {
        Mode::HalfPixel => half_pixel,
        // The text's offset `from / 2 * (1 - to / exact)` is half of `exact - to` places of the output.
        Mode::HalfPixelSymmetric => {
            let exact = from * p.clone() / q.clone();
            divided((exact - to) * 0.5 + i.clone() + 0.5) - 0.5
        }
        Mode::PytorchHalfPixel => to.gt(&i.lit(1.0)).select(&half_pixel, &zero),
        Mode::AlignCorners => {
            let spread = i * &last / (to.clone() - 1.0);
            to.gt(&i.lit(1.0)).select(&spread, &zero)
        }
        Mode::Asymmetric => divided(i.clone()),
        Mode::TfHalfPixelForNn => divided(i.clone() + 0.5),
        Mode::CropAndResize => {
            let [start, end] = e.roi;
            let spread = last.clone() * start + i * &(last.clone() * (end - start)) / (to.clone() - 1.0);
            to.gt(&i.lit(1.0)).select(&spread, &(last * (0.5 * (start + end))))
        }
    }
}

/// The elements nearest to the coordinates `at`.
pub fn nearest(cx: &mut Cx<'_>, x: ValueId, e: &Extent, (at, mode): (ValueId, Nearest)) -> Result<ValueId> {
    let shrinks = e.known_scale().is_some_and(|s| s < 1.0);
    let last = length(&e.from) - 1.0;
    let table = cx.b.map_named("nearest", &[at], |a| {
        let x = &a[0];
        let place = match mode {
            Nearest::PreferFloor => (x.clone() - 0.5).ceil(),
            Nearest::PreferCeil => (x.clone() + 0.5).floor(),
            Nearest::FloorOrCeil if shrinks => x.ceil(),
            Nearest::Floor | Nearest::FloorOrCeil => x.floor(),
            Nearest::Ceil => x.ceil(),
        };
        place.minimum(&last).maximum(&x.lit(0.0)).cast(DType::I64)
    })?;
    cx.b.apply(&Gather { axis: e.axis, bounds: Bounds::Error }, &[x, table])
}

/// Whether the coordinates `at` lie outside the input, with dims that broadcast over rank `rank`.
pub fn outside(cx: &mut Cx<'_>, at: ValueId, e: &Extent, rank: usize) -> Result<ValueId> {
    let last = length(&e.from) - 1.0;
    let out = cx.b.map_named("outside", &[at], |a| a[0].lt(&a[0].lit(0.0)).or(&a[0].gt(&last)))?;
    let mut shape: Shape = vec![Ix::konst(1); rank - e.axis];
    shape[0] = e.to.clone();
    cx.b.reshape(out, shape)
}
