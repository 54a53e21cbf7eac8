//! Resize and Upsample: separable resampling, one axis after the other.
//!
//! ```text
//! sizes and scales ──> coordinate in the input, for every place of the output   (coordinates)
//!                      └─> nearest: a table of places, one Gather
//!                      └─> linear, cubic: tables of places and weights (filter), one Interpolate
//! ```
//!
//! Tables are f64 and made in the graph, so they follow symbolic sizes. Axes with scale 1 stay as they are.

mod coordinates;
mod extent;
mod filter;
pub mod kernel;

use crate::import::table::Row;
use crate::import::{Call, Cx};
use coordinates::{Mode, Nearest};
use extent::Extent;
use filter::Filter;
use kernel::Kernel;
use tilewright_graph::ValueId;
use tilewright_support::Result;
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Upsample", 1..=1, &["mode", "height_scale", "width_scale"], |cx, c| {
        let scales = ["height_scale", "width_scale"].map(|n| c.node.required(n, crate::Node::attr_float));
        let [height, width] = scales;
        resize_by(cx, c, &[1.0, 1.0, height?, width?])
    })
    .until(6),
    Row::new("Upsample", 1..=1, &["mode", "scales"], |cx, c| {
        let scales = c.node.required("scales", crate::Node::attr_floats)?;
        resize_by(cx, c, scales)
    })
    .since(7)
    .until(8),
    Row::new("Upsample", 2..=2, &["mode"], resize_by_input).since(9).until(9),
    Row::new("Resize", 2..=2, &["mode"], resize_by_input).since(10).until(10),
    Row::new("Resize", 3..=4, RESIZE, resize).since(11).until(12),
    Row::new("Resize", 1..=4, RESIZE, resize).since(13),
];

const RESIZE: &[&str] = &[
    "antialias",
    "axes",
    "coordinate_transformation_mode",
    "cubic_coeff_a",
    "exclude_outside",
    "extrapolation_value",
    "keep_aspect_ratio_policy",
    "mode",
    "nearest_mode",
];

/// How values between elements are made.
#[derive(Clone, Copy)]
enum Interpolation {
    Nearest(Nearest),
    Filter(Filter),
}

/// What holds for all axes of one resize.
struct Settings {
    mode: Mode,
    interpolation: Interpolation,
    /// The value of places outside the input, with [`Mode::CropAndResize`].
    extrapolation: f64,
}

/// Resize before opset 11 and Upsample: scales alone, coordinates divided by the scale. The nearest
/// place is the one before, or the one behind where the scale is below 1 (as the test data of that
/// time has it; the text does not say).
fn resize_by(cx: &mut Cx<'_>, call: &Call<'_>, scales: &[f32]) -> Result<Vec<ValueId>> {
    let interpolation = match call.str("mode", "nearest")? {
        "nearest" => Interpolation::Nearest(Nearest::FloorOrCeil),
        "linear" => Interpolation::Filter(Filter::plain(Kernel::Linear)),
        "bilinear" if call.version < 7 => Interpolation::Filter(Filter::plain(Kernel::Linear)),
        other => return Err(call.invalid(format!("mode \"{other}\" of {}", call.node.op_type))),
    };
    let settings = Settings { mode: Mode::Asymmetric, interpolation, extrapolation: 0.0 };
    let extents = extent::by_scales(cx, call, scales)?;
    apply(cx, call, &extents, &settings)
}

fn resize_by_input(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let scales = extent::floats(cx, call.x(1)?)?;
    resize_by(cx, call, &scales)
}

fn resize(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let interpolation = match call.str("mode", "nearest")? {
        "nearest" => Interpolation::Nearest(nearest(call)?),
        "linear" => Interpolation::Filter(filter(call, Kernel::Linear)?),
        "cubic" => Interpolation::Filter(filter(call, Kernel::Cubic(call.float("cubic_coeff_a", -0.75)?))?),
        other => return Err(call.invalid(format!("mode \"{other}\" of Resize"))),
    };
    let name = call.str("coordinate_transformation_mode", "half_pixel")?;
    let mode = Mode::named(name).ok_or_else(|| call.invalid(format!("coordinate_transformation_mode \"{name}\"")))?;
    let settings = Settings { mode, interpolation, extrapolation: call.float("extrapolation_value", 0.0)? };
    let extents = extent::of_resize(cx, call, mode)?;
    apply(cx, call, &extents, &settings)
}

