//! Activation functions as operators. Narrow floats are computed in f32.

use super::super::sizes::{broadcasts_to, per_channel, same_shape};
use super::super::statistics::wide;
use super::{CONSUMED, expect, is_number, is_real, real, same_dtype, unary};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;

const ALPHA: &[&str] = &["alpha", "consumed_inputs"];

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Relu", 1..=1, CONSUMED, |cx, c| unary(cx, c, is_number, |x| x.maximum(&x.lit(0.0)))),
    Row::new("LeakyRelu", 1..=1, ALPHA, |cx, c| {
        let alpha = c.float("alpha", 0.01)?;
        real(cx, c, |x| below_zero(x).select(&(x * alpha), x))
    }),
    Row::new("PRelu", 2..=2, CONSUMED, prelu),
    Row::new("Elu", 1..=1, ALPHA, |cx, c| {
        let alpha = c.float("alpha", 1.0)?;
        real(cx, c, |x| below_zero(x).select(&(expm1(x) * alpha), x))
    }),
    Row::new("Selu", 1..=1, &["alpha", "gamma", "consumed_inputs"], selu),
    Row::new("Celu", 1..=1, &["alpha"], celu).since(12),
    Row::new("ThresholdedRelu", 1..=1, &["alpha"], |cx, c| {
        let alpha = c.float("alpha", 1.0)?;
        real(cx, c, |x| x.gt(&x.lit(alpha)).select(x, &x.lit(0.0)))
    })
    .since(10),
    Row::new("HardSigmoid", 1..=1, &["alpha", "beta", "consumed_inputs"], |cx, c| {
        let (alpha, beta) = (c.float("alpha", 0.2)?, c.float("beta", 0.5)?);
        real(cx, c, |x| hard_sigmoid(x, alpha, beta))
    }),
    Row::new("HardSwish", 1..=1, &[], |cx, c| real(cx, c, |x| x * &hard_sigmoid(x, 1.0 / 6.0, 0.5))).since(14),
    Row::new("Sigmoid", 1..=1, CONSUMED, |cx, c| unary(cx, c, is_real, sigmoid)),
    Row::new("Softplus", 1..=1, &[], |cx, c| real(cx, c, softplus)),
    Row::new("Softsign", 1..=1, &[], |cx, c| real(cx, c, |x| x / &(x.abs() + 1.0))),
    Row::new("Mish", 1..=1, &[], |cx, c| real(cx, c, |x| x * &softplus(x).tanh())).since(18),
    Row::new("Shrink", 1..=1, &["bias", "lambd"], shrink).since(9),
    Row::new("Swish", 1..=1, &["alpha"], |cx, c| {
        let alpha = c.float("alpha", 1.0)?;
        real(cx, c, |x| swish(x, alpha))
    })
    .since(24),
    Row::new("SwiGLU", 2..=2, &["alpha"], swiglu).since(28),
    Row::new("Gelu", 1..=1, &["approximate"], |cx, c| match c.str("approximate", "none")? {
        "none" => real(cx, c, gelu),
        "tanh" => real(cx, c, gelu_tanh),
        other => Err(c.invalid(format!("approximate \"{other}\" is neither none nor tanh"))),
    })
    .since(20),
    Row::new("Gelu", 1..=1, &[], |cx, c| real(cx, c, gelu)).domain("com.microsoft"),
    Row::new("BiasGelu", 2..=2, &[], |cx, c| biased(cx, c, gelu)).domain("com.microsoft"),
    Row::new("FastGelu", 1..=2, &[], |cx, c| biased(cx, c, gelu_tanh)).domain("com.microsoft"),
    Row::new("QuickGelu", 1..=1, &["alpha"], |cx, c| {
        let alpha = c.float("alpha", 1.702)?;
        real(cx, c, |x| swish(x, alpha))
    })
    .domain("com.microsoft"),
];

fn below_zero(x: &Scalar) -> Scalar {
    x.lt(&x.lit(0.0))
}

fn expm1(x: &Scalar) -> Scalar {
    Scalar::call(Func::Expm1, vec![x.clone()])
}

/// `1 / (1 + exp(-x))`.
pub fn sigmoid(x: &Scalar) -> Scalar {
    Scalar::call(Func::Sigmoid, vec![x.clone()])
}

fn hard_sigmoid(x: &Scalar, alpha: f64, beta: f64) -> Scalar {
    (x * alpha + beta).maximum(&x.lit(0.0)).minimum(&x.lit(1.0))
}

fn swish(x: &Scalar, alpha: f64) -> Scalar {
    x * &sigmoid(&(x * alpha))
}

