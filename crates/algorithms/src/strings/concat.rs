//! Strings joined elementwise.

use crate::operand::{MOST, strings};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::TensorType;
use tilewright_tensor::types::broadcast_shape;
use tilewright_tensor::{DType, Tensor, element_count};

/// `x` and `y`, which broadcast, joined.
pub(super) fn concat(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let dims = |t: &Tensor| t.shape().iter().map(|d| Ix::from(*d)).collect::<Vec<_>>();
    let shape = TensorType::new(DType::String, broadcast_shape(&[&dims(x), &dims(y)])?);
    let shape = shape.static_shape().ok_or_else(|| Diagnostic::internal("a shape of numbers"))?;
    let count = element_count(DType::String, &shape)?;
    if count > x.len().min(y.len()) && bytes(x, count)? + bytes(y, count)? > 64 * MOST as u128 {
        return Err(Diagnostic::limit(format!("joined strings of shape {shape:?} are more than a gigabyte")));
    }
    let (left, right) = (x.view().broadcast_to(&shape)?.to_tensor()?, y.view().broadcast_to(&shape)?.to_tensor()?);
    let joined = strings(&left)?.iter().zip(strings(&right)?).map(|(l, r)| [l.as_str(), r].concat());
    Tensor::from_strings(&shape, joined.collect::<Vec<_>>())
}

/// What `count` strings take when `x` is repeated to them.
fn bytes(x: &Tensor, count: usize) -> Result<u128> {
    let once: usize = strings(x)?.iter().map(|s| s.len() + size_of::<String>()).sum();
    Ok(once as u128 * (count / x.len().max(1)) as u128)
}

#[cfg(test)]
mod tests {
    use crate::testing::{refused, run, words};
    use crate::{StringFunction, Strings};

    #[test]
    fn operands_broadcast() {
        let op = Strings { function: StringFunction::Concat };
        let joined = run(op.clone(), &[words(&[2, 1], &["a", "é"]), words(&[3], &["x", "", "z"])]);
        assert_eq!(joined[0], words(&[2, 3], &["ax", "a", "az", "éx", "é", "éz"]));
        assert_eq!(run(op.clone(), &[words(&[], &["a"]), words(&[], &["b"])])[0], words(&[], &["ab"]));
        assert_eq!(run(op.clone(), &[words(&[0], &[]), words(&[1], &["b"])])[0], words(&[0], &[]));
        let message = refused(op.clone(), &[words(&[2], &["a", "b"]), words(&[3], &["x", "y", "z"])]);
        assert_eq!(message, "[2] and [3] do not broadcast: 2 vs 3");
        let long = "a".repeat(1 << 20);
        let columns = words(&[1 << 12], &vec!["x"; 1 << 12]);
        assert!(refused(op, &[words(&[1, 1], &[&long]), columns]).ends_with("more than a gigabyte"));
    }
}
