//! The error function.
//!
//! Below 1 it is `x + x p(x^2)`; from there on `1 - erfc`, in f32 with a polynomial for the fourth root of `erfc`, in
//! f64 with one for `exp(a^2) erfc(a)`. Where tables can be looked up, f32 has a polynomial around each multiple of 1/4.

use super::exp;
use crate::block::{Block, Val};
use crate::prim::{Lane, Prim, Table, table};
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

/// From where on `erf` of an f32 rounds to 1, or nearly; below the middle between two entries of the tables.
const FLAT: f32 = 3.875_f32.next_down();

/// For each centre `c` the value, then the coefficients of `(erf(c + t) - erf(c)) / t - 1` in rising order, for `t`
/// within 1/8: degree 4, error of `erf` 2^-28.
static TABLES: [Table; 6] = [
    table([
        0.0, 0.2763264, 0.5204999, 0.71115565, 0.8427008, 0.92290014, 0.96610516, 0.9866717, 0.9953223, 0.9985373,
        0.999593, 0.9998994, 0.9999779, 0.9999957, 0.9999993, 0.9999999,
    ]),
    table([
        0.12837917,
        0.06001412,
        -0.12121742,
        -0.35706893,
        -0.5848925,
        -0.7634789,
        -0.8810697,
        -0.94722503,
        -0.97933304,
        -0.9928577,
        -0.9978217,
        -0.9994137,
        -0.99986076,
        -0.9999708,
        -0.9999946,
        -0.999999,
    ]),
    table([
        2.5371233e-7,
        -0.2649987,
        -0.43938783,
        -0.48220038,
        -0.4151045,
        -0.29565674,
        -0.17840175,
        -0.09236103,
        -0.041339673,
        -0.016074672,
        -0.005438117,
        -0.0016144613,
        -0.0004118365,
        -9.7714714e-5,
        -2.6017318e-5,
        1.3001163e-6,
    ]),
    table([
        -0.3761397,
        -0.30916736,
        -0.1464649,
        0.026784878,
        0.13836594,
        0.16753502,
        0.13875301,
        0.090158574,
        0.04822369,
        0.021724699,
        0.008349976,
        0.002760251,
        0.0007890171,
        0.00019577325,
        4.228299e-5,
        7.966104e-6,
    ]),
    table([
        0.00025286575,
        0.12607108,
        0.18208417,
        0.1503536,
        0.06910655,
        -0.005537958,
        -0.043959137,
        -0.04770987,
        -0.034145124,
        -0.018902687,
        -0.009057009,
        -0.003172744,
        -0.001359782,
        -0.00014497444,
        0.0002955073,
        -0.00021719323,
    ]),
    table([
        0.111129336,
        0.07961256,
        0.007469801,
        -0.052740816,
        -0.06877123,
        -0.04708141,
        -0.014995042,
        0.0064591835,
        0.012996673,
        0.010639144,
        0.0061320425,
        0.0027734344,
        0.0010272345,
        0.00031845964,
        8.371591e-5,
        1.881936e-5,
    ]),
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
    let size = block.magnitude(x);
    let double = block.lane(x) == Lane::F64;
    let result = match (double, block.lookups()) {
        (false, true) => by_tables(block, size),
        _ => by_halves(block, size, if double { &DOUBLE } else { &SINGLE }),
    };
    Some(block.with_sign(result, x))
}

/// Of a magnitude: the nearest centre is what remains of the sum with a number whose last bit is worth 1/4, and its
/// number stands in the last bits of the sum.
fn by_tables(block: &mut Block, size: Val) -> Val {
    let [flat, quarters] = [FLAT, (1u32 << 21) as f32].map(|c| block.f32(c));
    let size = block.least(flat, size);
    let sum = block.add(size, quarters);
    let index = block.prim(Prim::Bits, &[sum]);
    let centre = block.sub(sum, quarters);
    let t = block.sub(size, centre);
    let [value, slopes @ .., last] = &TABLES;
    let mut poly = block.prim(Prim::Lookup(last), &[index]);
    for table in slopes.iter().rev() {
        let c = block.prim(Prim::Lookup(table), &[index]);
        poly = block.fma(poly, t, c);
    }
    let value = block.prim(Prim::Lookup(value), &[index]);
    let base = block.add(value, t);
    block.fma(poly, t, base)
}

/// Of a magnitude below 1 and from there on.
fn by_halves(block: &mut Block, size: Val, p: &Precision) -> Val {
    let [flat, one] = [p.flat, 1.0].map(|c| block.lit(size, c));
    let size = block.least(flat, size);
    let square = block.mul(size, size);
    let ratio = block.poly(square, p.near);
    let near = block.fma(ratio, size, size);
    let double = block.lane(size) == Lane::F64;
    let far = if double { far_double(block, size, square) } else { far_single(block, size) };
    let is_near = block.lt(size, one);
    block.select(is_near, near, far)
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
