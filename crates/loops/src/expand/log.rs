//! Logarithms: `log`, `log1p`, and the inverse hyperbolic functions made of them.
//!
//! `x = 2^k (1 + f)` with `1 + f` from `sqrt(1/2)` to `sqrt(2)`, so `log(x) = k ln 2 + log(1 + f)`.

use super::pair::{product, ratio, root, sum, two_sum};
use crate::block::{Block, Val};
use crate::prim::Lane;
use std::f64::consts::LN_2;
use tilewright_scalar::Func;

/// `log(1 + f) = f + f^2 q(f)` in f32: degree 7, relative error 2^-24.9.
const SINGLE: [f64; 8] = [
    0.08734785991006533,
    -0.14307514982687758,
    0.1491799312532866,
    -0.16570511190318413,
    0.19962070411821525,
    -0.25001754992320996,
    0.3333395026650863,
    -0.49999991612853467,
];

/// `2 atanh(s) = s (2 + z q(z))` with `z = s^2` in f64, `|s| <= 0.1716`: degree 6, relative error 2^-59.4.
const DOUBLE: [f64; 7] = [
    0.14796081388964988,
    0.15314038051086776,
    0.1818356478788432,
    0.22222198564842624,
    0.2857142874246324,
    0.39999999999414365,
    0.6666666666666734,
];

/// Functions of this family of f32 (logarithms alone) or f64.
pub(super) fn call(block: &mut Block, func: Func, x: Val) -> Option<Val> {
    Some(match (func, block.lane(x)) {
        (Func::Log, _) => log(block, x),
        (Func::Log1p, _) => log1p(block, x, None),
        (Func::Asinh, Lane::F64) => asinh(block, x),
        (Func::Acosh, Lane::F64) => acosh(block, x),
        (Func::Atanh, Lane::F64) => atanh(block, x),
        _ => return None,
    })
}

/// `k` as an integer and `1 + f` of a normal positive `x`.
pub(super) fn split(block: &mut Block, x: Val) -> [Val; 2] {
    let bits = block.bits(x);
    let (low, fraction, mantissa) = match block.lane(x) {
        Lane::F64 => (block.i64(0x3fe6_a09e_667f_3bcd), block.i64(0x000f_ffff_ffff_ffff), 52),
        _ => (block.i32(0x3f35_04f3), block.i32(0x007f_ffff), 23),
    };
    let above = block.isub(bits, low);
    let k = block.sar(above, mantissa);
    let part = block.and(above, fraction);
    let part = block.iadd(part, low);
    [k, block.bits(part)]
}

/// `k ln 2 + log(1 + f)`.
fn join(block: &mut Block, k: Val, f: Val) -> Val {
    let double = block.lane(f) == Lane::F64;
    // The high part times `k` is exact.
    let high = if double { f64::from_bits(0x3fe6_2e42_fee0_0000) } else { f64::from_bits(0x3fe6_2e40_0000_0000) };
    let low = LN_2 - high + if double { 2.319_046_813_846_299_6e-17 } else { 0.0 };
    let (high, low) = (block.lit(f, high), block.lit(f, low));
    let square = block.mul(f, f);
    let tail = if double {
        let (two, half) = (block.lit(f, 2.0), block.lit(f, 0.5));
        let sum = block.add(f, two);
        let s = block.div(f, sum);
        let z = block.mul(s, s);
        let q = block.poly(z, &DOUBLE);
        // s (f^2/2 + z q) - f^2/2 = log(1 + f) - f.
        let half = block.mul(square, half);
        let inner = block.fma(z, q, half);
        let low = block.mul(k, low);
        let rest = block.fma(s, inner, low);
        let rest = block.sub(half, rest);
        let rest = block.sub(rest, f);
        let main = block.mul(k, high);
        return block.sub(main, rest);
    } else {
        let q = block.poly(f, &SINGLE);
        block.mul(q, square)
    };
    let tail = block.fma(k, low, tail);
    let rest = block.add(tail, f);
    block.fma(k, high, rest)
}

