//! Exponentials: `exp`, `expm1`, `sigmoid`, `tanh`, `sinh`, `cosh`.
//!
//! `x = n ln 2 + r` with a whole `n` and `|r| <= ln 2 / 2`, so `exp(x) = 2^n exp(r)`, and `exp(r)` is a polynomial.

use super::pair::{quotient, sum};
use crate::block::{Block, Val};
use crate::prim::Lane;
use std::f64::consts::{LN_2, LOG2_E};
use tilewright_scalar::Func;

/// What depends on the precision.
struct Precision {
    /// `ln 2` in two parts, negated.
    ln2: [f64; 2],
    /// Where `exp` has become 0, where it is still finite, and where it is infinite.
    low: f64,
    finite: f64,
    high: f64,
    /// `exp(r)`. All but the last two, 1 and 1, are `(exp(r) - 1 - r) / r^2`.
    exp: &'static [f64],
    /// Where `tanh` has become 1.
    flat: f64,
}

impl Precision {
    /// `(exp(r) - 1 - r) / r^2`.
    fn expm1(&self) -> &'static [f64] {
        &self.exp[..self.exp.len() - 2]
    }
}

const SINGLE: Precision = Precision {
    ln2: [-0.693_147_182_464_599_6, 1.904_654_299_957_768e-9],
    low: -104.0,
    finite: 88.0,
    high: 89.0,
    // Degree 6 on ln 2 / 2 * [-1, 1]: relative error of `expm1` 2^-26.1, of `exp` 2^-27.
    exp: &[
        0.0013882522334007373,
        0.00836652057626079,
        0.04166719984531937,
        0.16666543621079347,
        0.4999999815409813,
        1.0,
        1.0,
    ],
    flat: 9.2,
};

const DOUBLE: Precision = Precision {
    ln2: [-LN_2, -2.319_046_813_846_299_6e-17],
    low: -746.0,
    finite: 709.0,
    high: 710.0,
    // Degree 12: relative error of `expm1` 2^-61.
    exp: &[
        2.0875337194376873e-09,
        2.5108979358977337e-08,
        2.75574026131402e-07,
        2.7557244372725135e-06,
        2.480158717258517e-05,
        0.00019841269885967502,
        0.0013888888888962335,
        0.008333333333321691,
        0.04166666666666651,
        0.16666666666666677,
        0.5,
        1.0,
        1.0,
    ],
    flat: 20.0,
};

fn precision(lane: Lane) -> &'static Precision {
    if lane == Lane::F64 { &DOUBLE } else { &SINGLE }
}

/// Functions of this family, of f32 but for the hyperbolic sine and cosine, or of f64.
pub(super) fn call(block: &mut Block, func: Func, x: Val) -> Option<Val> {
    let p = precision(block.lane(x));
    Some(match func {
        Func::Exp => {
            let x = clamp(block, x, p.low, p.high);
            exp(block, x, p)
        }
        Func::Sigmoid => sigmoid(block, x, p),
        Func::Expm1 => expm1(block, x, p),
        Func::Tanh => tanh(block, x, p),
        Func::Sinh | Func::Cosh if block.lane(x) == Lane::F64 => hyperbolic(block, func, x, p),
        _ => return None,
    })
}

/// `x` within bounds; NaN stays.
pub(super) fn clamp(block: &mut Block, x: Val, low: f64, high: f64) -> Val {
    let (low, high) = (block.lit(x, low), block.lit(x, high));
    let x = block.least(high, x);
    block.most(low, x)
}

/// `n` and `r` of `x`.
fn reduce(block: &mut Block, x: Val, p: &Precision) -> [Val; 2] {
    let [log2e, high, low] = [LOG2_E, p.ln2[0], p.ln2[1]].map(|c| block.lit(x, c));
    let turns = block.mul(x, log2e);
    let n = block.even(turns);
    let rest = block.fma(n, high, x);
    [n, block.fma(n, low, rest)]
}

/// `exp` of what does not leave `low..=high`.
pub(super) fn exp_within(block: &mut Block, x: Val) -> Val {
    let p = precision(block.lane(x));
    exp(block, x, p)
}

fn exp(block: &mut Block, x: Val, p: &Precision) -> Val {
    let [n, r] = reduce(block, x, p);
    let power = block.poly(r, p.exp);
    block.scale(power, n)
}

/// `exp(x + low)` of f64, `low` within half the last place of `x`.
pub(super) fn of_sum(block: &mut Block, [x, low]: [Val; 2]) -> Val {
    let [n, r] = reduce(block, x, &DOUBLE);
    let r = block.add(r, low);
    let power = block.poly(r, DOUBLE.exp);
    block.scale(power, n)
}

/// `exp(r) - 1`, relatively exact.
fn expm1_of_rest(block: &mut Block, r: Val, p: &Precision) -> Val {
    let q = block.poly(r, p.expm1());
    let square = block.mul(r, r);
    block.fma(q, square, r)
}

