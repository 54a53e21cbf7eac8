//! Optimizers of `ai.onnx.preview.training`: one step over any number of tensors.
//!
//! Inputs are the learning rate, the number of the step, then the tensors, their gradients, and one
//! or two states of each; outputs the new tensors and states, in the same order.

use super::sizes::same_shape;
use crate::Node;
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::Result;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Adagrad", 3..=MANY, &["decay_factor", "epsilon", "norm_coefficient"], adagrad)
        .outputs(1..=MANY)
        .domain(TRAINING),
    Row::new("Adam", 3..=MANY, &["alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"], adam)
        .outputs(1..=MANY)
        .domain(TRAINING),
    Row::new("Momentum", 3..=MANY, &["alpha", "beta", "mode", "norm_coefficient"], momentum)
        .outputs(1..=MANY)
        .domain(TRAINING),
];

const TRAINING: &str = "ai.onnx.preview.training";

/// The operands of one tensor's step as expressions of its dtype.
struct Step<'a> {
    rate: Scalar,
    /// The number of the step.
    time: Scalar,
    x: &'a Scalar,
    /// The gradient, with that of `norm_coefficient / 2 * |x|^2`.
    gradient: Scalar,
    states: &'a [Scalar],
}

/// Applies `rules`, which give the new states and then the new tensor, to every tensor.
fn steps(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    states: usize,
    norm: f64,
    rules: &[&dyn Fn(&Step<'_>) -> Scalar],
) -> Result<Vec<ValueId>> {
    let all = c.all()?;
    let n = (all.len() - 2) / (2 + states);
    if all.len() != 2 + n * (2 + states) {
        return Err(c.invalid(format!("{} inputs for groups of {} tensors", all.len(), 2 + states)));
    }
    let mut outputs = vec![Vec::new(); rules.len()];
    for i in 0..n {
        let own: Vec<ValueId> = (0..2 + states).map(|k| all[2 + k * n + i]).collect();
        let shape = cx.b.shape(own[0])?;
        for v in &own[1..] {
            same_shape(&cx.b.shape(*v)?, &shape, "a tensor, its gradient and its states")?;
        }
        let operands: Vec<ValueId> = all[..2].iter().chain(&own).copied().collect();
        for (rule, out) in rules.iter().zip(&mut outputs) {
            out.push(cx.b.map_named(&c.node.op_type, &operands, |a| {
                let x = &a[2];
                rule(&Step {
                    rate: a[0].cast(x.dtype()),
                    time: a[1].cast(x.dtype()),
                    x,
                    gradient: x * norm + a[3].clone(),
                    states: &a[4..],
                })
            })?);
        }
    }
    Ok(outputs.concat())
}

fn adagrad(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (decay, epsilon) = (c.float("decay_factor", 0.0)?, c.float("epsilon", 1e-6)?);
    let squares = |s: &Step<'_>| &s.states[0] + &(&s.gradient * &s.gradient);
    let x = |s: &Step<'_>| {
        let rate = &s.rate / &(&s.time * decay + 1.0);
        s.x - &(rate * s.gradient.clone() / (squares(s).sqrt() + epsilon))
    };
    steps(cx, c, 1, c.float("norm_coefficient", 0.0)?, &[&x, &squares])
}

fn adam(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (alpha, beta, epsilon) = (c.float("alpha", 0.9)?, c.float("beta", 0.999)?, c.float("epsilon", 1e-6)?);
    let post = c.float("norm_coefficient_post", 0.0)?;
    let first = |s: &Step<'_>| &s.states[0] * alpha + &s.gradient * (1.0 - alpha);
    let second = |s: &Step<'_>| &s.states[1] * beta + &s.gradient * (1.0 - beta) * s.gradient.clone();
    let x = |s: &Step<'_>| {
        let one = s.rate.lit(1.0);
        let power = |base: f64| s.rate.lit(base).pow(&s.time);
        let corrected = s.rate.clone() * (&one - &power(beta)).sqrt() / (&one - &power(alpha));
        let rate = s.time.gt(&s.time.lit(0.0)).select(&corrected, &s.rate);
        (s.x - &(rate * first(s) / (second(s).sqrt() + epsilon))) * (1.0 - post)
    };
    steps(cx, c, 2, c.float("norm_coefficient", 0.0)?, &[&x, &first, &second])
}

fn momentum(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let [alpha, beta, norm] = ["alpha", "beta", "norm_coefficient"].map(|n| c.node.required(n, Node::attr_float));
    let (alpha, beta, norm) = (f64::from(alpha?), f64::from(beta?), f64::from(norm?));
    let nesterov = match c.node.required("mode", Node::attr_str)? {
        "standard" => false,
        "nesterov" => true,
        other => return Err(c.invalid(format!("mode \"{other}\", expected standard or nesterov"))),
    };
    let state = |s: &Step<'_>| {
        let first = s.time.lit(1.0);
        let scale = s.time.gt(&s.time.lit(0.0)).select(&s.time.lit(beta), &first);
        &s.states[0] * alpha + scale * s.gradient.clone()
    };
    let x = |s: &Step<'_>| {
        let direction = if nesterov { &s.gradient + &(state(s) * alpha) } else { state(s) };
        s.x - &(&s.rate * &direction)
    };
    steps(cx, c, 1, norm, &[&x, &state])
}
