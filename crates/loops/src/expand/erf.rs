//! The error function.
//!
//! Below 1 it is `x + x p(x^2)`; from there on `1 - erfc`, in f32 with a polynomial for the fourth root of `erfc`, in
//! f64 with one for `exp(a^2) erfc(a)`.

use super::exp;
use crate::block::{Block, Val};
use crate::prim::Lane;
use tilewright_scalar::Func;

/// What depends on the precision.
struct Precision {
    /// `erf(x) / x - 1` in `x^2`, up to 1.
    near: &'static [f64],
    /// From where on `erf` rounds to 1, or nearly.
    flat: f64,
}

/// Degree 5: relative error of `erf` 2^-24.5.
const SINGLE: Precision = Precision {
    near: &[
        -0.00056314209444965182069,
        0.0049175512299577392854,
        -0.026711311293306920044,
        0.11280180119790182476,
        -0.37612326189407544993,
        0.1283791224947954035,
    ],
    flat: 3.92,
};

/// The fourth root of `erfc` from 1 to 3.92: degree 7, error of `erfc` 2^-25.3.
const FOURTH_ROOT: [f64; 8] = [
    -0.00015710351823980080172,
    0.0029280671077933781624,
    -0.02046063308228998207,
    0.060671499954653136017,
    -0.040533587001590868426,
    -0.07408259024247575141,
    -0.30257353690336610057,
    1.0039774212505914873,
];

/// Degree 12: relative error of `erf` 2^-62.
const DOUBLE: Precision = Precision {
    near: &[
        5.9452572845328265731e-11,
        -1.1365663460445110125e-9,
        1.4657879238739531955e-8,
        -1.6350025140912134475e-7,
        1.6460972810247708704e-6,
        -0.000014925593506540704548,
        0.000120553310368889494,
        -0.00085483269787420512511,
        0.00522397762478086733,
        -0.026866170645072895423,
        0.11283791670954857498,
        -0.37612638903183747604,
        0.12837916709551257375,
    ],
    flat: 6.0,
};

/// `exp(a^2) erfc(a)` in `t = (a - 3) / (a + 3)`, `a` from 1 to 6: degree 13, error of `erfc` 2^-56.
const SCALED: [f64; 14] = [
    -5.3655898202088419323e-7,
    -9.6657503081129890707e-6,
    -0.000012934520780456206386,
    0.00006440593900055425008,
    0.000045374262015683868983,
    -0.00059707235357126913581,
    0.00070773512341471675771,
    0.0042691352227602583284,
    -0.024392499022981135554,
    0.071665837251536852838,
    -0.15011593650180564879,
    0.2456038017118265253,
    -0.32623356004304650993,
    0.17900115118139050247,
];

/// `erf` of f32 or f64.
pub(super) fn call(block: &mut Block, func: Func, x: Val) -> Option<Val> {
    if func != Func::Erf {
        return None;
    }
    let double = block.lane(x) == Lane::F64;
    let p = if double { DOUBLE } else { SINGLE };
    let [flat, one] = [p.flat, 1.0].map(|c| block.lit(x, c));
    let size = block.magnitude(x);
    let size = block.least(flat, size);
    let square = block.mul(size, size);
    let ratio = block.poly(square, p.near);
    let near = block.fma(ratio, size, size);
    let far = if double { far_double(block, size, square) } else { far_single(block, size) };
    let is_near = block.lt(size, one);
    let result = block.select(is_near, near, far);
    Some(block.with_sign(result, x))
}

/// `c - a b`.
fn less_product(block: &mut Block, c: Val, a: Val, b: Val) -> Val {
    let sign = block.sign_bit(block.lane(a));
    let negated = block.xor(sign, a);
    block.fma(negated, b, c)
}

fn far_single(block: &mut Block, a: Val) -> Val {
    let root = block.poly(a, &FOURTH_ROOT);
    let square = block.mul(root, root);
    let one = block.f32(1.0);
    less_product(block, one, square, square)
}

fn far_double(block: &mut Block, a: Val, square: Val) -> Val {
    let [one, centre] = [1.0, 3.0].map(|c| block.f64(c));
    let (above, below) = (block.sub(a, centre), block.add(a, centre));
    let t = block.div(above, below);
    let scaled = block.poly(t, &SCALED);
    let sign = block.sign_bit(Lane::F64);
    let exponent = block.xor(sign, square);
    let e = exp::exp_within(block, exponent);
    less_product(block, one, scaled, e)
}
