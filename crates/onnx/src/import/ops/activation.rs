//! Activation functions that fused operators name by an attribute.

use crate::import::Call;
use tilewright_graph::{Func, Scalar};
use tilewright_support::Result;

/// A function and its parameters.
#[derive(Clone, Copy)]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// The logistic function.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// `x`, or `alpha * x` below zero.
    LeakyRelu(f64),
    /// `x` within two bounds.
    Clip(f64, f64),
    /// `alpha * x + beta` within 0 and 1.
    HardSigmoid(f64, f64),
}

impl Activation {
    /// What the attribute `activation` names, with parameters in the order of the operator of that
    /// name; `None` when it is absent or empty.
    pub fn of(c: &Call<'_>, parameters: &[f64]) -> Result<Option<Self>> {
        let or = |i: usize, default: f64| parameters.get(i).copied().unwrap_or(default);
        Ok(Some(match c.str("activation", "")? {
            "" => return Ok(None),
            "Relu" => Self::Relu,
            "Sigmoid" => Self::Sigmoid,
            "Tanh" => Self::Tanh,
            "LeakyRelu" => Self::LeakyRelu(or(0, 0.01)),
            "Clip" => Self::Clip(or(0, f64::from(f32::MIN)), or(1, f64::from(f32::MAX))),
            "HardSigmoid" => Self::HardSigmoid(or(0, 0.2), or(1, 0.5)),
            other => return Err(c.unsupported(format!("the activation \"{other}\" is not supported"))),
        }))
    }

    /// The function of an expression.
    pub fn apply(self, x: &Scalar) -> Scalar {
        let within = |x: &Scalar, low: f64, high: f64| x.maximum(&x.lit(low)).minimum(&x.lit(high));
        match self {
            Self::Relu => x.maximum(&x.lit(0.0)),
            Self::Sigmoid => Scalar::call(Func::Sigmoid, vec![x.clone()]),
            Self::Tanh => x.tanh(),
            Self::LeakyRelu(alpha) => x.lt(&x.lit(0.0)).select(&(x * alpha), x),
            Self::Clip(low, high) => within(x, low, high),
            Self::HardSigmoid(alpha, beta) => within(&(x * alpha + beta), 0.0, 1.0),
        }
    }
}
