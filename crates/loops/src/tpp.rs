//! The names of tensor processing primitives ("Tensor Processing Primitives", Georganas et al. 2021, table 1, and later
//! additions) that are maps: a table of expressions, and constructors from its rows.
//!
//! Values are read in any dtype, computed in one and rounded once to the output's. Masks are elements of dtype bool.

use crate::map::{Combiner, Map, Operand, Order, Sink};
use tilewright_scalar::{Func, Overflow, Scalar};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The dtype of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any, converted to or from the dtype of the computation.
    Value,
    /// This one.
    Is(DType),
}

/// An elementwise primitive.
pub struct Elementwise {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub inputs: &'static [Type],
    /// Its result.
    pub output: Type,
    /// What it computes.
    pub of: fn(&[Scalar]) -> Scalar,
}

/// A reduction along rows or columns.
pub struct Reduction {
    /// Its name.
    pub name: &'static str,
    /// The number of arguments.
    pub inputs: usize,
    /// What it combines, and how: one for each output.
    pub of: fn(&[Scalar]) -> Vec<(Combiner, Scalar)>,
}

use Type::{Is, Value};

const fn unary(name: &'static str, of: fn(&[Scalar]) -> Scalar) -> Elementwise {
    Elementwise { name, inputs: &[Value], output: Value, of }
}

const fn binary(name: &'static str, of: fn(&[Scalar]) -> Scalar) -> Elementwise {
    Elementwise { name, inputs: &[Value, Value], output: Value, of }
}

const fn ternary(name: &'static str, of: fn(&[Scalar]) -> Scalar) -> Elementwise {
    Elementwise { name, inputs: &[Value, Value, Value], output: Value, of }
}

const fn compare(name: &'static str, of: fn(&[Scalar]) -> Scalar) -> Elementwise {
    Elementwise { name, inputs: &[Value, Value], output: Is(DType::Bool), of }
}

/// Gradient where a mask is set: the mask, the gradient, and more.
const fn masked(name: &'static str, inputs: &'static [Type], of: fn(&[Scalar]) -> Scalar) -> Elementwise {
    Elementwise { name, inputs, output: Value, of }
}

/// Elementwise primitives. `_inv` is the derivative.
pub const ELEMENTWISE: &[Elementwise] = &[
    unary("identity", |x| x[0].clone()),
    unary("zero", |x| x[0].lit(0.0)),
    unary("square", |x| x[0].clone() * x[0].clone()),
    unary("sqrt", |x| x[0].sqrt()),
    unary("negate", |x| -x[0].clone()),
    unary("increment", |x| x[0].clone() + 1.0),
    unary("reciprocal", |x| x[0].lit(1.0) / x[0].clone()),
    unary("reciprocal_sqrt", |x| x[0].lit(1.0) / x[0].sqrt()),
    unary("exp", |x| x[0].exp()),
    unary("tanh", |x| x[0].tanh()),
    unary("tanh_inv", |x| x[0].lit(1.0) - x[0].tanh() * x[0].tanh()),
    unary("sigmoid", |x| sigmoid(&x[0])),
    unary("sigmoid_inv", |x| sigmoid(&x[0]) * (x[0].lit(1.0) - sigmoid(&x[0]))),
    unary("gelu", |x| x[0].clone() * 0.5 * (half_erf(&x[0]) + 1.0)),
    unary("gelu_inv", gelu_slope),
    unary("relu", |x| x[0].maximum(&x[0].lit(0.0))),
    compare("relu_mask", |x| x[0].gt(&x[1])),
    masked("relu_inv", &[Is(DType::Bool), Value], |x| x[0].select(&x[1], &x[1].lit(0.0))),
    binary("leaky_relu", |x| x[0].gt(&x[0].lit(0.0)).select(&x[0], &(&x[0] * &x[1]))),
    masked("leaky_relu_inv", &[Is(DType::Bool), Value, Value], |x| x[0].select(&x[1], &(&x[1] * &x[2]))),
    binary("elu", |x| x[0].gt(&x[0].lit(0.0)).select(&x[0], &(&x[1] * &(x[0].exp() - 1.0)))),
    ternary("elu_inv", |x| x[0].gt(&x[0].lit(0.0)).select(&x[1], &(&x[1] * &(&x[0] + &x[2])))),
    binary("add", |x| &x[0] + &x[1]),
    binary("sub", |x| &x[0] - &x[1]),
    binary("mul", |x| &x[0] * &x[1]),
    binary("div", |x| &x[0] / &x[1]),
    binary("max", |x| x[0].maximum(&x[1])),
    binary("min", |x| x[0].minimum(&x[1])),
    binary("add_gelu", |x| {
        let sum = &x[0] + &x[1];
        sum.clone() * 0.5 * (half_erf(&sum) + 1.0)
    }),
    compare("gt", |x| x[0].gt(&x[1])),
    compare("ge", |x| x[0].ge(&x[1])),
    compare("lt", |x| x[0].lt(&x[1])),
    compare("le", |x| x[0].le(&x[1])),
    compare("eq", |x| x[0].equals(&x[1])),
    compare("ne", |x| x[0].equals(&x[1]).not()),
    ternary("muladd", |x| &x[0] * &x[1] + x[2].clone()),
    ternary("nmuladd", |x| &x[2] - &(&x[0] * &x[1])),
    masked("select", &[Is(DType::Bool), Value, Value], |x| x[0].select(&x[1], &x[2])),
    // Value, scale: the nearest integer, kept in range by the output's dtype where it saturates.
    binary("quantize", |x| (&x[0] * &x[1]).round_even()),
    binary("dequantize", |x| &x[0] * &x[1]),
    // Low and high halves of an f32 and back.
    Elementwise { name: "zip", inputs: &[Is(DType::U16), Is(DType::U16)], output: Is(DType::F32), of: zip },
    Elementwise { name: "unzip_low", inputs: &[Is(DType::F32)], output: Is(DType::U16), of: |x| bits(&x[0], 0) },
    Elementwise { name: "unzip_high", inputs: &[Is(DType::F32)], output: Is(DType::U16), of: |x| bits(&x[0], 16) },
    // Probability, key, the counter of the row's first element: whether an element is kept.
    Elementwise {
        name: "dropout_mask",
        inputs: &[Is(DType::F32), Is(DType::I64), Is(DType::I64)],
        output: Is(DType::Bool),
        of: |x| uniform(&x[1], &x[2]).ge(&x[0]),
    },
    // Mask, value, probability; its derivative is the same.
    masked("dropout", &[Is(DType::Bool), Value, Value], |x| {
        x[0].select(&(&x[1] / &(x[2].lit(1.0) - x[2].clone())), &x[1].lit(0.0))
    }),
    // Value, key, counter: to bf16, up or down by chance in proportion to what is cut off.
    Elementwise {
        name: "stochastic_round",
        inputs: &[Is(DType::F32), Is(DType::I64), Is(DType::I64)],
        output: Is(DType::BF16),
        of: stochastic_round,
    },
];

