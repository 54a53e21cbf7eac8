//! Powers of floats: `x^y = exp(y log |x|)` with the sign that a whole `y` gives.
//!
//! Of f32, and of what is narrower, in f64: the logarithm to base 2 is exact to 2^-37, so the power to 2^-29. Of f64
//! with a logarithm in two parts, exact to 2^-65.

use super::pair::{Pair, product, ratio, sum};
use super::{exp, log};
use crate::block::{Block, Val};
use std::f64::consts::LN_2;
use tilewright_tensor::DType;

/// `2 atanh(s) / (s ln 2)` in `s^2`, `|s| <= 0.1716`: degree 4, relative error 2^-37.8.
const BINARY_LOGARITHM: [f64; 5] =
    [0.34072800815412135, 0.4116728271250312, 0.5770835832594695, 0.9617966733501693, 2.88539008179008];

/// `2^r`, `|r| <= 1/2`: degree 6, relative error 2^-29.
const BINARY_POWER: [f64; 7] = [
    0.0001534579110579759,
    0.001339993215516406,
    0.00961848903970819,
    0.05550328774164347,
    0.2402264689004158,
    0.6931472057390449,
    1.000000000553855,
];

/// `((2 atanh(s) / s - 2) / z - 2/3) / z` with `z = s^2`: degree 7, relative error of `atanh` 2^-73.
const REST: [f64; 8] = [
    0.11988860246792415,
    0.11674836832271117,
    0.13336316517747066,
    0.15384556894401724,
    0.181818188699715,
    0.2222222221753927,
    0.285714285714451,
    0.3999999999999998,
];

/// 2/3 in two parts, and `ln 2`, whose first part has 42 bits.
const THIRDS: [f64; 2] = [0.6666666666666666, 3.700743415417188e-17];
const HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LOW: f64 = LN_2 - HIGH + 2.319_046_813_846_299_6e-17;

/// `x^y`, not rounded to a dtype narrower than f32.
pub(super) fn power(block: &mut Block, dtype: DType, x: Val, y: Val) -> Val {
    if let Some(value) = by_constant(block, x, y) {
        return value;
    }
    if dtype == DType::F64 {
        let size = block.magnitude(x);
        let size = of_double(block, size, y);
        return signed(block, size, x, y);
    }
    let (x, y) = (block.extend(x), block.extend(y));
    let size = block.magnitude(x);
    let size = of_single(block, size, y);
    let value = signed(block, size, x, y);
    block.narrow(value)
}

/// By a constant that a product, quotient or root gives.
fn by_constant(block: &mut Block, a: Val, b: Val) -> Option<Val> {
    let bits = block.constant(b)?;
    let exponent = if block.lane(b).bits() == 64 { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() };
    let one = block.lit(a, 1.0);
    Some(match exponent {
        0.0 => one,
        1.0 => a,
        2.0 => block.mul(a, a),
        3.0 => {
            let square = block.mul(a, a);
            block.mul(square, a)
        }
        -1.0 => block.div(one, a),
        0.5 => {
            // Unlike the root, the power of -0 is 0 and that of -inf is inf.
            let (zero, low) = (block.lit(a, 0.0), block.lit(a, f64::NEG_INFINITY));
            let from = block.add(a, zero);
            let root = block.sqrt(from);
            let infinite = block.eq(a, low);
            let inf = block.lit(a, f64::INFINITY);
            block.select(infinite, inf, root)
        }
        _ => return None,
    })
}

/// The power of `x`, given that of its magnitude where neither is 1 nor NaN.
fn signed(block: &mut Block, size: Val, x: Val, y: Val) -> Val {
    let [zero, half, one, low, nan] = [0.0, 0.5, 1.0, f64::NEG_INFINITY, f64::NAN].map(|c| block.f64(c));
    // That of -1 by an infinity is 1.
    let magnitude = block.magnitude(x);
    let unit = block.eq(magnitude, one);
    let size = block.select(unit, one, size);
    let whole = is_whole(block, y);
    let halved = block.mul(y, half);
    let even = is_whole(block, halved);
    let turned = block.with_sign(size, x);
    let plain = block.not(whole);
    let plain = block.either(plain, even);
    let value = block.select(plain, size, turned);
    let (below, finite) = (block.lt(x, zero), block.lt(low, x));
    let negative = block.both(below, finite);
    let fraction = block.not(whole);
    let undefined = block.both(negative, fraction);
    let unknown = block.unordered(x, y);
    let undefined = block.either(undefined, unknown);
    let value = block.select(undefined, nan, value);
    let (of_one, by_zero) = (block.eq(x, one), block.eq(y, zero));
    let is_one = block.either(of_one, by_zero);
    block.select(is_one, one, value)
}

