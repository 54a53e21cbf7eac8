//! Running opaque operations in tests: types and values are checked against each other.

use super::Opaque;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{Tensor, Value};

fn try_run(op: Opaque, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    assert_eq!(Opaque::from_attributes(op.name(), &op.attributes()).as_ref(), Ok(&op));
    let types: Vec<Type> = inputs.iter().map(Type::of).collect();
    let values: Vec<Value> = inputs.iter().cloned().map(Value::Tensor).collect();
    let mut made = 0;
    let inferred = op.infer(&types, &mut || {
        made += 1;
        Ix::sym(format!("s{made}"))
    })?;
    let outputs: Vec<Tensor> = op.eval(&values)?.iter().filter_map(Value::as_tensor).cloned().collect();
    assert_eq!(inferred.len(), outputs.len());
    for (ty, out) in inferred.iter().zip(&outputs) {
        let ty = ty.as_tensor()?;
        let fits = |(dim, size): (&Ix, &usize)| dim.as_const().is_none_or(|d| d == *size as i64);
        let same = ty.dtype == out.dtype() && ty.rank() == out.rank() && ty.shape.iter().zip(out.shape()).all(fits);
        assert!(same, "inferred {ty}, evaluated {out:?}");
    }
    Ok(outputs)
}

/// The outputs, which fit the inferred types.
pub(super) fn run(op: impl Into<Opaque>, inputs: &[Tensor]) -> Vec<Tensor> {
    try_run(op.into(), inputs).unwrap_or_else(|e| panic!("{e}"))
}

/// The message with which evaluation refuses; inference must not panic before.
pub(super) fn refused(op: impl Into<Opaque>, inputs: &[Tensor]) -> String {
    let op = op.into();
    let _ = try_run(op.clone(), inputs);
    let values: Vec<Value> = inputs.iter().cloned().map(Value::Tensor).collect();
    let error: Box<Diagnostic> = op.eval(&values).expect_err("a refusal");
    error.message
}

/// An i64 tensor.
pub(super) fn ints(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::from_slice(shape, values).expect("a tensor")
}

/// An f32 tensor.
pub(super) fn floats(shape: &[usize], values: &[f32]) -> Tensor {
    Tensor::from_slice(shape, values).expect("a tensor")
}

/// A tensor of strings.
pub(super) fn words(shape: &[usize], words: &[&str]) -> Tensor {
    Tensor::from_strings(shape, words.iter().map(|w| w.to_string()).collect::<Vec<_>>()).expect("a tensor")
}
