//! Integers: wrapping to a width, and to and from floats.
use crate::DType;

/// `x` modulo 2^n in the n bits of an integer `dtype`, sign or zero extended; u64 stays as its bits.
/// For bool, whether `x` is not 0.
///
/// Panics when `dtype` is neither.
#[inline]
pub fn wrap_to(dtype: DType, x: i64) -> i64 {
    if dtype == DType::Bool {
        return i64::from(x != 0);
    }
    assert!(dtype.is_int(), "{dtype} is no integer");
    let spare = 64 - dtype.bits() as u32;
    if dtype.is_signed() { x << spare >> spare } else { (((x as u64) << spare) >> spare) as i64 }
}

/// [`wrap_to`] for every element.
pub fn wrap_slice(dtype: DType, xs: &mut [i64]) {
    if dtype == DType::Bool {
        return xs.iter_mut().for_each(|x| *x = i64::from(*x != 0));
    }
    assert!(dtype.is_int(), "{dtype} is no integer");
    let spare = 64 - dtype.bits() as u32;
    match (spare, dtype.is_signed()) {
        (0, _) => {}
        (_, true) => xs.iter_mut().for_each(|x| *x = *x << spare >> spare),
        (_, false) => xs.iter_mut().for_each(|x| *x = (((*x as u64) << spare) >> spare) as i64),
    }
}

/// A float as an integer `dtype`, in an i64 lane: the fraction is dropped, and `bool` is `x != 0` (so NaN is true).
///
/// ONNX leaves values out of range open. Here they are what numpy and ONNX Runtime give on x86-64, for every shape and
/// path: signed dtypes and those of at most 16 bits convert to i32 (i64 to i64), where NaN and what does not fit become
/// the least value, and wrap. u32 and u64 convert as i32 and i64 up to half of their range, exactly up to its end, and
/// to 0 beyond. Panics when `dtype` is neither integer nor bool.
#[inline]
pub fn float_to_int(dtype: DType, x: f64) -> i64 {
    match dtype {
        DType::Bool => i64::from(x != 0.0),
        DType::U32 if x >= TWO_31 => {
            if x < TWO_31 * 2.0 {
                x as i64
            } else {
                0
            }
        }
        DType::U64 if x >= TWO_63 => {
            if x < TWO_63 * 2.0 {
                x as u64 as i64
            } else {
                0
            }
        }
        DType::I64 | DType::U64 => to_i64(x),
        _ => wrap_to(dtype, to_i32(x)),
    }
}

const TWO_31: f64 = 2_147_483_648.0;
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

#[inline]
fn to_i64(x: f64) -> i64 {
    if (-TWO_63..TWO_63).contains(&x) { x as i64 } else { i64::MIN }
}

#[inline]
fn to_i32(x: f64) -> i64 {
    if x > -TWO_31 - 1.0 && x < TWO_31 { x as i64 } else { i64::from(i32::MIN) }
}

/// An i64 lane as an f64 lane on its way to the float `dtype`, so that rounding to `dtype` afterwards is right.
///
/// What f64 cannot hold exactly is rounded to nearest for f64 itself, and to odd for narrower types, which keeps their
/// one rounding to nearest from seeing a false tie.
#[inline]
pub fn int_to_float(dtype: DType, x: i64) -> f64 {
    odd_unless_f64(dtype, x.unsigned_abs()).copysign(x as f64)
}

/// [`int_to_float`] of an u64.
#[inline]
pub fn odd_unless_f64(dtype: DType, x: u64) -> f64 {
    if dtype == DType::F64 || x >> 53 == 0 {
        return x as f64;
    }
    let dropped = 11 - x.leading_zeros();
    let sticky = u64::from(x & ((1 << dropped) - 1) != 0) << dropped;
    (x >> dropped << dropped | sticky) as f64
}

/// The least and the largest value of an integer dtype or bool, as lanes; (0, 0) for other dtypes.
pub fn int_bounds(dtype: DType) -> (i64, i64) {
    match (dtype, dtype.is_int(), dtype.bits()) {
        (DType::Bool, ..) => (0, 1),
        (_, false, _) => (0, 0),
        (_, _, bits) if dtype.is_signed() => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        (_, _, bits) => (0, (u64::MAX >> (64 - bits)) as i64),
    }
}
