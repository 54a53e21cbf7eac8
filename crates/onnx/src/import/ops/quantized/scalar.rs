//! The formulas of quantization, on scalar expressions.

use tilewright_graph::scalars::Overflow;
use tilewright_graph::{Func, Scalar};
use tilewright_tensor::DType;
use tilewright_tensor::convert::int_bounds;

/// `x - zero`: integers in i32, where no difference of at most 16 bits wraps; floats in f32.
pub fn centered(x: &Scalar, zero: Option<&Scalar>) -> Scalar {
    let wide = if x.dtype().is_float() { DType::F32 } else { DType::I32 };
    let x = x.cast(wide);
    zero.map_or(x.clone(), |zero| x - zero.cast(wide))
}

/// `(x - zero) * scale` in f32.
pub fn dequantized(x: &Scalar, scale: &Scalar, zero: Option<&Scalar>) -> Scalar {
    centered(x, zero).cast(DType::F32) * scale.cast(DType::F32)
}

/// A quotient of value and scale as a quantized element: integers are rounded to nearest even, then the zero point is
/// added and the sum saturates; NaN becomes the least. Floats add the zero point first, and saturate.
pub fn quantized(quotient: &Scalar, zero: Option<&Scalar>, to: DType) -> Scalar {
    if to.is_float() {
        return narrowed(quotient, zero, to, Overflow::Saturate);
    }
    // Sums beyond the exact integers of f32 are far beyond the bounds.
    let rounded = quotient.round_even().cast(DType::F32);
    let sum = zero.map_or(rounded.clone(), |zero| rounded + zero.cast(DType::F32));
    let (low, high) = int_bounds(to);
    let (low, high) = (sum.lit(low as f64), sum.lit(high as f64));
    sum.gt(&low).select(&sum.minimum(&high), &low).cast(to)
}

/// [`quantized`] to a narrow float, whose overflow may also become infinity or NaN.
pub fn narrowed(quotient: &Scalar, zero: Option<&Scalar>, to: DType, overflow: Overflow) -> Scalar {
    let sum = zero.map_or(quotient.clone(), |zero| quotient + &zero.cast(quotient.dtype()));
    Scalar::call(Func::Cast(to, overflow), vec![sum])
}