/// Reductions.
pub const REDUCTIONS: &[Reduction] = &[
    Reduction { name: "reduce_add", inputs: 1, of: |x| vec![(Combiner::Sum, x[0].clone())] },
    Reduction { name: "reduce_mul", inputs: 1, of: |x| vec![(Combiner::Prod, x[0].clone())] },
    Reduction { name: "reduce_max", inputs: 1, of: |x| vec![(Combiner::Max, x[0].clone())] },
    Reduction { name: "reduce_min", inputs: 1, of: |x| vec![(Combiner::Min, x[0].clone())] },
    Reduction { name: "reduce_absmax", inputs: 1, of: |x| vec![(Combiner::Max, x[0].abs())] },
    Reduction { name: "reduce_square_add", inputs: 1, of: |x| vec![(Combiner::Sum, &x[0] * &x[0])] },
    Reduction {
        name: "reduce_add_and_square_add",
        inputs: 1,
        of: |x| vec![(Combiner::Sum, x[0].clone()), (Combiner::Sum, &x[0] * &x[0])],
    },
    Reduction { name: "mul_reduce_add", inputs: 2, of: |x| vec![(Combiner::Sum, &x[0] * &x[1])] },
    Reduction { name: "reduce_argmax", inputs: 1, of: |x| vec![(Combiner::ArgMax { last: false }, x[0].clone())] },
    Reduction { name: "reduce_argmin", inputs: 1, of: |x| vec![(Combiner::ArgMin { last: false }, x[0].clone())] },
    Reduction {
        name: "reduce_max_with_argument",
        inputs: 1,
        of: |x| vec![(Combiner::Max, x[0].clone()), (Combiner::ArgMax { last: false }, x[0].clone())],
    },
];

fn sigmoid(x: &Scalar) -> Scalar {
    Scalar::call(Func::Sigmoid, vec![x.clone()])
}

fn half_erf(x: &Scalar) -> Scalar {
    (x.clone() * std::f64::consts::FRAC_1_SQRT_2).erf()
}

fn gelu_slope(x: &[Scalar]) -> Scalar {
    let density =
        (&x[0] * &x[0] * -0.5).exp() * (std::f64::consts::FRAC_1_SQRT_2 * std::f64::consts::FRAC_2_SQRT_PI / 2.0);
    half_erf(&x[0]) * 0.5 + 0.5 + &x[0] * &density
}

fn to_bits(x: &Scalar) -> Scalar {
    Scalar::call(Func::Bitcast(DType::U32), vec![x.clone()])
}

