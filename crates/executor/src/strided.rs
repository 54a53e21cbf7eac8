//! Elements of a layout as a tensor of their own.

use tilewright_lower::Layout;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{Tensor, TensorMut};

/// Copies the elements of a layout out of its buffer.
///
/// # Errors
/// Internal, where the layout reaches beyond the buffer; Limit, without memory.
pub fn gather(bytes: &[u8], layout: &Layout) -> Result<Tensor> {
    let mut out = TensorMut::new(layout.dtype, &layout.shape)?;
    if layout.is_empty() {
        return Ok(out.finish());
    }
    let size = layout.dtype.bits() / 8;
    let mut runs = Runs::of(layout);
    let mut to = out.bytes_mut();
    loop {
        let from = usize::try_from(runs.at).ok().and_then(|at| at.checked_mul(size));
        let run = from.and_then(|from| bytes.get(from..from.checked_add(runs.length * size)?));
        let run = run.ok_or_else(|| Diagnostic::internal("a view reaches beyond its memory"))?;
        let (here, rest) = to.split_at_mut(run.len());
        here.copy_from_slice(run);
        to = rest;
        if !runs.advance() {
            return Ok(out.finish());
        }
    }
}

/// The runs of neighbouring elements of a layout, in row-major order.
struct Runs {
    /// The first element of this run.
    at: i64,
    /// Elements of each.
    length: usize,
    /// Extents and strides of the dims around it, outermost first.
    dims: Vec<(usize, i64)>,
    point: Vec<usize>,
}

impl Runs {
    fn of(layout: &Layout) -> Self {
        let mut dims: Vec<(usize, i64)> = layout.shape.iter().copied().zip(layout.strides.iter().copied()).collect();
        let mut length = 1;
        while let Some((n, stride)) = dims.last() {
            if *n != 1 && *stride != length as i64 {
                break;
            }
            length *= n;
            dims.pop();
        }
        let point = vec![0; dims.len()];
        Self { at: layout.offset, length, dims, point }
    }

    fn advance(&mut self) -> bool {
        for ((n, stride), p) in self.dims.iter().zip(&mut self.point).rev() {
            *p += 1;
            self.at += stride;
            if *p < *n {
                return true;
            }
            self.at -= stride * *n as i64;
            *p = 0;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_tensor::DType;

    fn view(shape: &[usize], offset: i64, strides: &[i64]) -> Layout {
        Layout { dtype: DType::U8, shape: shape.to_vec(), offset, strides: strides.to_vec(), room: 12 }
    }

    #[test]
    fn views_are_gathered() {
        let bytes: Vec<u8> = (0..12).collect();
        let of = |l: &Layout| gather(&bytes, l).unwrap().bytes().to_vec();
        assert_eq!(of(&view(&[3, 4], 0, &[4, 1])), bytes);
        assert_eq!(of(&view(&[4, 3], 0, &[1, 4])), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
        assert_eq!(of(&view(&[2, 2], 5, &[4, 1])), [5, 6, 9, 10]);
        assert_eq!(of(&view(&[3], 11, &[-2])), [11, 9, 7]);
        assert_eq!(of(&view(&[2, 1, 3], 1, &[0, 7, 1])), [1, 2, 3, 1, 2, 3]);
        assert_eq!(of(&view(&[], 4, &[])), [4]);
        assert!(of(&view(&[0, 5], 0, &[5, 1])).is_empty());
    }

    #[test]
    fn what_lies_outside_is_refused() {
        for layout in [view(&[2], 11, &[1]), view(&[2], 0, &[-1]), view(&[2], 0, &[i64::MAX / 2])] {
            assert!(gather(&[0; 12], &layout).is_err());
        }
    }
}