fn is_whole(block: &mut Block, v: Val) -> Val {
    let whole = block.even(v);
    block.eq(whole, v)
}

/// The logarithm of a magnitude, or what it is of 0 and infinity.
fn with_ends(block: &mut Block, logarithm: Val, size: Val) -> Val {
    let [zero, inf, low] = [0.0, f64::INFINITY, f64::NEG_INFINITY].map(|c| block.f64(c));
    let (none, endless) = (block.eq(size, zero), block.eq(size, inf));
    let value = block.select(none, low, logarithm);
    block.select(endless, inf, value)
}

/// Of an f32 magnitude in f64.
fn of_single(block: &mut Block, size: Val, y: Val) -> Val {
    let one = block.f64(1.0);
    let [k, part] = log::split(block, size);
    let k = block.float_of(k);
    let (f, sum) = (block.sub(part, one), block.add(part, one));
    let s = block.div(f, sum);
    let z = block.mul(s, s);
    let q = block.poly(z, &BINARY_LOGARITHM);
    let logarithm = block.fma(s, q, k);
    let logarithm = with_ends(block, logarithm, size);
    let exponent = block.mul(y, logarithm);
    let exponent = exp::clamp(block, exponent, -200.0, 200.0);
    let n = block.even(exponent);
    let r = block.sub(exponent, n);
    let power = block.poly(r, &BINARY_POWER);
    block.scale(power, n)
}

/// Of an f64 magnitude.
fn of_double(block: &mut Block, size: Val, y: Val) -> Val {
    let [high, low] = logarithm(block, size);
    let high = with_ends(block, high, size);
    let [product, mut rest] = product(block, y, high);
    rest = block.fma(y, low, rest);
    let within = exp::clamp(block, product, -746.0, 710.0);
    let zero = block.f64(0.0);
    let same = block.eq(within, product);
    let rest = block.select(same, rest, zero);
    exp::of_sum(block, [within, rest])
}

/// The natural logarithm of a positive finite number in two parts: `k ln 2 + 2 s + s z p(z)` with `z = s^2`
/// and `s = (m - 1) / (m + 1)`.
fn logarithm(block: &mut Block, x: Val) -> Pair {
    let [k, part] = log::parts(block, x);
    let (zero, one) = (block.f64(0.0), block.f64(1.0));
    let (f, below) = (block.sub(part, one), sum(block, one, part));
    let s = ratio(block, [f, zero], below);
    let [cube, cube_low] = third(block, s);
    let twice = s.map(|v| block.add(v, v));
    let (high, low) = (block.f64(HIGH), block.f64(LOW));
    // The first part of `ln 2` times `k` is exact.
    let whole = block.mul(k, high);
    let [total, first] = sum(block, whole, twice[0]);
    let [total, second] = sum(block, total, cube);
    let rest = block.fma(k, low, cube_low);
    let rest = block.add(rest, twice[1]);
    let lost = block.add(first, second);
    let rest = block.add(rest, lost);
    sum(block, total, rest)
}

/// `s z p(z)` in two parts, where `p(z) = 2/3 + z q(z)`.
fn third(block: &mut Block, [s, s_low]: Pair) -> Pair {
    let [z, z_low] = product(block, s, s);
    let twice = block.add(s, s);
    let z_low = block.fma(twice, s_low, z_low);
    let q = block.poly(z, &REST);
    let q = block.mul(z, q);
    let [two_thirds, missing] = THIRDS.map(|c| block.f64(c));
    let [p, p_low] = sum(block, two_thirds, q);
    let p_low = block.add(p_low, missing);
    let [zp, zp_low] = product(block, z, p);
    let zp_low = block.fma(z, p_low, zp_low);
    let zp_low = block.fma(z_low, p, zp_low);
    let [cube, low] = product(block, s, zp);
    let low = block.fma(s, zp_low, low);
    [cube, block.fma(s_low, zp, low)]
}
