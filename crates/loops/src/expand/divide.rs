//! Quotients and remainders of integers.

use super::integer::{full_unsigned, ordered};
use crate::block::{Block, Val};
use crate::prim::{Lane, Prim};
use tilewright_scalar::Func;
use tilewright_tensor::DType;

/// `Div`, `Rem` or `Mod`, 0 where the divisor is.
pub(super) fn division(block: &mut Block, func: Func, dtype: DType, [a, b]: [Val; 2]) -> Val {
    let [quotient, rest] = match (block.lane(a), full_unsigned(dtype)) {
        (Lane::I64, true) => unsigned(block, a, b),
        (Lane::I64, false) => signed(block, a, b),
        _ => narrow(block, dtype, a, b),
    };
    let zero = block.lit(a, 0.0);
    let by_zero = block.ieq(b, zero);
    if func == Func::Div {
        return block.select(by_zero, zero, quotient);
    }
    let rest = block.select(by_zero, zero, rest);
    if func == Func::Rem || !dtype.is_signed() {
        return rest;
    }
    let wrong = differs(block, rest, b);
    let moved = block.iadd(rest, b);
    block.select(wrong, moved, rest)
}

/// Whether a remainder is not zero and not of the sign of `like`.
fn differs(block: &mut Block, rest: Val, like: Val) -> Val {
    let signs = block.xor(rest, like);
    let differ = block.negative(signs);
    let none = block.is_zero(rest);
    let some = block.not(none);
    block.both(differ, some)
}

/// At most 32 bits: the float quotient, of at least 24 bits for 16 and 53 for 32, never rounds up to a whole number it
/// does not reach.
fn narrow(block: &mut Block, dtype: DType, a: Val, b: Val) -> [Val; 2] {
    let quotient = if dtype.bits() <= 16 {
        let (x, y) = (block.float_of(a), block.float_of(b));
        let ratio = block.div(x, y);
        block.int_of(ratio)
    } else {
        let [x, y] = [a, b].map(|v| {
            let wide = if dtype.is_signed() { block.extend(v) } else { block.extend_unsigned(v) };
            block.float_of(wide)
        });
        let ratio = block.div(x, y);
        let whole = block.int_of(ratio);
        block.narrow(whole)
    };
    let product = block.imul(quotient, b);
    [quotient, block.isub(a, product)]
}

/// What remains of `a` is at most half of `b` and 2^12 after the nearest quotient in f64, and after a second one less
/// than `b`, with either sign. Quotients that do not fit wrap, as the products do.
fn signed(block: &mut Block, a: Val, b: Val) -> [Val; 2] {
    let y = block.float_of(b);
    let mut step = |from: Val| {
        let x = block.float_of(from);
        let ratio = block.div(x, y);
        let whole = block.prim(Prim::FloatToInt, &[ratio]);
        let product = block.imul(whole, b);
        [whole, block.isub(from, product)]
    };
    let [first, rest] = step(a);
    let [second, rest] = step(rest);
    let quotient = block.iadd(first, second);
    // Toward zero: `b` with the sign of `a` joins the rest.
    let signs = block.xor(a, b);
    let turned = block.sar(signs, 63);
    let one = block.i64(1);
    let unit = block.or(turned, one);
    let size = block.xor(b, turned);
    let size = block.isub(size, turned);
    let wrong = differs(block, rest, a);
    let (less, more) = (block.isub(quotient, unit), block.iadd(rest, size));
    [block.select(wrong, less, quotient), block.select(wrong, more, rest)]
}

/// Twice the quotient of half of `a`, or one more; of divisors from 2^63 on, 0 or 1.
fn unsigned(block: &mut Block, a: Val, b: Val) -> [Val; 2] {
    let (zero, one) = (block.i64(0), block.i64(1));
    let half = block.shr(a, 1);
    let [low, _] = signed(block, half, b);
    let large = block.negative(b);
    let low = block.select(large, zero, low);
    let quotient = block.shl(low, 1);
    let product = block.imul(quotient, b);
    let rest = block.isub(a, product);
    let [above, limit] = [rest, b].map(|v| ordered(block, DType::U64, v));
    let within = block.igt(limit, above);
    let (more, less) = (block.iadd(quotient, one), block.isub(rest, b));
    [block.select(within, quotient, more), block.select(within, rest, less)]
}

/// The quotient by a positive constant, rounded down, and the remainder, which is not negative.
pub(crate) fn floor(block: &mut Block, a: Val, by: i64) -> [Val; 2] {
    let lane = block.lane(a);
    let divisor = if lane == Lane::I64 { block.i64(by) } else { block.i32(by as i32) };
    let quotient = match by {
        1 => a,
        _ if by.count_ones() == 1 && by.trailing_zeros() < lane.bits() => block.sar(a, by.trailing_zeros() as u8),
        _ if lane == Lane::I64 => {
            let [quotient, rest] = signed(block, a, divisor);
            let (one, below) = (block.i64(1), block.negative(rest));
            let less = block.isub(quotient, one);
            block.select(below, less, quotient)
        }
        _ => small_floor(block, a, by),
    };
    let product = block.imul(quotient, divisor);
    [quotient, block.isub(a, product)]
}

/// Of 32 bits. `floor(a / by)` is `!floor(!a / by)` for negative `a`, so that what is divided has 31 bits; then the high
/// bits of the product by `2^(31 + l) / by`, rounded up, with `2^l >= by`, are the quotient (Granlund and Montgomery
/// 1994, theorem 4.2).
fn small_floor(block: &mut Block, a: Val, by: i64) -> Val {
    let signs = block.sar(a, 31);
    if by > i64::from(i32::MAX) {
        return signs;
    }
    let l = 64 - (by - 1).leading_zeros();
    let factor = (1u64 << (31 + l)) / by as u64 + 1;
    let factor = block.i32(factor as u32 as i32);
    let positive = block.xor(a, signs);
    let high = block.prim(Prim::IMulHigh, &[positive, factor]);
    let quotient = block.shr(high, l as u8 - 1);
    block.xor(quotient, signs)
}
