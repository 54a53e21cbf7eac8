//! Positions of the elements that are not zero.

use super::operand::{expect_numbers, numbers};
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, Value};

/// ONNX `NonZero`.
#[derive(Clone, Debug, PartialEq)]
pub struct NonZero;

impl Algorithm for NonZero {
    const NAME: &'static str = "nonzero";
    const DOC: &'static str = "Positions of the elements of `x` that are not zero, row-major, as i64 `[rank, count]`.";

    attributes!();

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=1
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let x = inputs[0].as_tensor()?;
        expect_numbers(x.dtype)?;
        Ok(vec![Type::tensor(DType::I64, vec![Ix::from(x.rank()), fresh()])])
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let x = numbers(inputs, 0)?;
        let nonzero: Vec<usize> = match x.dtype().is_float() {
            true => (0..x.len()).filter(|i| x.get_f64(*i) != 0.0).collect(),
            false => (0..x.len()).filter(|i| x.get_i64(*i) != 0).collect(),
        };
        let mut out = vec![0i64; x.rank() * nonzero.len()];
        for (n, at) in nonzero.iter().enumerate() {
            let mut rest = *at;
            for d in (0..x.rank()).rev() {
                out[d * nonzero.len() + n] = (rest % x.shape()[d]) as i64;
                rest /= x.shape()[d];
            }
        }
        Ok(vec![Value::Tensor(Tensor::from_vec(&[x.rank(), nonzero.len()], out)?)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, refused, run};

    #[test]
    fn positions_are_row_major() {
        let at = run(NonZero, &[floats(&[2, 3], &[0.0, 1.0, -0.0, f32::NAN, 0.0, -2.0])]);
        assert_eq!((at[0].shape(), at[0].to_vec_i64()), (&[2, 3][..], vec![0, 1, 1, 1, 0, 2]));
        let scalar = run(NonZero, &[Tensor::scalar(true)]);
        assert_eq!(scalar[0].shape(), [0, 1]);
        assert_eq!(run(NonZero, &[Tensor::zeros(DType::U4, &[3, 0]).unwrap()])[0].shape(), [2, 0]);
        let words = Tensor::zeros(DType::String, &[1]).unwrap();
        assert_eq!(refused(NonZero, &[words]), "the elements must be numbers, not strings");
    }
}
