//! Whole tensors to another dtype, as ONNX `Cast` says (opsets up to 28).
use super::int::odd_unless_f64;
use super::{ScaleRounding, decode_f64, encode_scale, int_to_float, round_slice, text};
use crate::{DType, Tensor, TensorMut};
use tilewright_support::Result;

/// The attributes of ONNX `Cast`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CastOptions {
    /// Overflow in float8 gives the largest value, not infinity or NaN.
    pub saturate: bool,
    /// How f8e8m0 rounds.
    pub scale_rounding: ScaleRounding,
}

impl Default for CastOptions {
    fn default() -> Self {
        Self { saturate: true, scale_rounding: ScaleRounding::Up }
    }
}

/// Elements converted at a time.
const STRIP: usize = 256;

/// `x` as a tensor of dtype `to`: [`cast_with`] with f8e8m0 rounded up.
pub fn cast(x: &Tensor, to: DType, saturate: bool) -> Result<Tensor> {
    cast_with(x, to, &CastOptions { saturate, ..CastOptions::default() })
}

/// `x` as a tensor of dtype `to`, of the same shape.
///
/// - to a float: rounded once to nearest even, as [`super::round_to`] says; from integers too;
/// - float to integer or bool: as [`super::float_to_int`] says;
/// - integer to integer: wrapped, as [`super::wrap_to`] says; to bool: `!= 0`;
/// - bool as 0 and 1;
/// - to string: integers in decimal, bools as `1` and `0`, floats as the shortest decimal that reads back as the same
///   f32 (f64 for f64), `NaN`, `INF` and `-INF`; with an exponent (`1e-07`) below 1e-5 and from 1e16 on;
/// - from string: decimal numbers with or without exponent, white space around them ignored; `inf`, `infinity` and
///   `nan` in any case for floats; integers drop the fraction. Fails with a value diagnostic for anything else.
pub fn cast_with(x: &Tensor, to: DType, options: &CastOptions) -> Result<Tensor> {
    let from = x.dtype();
    if from == to {
        return Ok(x.clone());
    }
    if to == DType::String {
        return text::to_strings(x);
    }
    if let Some(strings) = x.strings() {
        return text::parse_all(strings, x.shape(), to, options);
    }
    let mut result = TensorMut::new(to, x.shape())?;
    let mut start = 0;
    while start < x.len() {
        let count = STRIP.min(x.len() - start);
        if from.is_float() || to.is_float() {
            let mut lanes = [0.0; STRIP];
            read_for(x, to, start, &mut lanes[..count]);
            round_for(to, &mut lanes[..count], options);
            result.write_f64(start, 1, &lanes[..count]);
        } else {
            let mut lanes = [0; STRIP];
            x.read_i64(start, 1, &mut lanes[..count]);
            result.write_i64(start, 1, &lanes[..count]);
        }
        start += count;
    }
    Ok(result.finish())
}

/// Elements as f64, such that rounding them to `to` rounds once.
fn read_for(x: &Tensor, to: DType, start: usize, lanes: &mut [f64]) {
    if !matches!(x.dtype(), DType::I64 | DType::U64) {
        return x.read_f64(start, 1, lanes);
    }
    let unsigned = x.dtype() == DType::U64;
    let mut integers = [0; STRIP];
    let integers = &mut integers[..lanes.len()];
    x.read_i64(start, 1, integers);
    for (lane, &i) in lanes.iter_mut().zip(integers.iter()) {
        *lane = if unsigned { odd_unless_f64(to, i as u64) } else { int_to_float(to, i) };
    }
}

/// Rounds where storing alone would not follow the options: float8.
pub(super) fn round_for(to: DType, lanes: &mut [f64], options: &CastOptions) {
    if to == DType::F8E8M0 {
        for x in lanes {
            *x = decode_f64(to, u64::from(encode_scale(*x, options.saturate, options.scale_rounding)));
        }
    } else if to.is_float() && to.bits() == 8 {
        round_slice(to, lanes, options.saturate);
    }
}
