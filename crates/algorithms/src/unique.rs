//! The different elements of a tensor.

use super::operand::{Lanes, no_axis, take, tensor};
use super::order::all_keys;
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use tilewright_support::Result;
use tilewright_tensor::ix::{Ix, volume};
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, Value};

/// ONNX `Unique`.
///
/// Input: `x`, of any dtype. Outputs: what is different in `x`, where each is found first, for each item of `x` its
/// place in the first output, and how often each occurs (the last three i64 vectors). Items are the elements, row-major,
/// or the slices along an axis, compared row-major. -0 is 0, and all NaNs are one value, the greatest.
#[derive(Clone, Debug, PartialEq)]
pub struct Unique {
    /// The axis of the slices; without it the items are the elements.
    pub axis: Option<usize>,
    /// In rising order; else in order of appearance.
    pub sorted: bool,
}

impl Algorithm for Unique {
    const NAME: &'static str = "unique";
    const DOC: &'static str =
        "The different elements of `x`, or its slices along an axis; first places, inverse places, counts.";

    attributes!(axis, sorted);

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=1
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let x = inputs[0].as_tensor()?;
        let (mut shape, axis, items) = match self.axis {
            None => (vec![Ix::zero()], 0, volume(&x.shape)),
            Some(axis) if axis < x.rank() => (x.shape.clone(), axis, x.shape[axis].clone()),
            Some(axis) => return Err(no_axis(axis, x.rank())),
        };
        shape[axis] = fresh();
        let vector = |size: &Ix| Type::tensor(DType::I64, vec![size.clone()]);
        let count = shape[axis].clone();
        Ok(vec![Type::tensor(x.dtype, shape), vector(&count), vector(&items), vector(&count)])
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let x = tensor(inputs, 0)?;
        let (lanes, mut shape, axis) = match self.axis {
            None => (Lanes { outer: 1, len: x.len(), inner: 1 }, vec![x.len()], 0),
            Some(axis) => (Lanes::of(x.shape(), axis)?, x.shape().to_vec(), axis),
        };
        let groups = self.groups(&all_keys(x), &lanes);
        shape[axis] = groups.first.len();
        let mut sources = Vec::with_capacity(lanes.outer * groups.first.len() * lanes.inner);
        for outer in 0..lanes.outer {
            for item in &groups.first {
                sources.extend(lanes.run(outer, *item as usize).map(|s| s as i64));
            }
        }
        let vector = |values: Vec<i64>| Tensor::from_vec(&[values.len()], values).map(Value::Tensor);
        Ok(vec![
            Value::Tensor(take(x, &sources, &shape)?),
            vector(groups.first)?,
            vector(groups.inverse)?,
            vector(groups.counts)?,
        ])
    }
}

/// Items that are equal form a group.
struct Groups {
    /// The first item of each group.
    first: Vec<i64>,
    /// The group of each item.
    inverse: Vec<i64>,
    /// The number of items of each group.
    counts: Vec<i64>,
}

impl Unique {
    fn groups(&self, keys: &[i64], lanes: &Lanes) -> Groups {
        let rows = rows(keys, lanes);
        let width = lanes.outer * lanes.inner;
        let row = |item: usize| &rows[item * width..][..width];
        let mut order: Vec<usize> = (0..lanes.len).collect();
        order.sort_by(|a, b| row(*a).cmp(row(*b)));
        let mut runs: Vec<&[usize]> = order.chunk_by(|a, b| row(*a) == row(*b)).collect();
        if !self.sorted {
            runs.sort_by_key(|run| run[0]);
        }
        let mut inverse = vec![0; lanes.len];
        for (group, run) in (0..).zip(&runs) {
            run.iter().for_each(|item| inverse[*item] = group);
        }
        Groups {
            first: runs.iter().map(|run| run[0] as i64).collect(),
            inverse,
            counts: runs.iter().map(|run| run.len() as i64).collect(),
        }
    }
}

/// The keys of each item side by side.
fn rows(keys: &[i64], lanes: &Lanes) -> Vec<i64> {
    let mut rows = Vec::with_capacity(keys.len());
    for item in 0..lanes.len {
        for outer in 0..lanes.outer {
            rows.extend_from_slice(&keys[lanes.run(outer, item)]);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, ints, refused, run};

    /// The four outputs, the first as f64.
    fn unique(axis: Option<usize>, sorted: bool, x: Tensor) -> (Vec<usize>, Vec<f64>, [Vec<i64>; 3]) {
        let out = run(Unique { axis, sorted }, &[x]);
        (out[0].shape().to_vec(), out[0].to_vec_f64(), [1, 2, 3].map(|n| out[n].to_vec_i64()))
    }

    #[test]
    fn elements_sorted_or_as_they_appear() {
        let x = ints(&[6], &[2, 1, 1, 3, 4, 3]);
        let appear = unique(None, false, x.clone());
        assert_eq!(appear.1, [2.0, 1.0, 3.0, 4.0]);
        assert_eq!(appear.2, [vec![0, 1, 3, 4], vec![0, 1, 1, 2, 3, 2], vec![1, 2, 2, 1]]);
        let sorted = unique(None, true, x);
        assert_eq!(sorted.1, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(sorted.2, [vec![1, 0, 3, 4], vec![1, 0, 0, 2, 3, 2], vec![2, 1, 2, 1]]);
    }

    #[test]
    fn slices_compare_row_major() {
        let x = floats(&[2, 4, 2], &[1., 1., 0., 1., 2., 1., 0., 1., 1., 1., 0., 1., 2., 1., 0., 1.]);
        let (shape, values, indices) = unique(Some(1), true, x);
        assert_eq!((shape, values), (vec![2, 3, 2], [0., 1., 1., 1., 2., 1.].repeat(2)));
        assert_eq!(indices, [vec![1, 0, 2], vec![1, 0, 2, 0], vec![2, 1, 1]]);
        let (shape, _, indices) = unique(Some(0), true, ints(&[3, 0], &[]));
        assert_eq!((shape, indices), (vec![1, 0], [vec![0], vec![0, 0, 0], vec![3]]));
        assert_eq!(unique(Some(1), true, ints(&[3, 0], &[])).0, [3, 0]);
    }

    #[test]
    fn nan_zero_strings_and_scalars() {
        let (_, values, indices) = unique(None, true, floats(&[5], &[1.0, f32::NAN, f32::NAN, 0.0, -0.0]));
        assert!(values[2].is_nan());
        assert_eq!(indices, [vec![3, 0, 1], vec![1, 2, 2, 0, 0], vec![2, 1, 2]]);
        let words = Tensor::from_strings(&[2, 2], ["b", "a", "é", "b"].map(String::from).to_vec()).unwrap();
        let out = run(Unique { axis: None, sorted: true }, &[words]);
        assert_eq!(out[0].strings().unwrap(), ["a", "b", "é"]);
        assert_eq!(unique(None, true, Tensor::scalar(true)).0, [1]);
        assert_eq!(unique(None, true, Tensor::zeros(DType::BF16, &[0]).unwrap()).0, [0]);
        let scalar = refused(Unique { axis: Some(0), sorted: true }, &[Tensor::scalar(1u8)]);
        assert_eq!(scalar, "axis 0 of a tensor of rank 0");
    }
}