fn from_bits(x: Scalar) -> Scalar {
    Scalar::call(Func::Bitcast(DType::F32), vec![x])
}

fn bits(x: &Scalar, from: i64) -> Scalar {
    let from = Scalar::int(DType::U32, from);
    Scalar::call(Func::Shr, vec![to_bits(x), from]).cast(DType::U16)
}

fn zip(x: &[Scalar]) -> Scalar {
    let high = Scalar::call(Func::Shl, vec![x[1].cast(DType::U32), Scalar::int(DType::U32, 16)]);
    from_bits(high.or(&x[0].cast(DType::U32)))
}

/// 32 random bits of an element.
fn random(key: &Scalar, row: &Scalar) -> Scalar {
    Scalar::call(Func::Philox, vec![key.clone(), row + &Scalar::index(Ix::axis(1))])
}

/// A random number in `0..1` of 24 bits.
fn uniform(key: &Scalar, row: &Scalar) -> Scalar {
    let bits = Scalar::call(Func::Shr, vec![random(key, row), Scalar::int(DType::U32, 8)]);
    bits.cast(DType::I32).cast(DType::F32) * (1.0 / 16_777_216.0)
}

fn stochastic_round(x: &[Scalar]) -> Scalar {
    let noise = random(&x[1], &x[2]).and(&Scalar::int(DType::U32, 0xffff));
    let kept = (to_bits(&x[0]) + noise).and(&Scalar::int(DType::U32, 0xffff_0000));
    let special = Scalar::call(Func::IsInf, vec![x[0].clone()]).or(&x[0].is_nan());
    special.select(&x[0], &from_bits(kept)).cast(DType::BF16)
}

/// The elementwise primitive of a name.
pub fn elementwise(name: &str) -> Option<&'static Elementwise> {
    ELEMENTWISE.iter().find(|t| t.name == name)
}

/// The reduction of a name.
pub fn reduction(name: &str) -> Option<&'static Reduction> {
    REDUCTIONS.iter().find(|t| t.name == name)
}

fn reads(map: &Map, types: &[Type], compute: DType) -> Result<Vec<Scalar>> {
    let read = |(o, t): (usize, &Type)| match t {
        Value => Ok(map.read(o as u32).cast(compute)),
        Is(dtype) if map.operands[o].dtype == *dtype => Ok(map.read(o as u32)),
        Is(dtype) => Err(Diagnostic::dtype(format!("argument {o} is not of {}", dtype.name()))),
    };
    types.iter().enumerate().map(read).collect()
}

impl Elementwise {
    /// The map from operands to one more, computed in a dtype.
    ///
    /// # Errors
    /// For operands of a wrong number or dtype.
    pub fn map(&self, inputs: &[Operand], output: Operand, compute: DType) -> Result<Map> {
        if inputs.len() != self.inputs.len() {
            return Err(Diagnostic::invalid(format!("{} takes {} arguments", self.name, self.inputs.len())));
        }
        let operands = inputs.iter().copied().chain([output]).collect();
        let map = Map { operands, ..Map::default() };
        let value = (self.of)(&reads(&map, self.inputs, compute)?);
        let value = match self.output {
            Value => Scalar::call(Func::Cast(output.dtype, Overflow::Saturate), vec![value]),
            Is(_) => value,
        };
        if value.dtype() != output.dtype {
            return Err(Diagnostic::dtype(format!("{} gives {}", self.name, value.dtype().name())));
        }
        let operand = inputs.len() as u32;
        Ok(map.stage([Sink::Store { operand, value }]))
    }
}

impl Reduction {
    /// The map from operands to one for each result, along rows or columns.
    ///
    /// # Errors
    /// For operands of a wrong number.
    pub fn map(&self, inputs: &[Operand], outputs: &[Operand], order: Order, compute: DType) -> Result<Map> {
        let operands = inputs.iter().chain(outputs).copied().collect();
        let map = Map { operands, order, ..Map::default() };
        if inputs.len() != self.inputs {
            return Err(Diagnostic::invalid(format!("{} takes {} arguments", self.name, self.inputs)));
        }
        let folds = (self.of)(&reads(&map, &vec![Value; self.inputs], compute)?);
        if folds.len() != outputs.len() {
            return Err(Diagnostic::invalid(format!("{} has {} results", self.name, folds.len())));
        }
        let map = map.stage(folds.into_iter().map(|(combiner, value)| Sink::Reduce { combiner, value }));
        let store = |(n, output): (usize, &Operand)| Sink::Store {
            operand: (inputs.len() + n) as u32,
            value: map.value_of_row(n).cast(output.dtype),
        };
        let stores: Vec<Sink> = outputs.iter().enumerate().map(store).collect();
        Ok(map.stage(stores))
    }
}
