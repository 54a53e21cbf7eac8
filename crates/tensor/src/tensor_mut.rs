//! Tensors under construction: exclusively held, filled in place, then frozen.
use crate::buffer::Aligned;
use crate::element::Element;
use crate::lanes::{At, Lanes, LanesMut};
use crate::{DType, Tensor, element_count};
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};

/// A tensor that is being filled. It starts as zeros, on a 64-byte boundary; [`Self::finish`] makes it a [`Tensor`].
pub struct TensorMut {
    dtype: DType,
    shape: Arc<[usize]>,
    len: usize,
    buffer: Aligned,
}

impl TensorMut {
    /// Zeros. Fails when `shape` is too large, when there is no memory, and for strings: see [`Tensor::from_strings`].
    pub fn new(dtype: DType, shape: &[usize]) -> Result<Self> {
        Self::over(dtype, shape, Aligned::zeroed)
    }

    /// Elements of any value, for who writes all of them. Fails as [`Self::new`].
    pub fn any(dtype: DType, shape: &[usize]) -> Result<Self> {
        Self::over(dtype, shape, Aligned::any)
    }

    fn over(dtype: DType, shape: &[usize], buffer: impl FnOnce(usize) -> Result<Aligned>) -> Result<Self> {
        if dtype == DType::String {
            return Err(Diagnostic::dtype("strings have no fixed width, so they cannot be filled in place"));
        }
        let len = element_count(dtype, shape)?;
        let buffer = buffer(dtype.byte_len(len).unwrap_or(usize::MAX))?;
        Ok(Self { dtype, shape: shape.into(), len, buffer })
    }

    /// A copy of a tensor, to be changed. Fails for strings and when there is no memory.
    pub fn copy_of(tensor: &Tensor) -> Result<Self> {
        if tensor.dtype() == DType::String {
            return Err(Diagnostic::dtype("strings have no fixed width, so they cannot be changed in place"));
        }
        let buffer = Aligned::copy_of(tensor.bytes())?;
        Ok(Self { dtype: tensor.dtype(), shape: tensor.shape().into(), len: tensor.len(), buffer })
    }

    /// The finished tensor, without a copy.
    pub fn finish(self) -> Tensor {
        Tensor::from_aligned(self.dtype, self.shape, self.len, self.buffer)
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Extent of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements' bytes.
    pub fn bytes(&self) -> &[u8] {
        self.buffer.as_ref()
    }

    /// The elements' bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.buffer.as_mut()
    }

    /// The elements, when they are `T`s.
    pub fn as_mut_slice<T: Element + bytemuck::Pod>(&mut self) -> Option<&mut [T]> {
        (self.dtype == T::DTYPE).then(|| bytemuck::cast_slice_mut(self.buffer.as_mut()))
    }

    fn lanes(&self) -> Lanes<'_> {
        Lanes { dtype: self.dtype, len: self.len, bytes: self.buffer.as_ref() }
    }

    fn lanes_mut(&mut self) -> LanesMut<'_> {
        LanesMut { dtype: self.dtype, len: self.len, bytes: self.buffer.as_mut() }
    }

    /// Stores `values` at `start`, `start + stride`, ..., rounded to nearest even.
    ///
    /// Overflow gives infinity, or the largest value in float8 and float4 types without infinity; f8e8m0 rounds up.
    /// Integers and bools take what [`crate::convert::float_to_int`] says. Panics when an element lies outside.
    pub fn write_f64(&mut self, start: usize, stride: isize, values: &[f64]) {
        self.lanes_mut().f64(start, stride, values);
    }

    /// Stores `values` at `start`, `start + stride`, ..., wrapped to the dtype's width; bool is `!= 0`; floats round
    /// the (signed) integer to nearest even. Panics when an element lies outside.
    pub fn write_i64(&mut self, start: usize, stride: isize, values: &[i64]) {
        self.lanes_mut().i64(start, stride, values);
    }

    /// Stores one element as [`Self::write_f64`] does.
    pub fn set_f64(&mut self, index: usize, value: f64) {
        self.write_f64(index, 1, &[value]);
    }

    /// Stores one element as [`Self::write_i64`] does.
    pub fn set_i64(&mut self, index: usize, value: i64) {
        self.write_i64(index, 1, &[value]);
    }

    /// Element `index` as [`Tensor::read_f64`] converts it.
    pub fn get_f64(&self, index: usize) -> f64 {
        let mut lane = [0.0];
        self.lanes().f64(At::Strided(index, 1), &mut lane);
        lane[0]
    }

    /// Element `index` as [`Tensor::read_i64`] converts it.
    pub fn get_i64(&self, index: usize) -> i64 {
        let mut lane = [0];
        self.lanes().i64(At::Strided(index, 1), &mut lane);
        lane[0]
    }
}

impl std::fmt::Debug for TensorMut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?} being filled", self.dtype, self.shape)
    }
}
