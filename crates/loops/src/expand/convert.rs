//! Conversions between dtypes, and elements in memory to and from values.

use super::{integer, lane};
use crate::block::{Block, Val};
use crate::prim::{Lane, Prim};
use tilewright_scalar::Func;
use tilewright_tensor::DType;

/// The value of a loaded element. `raw` is its bits: of the value's lane or of an integer of that width, and for
/// elements narrower than 32 bits extended to [`Lane::I32`], by their sign if they are signed integers, else by zeros.
///
/// # Panics
/// In debug builds for a dtype without a lane.
pub fn loaded(block: &mut Block, dtype: DType, raw: Val) -> Val {
    match dtype {
        DType::F16 => block.prim(Prim::HalfToFloat, &[raw]),
        DType::BF16 => {
            let high = block.shl(raw, 16);
            block.bits(high)
        }
        DType::Bool => {
            let zero = block.is_zero(raw);
            block.not(zero)
        }
        DType::F32 | DType::F64 if !block.lane(raw).is_float() => block.bits(raw),
        _ => {
            debug_assert_eq!(lane(dtype), Some(block.lane(raw)));
            raw
        }
    }
}

/// A value as the bits to store: for dtypes narrower than 32 bits the low bits of an integer lane, else the value.
pub fn stored(block: &mut Block, dtype: DType, value: Val) -> Val {
    match dtype {
        DType::F16 => block.prim(Prim::FloatToHalf, &[value]),
        DType::BF16 => {
            let bits = block.bits(value);
            block.shr(bits, 16)
        }
        DType::Bool => from_bool(block, Lane::I32, value),
        _ => value,
    }
}

/// A float lane rounded to nearest even of a dtype of that lane; NaN stays NaN.
pub(super) fn round_to(block: &mut Block, dtype: DType, value: Val) -> Val {
    match dtype {
        DType::F16 => {
            let half = block.prim(Prim::FloatToHalf, &[value]);
            block.prim(Prim::HalfToFloat, &[half])
        }
        DType::BF16 => round_bf16(block, value),
        _ => value,
    }
}

fn round_bf16(block: &mut Block, value: Val) -> Val {
    let bits = block.bits(value);
    let high = block.shr(bits, 16);
    let (one, below_half, mask) = (block.i32(1), block.i32(0x7fff), block.i32(0xffff_0000_u32 as i32));
    // Half of the last place less one, and one more where the last bit is odd: ties go to even.
    let odd = block.and(high, one);
    let sum = block.iadd(bits, below_half);
    let sum = block.iadd(sum, odd);
    let rounded = block.and(sum, mask);
    let rounded = block.bits(rounded);
    let nan = block.unordered(value, value);
    let canonical = block.f32(f32::NAN);
    block.select(nan, canonical, rounded)
}

/// `Cast` and `Bitcast`.
pub(super) fn convert(block: &mut Block, func: Func, from: DType, a: Val) -> Option<Val> {
    match func {
        Func::Bitcast(to) => Some(bitcast(block, from, to, a)),
        Func::Cast(to, _) => Some(cast(block, from, to, a)),
        _ => None,
    }
}

/// The same bits as another dtype of equal width.
fn bitcast(block: &mut Block, from: DType, to: DType, a: Val) -> Val {
    if from == to {
        return a;
    }
    let raw = stored(block, from, a);
    if to.is_float() || to == DType::Bool {
        let raw = if to.bits() < 32 { zero_extended(block, to.bits(), raw) } else { raw };
        return loaded(block, to, raw);
    }
    let raw = if block.lane(raw).is_float() { block.bits(raw) } else { raw };
    integer::wrap(block, to, raw)
}

fn zero_extended(block: &mut Block, bits: usize, raw: Val) -> Val {
    let mask = block.i32((1 << bits) - 1);
    block.and(raw, mask)
}

/// Rounded to nearest even or wrapped once; floats to integers as `tilewright_tensor::convert::float_to_int` says.
fn cast(block: &mut Block, from: DType, to: DType, a: Val) -> Val {
    let to_lane = lane(to).unwrap_or(Lane::Mask);
    match (block.lane(a), to_lane) {
        _ if from == to => a,
        (Lane::Mask, _) => from_bool(block, to_lane, a),
        (Lane::F32 | Lane::F64, Lane::F32 | Lane::F64) => float_to_float(block, to, a),
        (Lane::F32 | Lane::F64, Lane::Mask) => {
            let zero = block.lit(a, 0.0);
            let none = block.eq(a, zero);
            block.not(none)
        }
        (Lane::F32 | Lane::F64, Lane::I64) => float_to_wide(block, to, a),
        (Lane::F32 | Lane::F64, Lane::I32) if to == DType::U32 => float_to_u32(block, a),
        (Lane::F32 | Lane::F64, Lane::I32) => {
            let whole = float_to_i32(block, a);
            integer::wrap(block, to, whole)
        }
        (_, Lane::F32 | Lane::F64) => int_to_float(block, from, to, a),
        (_, Lane::Mask) => {
            let zero = block.is_zero(a);
            block.not(zero)
        }
        _ => int_to_int(block, from, to, a),
    }
}

/// 0 or 1 of a lane.
fn from_bool(block: &mut Block, lane: Lane, mask: Val) -> Val {
    if lane == Lane::Mask {
        return mask;
    }
    let (one, zero) = (block.number(lane, 1.0), block.number(lane, 0.0));
    block.select(mask, one, zero)
}

