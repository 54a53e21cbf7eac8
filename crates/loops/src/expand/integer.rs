//! Integer arithmetic and bits, wrapped to the dtype after every function.

use super::divide;
use crate::block::{Block, Val};
use crate::prim::Prim;
use tilewright_scalar::Func;
use tilewright_tensor::DType;

/// Whether the lane's sign bit is a value bit of the dtype.
pub(super) fn full_unsigned(dtype: DType) -> bool {
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
        Func::Div | Func::Rem | Func::Mod => divide::division(block, func, dtype, [a, args[1]]),
        Func::Pow => power(block, dtype, a, args[1]),
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

/// A power. By a negative exponent only 1 and -1 are not 0.
fn power(block: &mut Block, dtype: DType, a: Val, b: Val) -> Val {
    let count = dtype.bits() - usize::from(dtype.is_signed());
    let result = squares(block, a, b, count);
    if !dtype.is_signed() || block.constant(b).is_some_and(|bits| bits >> count & 1 == 0) {
        return result;
    }
    let [zero, one, below] = [0.0, 1.0, -1.0].map(|c| block.lit(a, c));
    let (plus, minus) = (block.ieq(a, one), block.ieq(a, below));
    let unit = block.either(plus, minus);
    let odd = block.and(b, one);
    let even = block.ieq(odd, zero);
    let sign = block.select(even, one, a);
    let inverse = block.select(unit, sign, zero);
    let negative = block.negative(b);
    block.select(negative, inverse, result)
}

/// The product of the squares of `a` that the low bits of `b` choose.
fn squares(block: &mut Block, a: Val, b: Val, bits: usize) -> Val {
    let (zero, one) = (block.lit(a, 0.0), block.lit(a, 1.0));
    if let Some(exponent) = block.constant(b) {
        let (mut result, mut square) = (None, a);
        for n in 0..bits.min(64 - exponent.leading_zeros() as usize) {
            if n > 0 {
                square = block.imul(square, square);
            }
            if exponent >> n & 1 == 1 {
                result = Some(result.map_or(square, |r| block.imul(r, square)));
            }
        }
        return result.unwrap_or(one);
    }
    let (mut result, mut square) = (one, a);
    for n in 0..bits {
        if n > 0 {
            square = block.imul(square, square);
        }
        let shifted = block.shr(b, n as u8);
        let bit = block.and(shifted, one);
        let unset = block.ieq(bit, zero);
        let factor = block.select(unset, one, square);
        result = block.imul(result, factor);
    }
    result
}
