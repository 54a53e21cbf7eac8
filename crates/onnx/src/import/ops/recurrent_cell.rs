//! One step of a recurrent cell, and the activations it may use.

use crate::import::Call;
use tilewright_graph::{Builder, Func, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;

/// Which cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// One gate.
    Rnn,
    /// Gates update, reset, hidden.
    Gru,
    /// Gates input, output, forget, cell.
    Lstm,
}

/// An activation with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Activation {
    kind: Kind,
    alpha: f64,
    beta: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Relu,
    Tanh,
    Sigmoid,
    Affine,
    LeakyRelu,
    ThresholdedRelu,
    ScaledTanh,
    HardSigmoid,
    Elu,
    Softsign,
    Softplus,
}

/// Name, and default alpha and beta where the activation has them.
const ACTIVATIONS: &[(&str, Kind, Option<f64>, Option<f64>)] = &[
    ("relu", Kind::Relu, None, None),
    ("tanh", Kind::Tanh, None, None),
    ("sigmoid", Kind::Sigmoid, None, None),
    ("affine", Kind::Affine, Some(1.0), Some(0.0)),
    ("leakyrelu", Kind::LeakyRelu, Some(0.01), None),
    ("thresholdedrelu", Kind::ThresholdedRelu, Some(1.0), None),
    ("scaledtanh", Kind::ScaledTanh, Some(1.0), Some(1.0)),
    ("hardsigmoid", Kind::HardSigmoid, Some(0.2), Some(0.5)),
    ("elu", Kind::Elu, Some(1.0), None),
    ("softsign", Kind::Softsign, None, None),
    ("softplus", Kind::Softplus, None, None),
];

impl Activation {
    fn apply(&self, x: &Scalar) -> Scalar {
        let (alpha, beta) = (x.lit(self.alpha), x.lit(self.beta));
        let (zero, one) = (x.lit(0.0), x.lit(1.0));
        match self.kind {
            Kind::Relu => x.maximum(&zero),
            Kind::Tanh => x.tanh(),
            Kind::Sigmoid => Scalar::call(Func::Sigmoid, vec![x.clone()]),
            Kind::Affine => alpha * x.clone() + beta,
            Kind::LeakyRelu => x.lt(&zero).select(&(&alpha * x), x),
            Kind::ThresholdedRelu => x.gt(&alpha).select(x, &zero),
            Kind::ScaledTanh => alpha * (beta * x.clone()).tanh(),
            Kind::HardSigmoid => (alpha * x.clone() + beta).minimum(&one).maximum(&zero),
            Kind::Elu => {
                let below = alpha * Scalar::call(Func::Expm1, vec![x.clone()]);
                x.lt(&zero).select(&below, x)
            }
            Kind::Softsign => x.clone() / (x.abs() + one),
            Kind::Softplus => {
                let tail = Scalar::call(Func::Log1p, vec![(-x.abs()).exp()]);
                x.maximum(&zero) + tail
            }
        }
    }
}

/// The activations of every direction: named by the attributes, or the cell's defaults.
pub fn activations(call: &Call<'_>, cell: Cell, directions: usize) -> Result<Vec<Vec<Activation>>> {
    let n = cell.default_activations().len();
    let names: Vec<String> = match call.node.attr_strs("activations")? {
        Some(given) => given.iter().map(|s| s.to_ascii_lowercase()).collect(),
        None => cell.default_activations().repeat(directions).iter().map(|s| s.to_string()).collect(),
    };
    if names.len() != n * directions {
        return Err(call.invalid(format!("{} activations given, {} expected", names.len(), n * directions)));
    }
    let mut alphas = call.node.attr_floats("activation_alpha")?.unwrap_or_default().iter().map(|a| f64::from(*a));
    let mut betas = call.node.attr_floats("activation_beta")?.unwrap_or_default().iter().map(|b| f64::from(*b));
    let mut list = Vec::new();
    for name in &names {
        let Some((_, kind, alpha, beta)) = ACTIVATIONS.iter().find(|(known, ..)| known == name) else {
            return Err(call.invalid(format!("\"{name}\" is no activation of a recurrent operator")));
        };
        // The lists hold parameters only for the activations that take them, in order.
        let alpha = alpha.map_or(0.0, |default| alphas.next().unwrap_or(default));
        let beta = beta.map_or(0.0, |default| betas.next().unwrap_or(default));
        list.push(Activation { kind: *kind, alpha, beta });
    }
    Ok(list.chunks(n).map(<[Activation]>::to_vec).collect())
}

/// What a step sees: the projected input `[B, g*H]`, weights `[g*H, H]` and attributes.
pub struct Gates<'a> {
    /// Projected input with its bias.
    pub x: ValueId,
    /// Recurrence weights.
    pub r: ValueId,
    /// Recurrence bias.
    pub bias: Option<ValueId>,
    /// Peephole weights, `[3*H]` for input, output, forget.
    pub peepholes: Option<ValueId>,
    /// Activations.
    pub activations: &'a [Activation],
    /// Bound on their arguments.
    pub clip: Option<f64>,
    /// See the importer's settings.
    pub variant: bool,
    /// See the importer's settings.
    pub coarse: bool,
}

