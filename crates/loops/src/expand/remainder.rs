//! Remainders of floats, exactly.
//!
//! With `|x| = a` and `|y| = b`, whole multiples of `2^s b` are taken off `a` for falling `s`, each the nearest as far
//! as f64 finds it, until at most 5/8 of `b` is left, with either sign. What is left is always a multiple of the last
//! place of `b` and less than `2^s b`, so every step is exact.

use super::convert;
use crate::block::{Block, Val};
use tilewright_scalar::Func;
use tilewright_tensor::DType;

/// Bits of the quotient that a step finds; the nearest is missed by less than 2^-4.
const BITS: i32 = 47;

/// `Rem` or `Mod` of a float dtype, computed in f64 and rounded once.
pub(super) fn call(block: &mut Block, func: Func, dtype: DType, args: &[Val]) -> Option<Val> {
    if !matches!(func, Func::Rem | Func::Mod) {
        return None;
    }
    let double = dtype == DType::F64;
    let [x, y] = [args[0], args[1]].map(|v| if double { v } else { block.extend(v) });
    let [a, b] = [x, y].map(|v| block.magnitude(v));
    let [zero, inf, nan] = [0.0, f64::INFINITY, f64::NAN].map(|c| block.f64(c));
    let rest = if double { of_f64(block, a, b) } else { of_f32(block, a, b) };
    let smaller = block.lt(a, b);
    let rest = block.select(smaller, a, rest);
    let (finite, divides) = (block.lt(a, inf), block.lt(zero, b));
    let defined = block.both(finite, divides);
    let rest = block.select(defined, rest, nan);
    let rest = block.with_sign(rest, x);
    let value = if func == Func::Rem { rest } else { floored(block, rest, y) };
    Some(if double { value } else { convert::float_to_float(block, dtype, value) })
}

/// A remainder moved to the sign of the divisor.
fn floored(block: &mut Block, rest: Val, y: Val) -> Val {
    let zero = block.f64(0.0);
    let none = block.eq(rest, zero);
    let nothing = block.with_sign(zero, y);
    let signs = block.xor(rest, y);
    let signs = block.bits(signs);
    let differ = block.negative(signs);
    let moved = block.add(rest, y);
    let value = block.select(differ, moved, rest);
    block.select(none, nothing, value)
}

/// `b` joins a negative rest.
fn positive(block: &mut Block, rest: Val, b: Val) -> Val {
    let zero = block.f64(0.0);
    let below = block.lt(rest, zero);
    let more = block.add(rest, b);
    block.select(below, more, rest)
}

/// Of f32 in f64, whose range holds every `2^s b`: quotients are below 2^277.
fn of_f32(block: &mut Block, a: Val, b: Val) -> Val {
    let one = block.f64(1.0);
    let inverse = block.div(one, b);
    let negated = block.negated(b);
    let rest = (0..6).rev().fold(a, |rest, place| {
        let (down, up) = (block.f64(2f64.powi(-BITS * place)), block.f64(2f64.powi(BITS * place)));
        let quotient = block.mul(rest, inverse);
        let quotient = block.mul(quotient, down);
        let whole = block.even(quotient);
        let multiple = block.mul(whole, up);
        block.fma(multiple, negated, rest)
    });
    positive(block, rest, b)
}

/// Of f64, whose quotients are below 2^2098: the rest grows instead of `b`, both from 1 to 2 at the start.
fn of_f64(block: &mut Block, a: Val, b: Val) -> Val {
    let ([a, a_exponent], [b, b_exponent]) = (split(block, a), split(block, b));
    let [one, grown] = [1.0, 2f64.powi(BITS)].map(|c| block.f64(c));
    let inverse = block.div(one, b);
    let negated = block.negated(b);
    let step = |block: &mut Block, rest: Val, power: Val| {
        let rest = block.mul(rest, power);
        let quotient = block.mul(rest, inverse);
        let whole = block.even(quotient);
        block.fma(whole, negated, rest)
    };
    // The exponents' difference is a rest of less than BITS, and so many times BITS.
    let zero = block.i64(0);
    let difference = block.isub(a_exponent, b_exponent);
    let difference = block.imax(difference, zero);
    let (times, some) = steps_of(block, difference);
    let first = power_of_two(block, some);
    let mut rest = step(block, a, first);
    for n in 0..2098 / BITS {
        let n = block.i64(n.into());
        let more = block.igt(times, n);
        let power = block.select(more, grown, one);
        rest = step(block, rest, power);
    }
    let rest = positive(block, rest, b);
    // By two exact factors: the result is a multiple of the least number.
    let half = block.sar(b_exponent, 1);
    let other = block.isub(b_exponent, half);
    let [half, other] = [half, other].map(|e| power_of_two(block, e));
    let rest = block.mul(rest, half);
    block.mul(rest, other)
}

/// What is not negative and below 2^12, divided by [`BITS`]: quotient and rest.
fn steps_of(block: &mut Block, number: Val) -> (Val, Val) {
    // Near enough: the error is below 2^12 / 2^20 / 47.
    let (inverse, by) = (block.i64((1 << 20) / i64::from(BITS) + 1), block.i64(BITS.into()));
    let product = block.imul(number, inverse);
    let times = block.shr(product, 20);
    let multiple = block.imul(times, by);
    (times, block.isub(number, multiple))
}

/// 2 to an exponent of normal numbers.
fn power_of_two(block: &mut Block, exponent: Val) -> Val {
    let bias = block.i64(1023);
    let biased = block.iadd(exponent, bias);
    let bits = block.shl(biased, 52);
    block.bits(bits)
}

/// A positive finite number as one from 1 to 2 and an exponent.
fn split(block: &mut Block, x: Val) -> [Val; 2] {
    let [least, up] = [f64::MIN_POSITIVE, 2f64.powi(54)].map(|c| block.f64(c));
    let small = block.lt(x, least);
    let larger = block.mul(x, up);
    let normal = block.select(small, larger, x);
    let bits = block.bits(normal);
    let [bias, bias_of_small, fraction, one] = [1023, 1023 + 54, (1 << 52) - 1, 1023 << 52].map(|c| block.i64(c));
    let biased = block.shr(bits, 52);
    let bias = block.select(small, bias_of_small, bias);
    let exponent = block.isub(biased, bias);
    let part = block.and(bits, fraction);
    let part = block.or(part, one);
    [block.bits(part), exponent]
}
