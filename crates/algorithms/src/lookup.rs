//! A table from the elements of one dtype to those of another.

use super::operand::{take, tensor};
use super::order::read_keys;
use super::{Algorithm, attributes};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::RangeInclusive;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, Value};

/// ONNX `LabelEncoder` and `CategoryMapper`.
///
/// Inputs: `x`, `keys` `[n]` of the same dtype, `values` `[n + 1]` of any, the last of which is for what is no key.
/// Output: the value of each element of `x`. Of equal keys the last counts; 0 and -0 are equal, and so are all NaNs.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup;

impl Algorithm for Lookup {
    const NAME: &'static str = "lookup";
    const DOC: &'static str = "For each element of `x` the value of its key; the last value for what is no key.";

    attributes!();

    fn inputs(&self) -> RangeInclusive<usize> {
        3..=3
    }

    fn infer(&self, inputs: &[Type], _: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let [x, keys, values] = inputs else { return Err(Diagnostic::internal("lookup takes three inputs")) };
        let (x, keys, values) = (x.as_tensor()?, keys.as_tensor()?, values.as_tensor()?);
        check_dtypes(x.dtype, keys.dtype)?;
        let fits = match (keys.shape.as_slice(), values.shape.as_slice()) {
            ([n], [m]) => (m - n).as_const().is_none_or(|more| more == 1),
            _ => false,
        };
        match fits {
            true => Ok(vec![Type::tensor(values.dtype, x.shape.clone())]),
            false => Err(mismatch(keys, values)),
        }
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let (x, keys, values) = (tensor(inputs, 0)?, tensor(inputs, 1)?, tensor(inputs, 2)?);
        check_dtypes(x.dtype(), keys.dtype())?;
        if keys.rank() != 1 || values.shape() != [keys.len() + 1] {
            return Err(mismatch(&Type::of(keys), &Type::of(values)));
        }
        let places = match (x.strings(), keys.strings()) {
            (Some(x), Some(keys)) => find(x.iter(), keys.iter()),
            _ => find(numbers(x).into_iter(), numbers(keys).into_iter()),
        };
        Ok(vec![Value::Tensor(take(values, &places, x.shape())?)])
    }
}

fn check_dtypes(x: DType, keys: DType) -> Result<()> {
    match x == keys {
        true => Ok(()),
        false => Err(Diagnostic::dtype(format!("the keys of a table for {x} are {keys}"))),
    }
}

fn mismatch(keys: &dyn std::fmt::Display, values: &dyn std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::shape(format!("a table has keys [n] and values [n + 1], not {keys} and {values}"))
}

/// Integers that are equal where the elements are.
fn numbers(x: &Tensor) -> Vec<i64> {
    let mut keys = vec![0; x.len()];
    read_keys(x, 0, 1, &mut keys);
    keys
}

/// For each element the place of the last key that equals it, or the number of keys.
fn find<K: Hash + Eq>(x: impl Iterator<Item = K>, keys: impl ExactSizeIterator<Item = K>) -> Vec<i64> {
    let missing = keys.len() as i64;
    let places: HashMap<K, i64> = keys.zip(0..).collect();
    x.map(|key| places.get(&key).copied().unwrap_or(missing)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, ints, refused, run, words};

    #[test]
    fn between_dtypes() {
        let labels = run(
            Lookup,
            &[words(&[5], &["a", "b", "d", "c", "g"]), words(&[3], &["a", "b", "c"]), ints(&[4], &[0, 1, 2, 42])],
        );
        assert_eq!(labels[0], ints(&[5], &[0, 1, 42, 2, 42]));
        let names = run(
            Lookup,
            &[
                floats(&[1, 3], &[f32::NAN, -0.0, 2.0]),
                floats(&[2], &[-f32::NAN, 0.0]),
                words(&[3], &["nan", "zero", "other"]),
            ],
        );
        assert_eq!(names[0], words(&[1, 3], &["nan", "zero", "other"]));
        let last =
            run(Lookup, &[ints(&[], &[7]), ints(&[2], &[7, 7]), Tensor::from_slice(&[3], &[1i16, 2, 3]).unwrap()]);
        assert_eq!(last[0], Tensor::scalar(2i16));
    }

    #[test]
    fn tables_that_do_not_fit() {
        let message = refused(Lookup, &[ints(&[1], &[1]), ints(&[1], &[1]), ints(&[1], &[1])]);
        assert_eq!(message, "a table has keys [n] and values [n + 1], not i64[1] and i64[1]");
        let message = refused(Lookup, &[ints(&[1], &[1]), floats(&[1], &[1.0]), ints(&[2], &[1, 1])]);
        assert_eq!(message, "the keys of a table for i64 are f32");
    }
}
