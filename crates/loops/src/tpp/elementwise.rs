//! Elementwise primitives and the maps they become.

use crate::map::{Combiner, Map, Operand, Order, Sink};
use tilewright_scalar::{Func, Scalar};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, convert};

/// The dtype of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any, converted to or from the dtype of the computation.
    Value,
    /// A result of any dtype; what an integer does not reach becomes its least or largest.
    Within,
    /// This one.
    Is(DType),
}

/// The dtypes that a primitive may compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// All.
    All,
    /// Floats.
    Floats,
}

/// An elementwise primitive.
pub struct Elementwise {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub inputs: &'static [Type],
    /// Its results.
    pub outputs: &'static [Type],
    /// What it may compute in.
    pub numbers: Numbers,
    /// What it computes: one value for each result.
    pub of: fn(&[Scalar]) -> Vec<Scalar>,
}

impl Elementwise {
    /// The map from operands to one for each result, computed in a dtype.
    ///
    /// # Errors
    /// For operands of a wrong number or dtype; unsupported where it does not compute in that dtype.
    pub fn map(&self, inputs: &[Operand], outputs: &[Operand], compute: DType) -> Result<Map> {
        let map = over(self.name, (inputs, self.inputs.len()), (outputs, self.outputs.len()), Order::Rows)?;
        let values = self.values(&map, compute)?;
        let mut sinks = Vec::with_capacity(outputs.len());
        for (n, (value, output)) in values.into_iter().zip(outputs).enumerate() {
            let value = match self.outputs[n] {
                Type::Value => value.cast(output.dtype),
                Type::Within => within(&value, output.dtype),
                Type::Is(_) => value,
            };
            if value.dtype() != output.dtype {
                return Err(Diagnostic::dtype(format!("{} gives {}", self.name, value.dtype().name())));
            }
            sinks.push(Sink::Store { operand: (inputs.len() + n) as u32, value });
        }
        Ok(map.stage(sinks))
    }

    /// The map that combines its first result over rows or columns. With [`Operand::indexed`] arguments it gathers
    /// rows, combines and reduces them at once.
    ///
    /// # Errors
    /// As [`Elementwise::map`].
    pub fn reduce(
        &self,
        inputs: &[Operand],
        output: Operand,
        (combiner, order): (Combiner, Order),
        compute: DType,
    ) -> Result<Map> {
        let map = over(self.name, (inputs, self.inputs.len()), (&[output], 1), order)?;
        let value = self.values(&map, compute)?.swap_remove(0);
        let map = map.stage([Sink::Reduce { combiner, value }]);
        let value = map.value_of_row(0).cast(output.dtype);
        Ok(map.stage([Sink::Store { operand: inputs.len() as u32, value }]))
    }

    fn values(&self, map: &Map, compute: DType) -> Result<Vec<Scalar>> {
        if self.numbers == Numbers::Floats && !compute.is_float() {
            return Err(Diagnostic::unsupported(format!("{} in {}", self.name, compute.name())));
        }
        let read = |(o, t): (usize, &Type)| match t {
            Type::Is(dtype) if map.operands[o].dtype != *dtype => {
                Err(Diagnostic::dtype(format!("argument {o} of {} is not of {}", self.name, dtype.name())))
            }
            Type::Is(_) => Ok(map.read(o as u32)),
            Type::Value | Type::Within => Ok(map.read(o as u32).cast(compute)),
        };
        Ok((self.of)(&self.inputs.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?))
    }
}

/// The map of one scalar function of a dtype: an operand for each argument, and one for the result.
///
/// # Errors
/// Dtype, where the function does not take it.
pub fn function(func: Func, dtype: DType) -> Result<Map> {
    let arity = func.row().map_or(1, |r| r.arity);
    let argument = |n: usize| if func == Func::Select && n == 0 { DType::Bool } else { dtype };
    let mut map = Map { operands: (0..arity).map(|n| Operand::tile(argument(n))).collect(), ..Map::default() };
    let reads: Vec<Scalar> = (0..arity as u32).map(|n| map.read(n)).collect();
    func.check(&reads)?;
    let value = Scalar::call(func, reads);
    map.operands.push(Operand::tile(value.dtype()));
    Ok(map.stage([Sink::Store { operand: arity as u32, value }]))
}

/// A map without stages over operands, which must be so many.
pub(super) fn over(
    name: &str,
    (inputs, arguments): (&[Operand], usize),
    (outputs, results): (&[Operand], usize),
    order: Order,
) -> Result<Map> {
    if inputs.len() != arguments || outputs.len() != results {
        return Err(Diagnostic::invalid(format!("{name} has {arguments} arguments and {results} results")));
    }
    Ok(Map { operands: inputs.iter().chain(outputs).copied().collect(), order, ..Map::default() })
}

/// A value kept in the range of an integer dtype, then converted. NaN is as a conversion gives it.
fn within(value: &Scalar, dtype: DType) -> Scalar {
    if !dtype.is_int() {
        return value.cast(dtype);
    }
    let (low, high) = convert::int_bounds(dtype);
    let value = value.maximum(&value.lit(low as f64));
    let top = Scalar::konst(value.dtype(), high as f64);
    if top.as_const().is_some_and(|x| x as i64 == high && x < i64::MAX as f64) {
        return value.minimum(&top).cast(dtype);
    }
    // The next number after the largest is a float, the largest is none.
    value.ge(&top).select(&Scalar::int(dtype, high), &value.cast(dtype))
}
