//! Positions of the elements that are not zero.

use super::{Algorithm, attributes};
use crate::types::Type;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, Value};

/// ONNX `NonZero`.
#[derive(Clone, Debug, PartialEq)]
pub struct NonZero;

impl Algorithm for NonZero {
    const NAME: &'static str = "nonzero";
    const DOC: &'static str = "Positions of the elements of `x` that are not zero, row-major, as i64 `[rank, count]`.";

    attributes!();

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let rank = inputs[0].as_tensor()?.rank();
        Ok(vec![Type::tensor(DType::I64, vec![Ix::from(rank), fresh()])])
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let Value::Tensor(x) = &inputs[0] else {
            return Err(Diagnostic::internal("nonzero takes a tensor"));
        };
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