/// The logarithm's values for what is not positive and finite.
fn special(block: &mut Block, x: Val, result: Val) -> Val {
    let [zero, inf, low, nan] = [0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(|c| block.lit(x, c));
    let finite = block.lt(x, inf);
    let result = block.select(finite, result, x);
    let is_zero = block.eq(x, zero);
    let other = block.select(is_zero, low, nan);
    let bad = block.le(x, zero);
    block.select(bad, other, result)
}

fn log(block: &mut Block, x: Val) -> Val {
    let one = block.lit(x, 1.0);
    let [k, part] = parts(block, x);
    let f = block.sub(part, one);
    let result = join(block, k, f);
    special(block, x, result)
}

/// `k` and `1 + f` of a positive `x`; denormals become normal first.
pub(super) fn parts(block: &mut Block, x: Val) -> [Val; 2] {
    let (least, up, shift) = match block.lane(x) {
        Lane::F64 => (f64::MIN_POSITIVE, 2f64.powi(54), -54.0),
        _ => (f64::from(f32::MIN_POSITIVE), 2f64.powi(25), -25.0),
    };
    let [least, up, shift, zero] = [least, up, shift, 0.0].map(|c| block.lit(x, c));
    let small = block.lt(x, least);
    let larger = block.mul(x, up);
    let normal = block.select(small, larger, x);
    let offset = block.select(small, shift, zero);
    let [k, part] = split(block, normal);
    let k = block.float_of(k);
    [block.add(k, offset), part]
}

/// By `u = 1 + x` rounded: what rounding lost joins `f`, and so does a low part of `x`.
fn log1p(block: &mut Block, x: Val, low: Option<Val>) -> Val {
    let one = block.lit(x, 1.0);
    let u = block.add(x, one);
    let [k, part] = split(block, u);
    let f = block.sub(part, one);
    let kept = block.sub(u, one);
    let lost = block.sub(x, kept);
    let lost = low.map_or(lost, |low| block.add(lost, low));
    // 2^-k, which from 2^(bias) on has nothing to scale.
    let (bias, mantissa) = if block.lane(x) == Lane::F64 { (block.i64(1023), 52) } else { (block.i32(127), 23) };
    let exponent = block.isub(bias, k);
    let zero = block.lit(exponent, 0.0);
    let exponent = block.imax(exponent, zero);
    let bits = block.shl(exponent, mantissa);
    let down = block.bits(bits);
    let f = block.fma(lost, down, f);
    let k = block.float_of(k);
    let result = join(block, k, f);
    let result = special(block, u, result);
    // It has the sign of x, zeros too.
    block.with_sign(result, x)
}

/// `log1p(a + a^2 / (1 + sqrt(1 + a^2)))` of `a = |x|`; from 2^28 on `log(a) + ln 2`.
fn asinh(block: &mut Block, x: Val) -> Val {
    let [one, limit, ln2] = [1.0, 2f64.powi(28), LN_2].map(|c| block.lit(x, c));
    let size = block.magnitude(x);
    let within = block.least(limit, size);
    let square = block.mul(within, within);
    let sum = block.add(square, one);
    let root = block.sqrt(sum);
    let below = block.add(root, one);
    let rest = block.div(square, below);
    let argument = block.add(within, rest);
    let small = log1p(block, argument, None);
    let large = log(block, size);
    let large = block.add(large, ln2);
    let is_large = block.lt(limit, size);
    let result = block.select(is_large, large, small);
    block.with_sign(result, x)
}

/// `log1p(t + sqrt(2 t + t^2))` of `t = x - 1`; from 2^28 on `log(x) + ln 2`.
fn acosh(block: &mut Block, x: Val) -> Val {
    let [one, two, limit, ln2] = [1.0, 2.0, 2f64.powi(28), LN_2].map(|c| block.lit(x, c));
    let within = block.least(limit, x);
    let t = block.sub(within, one);
    let above = two_sum(block, t, two);
    let [square, low] = product(block, t, above[0]);
    let low = block.fma(t, above[1], low);
    let root = root(block, [square, low]);
    let [argument, low] = sum(block, root[0], t);
    let low = block.add(low, root[1]);
    let small = log1p(block, argument, Some(low));
    let large = log(block, x);
    let large = block.add(large, ln2);
    let is_large = block.lt(limit, x);
    let result = block.select(is_large, large, small);
    let (valid, nan) = (block.le(one, x), block.lit(x, f64::NAN));
    block.select(valid, result, nan)
}

/// `log1p(2 a / (1 - a)) / 2` of `a = |x|`.
fn atanh(block: &mut Block, x: Val) -> Val {
    let [zero, one, half] = [0.0, 1.0, 0.5].map(|c| block.lit(x, c));
    let size = block.magnitude(x);
    let twice = block.add(size, size);
    let negated = block.negated(size);
    let below = sum(block, one, negated);
    let [argument, low] = ratio(block, [twice, zero], below);
    let result = log1p(block, argument, Some(low));
    let result = block.mul(result, half);
    block.with_sign(result, x)
}