pub(super) fn float_to_float(block: &mut Block, to: DType, a: Val) -> Val {
    match (block.lane(a), to) {
        (Lane::F32, DType::F64) => block.extend(a),
        (Lane::F64, DType::F32) => block.narrow(a),
        (Lane::F64, _) => {
            let odd = narrow_to_odd(block, a);
            round_to(block, to, odd)
        }
        _ => round_to(block, to, a),
    }
}

/// An f64 as f32 rounded to odd: of the two neighbours of what f32 cannot hold, the one whose last bit is set. Rounding
/// that to a narrower dtype is rounding once.
fn narrow_to_odd(block: &mut Block, a: Val) -> Val {
    let near = block.narrow(a);
    let back = block.extend(near);
    let (size, back_size) = (block.magnitude(a), block.magnitude(back));
    let away = block.lt(size, back_size);
    let same = block.eq(back, a);
    let bits = block.bits(near);
    let one = block.i32(1);
    let toward_zero = block.isub(bits, one);
    let cut = block.select(away, toward_zero, bits);
    let odd = block.or(cut, one);
    let odd = block.select(same, bits, odd);
    block.bits(odd)
}

/// Toward zero; the least integer for NaN and what does not fit.
fn float_to_i32(block: &mut Block, a: Val) -> Val {
    let whole = block.int_of(a);
    if block.lane(a) == Lane::F32 {
        return whole;
    }
    let low = block.narrow(whole);
    let back = block.extend(low);
    let fits = block.ieq(back, whole);
    let least = block.i32(i32::MIN);
    block.select(fits, low, least)
}

/// As [`float_to_i32`] below 2^31, exactly up to 2^32, 0 from there on.
fn float_to_u32(block: &mut Block, a: Val) -> Val {
    let a = if block.lane(a) == Lane::F32 { block.extend(a) } else { a };
    let whole = block.int_of(a);
    let low = block.narrow(whole);
    let (bottom, top) = (block.f64(-2_147_483_649.0), block.f64(4_294_967_296.0));
    let (least, zero) = (block.i32(i32::MIN), block.i32(0));
    let above_bottom = block.lt(bottom, a);
    let beyond = block.le(top, a);
    let fitting = block.select(above_bottom, low, least);
    block.select(beyond, zero, fitting)
}

/// i64 toward zero, the least for NaN and what does not fit; u64 likewise below 2^63, exactly up to 2^64, then 0.
fn float_to_wide(block: &mut Block, to: DType, a: Val) -> Val {
    let a = if block.lane(a) == Lane::F32 { block.extend(a) } else { a };
    let low = block.int_of(a);
    if to == DType::I64 {
        return low;
    }
    let (half, top) = (block.f64(9_223_372_036_854_775_808.0), block.f64(18_446_744_073_709_551_616.0));
    let (sign, zero) = (block.i64(i64::MIN), block.i64(0));
    let rest = block.sub(a, half);
    let rest = block.int_of(rest);
    let high = block.xor(rest, sign);
    let upper = block.le(half, a);
    let beyond = block.le(top, a);
    let value = block.select(upper, high, low);
    block.select(beyond, zero, value)
}

fn int_to_float(block: &mut Block, from: DType, to: DType, a: Val) -> Val {
    let small = from.bits() <= 16;
    if block.lane(a) == Lane::I32 && (small || (from, to) == (DType::I32, DType::F32)) {
        let single = block.float_of(a);
        return float_to_float(block, to, single);
    }
    let double = match from {
        DType::U64 => u64_to_f64(block, to, a),
        DType::I64 => i64_to_f64(block, to, a),
        _ => {
            let wide = if from.is_signed() { block.extend(a) } else { block.extend_unsigned(a) };
            block.float_of(wide)
        }
    };
    if to == DType::F64 { double } else { float_to_float(block, to, double) }
}

/// To nearest for f64; else so that rounding to the narrower dtype is right.
fn i64_to_f64(block: &mut Block, to: DType, a: Val) -> Val {
    if to == DType::F64 {
        return block.float_of(a);
    }
    // From 2^53 on, whether any of the low 12 bits is set is all that matters of them.
    let (low, sticky, zero) = (block.i64(0xfff), block.i64(0x800), block.i64(0));
    let (high, limit) = (block.and_not(low, a), block.i64(1 << 53));
    let tail = block.and(a, low);
    let whole = block.ieq(tail, zero);
    let marked = block.or(high, sticky);
    let marked = block.select(whole, a, marked);
    let negated = block.isub(zero, a);
    let size = block.imax(a, negated);
    let large = block.igt(size, limit);
    let exact = block.select(large, marked, a);
    block.float_of(exact)
}

fn u64_to_f64(block: &mut Block, to: DType, a: Val) -> Val {
    let one = block.i64(1);
    let (half, odd) = (block.shr(a, 1), block.and(a, one));
    let half = block.or(half, odd);
    let half = i64_to_f64(block, to, half);
    let upper = block.add(half, half);
    let lower = i64_to_f64(block, to, a);
    let large = block.negative(a);
    block.select(large, upper, lower)
}

fn int_to_int(block: &mut Block, from: DType, to: DType, a: Val) -> Val {
    match (block.lane(a), lane(to)) {
        (Lane::I64, Some(Lane::I64)) => a,
        (Lane::I64, _) => {
            let low = block.narrow(a);
            integer::wrap(block, to, low)
        }
        (_, Some(Lane::I64)) if from.is_signed() => block.extend(a),
        (_, Some(Lane::I64)) => block.extend_unsigned(a),
        _ if from.bits() < to.bits() && (to.is_signed() || !from.is_signed()) => a,
        _ => integer::wrap(block, to, a),
    }
}
