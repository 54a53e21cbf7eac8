//! How the elements of a logical shape are arranged in memory: in any order of axes, some of them split in blocks.
//!
//! NCHW with channels in blocks of 16 is order `[0, 1, 2, 3]` and the split `(1, 16)`: `[N, C/16, H, W, 16]`. A weight
//! `[K, N]` packed for instructions that take 4 neighbours of k is the split `(0, 4)`: `[K/4, N, 4]`. Blocks that stick
//! out of the shape are filled with zeros.
use crate::rearrange::{Rearrange, rearrange};
use crate::view::{check_permutation, contiguous_strides};
use crate::{DType, Tensor, element_count};
use std::fmt;
use tilewright_support::{Diagnostic, Result};

/// An arrangement of the axes of tensors of one rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    order: Vec<usize>,
    splits: Vec<(usize, usize)>,
}

impl Layout {
    /// Row-major.
    pub fn plain(rank: usize) -> Self {
        Self { order: (0..rank).collect(), splits: Vec::new() }
    }

    /// The axes in `order`, outermost first, then the blocks `(axis, size)`, outermost first; an axis may be split more
    /// than once. Fails unless `order` is a permutation of the axes, every split axis is one of them and every block is
    /// at least 1.
    pub fn new(order: &[usize], splits: &[(usize, usize)]) -> Result<Self> {
        check_permutation(order, order.len())?;
        for &(axis, block) in splits {
            if axis >= order.len() || block == 0 {
                let rank = order.len();
                return Err(Diagnostic::shape(format!("no axis {axis} of {rank} to split in blocks of {block}")));
            }
        }
        Ok(Self { order: order.to_vec(), splits: splits.to_vec() })
    }

    /// Is it row-major without blocks?
    pub fn is_plain(&self) -> bool {
        self.splits.is_empty() && self.order.iter().enumerate().all(|(i, &axis)| i == axis)
    }

    /// Number of logical axes.
    pub fn rank(&self) -> usize {
        self.order.len()
    }

    /// The order of the axes, outermost first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The blocks, outermost first.
    pub fn splits(&self) -> &[(usize, usize)] {
        &self.splits
    }

    /// Extents in memory: of the axes in their order, in blocks where they are split, and of the blocks. Fails when
    /// `shape` is of another rank, or the blocks of an axis are too large.
    pub fn physical_shape(&self, shape: &[usize]) -> Result<Vec<usize>> {
        if shape.len() != self.rank() {
            return Err(Diagnostic::shape(format!("layout {self} is not for shape {shape:?}")));
        }
        let mut physical = Vec::with_capacity(self.rank() + self.splits.len());
        for &axis in &self.order {
            physical.push(shape[axis].div_ceil(self.block(axis)?));
        }
        physical.extend(self.splits.iter().map(|&(_, block)| block));
        Ok(physical)
    }

    /// Elements of `axis` in all its blocks together.
    fn block(&self, axis: usize) -> Result<usize> {
        let sizes = self.splits.iter().filter(|split| split.0 == axis).map(|split| split.1);
        sizes
            .into_iter()
            .try_fold(1usize, usize::checked_mul)
            .ok_or_else(|| Diagnostic::limit(format!("the blocks of axis {axis} in layout {self} overflow")))
    }

    /// The elements of `x` in this layout, as a tensor of [`Self::physical_shape`].
    pub fn pack(&self, x: &Tensor) -> Result<Tensor> {
        let places = self.places(x.dtype(), x.shape())?;
        rearrange(x, &places.physical_shape, &Pack(&places))
    }

    /// The tensor of `shape` that was packed to `packed`. Fails unless that has the [`Self::physical_shape`].
    pub fn unpack(&self, packed: &Tensor, shape: &[usize]) -> Result<Tensor> {
        let places = self.places(packed.dtype(), shape)?;
        if packed.shape() != places.physical_shape {
            let (found, expected) = (packed.shape(), &places.physical_shape);
            return Err(Diagnostic::shape(format!("packed shape is {found:?}, layout {self} expects {expected:?}")));
        }
        rearrange(packed, shape, &Unpack(&places))
    }