/// `(exp(x) - 1) / 2` as `2^(n-1) (exp(r) - 1) + (2^(n-1) - 1/2)`; the halves keep 2^n finite wherever the result is.
fn half_expm1(block: &mut Block, n: Val, r: Val, p: &Precision) -> Val {
    let rest = expm1_of_rest(block, r, p);
    let half = block.lit(n, 0.5);
    let power = block.scale(half, n);
    let whole = block.sub(power, half);
    block.fma(power, rest, whole)
}

fn expm1(block: &mut Block, x: Val, p: &Precision) -> Val {
    let within = clamp(block, x, p.low, p.high);
    let [n, r] = reduce(block, within, p);
    let half = half_expm1(block, n, r, p);
    let result = block.add(half, half);
    block.with_sign(result, x)
}

/// `2^n / (2^n + exp(-r))`: the sum rounds least as `1 + (2^n + (exp(-r) - 1))`; in f64 it has two parts.
fn sigmoid(block: &mut Block, x: Val, p: &Precision) -> Val {
    let x = clamp(block, x, p.low, p.finite);
    let [n, r] = reduce(block, x, p);
    let one = block.lit(x, 1.0);
    let power = block.scale(one, n);
    let factor = block.poly(r, &mirrored(&p.exp[..p.exp.len() - 1], 1.0));
    if block.lane(x) == Lane::F32 {
        let rest = block.fma(factor, r, power);
        let sum = block.add(rest, one);
        return block.div(power, sum);
    }
    let (large, small) = (block.most(one, power), block.least(one, power));
    let rest = block.mul(factor, r);
    let [whole, lost] = sum(block, large, small);
    let [whole, more] = sum(block, whole, rest);
    let (lost, zero) = (block.add(lost, more), block.lit(x, 0.0));
    quotient(block, [power, zero], [whole, lost])
}

/// Coefficients of `-scale p(-scale x)`.
fn mirrored(p: &[f64], scale: f64) -> Vec<f64> {
    let degree = p.len() as i32 - 1;
    p.iter().zip(0..).map(|(c, i)| c * -scale * (-scale).powi(degree - i)).collect()
}

/// `(1 - e) / (1 + e)` with `e = exp(-2 |x|) = 2^n exp(-2r)`, both halved.
fn tanh(block: &mut Block, x: Val, p: &Precision) -> Val {
    let [flat, turn, step] = [p.flat, -2.0 * LOG2_E, p.ln2[0] / -2.0].map(|c| block.lit(x, c));
    let [one, half, below] = [1.0, 0.5, -0.5].map(|c| block.lit(x, c));
    let size = block.magnitude(x);
    let size = block.least(flat, size);
    let turns = block.mul(size, turn);
    let n = block.even(turns);
    let r = block.fma(n, step, size);
    // (1 - exp(-2r)) / 2 = r + r^2 q.
    let q = block.poly(r, &mirrored(p.expm1(), 2.0));
    let square = block.mul(r, r);
    let rest = block.fma(q, square, r);
    let power = block.scale(one, n);
    // All but the last sum and difference are exact, mostly.
    let rest = block.mul(power, rest);
    let (less, more) = (block.fma(power, below, half), block.fma(power, half, half));
    let result = if block.lane(x) == Lane::F32 {
        let (above, under) = (block.add(less, rest), block.sub(more, rest));
        block.div(above, under)
    } else {
        let negated = block.negated(rest);
        let (above, under) = (sum(block, less, rest), sum(block, more, negated));
        quotient(block, above, under)
    };
    block.with_sign(result, x)
}

/// `(sinh(x) / x - 1) / x^2` in `x^2`, up to 1: degree 6, relative error of `sinh` 2^-63.
const SINH: [f64; 7] = [
    7.758749083954065e-13,
    1.605725975856933e-10,
    2.505212313286714e-08,
    2.7557319157070853e-06,
    0.00019841269841431875,
    0.008333333333333148,
    0.16666666666666669,
];

/// With `e = exp(|x|) / 2`: `cosh = e + 1 / (4 e)` and `sinh = e - 1 / (4 e)`, below 1 a polynomial instead.
fn hyperbolic(block: &mut Block, func: Func, x: Val, p: &Precision) -> Val {
    let [one, quarter, limit] = [1.0, 0.25, p.high + 1.0].map(|c| block.lit(x, c));
    let size = block.magnitude(x);
    let within = block.least(limit, size);
    let [n, r] = reduce(block, within, p);
    let power = block.poly(r, p.exp);
    let below = block.sub(n, one);
    let e = block.scale(power, below);
    let inverse = block.div(quarter, e);
    if func == Func::Cosh {
        return block.add(e, inverse);
    }
    let large = block.sub(e, inverse);
    let square = block.mul(within, within);
    let q = block.poly(square, &SINH);
    let cube = block.mul(square, within);
    let small = block.fma(cube, q, within);
    let is_small = block.lt(size, one);
    let result = block.select(is_small, small, large);
    block.with_sign(result, x)
}
