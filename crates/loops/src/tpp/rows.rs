//! The tables of expressions.

use super::elementwise::Numbers::{self, All, Floats};
use super::elementwise::Type::{self, Is, Value, Within};
use super::{Elementwise, Reduction};
use crate::map::Combiner::{ArgMax, ArgMin, Max, Min, Prod, Sum};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
use tilewright_scalar::{Func, Scalar};
use tilewright_tensor::DType::{self, BF16, Bool, F32, I64, U16, U32};
use tilewright_tensor::ix::Ix;

type Values = fn(&[Scalar]) -> Vec<Scalar>;

const fn row(
    name: &'static str,
    inputs: &'static [Type],
    outputs: &'static [Type],
    numbers: Numbers,
    of: Values,
) -> Elementwise {
    Elementwise { name, inputs, outputs, numbers, of }
}

/// From values to one value.
const fn value(name: &'static str, inputs: &'static [Type], numbers: Numbers, of: Values) -> Elementwise {
    row(name, inputs, &[Value], numbers, of)
}

/// From two values to a truth value.
const fn compare(name: &'static str, of: Values) -> Elementwise {
    row(name, TWO, &[Is(Bool)], All, of)
}

const ONE: &[Type] = &[Value];
const TWO: &[Type] = &[Value, Value];
const THREE: &[Type] = &[Value, Value, Value];
/// A value and whether it is kept.
const MASKED: &[Type] = &[Value, Is(Bool)];

