//! Trigonometric functions and their inverses, computed in f64.

use super::pair::{Pair, odd, ratio, root, sum};
use crate::block::{Block, Val};
use crate::prim::Lane;
use std::f64::consts::{FRAC_PI_2, PI};
use tilewright_scalar::Func;

/// `sin(pi/2 f) / f` in `f^2`, `|f| <= 1/2`: degree 4, relative error 2^-37.
const SINE: [f64; 5] =
    [0.00015819417733094714, -0.004681260232328584, 0.07969258178945549, -0.6459640961001626, 1.5707963267877356];

/// `cos(pi/2 f)` in `f^2`, `|f| <= 1/2`: degree 4, relative error 2^-34.
const COSINE: [f64; 5] =
    [0.000903356548466197, -0.020859933147028786, 0.2536691821977256, -1.233700539547413, 0.9999999999438217];

/// `(atan(a) / a - 1) / a^2` in `a^2`, `a` from 0 to 1: degree 20, relative error of `atan` 2^-60.
const ARC: [f64; 21] = [
    -8.827499627886181e-06,
    0.00010568759546456175,
    -0.0006017242368757478,
    0.00217805144499864,
    -0.005667076615023617,
    0.011400316780085878,
    -0.018708789314562053,
    0.02623532171593499,
    -0.032843309474539395,
    0.03824157990833549,
    -0.042877425049740195,
    0.04745380952966947,
    -0.052595528966016325,
    0.058817400999982075,
    -0.06666587346134306,
    0.07692300112901207,
    -0.09090908578455749,
    0.1111111108805361,
    -0.14285714285086465,
    0.1999999999999124,
    -0.3333333333333329,
];

/// What f64 lacks of `pi`.
const REST_OF_PI: f64 = 1.224_646_799_147_353_2e-16;

/// The bits of `2 / pi` after the point, 29 a word.
const TWO_OVER_PI: [u32; 7] =
    [0x145f_306d, 0x1939_1054, 0x14fe_13ab, 0x1d1f_534d, 0x1b81_b6c5, 0x0566_4f10, 0x1c82_0ff2];

/// Sine, cosine and tangent; the inverses of f64.
pub(super) fn call(block: &mut Block, func: Func, x: Val) -> Option<Val> {
    let double = block.lane(x) == Lane::F64;
    Some(match func {
        Func::Sin | Func::Cos | Func::Tan if !double => circular(block, func, x),
        Func::Sin | Func::Cos | Func::Tan => super::circular::call(block, func, x),
        Func::Atan if double => {
            let size = block.magnitude(x);
            let result = atan(block, size);
            block.with_sign(result, x)
        }
        Func::Asin if double => asin(block, x),
        Func::Acos if double => acos(block, x),
        _ => return None,
    })
}

/// The four words of `2 / pi` that matter for an f64 that is an f32: the product with any word before them is a
/// multiple of 4, those after them add less than 2^-60.
fn words(block: &mut Block, x: Val) -> [Val; 4] {
    let size = block.magnitude(x);
    let masks = [1, 2, 3].map(|place| {
        let from = block.f64(2f64.powi(29 * place + 25));
        block.le(from, size)
    });
    [0, 1, 2, 3].map(|word: usize| {
        let value = |i: usize| f64::from(TWO_OVER_PI[i]) * 2f64.powi(-29 * (i as i32 + 1));
        let first = block.f64(value(word));
        masks.iter().enumerate().fold(first, |nearer, (i, mask)| {
            let farther = block.f64(value(word + i + 1));
            block.select(*mask, farther, nearer)
        })
    })
}

/// `x` without a multiple of 4, exactly.
pub(super) fn without_turns(block: &mut Block, x: Val) -> Val {
    let (quarter, turn) = (block.f64(0.25), block.f64(-4.0));
    let turns = block.mul(x, quarter);
    let turns = block.even(turns);
    block.fma(turns, turn, x)
}

/// `x = pi/2 (n + f)` but for whole turns: a whole `n` as an integer, and `|f| <= 1/2`.
fn quadrant(block: &mut Block, x: Val) -> [Val; 2] {
    // Products of 24 and 29 bits are exact in f64.
    let products = words(block, x).map(|w| block.mul(x, w));
    let (a, b) = (without_turns(block, products[0]), without_turns(block, products[1]));
    let sum = block.add(a, b);
    let sum = block.add(sum, products[2]);
    let n = block.even(sum);
    // Where little remains, every difference up to here is exact.
    let rest = block.sub(a, n);
    let rest = block.add(rest, b);
    let rest = block.add(rest, products[2]);
    let rest = block.add(rest, products[3]);
    [block.int_of(n), rest]
}

