//! Numbers as strings and back, as ONNX `Cast` describes.
use super::cast::{CastOptions, round_for};
use super::{float_to_int, wrap_to};
use crate::{DType, Tensor, TensorMut};
use tilewright_support::{Diagnostic, Result};

/// Every element written out.
pub(super) fn to_strings(x: &Tensor) -> Result<Tensor> {
    let strings: Vec<String> = match x.dtype() {
        DType::F64 => x.to_vec_f64().into_iter().map(|v| show(v, format!("{v:e}"), v.to_string())).collect(),
        t if t.is_float() => x.to_vec_f64().into_iter().map(show_f32).collect(),
        DType::U64 => x.to_vec_i64().into_iter().map(|v| (v as u64).to_string()).collect(),
        _ => x.to_vec_i64().into_iter().map(|v| v.to_string()).collect(),
    };
    Tensor::from_strings(x.shape(), strings)
}

fn show_f32(value: f64) -> String {
    let narrow = value as f32;
    show(value, format!("{narrow:e}"), narrow.to_string())
}

/// One of the two spellings, or the name of a special value.
fn show(value: f64, scientific: String, plain: String) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF".into() } else { "-INF".into() };
    }
    if value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
        return plain;
    }
    // Two digits and a sign, as C and numpy write exponents.
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{exponent:+03}")
}

/// Every string read as a number of dtype `to`.
pub(super) fn parse_all(strings: &[String], shape: &[usize], to: DType, options: &CastOptions) -> Result<Tensor> {
    let mut result = TensorMut::new(to, shape)?;
    for (i, string) in strings.iter().enumerate() {
        let wrong = || Diagnostic::value(format!("element {i}: {string:?} is no number that casts to {to}"));
        if to.is_float() {
            let mut lane = [parse_float(string.trim(), to).ok_or_else(wrong)?];
            round_for(to, &mut lane, options);
            result.write_f64(i, 1, &lane);
        } else {
            result.set_i64(i, parse_int(string.trim(), to).ok_or_else(wrong)?);
        }
    }
    Ok(result.finish())
}

fn parse_float(string: &str, to: DType) -> Option<f64> {
    if to == DType::F64 { string.parse().ok() } else { string.parse::<f32>().ok().map(f64::from) }
}

/// An integer, or a decimal number without its fraction; none beyond the 64 bits of its kind.
fn parse_int(string: &str, to: DType) -> Option<i64> {
    let most = if to == DType::U64 { i128::from(u64::MAX) } else { i128::from(i64::MAX) };
    if let Ok(exact) = string.parse::<i128>() {
        let fits = i128::from(i64::MIN)..=most;
        return fits.contains(&exact).then(|| wrap_to(to, exact as i64));
    }
    let float: f64 = string.parse().ok()?;
    // The largest itself is no f64: rounded up it is the first number beyond.
    let (least, end) = (i64::MIN as f64, most as f64);
    (least..end).contains(&float).then(|| float_to_int(to, float))
}
