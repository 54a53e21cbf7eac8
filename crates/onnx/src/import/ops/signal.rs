//! Fourier transforms and what goes with them.

use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use std::f64::consts::PI;
use tilewright_graph::opaque::Fft;
use tilewright_graph::ops::{Bounds, Gather, Iota};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("DFT", 1..=3, &["axis", "inverse", "onesided"], dft).since(17),
    Row::new("STFT", 2..=4, &["onesided"], stft).since(17),
    Row::new("HannWindow", 1..=1, WINDOW, |cx, c| {
        window(cx, c, |t| {
            let s = Scalar::call(Func::Sin, vec![t * PI]);
            s.clone() * s
        })
    })
    .since(17),
    Row::new("HammingWindow", 1..=1, WINDOW, |cx, c| window(cx, c, |t| cosines(t, &[25.0 / 46.0, -21.0 / 46.0])))
        .since(17),
    Row::new("BlackmanWindow", 1..=1, WINDOW, |cx, c| window(cx, c, |t| cosines(t, &[0.42, -0.5, 0.08]))).since(17),
    Row::new("MelWeightMatrix", 5..=5, &["output_datatype"], mel_weights).since(17),
];

const WINDOW: &[&str] = &["output_datatype", "periodic"];

fn dft(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let at = match (call.version, call.opt(2)) {
        (..20, _) => call.int("axis", 1)?,
        (_, Some(v)) => cx.need_int(v)?,
        (_, None) => -2,
    };
    let rank = cx.b.rank(x)?;
    let axis = axis(at, rank).map_err(|e| e.at(&call.node.loc()))?;
    let mut inputs = vec![x];
    let mut length = None;
    if let Some(v) = call.opt(1) {
        let v = cx.b.cast(v, DType::I64)?;
        length = cx.sizes(v)?.first().cloned();
        inputs.push(v);
    }
    let op = Fft { axis, inverse: call.flag("inverse", false)?, onesided: call.flag("onesided", false)?, length };
    cx.b.opaque(op.into(), &inputs)
}

/// Frames of the signal `[B, L, 1 or 2]`, weighted and transformed: `[B, frames, bins, 2]`.
fn stft(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, weights) = (call.x(0)?, call.opt(2));
    let shape = cx.b.shape(x)?;
    if shape.len() != 3 {
        return Err(call.invalid(format!("the signal has rank {}, expected 3", shape.len())));
    }
    let step = cx.need_int(call.x(1)?)?;
    let width = match (weights, call.opt(3)) {
        (_, Some(v)) => Ix::konst(cx.need_int(v)?),
        (Some(w), None) => cx.b.shape(w)?.first().cloned().unwrap_or_else(Ix::zero),
        (None, None) => return Err(call.invalid("neither window nor frame_length is given")),
    };
    let too_long = (&shape[1] - &width).as_const().is_some_and(|n| n < 0);
    if step < 1 || width.as_const().is_some_and(|w| w < 1) || too_long {
        return Err(call.invalid(format!("frames of {width} with step {step} over a signal of {}", shape[1])));
    }
    let frames = (&shape[1] - &width).floor_div(&Ix::konst(step)) + 1;
    let start = cx.b.apply(&Iota { shape: vec![frames, Ix::konst(1)], axis: 0 }, &[])?;
    let within = cx.b.apply(&Iota { shape: vec![Ix::konst(1), width.clone()], axis: 1 }, &[])?;
    let places = cx.b.map(&[start, within], |a| a[0].clone() * a[0].lit(step as f64) + a[1].clone())?;
    let mut cut = cx.b.apply(&Gather { axis: 1, bounds: Bounds::Error }, &[x, places])?;
    if let Some(w) = weights {
        let w = cx.b.reshape(w, vec![width, Ix::konst(1)])?;
        cut = cx.b.map(&[cut, w], |a| &a[0] * &a[1])?;
    }
    let onesided = call.flag("onesided", true)? && shape[2].is(1);
    let op = Fft { axis: 2, inverse: false, onesided, length: None };
    cx.b.opaque(op.into(), &[cut])
}

