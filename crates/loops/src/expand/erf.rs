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
        -0.0005631420944496519,
        0.0049175512299577395,
        -0.02671131129330692,
        0.11280180119790183,
        -0.37612326189407547,
        0.1283791224947954,
    ],
    flat: 3.92,
};

/// The fourth root of `erfc` from 1 to 3.92: degree 7, error of `erfc` 2^-25.3.
const FOURTH_ROOT: [f64; 8] = [
    -0.0001571035182398008,
    0.0029280671077933783,
    -0.020460633082289983,
    0.06067149995465314,
    -0.04053358700159087,
    -0.07408259024247575,
    -0.3025735369033661,
    1.0039774212505914,
];

/// Degree 12: relative error of `erf` 2^-62.
const DOUBLE: Precision = Precision {
    near: &[
        5.945257284532827e-11,
        -1.136566346044511e-09,
        1.4657879238739532e-08,
        -1.6350025140912135e-07,
        1.6460972810247708e-06,
        -1.4925593506540704e-05,
        0.0001205533103688895,
        -0.0008548326978742052,
        0.005223977624780867,
        -0.026866170645072896,
        0.11283791670954857,
        -0.3761263890318375,
        0.1283791670955126,
    ],
    flat: 6.0,
};

/// `exp(a^2) erfc(a)` in `t = (a - 3) / (a + 3)`, `a` from 1 to 6: degree 13, error of `erfc` 2^-56.
const SCALED: [f64; 14] = [
    -5.365589820208842e-07,
    -9.66575030811299e-06,
    -1.2934520780456206e-05,
    6.440593900055425e-05,
    4.537426201568387e-05,
    -0.0005970723535712691,
    0.0007077351234147167,
    0.0042691352227602584,
    -0.024392499022981136,
    0.07166583725153686,
    -0.15011593650180566,
    0.24560380171182652,
    -0.3262335600430465,
    0.1790011511813905,
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
