//! Sine, cosine and tangent of f64.
//!
//! `x = pi/2 (n + f)` but for whole turns, with `|f| <= 1/2` in two parts: the product of `x` and those bits of `2 / pi`
//! that decide `n` and `f`, however large `x` is (Payne and Hanek 1983).

use super::pair::{Pair, odd, product, quotient, scaled, sum, two_sum};
use super::trig::{turned, without_turns};
use crate::block::{Block, Val};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use tilewright_scalar::Func;

/// The bits of `2 / pi` after the point, 53 a word.
const TWO_OVER_PI: [u64; 23] = [
    0x0014_5f30_6dc9_c882,
    0x0014_a7f0_9d5f_47d4,
    0x001a_6ee0_6db1_4acc,
    0x0013_c439_041f_e516,
    0x0007_57bd_778a_c36e,
    0x0009_1b8e_9093_74b8,
    0x0000_3249_7750_4e8c,
    0x0012_1cfe_1deb_1cb1,
    0x0005_34e7_dd10_46be,
    0x0014_baed_1213_a671,
    0x0018_135a_2fbf_209c,
    0x0019_1d63_9835_339f,
    0x0009_3908_bf17_7bf2,
    0x000a_0ec7_fe25_fff7,
    0x0010_2cc0_7f79_788c,
    0x000b_5a0a_6d1f_6d36,
    0x000f_d9e4_f961_36e9,
    0x001d_18fd_9a79_7fa8,
    0x0016_ba93_dd63_f5f2,
    0x001f_17b3_d073_9f78,
    0x0014_a525_d4d7_f6bf,
    0x000c_47e3_5742_1580,
    0x0019_8237_e3db_5d5f,
];

/// What f64 lacks of `pi / 2`.
const REST: f64 = 6.123_233_995_736_766e-17;

/// `(sin(r) / r - 1) / r^2` in `r^2`, `|r| <= pi / 4`: degree 5, relative error of `sin` 2^-57.9.
const SINE: [f64; 6] = [
    1.5896229182514518e-10,
    -2.50507477453837e-08,
    2.7557313621267693e-06,
    -0.00019841269829589165,
    0.008333333333322118,
    -0.1666666666666663,
];

/// `(cos(r) - 1 + r^2 / 2) / r^4` in `r^2`: degree 5, relative error of `cos` 2^-64.
const COSINE: [f64; 6] = [
    -1.1358536134927357e-11,
    2.087570083426169e-09,
    -2.755731417923751e-07,
    2.4801587288851487e-05,
    -0.0013888888888873056,
    0.041666666666666595,
];

/// `Sin`, `Cos` or `Tan` of f64.
pub(super) fn call(block: &mut Block, func: Func, x: Val) -> Val {
    let (n, r) = reduced(block, x);
    let (sine, cosine) = (sine(block, r), cosine(block, r));
    let one = block.i64(1);
    let odd = block.and(n, one);
    let odd = block.ieq(odd, one);
    let mut chosen = |then: Pair, other: Pair| [0, 1].map(|i| block.select(odd, then[i], other[i]));
    let (up, across) = (chosen(cosine, sine), chosen(sine, cosine));
    let value = match func {
        Func::Sin => turned(block, up[0], n, 62),
        Func::Cos => {
            let next = block.iadd(n, one);
            return turned(block, across[0], next, 62);
        }
        _ => {
            let ratio = quotient(block, up, across);
            turned(block, ratio, n, 63)
        }
    };
    // Zeros keep their sign.
    let zero = block.f64(0.0);
    let none = block.eq(x, zero);
    block.select(none, x, value)
}

/// The quarter turns of `x`, of which the low two bits count, and the angle that is left.
fn reduced(block: &mut Block, x: Val) -> (Val, Pair) {
    let (n, f) = quadrant(block, x);
    let angle = scaled(block, f, [FRAC_PI_2, REST]);
    // Products with small numbers would lose their last bits.
    let (limit, zero, none) = (block.f64(FRAC_PI_4), block.f64(0.0), block.i64(0));
    let size = block.magnitude(x);
    let small = block.lt(size, limit);
    let r = [block.select(small, x, angle[0]), block.select(small, zero, angle[1])];
    (block.select(small, none, n), r)
}

/// `n` as an integer, and `f`.
fn quadrant(block: &mut Block, x: Val) -> (Val, Pair) {
    let (x, words) = words(block, x);
    let products = words.map(|w| product(block, x, w));
    let [[a, b], [c, d], [e, small], [smaller, f], [g, _]] = products;
    // What is large loses whole turns; the parts are then at most 2.
    let large = [a, b, c].map(|v| without_turns(block, v));
    let (mut total, mut lost) = (large[0], Vec::new());
    for part in [large[1], large[2], d, e] {
        let [next, rest] = two_sum(block, total, part);
        total = next;
        lost.push(rest);
    }
    let n = block.even(total);
    let near = block.sub(total, n);
    // Where little is left it is a sum of what rounding took, whose own rounding is then kept too.
    let (mut rest, mut last) = (lost[0], block.add(f, g));
    for part in [lost[1], lost[2], lost[3], small, smaller] {
        let [next, least] = two_sum(block, rest, part);
        rest = next;
        last = block.add(last, least);
    }
    let [high, low] = two_sum(block, near, rest);
    let low = block.add(low, last);
    (block.int_of(n), sum(block, high, low))
}

/// `x` without a multiple of the exponent 53, and the five words of `2 / pi` that its bits then meet: the product with
/// any word before them is a multiple of 4, those after them add less than 2^-157.
fn words(block: &mut Block, mut x: Val) -> (Val, [Val; 5]) {
    let mut words: Vec<Val> = TWO_OVER_PI.iter().map(|w| block.f64(*w as f64)).collect();
    for step in [16, 8, 4, 2, 1] {
        let (limit, down) = (block.f64(2f64.powi(53 * step + 54)), block.f64(2f64.powi(-53 * step)));
        let size = block.magnitude(x);
        let beyond = block.le(limit, size);
        let less = block.mul(x, down);
        x = block.select(beyond, less, x);
        // Steps to come move at most to the word before `step`, and four more follow it. No exponent needs the absent.
        let kept = step as usize + 4;
        let far = |i: usize| words.get(i + step as usize).copied();
        words = (0..kept).map(|i| far(i).map_or(words[i], |w| block.select(beyond, w, words[i]))).collect();
    }
    let word = |i: usize| {
        let place = block.f64(2f64.powi(-53 * (i as i32 + 1)));
        block.mul(words[i], place)
    };
    (x, [0, 1, 2, 3, 4].map(word))
}

/// `r + r^3 p(r^2)` in two parts, and what the low part of `r` adds.
fn sine(block: &mut Block, r: Pair) -> Pair {
    let rest = odd(block, r, &SINE);
    sum(block, r[0], rest)
}

/// `1 - r^2 / 2 + r^4 p(r^2)` in two parts, less what the low part of `r` takes.
fn cosine(block: &mut Block, [r, low]: Pair) -> Pair {
    let (one, below) = (block.f64(1.0), block.f64(-0.5));
    let [z, z_low] = product(block, r, r);
    let p = block.poly(z, &COSINE);
    let half = block.mul(z, below);
    let [main, lost] = sum(block, one, half);
    let fourth = block.mul(z, z);
    let rest = block.fma(fourth, p, lost);
    let rest = block.fma(z_low, below, rest);
    let slope = block.mul(r, low);
    let rest = block.sub(rest, slope);
    sum(block, main, rest)
}
