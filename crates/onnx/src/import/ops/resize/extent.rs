//! Sizes and scales of the axes that are resized.

use super::coordinates::Mode;
use crate::import::call::axes;
use crate::import::{Call, Cx};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// One axis to be resized.
pub struct Extent {
    /// The axis.
    pub axis: usize,
    /// Its size in the input.
    pub from: Ix,
    /// Its size in the output.
    pub to: Ix,
    /// The scale as a quotient: numbers that were given, or sizes.
    pub scale: Scale,
    /// The region of interest, as shares of the input.
    pub roi: [f64; 2],
}

/// `length_resized / length_original`, kept as a quotient so that ties stay exact.
#[derive(Clone)]
pub enum Scale {
    /// Of two numbers.
    Numbers(f64, f64),
    /// Of the sizes in output and input.
    Sizes,
}

/// The whole input.
const WHOLE: [f64; 2] = [0.0, 1.0];

impl Extent {
    /// Whether the axis stays as it is.
    pub fn is_identity(&self, mode: Mode) -> bool {
        let unscaled = match self.scale {
            Scale::Numbers(a, b) => a == b,
            Scale::Sizes => true,
        };
        unscaled && self.from == self.to && (mode != Mode::CropAndResize || self.roi == WHOLE)
    }

    /// Numerator and denominator of the scale, as f64 scalars.
    pub fn quotient(&self) -> (Scalar, Scalar) {
        match self.scale {
            Scale::Numbers(a, b) => (Scalar::konst(DType::F64, a), Scalar::konst(DType::F64, b)),
            Scale::Sizes => (length(&self.to), length(&self.from)),
        }
    }

    /// The scale, where it is known.
    pub fn known_scale(&self) -> Option<f64> {
        match self.scale {
            Scale::Numbers(a, b) => Some(a / b),
            Scale::Sizes => Some(self.to.as_const()? as f64 / self.from.as_const()? as f64),
        }
    }
}

/// A size as an f64 scalar.
pub fn length(size: &Ix) -> Scalar {
    Scalar::index(size.clone()).cast(DType::F64)
}

/// The elements of a float vector that the translation depends on.
pub fn floats(cx: &mut Cx<'_>, v: ValueId) -> Result<Vec<f32>> {
    let t = cx.need(v)?;
    Ok(t.to_vec_f64().into_iter().map(|x| x as f32).collect())
}

fn numbers(cx: &mut Cx<'_>, v: ValueId) -> Result<Vec<Ix>> {
    Ok(cx.need_ints(v)?.into_iter().map(Ix::konst).collect())
}

/// All axes, with one scale each.
pub fn by_scales(cx: &mut Cx<'_>, call: &Call<'_>, scales: &[f32]) -> Result<Vec<Extent>> {
    let rank = cx.b.rank(call.x(0)?)?;
    scaled(cx, call, (0..rank).collect(), scales)
}

/// The axes of `Resize`: `scales` or `sizes` for all axes or those that are named.
pub fn of_resize(cx: &mut Cx<'_>, call: &Call<'_>, mode: Mode) -> Result<Vec<Extent>> {
    let rank = cx.b.rank(call.x(0)?)?;
    let at = match call.ints("axes")? {
        Some(list) => axes(list, rank)?,
        None => (0..rank).collect(),
    };
    let scales = call.opt(2).map(|v| floats(cx, v)).transpose()?.filter(|s| !s.is_empty());
    // The width of an antialiasing filter depends on the scale.
    let exact = call.flag("antialias", false)?;
    if exact {
        cx.need_static(&[call.x(0)?])?;
    }
    let sizes = call.opt(3).map(|v| if exact { numbers(cx, v) } else { cx.sizes(v) });
    let sizes = sizes.transpose()?.filter(|s| !s.is_empty());
    let by_scales = scales.is_some();
    let mut extents = match (scales, sizes) {
        (Some(scales), None) => scaled(cx, call, at.clone(), &scales)?,
        (None, Some(sizes)) => sized(cx, call, &at, &sizes)?,
        (None, None) => return Err(call.invalid("Resize needs scales or sizes")),
        (Some(_), Some(_)) => return Err(call.invalid("Resize takes scales or sizes, not both")),
    };
    if mode == Mode::CropAndResize {
        set_regions(cx, call, &mut extents, by_scales)?;
    }
    Ok(extents)
}

fn scaled(cx: &mut Cx<'_>, call: &Call<'_>, at: Vec<usize>, scales: &[f32]) -> Result<Vec<Extent>> {
    let x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    if scales.len() != at.len() {
        return Err(call.invalid(format!("{} scales for {} axes", scales.len(), at.len())));
    }
    if let Some(s) = scales.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
        return Err(call.invalid(format!("a scale must be positive, found {s}")));
    }
    let mut out = Vec::with_capacity(at.len());
    for (axis, scale) in at.into_iter().zip(scales) {
        let from = dims[axis].clone();
        let to = match scaled_size(&from, *scale) {
            Some(to) => to,
            None => Ix::konst(scaled_number(cx.need_static(&[x])?[0][axis], *scale)),
        };
        out.push(Extent { axis, from, to, scale: Scale::Numbers(f64::from(*scale), 1.0), roi: WHOLE });
    }
    Ok(out)
}

