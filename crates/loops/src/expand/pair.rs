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

/// `a / b` of pairs, rounded nearly once.
pub(super) fn quotient(block: &mut Block, [a, a_low]: Pair, [b, b_low]: Pair) -> Val {
    let one = block.lit(a, 1.0);
    let inverse = block.div(one, b);
    let ratio = block.mul(a, inverse);
    let negated = block.negated(ratio);
    let rest = block.fma(negated, b, a);
    let rest = block.add(rest, a_low);
    let rest = block.fma(negated, b_low, rest);
    block.fma(rest, inverse, ratio)
}