/// Elementwise primitives. `_inv` is the derivative.
pub const ELEMENTWISE: &[Elementwise] = &[
    value("identity", ONE, All, |x| vec![x[0].clone()]),
    value("zero", ONE, All, |x| vec![x[0].lit(0.0)]),
    value("square", ONE, All, |x| vec![&x[0] * &x[0]]),
    value("sqrt", ONE, Floats, |x| vec![x[0].sqrt()]),
    value("negate", ONE, All, |x| vec![-x[0].clone()]),
    value("increment", ONE, All, |x| vec![&x[0] + &x[0].lit(1.0)]),
    value("reciprocal", ONE, Floats, |x| vec![x[0].lit(1.0) / x[0].clone()]),
    value("reciprocal_sqrt", ONE, Floats, |x| vec![x[0].lit(1.0) / x[0].sqrt()]),
    value("exp", ONE, Floats, |x| vec![x[0].exp()]),
    value("tanh", ONE, Floats, |x| vec![x[0].tanh()]),
    value("tanh_inv", ONE, Floats, |x| vec![x[0].lit(1.0) - x[0].tanh() * x[0].tanh()]),
    value("sigmoid", ONE, Floats, |x| vec![sigmoid(&x[0])]),
    value("sigmoid_inv", ONE, Floats, |x| vec![sigmoid(&x[0]) * (x[0].lit(1.0) - sigmoid(&x[0]))]),
    value("gelu", ONE, Floats, |x| vec![gelu(&x[0])]),
    value("gelu_inv", ONE, Floats, |x| vec![gelu_slope(&x[0])]),
    // Each with the truth value that its derivative takes, whether x > 0, or without.
    value("relu", ONE, All, |x| vec![relu(&x[0])]),
    row("relu_with_mask", ONE, MASKED, All, |x| vec![relu(&x[0]), positive(&x[0])]),
    value("relu_inv", &[Is(Bool), Value], All, |x| vec![x[0].select(&x[1], &x[1].lit(0.0))]),
    value("leaky_relu", TWO, All, |x| vec![leaky_relu(x)]),
    row("leaky_relu_with_mask", TWO, MASKED, All, |x| vec![leaky_relu(x), positive(&x[0])]),
    value("leaky_relu_inv", &[Is(Bool), Value, Value], All, |x| vec![x[0].select(&x[1], &(&x[1] * &x[2]))]),
    value("elu", TWO, Floats, |x| vec![positive(&x[0]).select(&x[0], &(&x[1] * &(x[0].exp() - 1.0)))]),
    // The result of elu, the gradient, alpha.
    value("elu_inv", THREE, Floats, |x| vec![positive(&x[0]).select(&x[1], &(&x[1] * &(&x[0] + &x[2])))]),
    value("add", TWO, All, |x| vec![&x[0] + &x[1]]),
    value("sub", TWO, All, |x| vec![&x[0] - &x[1]]),
    value("mul", TWO, All, |x| vec![&x[0] * &x[1]]),
    value("div", TWO, All, |x| vec![&x[0] / &x[1]]),
    value("max", TWO, All, |x| vec![x[0].maximum(&x[1])]),
    value("min", TWO, All, |x| vec![x[0].minimum(&x[1])]),
    // A bias and an activation.
    value("add_relu", TWO, All, |x| vec![relu(&(&x[0] + &x[1]))]),
    value("add_sigmoid", TWO, Floats, |x| vec![sigmoid(&(&x[0] + &x[1]))]),
    value("add_gelu", TWO, Floats, |x| vec![gelu(&(&x[0] + &x[1]))]),
    compare("gt", |x| vec![x[0].gt(&x[1])]),
    compare("ge", |x| vec![x[0].ge(&x[1])]),
    compare("lt", |x| vec![x[0].lt(&x[1])]),
    compare("le", |x| vec![x[0].le(&x[1])]),
    compare("eq", |x| vec![x[0].equals(&x[1])]),
    compare("ne", |x| vec![x[0].equals(&x[1]).not()]),
    value("muladd", THREE, All, |x| vec![&x[0] * &x[1] + x[2].clone()]),
    value("nmuladd", THREE, All, |x| vec![&x[2] - &(&x[0] * &x[1])]),
    value("select", &[Is(Bool), Value, Value], All, |x| vec![x[0].select(&x[1], &x[2])]),
    // Value, scale: the nearest integer, in range or wrapped to the dtype.
    row("quantize", TWO, &[Within], Floats, |x| vec![(&x[0] * &x[1]).round_even()]),
    value("quantize_wrapped", TWO, Floats, |x| vec![(&x[0] * &x[1]).round_even()]),
    value("dequantize", TWO, Floats, |x| vec![&x[0] * &x[1]]),
    // Low and high halves of an f32 and back.
    row("zip", &[Is(U16), Is(U16)], &[Is(F32)], All, |x| vec![zip(&x[0], &x[1])]),
    row("unzip", &[Is(F32)], &[Is(U16), Is(U16)], All, |x| unzip(&x[0])),
    // Parts that sum to the value: cut off, the last one rounded. The rest of what is not finite is zero.
    row("split_bf16x2", &[Is(F32)], &[Is(BF16), Is(BF16)], All, |x| parts(&x[0], 2)),
    row("split_bf16x3", &[Is(F32)], &[Is(BF16), Is(BF16), Is(BF16)], All, |x| parts(&x[0], 3)),
    // The halves of a weight, its gradient, the rate: a step of gradient descent on weights whose high half is a bf16.
    row("split_sgd", &[Is(U16), Is(U16), Is(BF16), Is(F32)], &[Is(U16), Is(U16)], All, |x| {
        unzip(&(&zip(&x[0], &x[1]) - &(&x[3] * &x[2].cast(F32))))
    }),
    // Value, probability, key, the counter of the row's first element: the value if it is kept, and whether it is.
    row("dropout", &[Value, Is(F32), Is(I64), Is(I64)], MASKED, Floats, |x| {
        let kept = uniform(&x[2], &x[3]).ge(&x[1]);
        vec![kept_or_zero(&kept, &x[0], &x[1]), kept]
    }),
    // Whether it was kept, the gradient, the probability.
    value("dropout_inv", &[Is(Bool), Value, Is(F32)], Floats, |x| vec![kept_or_zero(&x[0], &x[1], &x[2])]),
    // Value, key, counter: to bf16, up or down by chance in proportion to what is cut off.
    row("stochastic_round", &[Is(F32), Is(I64), Is(I64)], &[Is(BF16)], All, stochastic_round),
];

/// Reductions.
pub const REDUCTIONS: &[Reduction] = &[
    Reduction { name: "reduce_add", inputs: 1, combiners: &[Sum], of: |x| x.to_vec() },
    Reduction { name: "reduce_mul", inputs: 1, combiners: &[Prod], of: |x| x.to_vec() },
    Reduction { name: "reduce_max", inputs: 1, combiners: &[Max], of: |x| x.to_vec() },
    Reduction { name: "reduce_min", inputs: 1, combiners: &[Min], of: |x| x.to_vec() },
    Reduction { name: "reduce_absmax", inputs: 1, combiners: &[Max], of: |x| vec![x[0].abs()] },
    Reduction { name: "reduce_square_add", inputs: 1, combiners: &[Sum], of: |x| vec![&x[0] * &x[0]] },
    Reduction {
        name: "reduce_add_and_square_add",
        inputs: 1,
        combiners: &[Sum, Sum],
        of: |x| vec![x[0].clone(), &x[0] * &x[0]],
    },
    Reduction { name: "mul_reduce_add", inputs: 2, combiners: &[Sum], of: |x| vec![&x[0] * &x[1]] },
    Reduction { name: "reduce_argmax", inputs: 1, combiners: &[ArgMax { last: false }], of: |x| x.to_vec() },
    Reduction { name: "reduce_argmin", inputs: 1, combiners: &[ArgMin { last: false }], of: |x| x.to_vec() },
    Reduction {
        name: "reduce_max_with_argument",
        inputs: 1,
        combiners: &[Max, ArgMax { last: false }],
        of: |x| vec![x[0].clone(), x[0].clone()],
    },
    Reduction {
        name: "reduce_min_with_argument",
        inputs: 1,
        combiners: &[Min, ArgMin { last: false }],
        of: |x| vec![x[0].clone(), x[0].clone()],
    },
];