fn circular(block: &mut Block, func: Func, x: Val) -> Val {
    let wide = block.extend(x);
    let [n, f] = quadrant(block, wide);
    let square = block.mul(f, f);
    let sine = block.poly(square, &SINE);
    let sine = block.mul(sine, f);
    let cosine = block.poly(square, &COSINE);
    let one = block.i64(1);
    let odd = block.and(n, one);
    let odd = block.ieq(odd, one);
    let (up, across) = (block.select(odd, cosine, sine), block.select(odd, sine, cosine));
    let value = match func {
        Func::Sin => turned(block, up, n, 62),
        Func::Cos => {
            let next = block.iadd(n, one);
            turned(block, across, next, 62)
        }
        _ => {
            let ratio = block.div(up, across);
            turned(block, ratio, n, 63)
        }
    };
    let value = block.narrow(value);
    if func == Func::Cos {
        return value;
    }
    let zero = block.lit(x, 0.0);
    let is_zero = block.eq(x, zero);
    block.select(is_zero, x, value)
}

/// `value`, negated where the bit of `n` that the shift makes the sign bit is set.
pub(super) fn turned(block: &mut Block, value: Val, n: Val, shift: u8) -> Val {
    let high = block.shl(n, shift);
    let high = block.bits(high);
    let sign = block.sign_bit(Lane::F64);
    let flip = block.and(high, sign);
    block.xor(value, flip)
}

/// `atan` from 0 to 1.
fn atan_within(block: &mut Block, a: Val) -> Val {
    let square = block.mul(a, a);
    let q = block.poly(square, &ARC);
    let cube = block.mul(a, square);
    block.fma(cube, q, a)
}

/// The same of a number in two parts.
fn atan_of_pair(block: &mut Block, a: Pair) -> Val {
    let rest = odd(block, a, &ARC);
    block.add(a[0], rest)
}

/// `whole - part`, where `whole` is given with what f64 lacks of it.
fn less(block: &mut Block, whole: [f64; 2], part: Val) -> Val {
    let [high, low] = whole.map(|c| block.f64(c));
    let part = block.sub(part, low);
    block.sub(high, part)
}

/// `atan` of what is not negative; beyond 1 it is `pi/2 - atan(1 / a)`.
fn atan(block: &mut Block, a: Val) -> Val {
    let one = block.f64(1.0);
    let beyond = block.lt(one, a);
    let inverse = block.div(one, a);
    let within = block.select(beyond, inverse, a);
    let near = atan_within(block, within);
    let far = less(block, [FRAC_PI_2, REST_OF_PI / 2.0], near);
    block.select(beyond, far, near)
}

/// `2 atan(a / (1 + sqrt(1 - a^2)))` of `a = |x|`.
fn asin(block: &mut Block, x: Val) -> Val {
    let one = block.f64(1.0);
    let size = block.magnitude(x);
    let negated = block.sign_bit(Lane::F64);
    let negated = block.or(size, negated);
    let square = block.fma(negated, size, one);
    let root = block.sqrt(square);
    let below = sum(block, one, root);
    let zero = block.f64(0.0);
    let ratio = ratio(block, [size, zero], below);
    let half = atan_of_pair(block, ratio);
    let result = block.add(half, half);
    block.with_sign(result, x)
}

/// `2 atan(sqrt((1 - a) / (1 + a)))` of `a = |x|`, for negative `x` what `pi` is more than that.
fn acos(block: &mut Block, x: Val) -> Val {
    let [zero, one] = [0.0, 1.0].map(|c| block.f64(c));
    let size = block.magnitude(x);
    let negated = block.negated(size);
    let (above, below) = (sum(block, one, negated), sum(block, one, size));
    let ratio = ratio(block, above, below);
    let root = root(block, ratio);
    let half = atan_of_pair(block, root);
    let near = block.add(half, half);
    let far = less(block, [PI, REST_OF_PI], near);
    let negative = block.lt(x, zero);
    block.select(negative, far, near)
}
