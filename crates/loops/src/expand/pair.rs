//! Sums and products in two parts: a float, and what rounding takes from it.

use crate::block::{Block, Val};

/// A value and what its rounding lost, at most half of the last place.
pub(super) type Pair = [Val; 2];

/// `a * b`.
pub(super) fn product(block: &mut Block, a: Val, b: Val) -> Pair {
    let high = block.mul(a, b);
    let negated = block.negated(high);
    [high, block.fma(a, b, negated)]
}

/// A pair times a constant in two parts.
pub(super) fn scaled(block: &mut Block, [a, a_low]: Pair, by: [f64; 2]) -> Pair {
    let [by, by_low] = by.map(|c| block.f64(c));
    let [high, low] = product(block, a, by);
    let low = block.fma(a, by_low, low);
    [high, block.fma(a_low, by, low)]
}

/// `a + b`, where `a` is the larger or zero.
pub(super) fn sum(block: &mut Block, a: Val, b: Val) -> Pair {
    let high = block.add(a, b);
    let rest = block.sub(a, high);
    [high, block.add(rest, b)]
}

/// `a + b`.
pub(super) fn two_sum(block: &mut Block, a: Val, b: Val) -> Pair {
    let high = block.add(a, b);
    let kept = block.sub(high, a);
    let from_a = block.sub(high, kept);
    let from_a = block.sub(a, from_a);
    let from_b = block.sub(b, kept);
    [high, block.add(from_a, from_b)]
}

/// What an odd function adds to a pair `x`, whose own share is the first term: `x^3 p(x^2)` and the low part times the
/// slope, nearly `1 - x^2 / 2`.
pub(super) fn odd(block: &mut Block, [x, low]: Pair, p: &[f64]) -> Val {
    let (one, below) = (block.f64(1.0), block.f64(-0.5));
    let square = block.mul(x, x);
    let p = block.poly(square, p);
    let cube = block.mul(square, x);
    let slope = block.fma(square, below, one);
    let rest = block.mul(low, slope);
    block.fma(cube, p, rest)
}

/// `a / b` of pairs, rounded nearly once.
pub(super) fn quotient(block: &mut Block, [a, a_low]: Pair, [b, b_low]: Pair) -> Val {
    let (ratio, inverse) = first_quotient(block, a, b);
    let rest = rest_of(block, [a, a_low], ratio, [b, b_low]);
    block.fma(rest, inverse, ratio)
}

/// `a / b` in two parts.
pub(super) fn ratio(block: &mut Block, a: Pair, b: Pair) -> Pair {
    let (ratio, inverse) = first_quotient(block, a[0], b[0]);
    let rest = rest_of(block, a, ratio, b);
    [ratio, block.mul(rest, inverse)]
}

/// Nearly `a / b`, and nearly `1 / b`.
fn first_quotient(block: &mut Block, a: Val, b: Val) -> (Val, Val) {
    let one = block.lit(b, 1.0);
    let inverse = block.div(one, b);
    (block.mul(a, inverse), inverse)
}

/// `a - ratio b`.
fn rest_of(block: &mut Block, [a, a_low]: Pair, ratio: Val, [b, b_low]: Pair) -> Val {
    let negated = block.negated(ratio);
    let rest = block.fma(negated, b, a);
    let rest = block.add(rest, a_low);
    block.fma(negated, b_low, rest)
}

/// The root in two parts.
pub(super) fn root(block: &mut Block, [a, a_low]: Pair) -> Pair {
    let root = block.sqrt(a);
    let negated = block.negated(root);
    let rest = block.fma(negated, root, a);
    let rest = block.add(rest, a_low);
    // The rest of zero is zero.
    let (half, least) = (block.lit(a, 0.5), block.lit(a, 1e-300));
    let divisor = block.most(root, least);
    let inverse = block.div(half, divisor);
    [root, block.mul(rest, inverse)]
}
