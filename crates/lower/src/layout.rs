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

    /// Whether every element lies in the buffer.
    pub fn is_inside(&self) -> bool {
        let far = |(n, stride): (&usize, &i64)| stride.checked_mul((*n as i64).checked_sub(1)?);
        let (mut low, mut high) = (Some(self.offset), Some(self.offset));
        for reach in self.shape.iter().zip(&self.strides).map(far) {
            let end = if reach.is_some_and(|r| r < 0) { &mut low } else { &mut high };
            *end = end.and_then(|e| e.checked_add(reach?));
        }
        self.is_empty() || (low.is_some_and(|l| l >= 0) && high.is_some_and(|h| h < self.room as i64))
    }

    /// Whether the buffer holds these elements alone, row-major.
    pub fn is_whole(&self) -> bool {
        self.is_plain() || (self.room == self.len() && self.offset == 0 && self.packed())
    }

    /// Whether elements stand row-major without gaps; dims of one position may have any stride.
    fn packed(&self) -> bool {
        let mut step = 1;
        self.shape.iter().zip(&self.strides).rev().all(|(n, stride)| {
            let fits = *n == 1 || *stride == step;
            step *= *n as i64;
            fits
        })
    }

    /// Positions `start..start + length` along a dim.
    pub fn part(&self, dim: usize, start: usize, length: usize) -> Self {
        let mut part = self.clone();
        part.offset += start as i64 * self.strides[dim];
        part.shape[dim] = length;
        part
    }

    /// Whether neighbours along the innermost dim with more than one position are next to each other, or the same.
    pub fn is_near(&self) -> bool {
        let inner = self.shape.iter().zip(&self.strides).rev().find(|(n, _)| **n > 1);
        inner.is_none_or(|(_, stride)| (0..=1).contains(stride))
    }
}