    fn places(&self, dtype: DType, shape: &[usize]) -> Result<Places> {
        let physical_shape = self.physical_shape(shape)?;
        element_count(dtype, &physical_shape)?;
        element_count(dtype, shape)?;
        let strides = contiguous_strides(&physical_shape);
        let mut of_axis = Vec::with_capacity(shape.len());
        for (axis, &extent) in shape.iter().enumerate() {
            let outer = self.order.iter().position(|&a| a == axis).unwrap_or(0);
            let mut inside = self.block(axis)?;
            let mut terms = vec![(inside, usize::MAX, strides[outer])];
            for (split, &(_, block)) in self.splits.iter().enumerate().filter(|(_, split)| split.0 == axis) {
                inside /= block;
                terms.push((inside, block, strides[self.rank() + split]));
            }
            let place = |i| terms.iter().map(|&(unit, count, stride)| i / unit % count * stride.unsigned_abs()).sum();
            of_axis.push(if shape.contains(&0) { Vec::new() } else { (0..extent).map(place).collect() });
        }
        Ok(Places { physical_shape, of_axis })
    }
}

impl fmt::Display for Layout {
    /// `plain`, or order and blocks: `0,1,2,3 1/16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str("plain");
        }
        let order: Vec<String> = self.order.iter().map(usize::to_string).collect();
        f.write_str(&order.join(","))?;
        self.splits.iter().try_for_each(|(axis, block)| write!(f, " {axis}/{block}"))
    }
}

/// The place of an element is the sum of a place for each of its indices.
struct Places {
    physical_shape: Vec<usize>,
    of_axis: Vec<Vec<usize>>,
}

impl Places {
    /// Calls `f` with the place of each element in row-major order.
    fn for_each(&self, mut f: impl FnMut(usize)) {
        self.descend(0, 0, &mut f);
    }

    fn descend(&self, axis: usize, base: usize, f: &mut impl FnMut(usize)) {
        match self.of_axis.get(axis) {
            None => f(base),
            Some(places) => places.iter().for_each(|place| self.descend(axis + 1, base + place, f)),
        }
    }
}

struct Pack<'a>(&'a Places);

impl Rearrange for Pack<'_> {
    fn run<T: Clone>(&self, src: &[T], dst: &mut [T]) {
        let mut src = src.iter();
        self.0.for_each(|place| {
            if let Some(x) = src.next() {
                dst[place] = x.clone();
            }
        });
    }
}

struct Unpack<'a>(&'a Places);

impl Rearrange for Unpack<'_> {
    fn run<T: Clone>(&self, src: &[T], dst: &mut [T]) {
        let mut dst = dst.iter_mut();
        self.0.for_each(|place| {
            if let Some(to) = dst.next() {
                *to = src[place].clone();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_in_blocks_are_padded_with_zeros() {
        let x = Tensor::from_i64(DType::I32, &[1, 3, 2, 1], &[1, 2, 3, 4, 5, 6]).unwrap();
        let layout = Layout::new(&[0, 1, 2, 3], &[(1, 2)]).unwrap();
        let packed = layout.pack(&x).unwrap();
        assert_eq!(packed.shape(), [1, 2, 2, 1, 2]);
        assert_eq!(packed.to_vec_i64(), [1, 3, 2, 4, 5, 0, 6, 0]);
        assert_eq!(layout.unpack(&packed, x.shape()).unwrap(), x);
        assert_eq!(layout.to_string(), "0,1,2,3 1/2");
    }

    #[test]
    fn layouts_of_all_dtypes_pack_and_unpack() {
        let layouts = [
            Layout::plain(2),
            Layout::new(&[1, 0], &[]).unwrap(),
            Layout::new(&[1, 0], &[(0, 4), (1, 3), (0, 2)]).unwrap(),
            Layout::new(&[0, 1], &[(0, 1), (1, 16)]).unwrap(),
        ];
        for shape in [[5, 7], [8, 3], [0, 4], [1, 1]] {
            for &dtype in DType::ALL.iter().filter(|&&t| t != DType::String) {
                let bytes = dtype.byte_len(shape.iter().product()).unwrap();
                let bytes: Vec<u8> = (0..bytes).map(|i| (i * 37 % 251) as u8).collect();
                let x = Tensor::from_bytes(dtype, &shape, &bytes).unwrap();
                for layout in &layouts {
                    let packed = layout.pack(&x).unwrap();
                    assert_eq!(layout.unpack(&packed, &shape).unwrap(), x, "{dtype} {layout}");
                    assert!(!layout.is_plain() || packed == x);
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Layout::new(&[0, 2], &[]).is_err() && Layout::new(&[0], &[(1, 2)]).is_err());
        assert!(Layout::new(&[0], &[(0, 0)]).is_err());
        let huge = Layout::new(&[0], &[(0, usize::MAX), (0, 2)]).unwrap();
        let x = Tensor::zeros(DType::U8, &[3]).unwrap();
        assert!(huge.pack(&x).is_err());
        assert!(Layout::plain(2).pack(&x).is_err());
        assert!(Layout::plain(1).unpack(&x, &[4]).is_err());
    }
}