fn nearest(call: &Call<'_>) -> Result<Nearest> {
    Ok(match call.str("nearest_mode", "round_prefer_floor")? {
        "round_prefer_floor" => Nearest::PreferFloor,
        "round_prefer_ceil" => Nearest::PreferCeil,
        "floor" => Nearest::Floor,
        "ceil" => Nearest::Ceil,
        other => return Err(call.invalid(format!("nearest_mode \"{other}\""))),
    })
}

fn filter(call: &Call<'_>, kernel: Kernel) -> Result<Filter> {
    let exclude_outside = call.flag("exclude_outside", false)?;
    Ok(Filter { exclude_outside, antialias: call.flag("antialias", false)?, ..Filter::plain(kernel) })
}

fn apply(cx: &mut Cx<'_>, call: &Call<'_>, extents: &[Extent], settings: &Settings) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let dtype = cx.b.dtype(x)?;
    let mut dims = cx.b.shape(x)?;
    extents.iter().for_each(|e| dims[e.axis] = e.to.clone());
    if let Some(y) = cx.empty(dtype, &dims)? {
        return Ok(vec![y]);
    }
    let filtered = matches!(settings.interpolation, Interpolation::Filter(_));
    if filtered && dtype == DType::String {
        return Err(call.invalid("strings can only be resized with mode \"nearest\""));
    }
    let work = match dtype {
        _ if !filtered => dtype,
        DType::F64 => DType::F64,
        d if d.is_float() => DType::F32,
        _ => DType::F64,
    };
    let mut y = cx.b.cast(x, work)?;
    let mut outside = None;
    for extent in extents.iter().filter(|e| !e.is_identity(settings.mode)) {
        let at = coordinates::source(cx, extent, settings.mode)?;
        y = match settings.interpolation {
            Interpolation::Nearest(mode) => coordinates::nearest(cx, y, extent, (at, mode))?,
            Interpolation::Filter(f) => filter::along(cx, y, extent, (at, f))?,
        };
        if settings.mode == Mode::CropAndResize {
            let here = coordinates::outside(cx, at, extent, cx.b.rank(x)?)?;
            outside = Some(match outside {
                None => here,
                Some(other) => cx.b.map(&[other, here], |a| a[0].or(&a[1]))?,
            });
        }
    }
    if let Some(outside) = outside {
        let value = settings.extrapolation;
        y = cx.b.map_named("extrapolate", &[outside, y], |a| a[0].select(&a[1].lit(value), &a[1]))?;
    }
    Ok(vec![finish(cx, y, dtype)?])
}

/// Back to the input's dtype. Integers drop the fraction, after sums that are whole but for
/// rounding errors became whole; what a cubic kernel throws beyond the range stays at its end.
fn finish(cx: &mut Cx<'_>, y: ValueId, dtype: DType) -> Result<ValueId> {
    if dtype.is_float() || cx.b.dtype(y)? != DType::F64 {
        return cx.b.cast(y, dtype);
    }
    cx.b.map_named("to_integer", &[y], |a| {
        let whole = a[0].round_even();
        let error = (&a[0] - &whole).abs();
        let y = error.le(&(whole.abs() * 1e-12 + 1e-9)).select(&whole, &a[0]);
        match ends(dtype) {
            Some((least, most)) => y.maximum(&y.lit(least)).minimum(&y.lit(most)).cast(dtype),
            None => y.cast(dtype),
        }
    })
}

/// The range of an integer dtype of at most 32 bits.
fn ends(dtype: DType) -> Option<(f64, f64)> {
    let bits = i32::try_from(dtype.bits()).ok().filter(|b| dtype.is_int() && *b <= 32)?;
    let half = 2f64.powi(bits - 1);
    Some(if dtype.is_signed() { (-half, half - 1.0) } else { (0.0, 2.0 * half - 1.0) })
}