fn positive(x: &Scalar) -> Scalar {
    x.gt(&x.lit(0.0))
}

fn relu(x: &Scalar) -> Scalar {
    x.maximum(&x.lit(0.0))
}

fn leaky_relu(x: &[Scalar]) -> Scalar {
    positive(&x[0]).select(&x[0], &(&x[0] * &x[1]))
}

fn sigmoid(x: &Scalar) -> Scalar {
    Scalar::call(Func::Sigmoid, vec![x.clone()])
}

fn half_erf(x: &Scalar) -> Scalar {
    (x.clone() * FRAC_1_SQRT_2).erf()
}

fn gelu(x: &Scalar) -> Scalar {
    x.clone() * 0.5 * (half_erf(x) + 1.0)
}

fn gelu_slope(x: &Scalar) -> Scalar {
    let density = (x * x * -0.5).exp() * (FRAC_1_SQRT_2 * FRAC_2_SQRT_PI / 2.0);
    half_erf(x) * 0.5 + 0.5 + x * &density
}

fn to_bits(x: &Scalar) -> Scalar {
    Scalar::call(Func::Bitcast(U32), vec![x.clone()])
}

fn from_bits(x: Scalar) -> Scalar {
    Scalar::call(Func::Bitcast(F32), vec![x])
}

fn zip(low: &Scalar, high: &Scalar) -> Scalar {
    let high = Scalar::call(Func::Shl, vec![high.cast(U32), Scalar::int(U32, 16)]);
    from_bits(high.or(&low.cast(U32)))
}

fn unzip(x: &Scalar) -> Vec<Scalar> {
    let bits = to_bits(x);
    let high = Scalar::call(Func::Shr, vec![bits.clone(), Scalar::int(U32, 16)]);
    vec![bits.cast(U16), high.cast(U16)]
}

fn is_special(x: &Scalar) -> Scalar {
    Scalar::call(Func::IsInf, vec![x.clone()]).or(&x.is_nan())
}

/// The high half of an f32, as a number; what is not finite stays.
fn cut(x: &Scalar) -> Scalar {
    let high = from_bits(to_bits(x).and(&Scalar::int(U32, 0xffff_0000)));
    is_special(x).select(x, &high)
}

fn parts(x: &Scalar, count: usize) -> Vec<Scalar> {
    let mut rest = x.clone();
    let mut parts = Vec::new();
    for _ in 1..count {
        let part = cut(&rest);
        rest = is_special(&part).select(&x.lit(0.0), &(&rest - &part));
        parts.push(part.cast(BF16));
    }
    parts.push(rest.cast(BF16));
    parts
}

/// 32 random bits of an element: those of a key and a counter, on any thread and in any order.
fn random(key: &Scalar, row: &Scalar) -> Scalar {
    Scalar::call(Func::Philox, vec![key.clone(), row + &Scalar::index(Ix::axis(1))])
}

/// A random number in `0..1` of 24 bits.
fn uniform(key: &Scalar, row: &Scalar) -> Scalar {
    let bits = Scalar::call(Func::Shr, vec![random(key, row), Scalar::int(U32, 8)]);
    bits.cast(DType::I32).cast(F32) * (1.0 / 16_777_216.0)
}

/// Divided by the probability to be kept.
fn kept_or_zero(kept: &Scalar, x: &Scalar, probability: &Scalar) -> Scalar {
    let rest = (probability.lit(1.0) - probability.clone()).cast(x.dtype());
    kept.select(&(x / &rest), &x.lit(0.0))
}

fn stochastic_round(x: &[Scalar]) -> Vec<Scalar> {
    let noise = random(&x[1], &x[2]).and(&Scalar::int(U32, 0xffff));
    let kept = (to_bits(&x[0]) + noise).and(&Scalar::int(U32, 0xffff_0000));
    vec![is_special(&x[0]).select(&x[0], &from_bits(kept)).cast(BF16)]
}