/// `floor(size * scale)` in f32, as shape inference of ONNX has it: 3 * (5/3) is 5.
fn scaled_number(size: i64, scale: f32) -> i64 {
    (size as f32 * scale).floor() as i64
}

/// `floor(size * scale)`; of a symbolic size only for scales with short fractions, which are exact.
fn scaled_size(size: &Ix, scale: f32) -> Option<Ix> {
    if let Some(n) = size.as_const() {
        return Some(Ix::konst(scaled_number(n, scale)));
    }
    const FRACTION: i64 = 64;
    let parts = f64::from(scale) * FRACTION as f64;
    let exact = parts.fract() == 0.0 && parts <= (1 << 20) as f64;
    exact.then(|| (size * parts as i64).floor_div(&Ix::konst(FRACTION)))
}

fn sized(cx: &mut Cx<'_>, call: &Call<'_>, at: &[usize], sizes: &[Ix]) -> Result<Vec<Extent>> {
    let x = call.x(0)?;
    let dims = cx.b.shape(x)?;
    if sizes.len() != at.len() {
        return Err(call.invalid(format!("{} sizes for {} axes", sizes.len(), at.len())));
    }
    if let Some(n) = sizes.iter().find(|n| n.as_const().is_some_and(|c| c < 0)) {
        return Err(call.invalid(format!("a size of {n}")));
    }
    let larger = match call.str("keep_aspect_ratio_policy", "stretch")? {
        "stretch" => {
            let stretch = |(axis, to): (&usize, &Ix)| Extent {
                axis: *axis,
                from: dims[*axis].clone(),
                to: to.clone(),
                scale: Scale::Sizes,
                roi: WHOLE,
            };
            return Ok(at.iter().zip(sizes).map(stretch).collect());
        }
        "not_larger" => false,
        "not_smaller" => true,
        other => return Err(call.invalid(format!("keep_aspect_ratio_policy \"{other}\""))),
    };
    let own = cx.need_static(&[x])?.remove(0);
    let sizes = match call.opt(3) {
        Some(v) => cx.need_ints(v)?,
        None => Vec::new(),
    };
    let scales: Vec<(i64, i64)> = at.iter().zip(&sizes).map(|(a, n)| (*n, own[*a])).collect();
    in_proportion(call, at, &scales, larger)
}

/// One scale for all axes: the smallest or the largest of `wanted / own`; halves round up.
fn in_proportion(call: &Call<'_>, at: &[usize], scales: &[(i64, i64)], larger: bool) -> Result<Vec<Extent>> {
    if scales.iter().any(|(_, own)| *own == 0) {
        return Err(call.invalid("an input of size 0 has no aspect ratio"));
    }
    let ratio = |s: &&(i64, i64)| s.0 as f64 / s.1 as f64;
    let order = |a: &&(i64, i64), b: &&(i64, i64)| ratio(a).total_cmp(&ratio(b));
    let chosen = if larger { scales.iter().max_by(order) } else { scales.iter().min_by(order) };
    let Some((p, q)) = chosen.copied() else { return Ok(Vec::new()) };
    let extent = |(axis, (_, own)): (&usize, &(i64, i64))| {
        // (p * own) / q rounded to nearest, halves up.
        let twice = 2 * i128::from(p) * i128::from(*own) + i128::from(q);
        let to = i64::try_from(twice.div_euclid(2 * i128::from(q))).unwrap_or(i64::MAX);
        let scale = Scale::Numbers(p as f64, q as f64);
        Extent { axis: *axis, from: Ix::konst(*own), to: Ix::konst(to), scale, roi: WHOLE }
    };
    Ok(at.iter().zip(scales).map(extent).collect())
}

fn set_regions(cx: &mut Cx<'_>, call: &Call<'_>, extents: &mut [Extent], by_scales: bool) -> Result<()> {
    let roi = call.opt(1).ok_or_else(|| call.invalid("tf_crop_and_resize needs a region of interest"))?;
    let roi = cx.need(roi)?.to_vec_f64();
    if roi.len() != 2 * extents.len() {
        return Err(call.invalid(format!("{} numbers in the region of interest, {} axes", roi.len(), extents.len())));
    }
    let (starts, ends) = roi.split_at(extents.len());
    for (e, (start, end)) in extents.iter_mut().zip(starts.iter().zip(ends)) {
        e.roi = [*start, *end];
        if by_scales && end - start != 1.0 {
            // The text makes the output smaller by the region's share; all implementations do not.
            return Err(call.unsupported("tf_crop_and_resize of a part of an axis by scales; give sizes instead"));
        }
    }
    Ok(())
}
