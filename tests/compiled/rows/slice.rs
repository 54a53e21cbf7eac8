//! Positions of tensors along one dim.

use std::ops::Range;
use tilewright_tensor::Tensor;

/// Some positions of a tensor along a dim.
pub fn slice(x: &Tensor, dim: usize, range: Range<usize>) -> Tensor {
    let (mut shape, size) = (x.shape().to_vec(), x.dtype().bits() / 8);
    let inner = shape[dim + 1..].iter().product::<usize>() * size;
    let outer = shape[dim] * inner;
    let part = range.start * inner..range.end * inner;
    shape[dim] = range.len();
    let count: usize = shape[..dim].iter().product();
    let bytes: Vec<u8> = (0..count).flat_map(|n| &x.bytes()[n * outer..][part.clone()]).copied().collect();
    Tensor::from_bytes(x.dtype(), &shape, &bytes).unwrap()
}