impl Gates<'_> {
    /// An activation of the sum of its arguments, clipped.
    fn activate(&self, b: &mut Builder, which: usize, terms: &[ValueId]) -> Result<ValueId> {
        b.map(terms, |a| {
            let sum = a[1..].iter().fold(a[0].clone(), |s, x| s + x.clone());
            let bounded = match self.clip {
                Some(c) => sum.minimum(&sum.lit(c)).maximum(&sum.lit(-c)),
                None => sum,
            };
            self.activations[which].apply(&bounded)
        })
    }

    /// Columns of gate `g`.
    fn gate(&self, b: &mut Builder, v: ValueId, g: usize, hidden: &Ix) -> Result<ValueId> {
        let axis = b.rank(v)? - 1;
        b.slice(v, axis, hidden * g as i64, hidden.clone())
    }

    /// `h * r^T` with the recurrence bias.
    fn recur(&self, b: &mut Builder, h: ValueId) -> Result<ValueId> {
        let h = if self.coarse { super::quantized::coarse(b, h)? } else { h };
        let product = b.einsum("bh,gh->bg", &[h, self.r])?;
        match self.bias {
            Some(bias) => b.map(&[product, bias], |a| &a[0] + &a[1]),
            None => Ok(product),
        }
    }
}

impl Cell {
    /// The number of gates.
    pub fn gates(self) -> usize {
        match self {
            Self::Rnn => 1,
            Self::Gru => 3,
            Self::Lstm => 4,
        }
    }

    fn default_activations(self) -> &'static [&'static str] {
        match self {
            Self::Rnn => &["tanh"],
            Self::Gru => &["sigmoid", "tanh"],
            Self::Lstm => &["sigmoid", "tanh", "tanh"],
        }
    }

    /// The next state.
    pub fn step(self, b: &mut Builder, gates: &Gates<'_>, state: &[ValueId]) -> Result<Vec<ValueId>> {
        match self {
            Self::Rnn => {
                let r = gates.recur(b, state[0])?;
                Ok(vec![gates.activate(b, 0, &[gates.x, r])?])
            }
            Self::Gru => gru(b, gates, state[0]),
            Self::Lstm => lstm(b, gates, state[0], state[1]),
        }
    }
}

fn gru(b: &mut Builder, gates: &Gates<'_>, h: ValueId) -> Result<Vec<ValueId>> {
    let hidden = b.shape(h)?[1].clone();
    let r = gates.recur(b, h)?;
    let gate = |b: &mut Builder, v: ValueId, g: usize| gates.gate(b, v, g, &hidden);
    let (xz, xr, xh) = (gate(b, gates.x, 0)?, gate(b, gates.x, 1)?, gate(b, gates.x, 2)?);
    let (rz, rr) = (gate(b, r, 0)?, gate(b, r, 1)?);
    let update = gates.activate(b, 0, &[xz, rz])?;
    let reset = gates.activate(b, 0, &[xr, rr])?;
    let inner = if gates.variant {
        let rh = gate(b, r, 2)?;
        b.map(&[reset, rh], |a| &a[0] * &a[1])?
    } else {
        let gated = b.map(&[reset, h], |a| &a[0] * &a[1])?;
        let again = gates.recur(b, gated)?;
        gate(b, again, 2)?
    };
    let candidate = gates.activate(b, 1, &[xh, inner])?;
    let next = b.map(&[update, candidate, h], |a| (a[0].lit(1.0) - a[0].clone()) * a[1].clone() + &a[0] * &a[2])?;
    Ok(vec![next])
}

fn lstm(b: &mut Builder, gates: &Gates<'_>, h: ValueId, c: ValueId) -> Result<Vec<ValueId>> {
    let hidden = b.shape(h)?[1].clone();
    let r = gates.recur(b, h)?;
    let sums = b.map(&[gates.x, r], |a| &a[0] + &a[1])?;
    let peek = |b: &mut Builder, g: usize, c: ValueId| -> Result<Option<ValueId>> {
        let Some(p) = gates.peepholes else { return Ok(None) };
        let p = gates.gate(b, p, g, &hidden)?;
        b.map(&[p, c], |a| &a[0] * &a[1]).map(Some)
    };
    let gate = |b: &mut Builder, g: usize, p: Option<ValueId>, which: usize| {
        let mut terms = vec![gates.gate(b, sums, g, &hidden)?];
        terms.extend(p);
        gates.activate(b, which, &terms)
    };
    let p = peek(b, 0, c)?;
    let input = gate(b, 0, p, 0)?;
    let forget = if gates.variant {
        b.map(&[input], |a| a[0].lit(1.0) - a[0].clone())?
    } else {
        let p = peek(b, 2, c)?;
        gate(b, 2, p, 0)?
    };
    let candidate = gate(b, 3, None, 1)?;
    let next_c = b.map(&[forget, c, input, candidate], |a| &a[0] * &a[1] + &a[2] * &a[3])?;
    let p = peek(b, 1, next_c)?;
    let output = gate(b, 1, p, 0)?;
    let squashed = b.map(&[next_c], |a| gates.activations[2].apply(&a[0]))?;
    let next_h = b.map(&[output, squashed], |a| &a[0] * &a[1])?;
    Ok(vec![next_h, next_c])
}