/// A window function of `n / N` for `n` in `0..size`, where `N` is the size, or one less if it is
/// not periodic.
fn window(cx: &mut Cx<'_>, call: &Call<'_>, f: impl FnOnce(&Scalar) -> Scalar) -> Result<Vec<ValueId>> {
    let size = cx.sizes(call.x(0)?)?.first().cloned().unwrap_or_else(Ix::zero);
    if size.as_const().is_some_and(|n| n < 0) {
        return Err(call.invalid(format!("a window of size {size}")));
    }
    let dtype = call.dtype("output_datatype")?.unwrap_or(DType::F32);
    let whole = if call.flag("periodic", true)? { size.clone() } else { &size - &Ix::konst(1) };
    let n = cx.b.apply(&Iota { shape: vec![size], axis: 0 }, &[])?;
    let out = cx.b.map_named(&call.node.op_type, &[n], |a| {
        let t = a[0].cast(DType::F64) / Scalar::index(whole).cast(DType::F64);
        f(&t).cast(dtype)
    })?;
    Ok(vec![out])
}

/// `sum over k of weights[k] * cos(2*pi*k*t)`.
fn cosines(t: &Scalar, weights: &[f64]) -> Scalar {
    let term = |(k, w): (usize, &f64)| Scalar::call(Func::Cos, vec![t * (2.0 * PI * k as f64)]) * *w;
    weights.iter().enumerate().map(term).reduce(|a, b| a + b).unwrap_or_else(|| t.lit(0.0))
}

/// Triangular filters of mel bins over the bins of a spectrum, `[dft_length/2 + 1, num_mel_bins]`.
fn mel_weights(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let bins = cx.need_int(call.x(0)?)?;
    let length = cx.need_int(call.x(1)?)?;
    let rate = cx.need_int(call.x(2)?)?;
    let mut edge = |i: usize| -> Result<f64> {
        let t = cx.need(call.x(i)?)?;
        if t.len() == 1 && t.dtype().is_float() {
            Ok(t.get_f64(0))
        } else {
            Err(call.invalid("edges are one float each"))
        }
    };
    let (low, high) = (edge(3)?, edge(4)?);
    let fits = (1..=1 << 16).contains(&bins) && (0..=1 << 24).contains(&length) && rate > 0;
    if !fits || !(0.0..1e12).contains(&low) || !(0.0..1e12).contains(&high) {
        return Err(call.invalid(format!("{bins} mel bins over a transform of {length} at rate {rate}")));
    }
    let mel = |hertz: f64| 2595.0 * (hertz / 700.0).ln_1p() / 10f64.ln();
    let step = (mel(high) - mel(low)) / (bins + 2) as f64;
    let place = |i: i64| {
        let hertz = 700.0 * ((mel(low) + step * i as f64) / 2595.0 * 10f64.ln()).exp_m1();
        ((length + 1) as f64 * hertz / rate as f64).floor() as i64
    };
    let rows = length / 2 + 1;
    if rows.saturating_mul(bins) > 1 << 28 || place(bins + 1) > rows {
        return Err(call.invalid(format!("the upper edge of {high} Hz lies beyond the {rows} bins of the spectrum")));
    }
    let mut weights = vec![0f64; (rows * bins) as usize];
    for i in 0..bins {
        let (left, center, right) = (place(i), place(i + 1), place(i + 2));
        let mut set = |j: i64, w: f64| {
            if (0..rows).contains(&j) {
                weights[(j * bins + i) as usize] = w;
            }
        };
        if left == center {
            set(center, 1.0);
        }
        for j in left..=center {
            if left != center {
                set(j, (j - left) as f64 / (center - left) as f64);
            }
        }
        for j in center..right {
            set(j, (right - j) as f64 / (right - center) as f64);
        }
    }
    let dtype = call.dtype("output_datatype")?.unwrap_or(DType::F32);
    if !dtype.is_float() {
        return Err(call.unsupported(format!("mel weights of dtype {}", dtype.name())));
    }
    let t = Tensor::from_f64(dtype, &[rows as usize, bins as usize], &weights)?;
    Ok(vec![cx.b.constant(t)])
}
