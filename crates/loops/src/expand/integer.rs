//! Integer arithmetic and bits, wrapped to the dtype after every function.

use crate::block::{Block, Val};
use crate::prim::{Lane, Prim};
use tilewright_scalar::Func;
use tilewright_tensor::DType;

/// Whether the lane's sign bit is a value bit of the dtype.
fn full_unsigned(dtype: DType) -> bool {
    matches!(dtype, DType::U32 | DType::U64)
}

/// The low bits of an integer lane as a value of `dtype`, which is of that lane.
pub(super) fn wrap(block: &mut Block, dtype: DType, value: Val) -> Val {
    let spare = block.lane(value).bits() as usize - dtype.bits();
    match (spare, dtype.is_signed()) {
        (0, _) => value,
        (_, true) => {
            let high = block.shl(value, spare as u8);
            block.sar(high, spare as u8)
        }
        (_, false) => {
            let mask = block.i32(((1u64 << dtype.bits()) - 1) as i32);
            block.and(value, mask)
        }
    }
}

/// A value whose signed order is the order of the dtype.
pub(super) fn ordered(block: &mut Block, dtype: DType, value: Val) -> Val {
    if !full_unsigned(dtype) {
        return value;
    }
    let sign = block.sign_bit(block.lane(value));
    block.xor(value, sign)
}

/// A function of integers.
pub(super) fn call(block: &mut Block, func: Func, dtype: DType, args: &[Val]) -> Option<Val> {
    let a = args[0];
    let value = match func {
        Func::Add => block.iadd(a, args[1]),
        Func::Sub => block.isub(a, args[1]),
        Func::Mul => block.imul(a, args[1]),
        Func::Neg => {
            let zero = block.lit(a, 0.0);
            block.isub(zero, a)
        }
        Func::Abs => absolute(block, dtype, a),
        Func::Div | Func::Rem | Func::Mod => division(block, func, dtype, args)?,
        Func::Min | Func::Max => return Some(extreme(block, func, dtype, args)),
        Func::Sign => return Some(sign(block, dtype, a)),
        Func::And => return Some(block.and(a, args[1])),
        Func::Or => return Some(block.or(a, args[1])),
        Func::Xor => return Some(block.xor(a, args[1])),
        Func::Not => {
            let ones = block.lit(a, -1.0);
            block.xor(a, ones)
        }
        // A negative amount reads as one beyond every width; what left a narrow dtype is dropped by wrapping.
        Func::Shl => block.prim(Prim::ShlBy, args),
        Func::Shr => return Some(shift_right(block, dtype, a, args[1])),
        _ => return None,
    };
    Some(wrap(block, dtype, value))
}

fn absolute(block: &mut Block, dtype: DType, a: Val) -> Val {
    if !dtype.is_signed() {
        return a;
    }
    let zero = block.lit(a, 0.0);
    let negated = block.isub(zero, a);
    block.imax(a, negated)
}

fn sign(block: &mut Block, dtype: DType, a: Val) -> Val {
    let (zero, one) = (block.lit(a, 0.0), block.lit(a, 1.0));
    if full_unsigned(dtype) {
        let none = block.ieq(a, zero);
        return block.select(none, zero, one);
    }
    let below = block.imin(a, one);
    let low = block.lit(a, -1.0);
    block.imax(below, low)
}

fn extreme(block: &mut Block, func: Func, dtype: DType, args: &[Val]) -> Val {
    let (a, b) = (ordered(block, dtype, args[0]), ordered(block, dtype, args[1]));
    let value = if func == Func::Min { block.imin(a, b) } else { block.imax(a, b) };
    ordered(block, dtype, value)
}

fn shift_right(block: &mut Block, dtype: DType, a: Val, by: Val) -> Val {
    let prim = if dtype.is_signed() { Prim::SarBy } else { Prim::ShrBy };
    block.prim(prim, &[a, by])
}

/// Quotients and remainders of at most 32 bits: the float quotient, of at least 24 bits for 16 and 53 for 32, never
/// rounds up to a whole number it does not reach.
fn division(block: &mut Block, func: Func, dtype: DType, args: &[Val]) -> Option<Val> {
    let (a, b) = (args[0], args[1]);
    if block.lane(a) == Lane::I64 {
        return None;
    }
    let quotient = quotient(block, dtype, a, b);
    let zero = block.lit(a, 0.0);
    let by_zero = block.ieq(b, zero);
    if func == Func::Div {
        return Some(block.select(by_zero, zero, quotient));
    }
    let product = block.imul(quotient, b);
    let rest = block.isub(a, product);
    let rest = block.select(by_zero, zero, rest);
    if func == Func::Rem || !dtype.is_signed() {
        return Some(rest);
    }
    let signs = block.xor(rest, b);
    let differ = block.negative(signs);
    let some = block.ieq(rest, zero);
    let some = block.not(some);
    let wrong = block.both(differ, some);
    let moved = block.iadd(rest, b);
    Some(block.select(wrong, moved, rest))
}

/// The quotient toward zero; anything where `b` is zero.
fn quotient(block: &mut Block, dtype: DType, a: Val, b: Val) -> Val {
    if dtype.bits() <= 16 {
        let (x, y) = (block.float_of(a), block.float_of(b));
        let ratio = block.div(x, y);
        return block.int_of(ratio);
    }
    let [x, y] = [a, b].map(|v| {
        let wide = if dtype.is_signed() { block.extend(v) } else { block.extend_unsigned(v) };
        block.float_of(wide)
    });
    let ratio = block.div(x, y);
    let whole = block.int_of(ratio);
    block.narrow(whole)
}