/// `log(1 + exp(x))`, without overflow.
fn softplus(x: &Scalar) -> Scalar {
    let rest = Scalar::call(Func::Log1p, vec![(-x.abs()).exp()]);
    x.maximum(&x.lit(0.0)) + rest
}

/// Half of `x` times one plus the error function of `x / sqrt(2)`.
fn gelu(x: &Scalar) -> Scalar {
    (x * 0.5) * ((x * std::f64::consts::FRAC_1_SQRT_2).erf() + 1.0)
}

/// [`gelu`] with the error function approximated by a hyperbolic tangent.
fn gelu_tanh(x: &Scalar) -> Scalar {
    let cube = &(x * x) * x;
    let root = std::f64::consts::FRAC_2_PI.sqrt();
    (x * 0.5) * (((x + &(cube * 0.044715)) * root).tanh() + 1.0)
}

/// ONNX `PRelu`. Before version 7 a slope of more than one element is one of each channel.
fn prelu(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, mut slope) = (c.x(0)?, c.x(1)?);
    expect(cx, c, x, is_number)?;
    same_dtype(cx, c, &[x, slope])?;
    let (shape, own) = (cx.b.shape(x)?, cx.b.shape(slope)?);
    if c.version < 7 && own.len() == 1 && !own[0].is(1) && shape.len() > 1 {
        slope = per_channel(cx, slope, &shape[1], shape.len(), "slope and channels")?;
    }
    broadcasts_to(cx, slope, &shape, "the slope and the operand")?;
    let y = cx.b.map_named("PRelu", &[x, slope], |a| below_zero(&a[0]).select(&(&a[0] * &a[1]), &a[0]))?;
    Ok(vec![y])
}

fn selu(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (alpha, gamma) = match c.version {
        ..6 => (1.6732, 1.0507),
        _ => (1.673_263_2, 1.050_701),
    };
    let (alpha, gamma) = (c.float("alpha", alpha)?, c.float("gamma", gamma)?);
    real(cx, c, |x| x.gt(&x.lit(0.0)).select(x, &(expm1(x) * alpha)) * gamma)
}

fn celu(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let alpha = c.float("alpha", 1.0)?;
    real(cx, c, |x| {
        let zero = x.lit(0.0);
        x.maximum(&zero) + (expm1(&(x / alpha)) * alpha).minimum(&zero)
    })
}

/// ONNX `Shrink`; integers are computed in f64 and truncated.
fn shrink(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (bias, lambd) = (c.float("bias", 0.0)?, c.float("lambd", 0.5)?);
    unary(cx, c, is_number, |x| {
        let own = x.dtype();
        let x = x.cast(if own.is_int() { DType::F64 } else { wide(own) });
        let inside = x.gt(&x.lit(lambd)).select(&(&x - &x.lit(bias)), &x.lit(0.0));
        x.lt(&x.lit(-lambd)).select(&(&x + &x.lit(bias)), &inside).cast(own)
    })
}

fn swiglu(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (gate, x, alpha) = (c.x(0)?, c.x(1)?, c.float("alpha", 1.0)?);
    expect(cx, c, gate, is_real)?;
    same_dtype(cx, c, &[gate, x])?;
    same_shape(&cx.b.shape(gate)?, &cx.b.shape(x)?, "the gate and the value")?;
    let dtype = cx.b.dtype(x)?;
    let y = cx.b.map_named("SwiGLU", &[gate, x], |a| {
        (swish(&a[0].cast(wide(dtype)), alpha) * a[1].cast(wide(dtype))).cast(dtype)
    })?;
    Ok(vec![y])
}

/// A function of the operand plus a bias, which may be absent.
fn biased(cx: &mut Cx<'_>, c: &Call<'_>, f: fn(&Scalar) -> Scalar) -> Result<Vec<ValueId>> {
    let mut operands = vec![c.x(0)?];
    expect(cx, c, operands[0], is_real)?;
    if let Some(bias) = c.opt(1) {
        broadcasts_to(cx, bias, &cx.b.shape(operands[0])?, "the bias and the operand")?;
        operands.push(bias);
    }
    same_dtype(cx, c, &operands)?;
    let dtype = cx.b.dtype(operands[0])?;
    let y = cx.b.map_named(&c.node.op_type, &operands, |a| {
        let x = a[0].cast(wide(dtype));
        let x = a.get(1).map_or(x.clone(), |bias| x + bias.cast(wide(dtype)));
        f(&x).cast(dtype)
    })?;
    Ok(vec![y])
}
