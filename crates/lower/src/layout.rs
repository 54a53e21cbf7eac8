//! Where the elements of a tensor are in its buffer.

use tilewright_tensor::DType;

/// A tensor in a buffer: element `[i, j, ..]` is element `offset + i * strides[0] + j * strides[1] + ..` of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The elements.
    pub dtype: DType,
    /// The dims.
    pub shape: Vec<usize>,
    /// Elements from the start of the buffer to the first one.
    pub offset: i64,
    /// Elements from one to the next along each dim.
    pub strides: Vec<i64>,
    /// Elements of the buffer.
    pub room: usize,
}

impl Layout {
    /// Row-major, without gaps.
    pub fn row_major(dtype: DType, shape: &[usize]) -> Self {
        let mut strides = vec![1i64; shape.len()];
        for d in (1..shape.len()).rev() {
            strides[d - 1] = strides[d] * shape[d].max(1) as i64;
        }
        Self { dtype, shape: shape.to_vec(), offset: 0, strides, room: shape.iter().product() }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the buffer.
    pub fn bytes(&self) -> usize {
        self.dtype.byte_len(self.room).unwrap_or(usize::MAX)
    }

    /// Whether elements stand row-major without gaps from the start of the buffer.
    pub fn is_plain(&self) -> bool {
        *self == Self::row_major(self.dtype, &self.shape)
    }
}
