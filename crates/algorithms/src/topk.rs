//! The largest or smallest elements along an axis.

use super::operand::{Lanes, expect_numbers, expect_single, int, no_axis, numbers, take};
use super::order::read_keys;
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, Value};

/// ONNX `TopK`, with `sorted = 1`, which also serves 0: that asks for no particular order. With all of the axis it is
/// a stable sort.
///
/// Inputs: `x` (numbers), `k` (one i64, at most the size of the axis). Outputs: the elements in order and their
/// positions on the axis (i64), both of `x`'s shape with `k` in place of the axis. Of equal elements the one at the
/// lower position comes first. NaN is greater than all numbers, and equal to NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct TopK {
    /// Where to select.
    pub axis: usize,
    /// The largest elements, in falling order, or the smallest, in rising order.
    pub largest: bool,
    /// What is known of input `k` before it is computed: the size of the outputs.
    pub k: Option<Ix>,
}

impl Algorithm for TopK {
    const NAME: &'static str = "topk";
    const DOC: &'static str = "The `k` largest or smallest elements of `x` along an axis, and their positions there.";

    attributes!(axis, largest, k);

    fn inputs(&self) -> RangeInclusive<usize> {
        2..=2
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let x = inputs[0].as_tensor()?;
        expect_numbers(x.dtype)?;
        expect_single(&inputs[1], DType::I64, "k")?;
        let mut shape = x.shape.clone();
        let Some(size) = shape.get_mut(self.axis) else { return Err(no_axis(self.axis, x.rank())) };
        let k = self.k.clone().unwrap_or_else(fresh);
        if let (Some(k), Some(size)) = (k.as_const(), size.as_const()) {
            self.check_k(k, size)?;
        }
        *size = k;
        Ok(vec![Type::tensor(x.dtype, shape.clone()), Type::tensor(DType::I64, shape)])
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let x = numbers(inputs, 0)?;
        let lanes = Lanes::of(x.shape(), self.axis)?;
        let k = self.check_k(int(inputs, 1, "k")?, lanes.len as i64)?;
        let mut shape = x.shape().to_vec();
        shape[self.axis] = k;
        let mut positions = vec![0; lanes.outer * k * lanes.inner];
        let mut sources = positions.clone();
        let mut keys = vec![0; lanes.len];
        for (from, to) in lanes.starts(lanes.len).zip(lanes.starts(k)) {
            read_keys(x, from, lanes.inner as isize, &mut keys);
            for (place, at) in self.select(&keys, k).into_iter().enumerate() {
                positions[to + place * lanes.inner] = at as i64;
                sources[to + place * lanes.inner] = (from + at * lanes.inner) as i64;
            }
        }
        let values = take(x, &sources, &shape)?;
        Ok(vec![Value::Tensor(values), Value::Tensor(Tensor::from_vec(&shape, positions)?)])
    }
}

impl TopK {
    fn check_k(&self, k: i64, size: i64) -> Result<usize> {
        match usize::try_from(k) {
            Ok(count) if k <= size => Ok(count),
            _ => Err(Diagnostic::value(format!("k is {k}, but axis {} has {size} elements", self.axis))),
        }
    }

    /// The positions of the first `k` keys in order.
    fn select(&self, keys: &[i64], k: usize) -> Vec<usize> {
        // The complement reverses the order of all integers, where negation would overflow.
        let rank = |at: &usize| (if self.largest { !keys[*at] } else { keys[*at] }, *at);
        let mut order: Vec<usize> = (0..keys.len()).collect();
        if (1..keys.len()).contains(&k) {
            order.select_nth_unstable_by_key(k - 1, rank);
        }
        order.truncate(k);
        order.sort_unstable_by_key(rank);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ints, refused, run};

    fn top(x: Tensor, k: i64, axis: usize, largest: bool) -> (Tensor, Vec<i64>) {
        let out = run(TopK { axis, largest, k: Some(Ix::konst(k)) }, &[x, Tensor::scalar(k)]);
        (out[0].clone(), out[1].to_vec_i64())
    }

    #[test]
    fn ties_keep_the_lower_position() {
        let x = Tensor::from_slice(&[5], &[1f32, 3.0, 3.0, 2.0, 3.0]).unwrap();
        assert_eq!(top(x, 2, 0, true).1, [1, 2]);
        let x = ints(&[5], &[4, 1, 1, 2, 1]);
        assert_eq!(top(x, 2, 0, false).1, [1, 2]);
        let x = Tensor::from_slice(&[3], &[0u8, 255, 3]).unwrap();
        assert_eq!(top(x.clone(), 2, 0, false), (Tensor::from_slice(&[2], &[0u8, 3]).unwrap(), vec![0, 2]));
        assert_eq!(top(x, 3, 0, true).1, [1, 2, 0]);
    }

    #[test]
    fn extreme_integers_and_nan_are_ordered() {
        let x = Tensor::from_slice(&[4], &[1u64, u64::MAX, 1 << 63, 0]).unwrap();
        assert_eq!(
            top(x.clone(), 3, 0, true),
            (Tensor::from_slice(&[3], &[u64::MAX, 1 << 63, 1]).unwrap(), vec![1, 2, 0])
        );
        assert_eq!(top(x, 2, 0, false).1, [3, 0]);
        let x = ints(&[3], &[i64::MIN, 0, i64::MAX]);
        assert_eq!(top(x, 3, 0, true).1, [2, 1, 0]);
        let x = Tensor::from_slice(&[5], &[1.0, f32::NAN, 3.0, f32::NAN, 2.0]).unwrap();
        assert_eq!(top(x.clone(), 3, 0, true).1, [1, 3, 2]);
        assert_eq!(top(x, 3, 0, false).1, [0, 4, 2]);
    }

    #[test]
    fn an_inner_axis_and_empty_results() {
        let x = Tensor::from_f64(DType::F16, &[2, 3, 2], &(0..12).map(f64::from).collect::<Vec<_>>()).unwrap();
        let (values, at) = top(x.clone(), 2, 1, true);
        assert_eq!(values.to_vec_f64(), [4.0, 5.0, 2.0, 3.0, 10.0, 11.0, 8.0, 9.0]);
        assert_eq!(at, [2, 2, 1, 1, 2, 2, 1, 1]);
        assert_eq!(top(x.clone(), 0, 2, true).0.shape(), [2, 3, 0]);
        assert_eq!(top(Tensor::zeros(DType::I4, &[0, 5]).unwrap(), 3, 1, true).0.shape(), [0, 3]);
        let unknown = run(TopK { axis: 0, largest: true, k: None }, &[x, ints(&[1], &[1])]);
        assert_eq!(unknown[0].shape(), [1, 3, 2]);
    }

    #[test]
    fn wrong_k_and_axis_are_named() {
        let op = TopK { axis: 0, largest: true, k: None };
        assert_eq!(refused(op.clone(), &[ints(&[2], &[1, 2]), ints(&[], &[3])]), "k is 3, but axis 0 has 2 elements");
        assert_eq!(refused(op.clone(), &[ints(&[2], &[1, 2]), ints(&[], &[-1])]), "k is -1, but axis 0 has 2 elements");
        assert_eq!(refused(op.clone(), &[ints(&[], &[1]), ints(&[], &[1])]), "axis 0 of a tensor of rank 0");
        assert_eq!(refused(op, &[ints(&[2], &[1, 2]), ints(&[2], &[1, 1])]), "k is i64[2], not one number");
    }
}
