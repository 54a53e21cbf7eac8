//! Linear algebra that is no sum of products.

use super::attribute::words;
use super::operand::{expect_floats, tensor};
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{Tensor, Value};

words! {
    /// A function of matrices.
    MatrixFunction {
        /// The determinant (ONNX `Det`), by elimination with the largest pivot of each column; 1 of an empty matrix.
        Det = "det",
    }
}

/// A function of each matrix in the last two dims of `x` (floats), computed in f64.
#[derive(Clone, Debug, PartialEq)]
pub struct LinAlg {
    /// Which one.
    pub function: MatrixFunction,
}

impl Algorithm for LinAlg {
    const NAME: &'static str = "linalg";
    const DOC: &'static str = "A function of each matrix of `x`: the determinant.";

    attributes!(function);

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=1
    }

    fn infer(&self, inputs: &[Type], _: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let x = inputs[0].as_tensor()?;
        expect_floats(x.dtype)?;
        match x.shape.as_slice() {
            [batch @ .., m, n] if (m - n).as_const().is_none_or(|d| d == 0) => Ok(vec![Type::tensor(x.dtype, batch)]),
            _ => Err(not_square(x)),
        }
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let x = tensor(inputs, 0)?;
        expect_floats(x.dtype())?;
        let [batch @ .., n, m] = x.shape() else { return Err(not_square(&Type::of(x))) };
        if n != m {
            return Err(not_square(&Type::of(x)));
        }
        let results: Vec<f64> = (0..batch.iter().product())
            .map(|at: usize| {
                let mut matrix = vec![0.0; n * n];
                x.read_f64(at * n * n, 1, &mut matrix);
                match self.function {
                    MatrixFunction::Det => det(matrix, *n),
                }
            })
            .collect();
        Ok(vec![Value::Tensor(Tensor::from_f64(x.dtype(), batch, &results)?)])
    }
}

fn not_square(found: &dyn std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::shape(format!("the last two dims of {found} are not those of a square matrix"))
}

/// The determinant of a row-major `n` by `n` matrix.
fn det(mut a: Vec<f64>, n: usize) -> f64 {
    let mut product = 1.0;
    for column in 0..n {
        let size = |row: &usize| a[row * n + column].abs();
        let pivot = (column..n).max_by(|i, j| size(i).total_cmp(&size(j)).then(j.cmp(i))).unwrap_or(column);
        if pivot != column {
            (column..n).for_each(|k| a.swap(pivot * n + k, column * n + k));
            product = -product;
        }
        let value = a[column * n + column];
        product *= value;
        if value == 0.0 {
            return product;
        }
        for row in column + 1..n {
            let factor = a[row * n + column] / value;
            (column + 1..n).for_each(|k| a[row * n + k] -= factor * a[column * n + k]);
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, ints, refused, run};
    use tilewright_tensor::DType;

    #[test]
    fn determinants() {
        let cases: [(&[usize], &[f32], &[f64]); 6] = [
            (&[2, 2], &[0.0, 1.0, 2.0, 3.0], &[-2.0]),
            (&[3, 2, 2], &[1., 2., 3., 4., 1., 2., 2., 1., 1., 3., 3., 1.], &[-2.0, -3.0, -8.0]),
            (&[3, 3], &[2., 0., 1., 1., 3., 2., 1., 1., 4.], &[18.0]),
            (&[2, 2], &[1.0, 2.0, 2.0, 4.0], &[0.0]),
            (&[2, 0, 0], &[], &[1.0, 1.0]),
            (&[0, 3, 3], &[], &[]),
        ];
        for (shape, values, wanted) in cases {
            let found = run(LinAlg { function: MatrixFunction::Det }, &[floats(shape, values)]);
            let off = found[0].to_vec_f64().iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(off && found[0].len() == wanted.len(), "{found:?}");
        }
    }

    #[test]
    fn nan_and_wrong_shapes() {
        let det = LinAlg { function: MatrixFunction::Det };
        let nan = run(det.clone(), &[floats(&[2, 2], &[f32::NAN, 1.0, f32::INFINITY, 0.0])]);
        assert!(nan[0].get_f64(0).is_nan());
        let message = refused(det.clone(), &[floats(&[2, 1], &[1.0, 2.0])]);
        assert_eq!(message, "the last two dims of f32[2, 1] are not those of a square matrix");
        assert!(refused(det.clone(), &[Tensor::zeros(DType::F32, &[2]).unwrap()]).contains("f32[2]"));
        assert_eq!(refused(det, &[ints(&[1, 1], &[1])]), "the elements must be floats, not i64");
    }
}
