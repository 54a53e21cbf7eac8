//! Strided views: permuted, sliced, broadcast without moving an element, and copied out at the end.
use crate::Tensor;
use crate::rearrange::{Rearrange, rearrange};
use tilewright_support::{Diagnostic, Result};

/// A tensor's elements under another index: `index` lies at `offset + sum(index[i] * strides[i])`.
///
/// Every view reads inside its tensor, by construction.
#[derive(Clone, Debug)]
pub struct View<'a> {
    tensor: &'a Tensor,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

/// Strides of row-major contiguous elements.
pub fn contiguous_strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = 1isize;
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        // Extents of 0 leave nothing to step over; counting them as 1 keeps every stride in range.
        step = step.saturating_mul(extent.max(1).try_into().unwrap_or(isize::MAX));
    }
    strides
}

impl Tensor {
    /// All elements, in order.
    pub fn view(&self) -> View<'_> {
        View { tensor: self, shape: self.shape().to_vec(), strides: contiguous_strides(self.shape()), offset: 0 }
    }
}

impl<'a> View<'a> {
    /// Extent of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Distance of neighbours along each axis, in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Place of the first element.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of elements. Fails when a broadcast made more than fit the address space.
    pub fn count(&self) -> Result<usize> {
        crate::element_count(self.tensor.dtype(), &self.shape)
    }

    /// Axis `i` of the result is axis `order[i]` of this view. Fails unless `order` is a permutation of the axes.
    pub fn permute(&self, order: &[usize]) -> Result<Self> {
        check_permutation(order, self.shape.len())?;
        let shape = order.iter().map(|&axis| self.shape[axis]).collect();
        let strides = order.iter().map(|&axis| self.strides[axis]).collect();
        Ok(Self { tensor: self.tensor, shape, strides, offset: self.offset })
    }

    /// Of `axis`, the `count` elements `start`, `start + step`, ...; `step` may be negative or 0. Fails when there is
    /// no such axis, or an element lies outside.
    pub fn slice(&self, axis: usize, start: usize, count: usize, step: isize) -> Result<Self> {
        let Some(&extent) = self.shape.get(axis) else {
            return Err(Diagnostic::shape(format!("no axis {axis} in a view of shape {:?}", self.shape)));
        };
        let last = isize::try_from(count.saturating_sub(1))
            .ok()
            .and_then(|steps| steps.checked_mul(step))
            .and_then(|distance| start.checked_add_signed(distance));
        if count > 0 && !(start < extent && last.is_some_and(|last| last < extent)) {
            let what = format!("{count} elements from {start} in steps of {step}");
            return Err(Diagnostic::shape(format!("{what} leave axis {axis} of extent {extent}")));
        }
        let mut view = self.clone();
        view.shape[axis] = count;
        if count > 0 {
            view.offset = view.offset.wrapping_add_signed(self.strides[axis].wrapping_mul(start as isize));
        }
        // With one element the step is never taken, and may be too large to multiply.
        view.strides[axis] = if count > 1 { self.strides[axis].wrapping_mul(step) } else { 0 };
        Ok(view)
    }

    /// Repeated to `shape`: axes are matched from the last, those of extent 1 and missing ones are repeated. Fails when
    /// another extent differs.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        let wrong = || Diagnostic::shape(format!("shape {:?} does not broadcast to {shape:?}", self.shape));
        let missing = shape.len().checked_sub(self.shape.len()).ok_or_else(wrong)?;
        let mut strides = vec![0; shape.len()];
        for (axis, (&have, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            match (have, shape[missing + axis]) {
                (have, want) if have == want => strides[missing + axis] = stride,
                (1, _) => {}
                _ => return Err(wrong()),
            }
        }
        Ok(Self { tensor: self.tensor, shape: shape.to_vec(), strides, offset: self.offset })
    }

    /// The elements in this view's order, contiguous.
    pub fn to_tensor(&self) -> Result<Tensor> {
        self.count()?;
        rearrange(self.tensor, &self.shape, &CopyOut(self.collapsed()))
    }

    /// The same elements in the same order with as few axes as possible.
    fn collapsed(&self) -> Self {
        let mut axes: Vec<(usize, isize)> = Vec::new();
        for (&extent, &stride) in self.shape.iter().zip(&self.strides) {
            match axes.last_mut() {
                _ if extent == 1 => {}
                Some(outer) if stride.checked_mul(extent as isize) == Some(outer.1) => {
                    *outer = (outer.0 * extent, stride)
                }
                _ => axes.push((extent, stride)),
            }
        }
        let (shape, strides) = axes.into_iter().unzip();
        Self { tensor: self.tensor, shape, strides, offset: self.offset }
    }
}

/// Fails unless `order` names each of `rank` axes once.
pub(crate) fn check_permutation(order: &[usize], rank: usize) -> Result<()> {
    let mut seen = vec![false; rank];
    let each_once = order.iter().all(|&axis| seen.get_mut(axis).is_some_and(|s| !std::mem::replace(s, true)));
    if each_once && order.len() == rank {
        return Ok(());
    }
    Err(Diagnostic::shape(format!("{order:?} is no permutation of {rank} axes")))
}

struct CopyOut<'a>(View<'a>);

impl Rearrange for CopyOut<'_> {
    fn run<T: Clone>(&self, src: &[T], dst: &mut [T]) {
        let view = &self.0;
        if dst.is_empty() {
            return;
        }
        let (row, stride) = (view.shape.last().copied().unwrap_or(1), view.strides.last().copied().unwrap_or(1));
        let outer = view.shape.len().saturating_sub(1);
        let mut index = vec![0; outer];
        let mut start = view.offset;
        for dst in dst.chunks_exact_mut(row) {
            copy_row(src, start, stride, dst);
            start = advance(&mut index, &view.shape, &view.strides, start);
        }
    }
}

fn copy_row<T: Clone>(src: &[T], start: usize, stride: isize, dst: &mut [T]) {
    if stride == 1 {
        return dst.clone_from_slice(&src[start..start + dst.len()]);
    }
    for (i, to) in dst.iter_mut().enumerate() {
        *to = src[start.wrapping_add_signed(stride.wrapping_mul(i as isize))].clone();
    }
}

/// Steps `index` on, the last axis fastest, and gives its new place; after the last it starts again.
fn advance(index: &mut [usize], shape: &[usize], strides: &[isize], mut place: usize) -> usize {
    for (axis, i) in index.iter_mut().enumerate().rev() {
        place = place.wrapping_add_signed(strides[axis]);
        *i += 1;
        if *i < shape[axis] {
            break;
        }
        place = place.wrapping_add_signed(strides[axis].wrapping_mul(*i as isize).wrapping_neg());
        *i = 0;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    /// Where an index of the new view comes from in the old one.
    type Source = Box<dyn Fn(&[usize]) -> Vec<usize>>;

    /// Small numbers without order, the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % n
        }
    }

    /// Every index of `shape` in row-major order.
    fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
        shape.iter().fold(vec![vec![]], |all, &extent| {
            all.iter().flat_map(|head| (0..extent).map(move |i| [&head[..], &[i]].concat())).collect()
        })
    }

    /// Applies a random chain of operations to a view and, index by index, to a table of places.
    #[test]
    fn random_chains_read_what_an_index_loop_reads() {
        let mut random = Random(7);
        for round in 0..400 {
            let rank = random.below(4);
            let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
            let dtype = [DType::F32, DType::I4, DType::U2, DType::U8, DType::F64, DType::BF16][round % 6];
            let codes: Vec<i64> = (0..shape.iter().product::<usize>()).map(|_| random.below(2) as i64).collect();
            let tensor = Tensor::from_i64(dtype, &shape, &codes).unwrap();
            let (mut view, mut places) = (tensor.view(), (0..codes.len()).collect::<Vec<_>>());
            for _ in 0..3 {
                (view, places) = random_step(&mut random, &view, &places);
            }
            let copied = view.to_tensor().unwrap();
            assert_eq!(copied.shape(), view.shape());
            let expected: Vec<i64> = places.iter().map(|&p| codes[p]).collect();
            assert_eq!(copied.to_vec_i64(), expected, "{view:?}");
        }
    }

    fn random_step<'a>(random: &mut Random, view: &View<'a>, places: &[usize]) -> (View<'a>, Vec<usize>) {
        let rank = view.shape().len();
        let (next, source): (View, Source) = match random.below(3) {
            0 => {
                let mut order: Vec<usize> = (0..rank).collect();
                (0..rank).for_each(|i| order.swap(i, random.below(rank)));
                let back = order.clone();
                let source =
                    move |to: &[usize]| (0..rank).map(|a| to[back.iter().position(|&o| o == a).unwrap()]).collect();
                (view.permute(&order).unwrap(), Box::new(source))
            }
            1 if rank > 0 && view.shape().iter().all(|&d| d > 0) => {
                let axis = random.below(rank);
                let extent = view.shape()[axis];
                let (start, step) = (random.below(extent), random.below(5) as isize - 2);
                let room = match step {
                    0 => 3,
                    1.. => (extent - 1 - start) / step.unsigned_abs() + 1,
                    _ => start / step.unsigned_abs() + 1,
                };
                let count = random.below(room + 1);
                let source = move |to: &[usize]| {
                    let mut from = to.to_vec();
                    from[axis] = start.checked_add_signed(step * to[axis] as isize).unwrap();
                    from
                };
                (view.slice(axis, start, count, step).unwrap(), Box::new(source))
            }
            _ => {
                let shape: Vec<usize> = view.shape().iter().map(|&d| if d == 1 { 3 } else { d }).collect();
                let shape = [vec![2], shape].concat();
                let ones: Vec<bool> = view.shape().iter().map(|&d| d == 1).collect();
                let source = move |to: &[usize]| (0..rank).map(|a| if ones[a] { 0 } else { to[a + 1] }).collect();
                (view.broadcast_to(&shape).unwrap(), Box::new(source))
            }
        };
        let linear = |index: &[usize]| index.iter().zip(view.shape()).fold(0, |at, (&i, &d)| at * d + i);
        let places = indices(next.shape()).iter().map(|to| places[linear(&source(to))]).collect();
        (next, places)
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let tensor = Tensor::zeros(DType::F32, &[2, 3]).unwrap();
        let view = tensor.view();
        assert!(view.permute(&[0, 0]).is_err() && view.permute(&[1]).is_err() && view.permute(&[1, 2]).is_err());
        assert!(view.slice(2, 0, 1, 1).is_err() && view.slice(1, 3, 1, 1).is_err() && view.slice(1, 2, 4, -1).is_err());
        assert!(view.slice(1, 0, usize::MAX, isize::MAX).is_err());
        assert!(view.broadcast_to(&[3]).is_err() && view.broadcast_to(&[4, 3]).is_err());
        assert!(view.slice(1, 9, 0, 1).unwrap().to_tensor().unwrap().is_empty());
        assert!(view.broadcast_to(&[usize::MAX, 2, 3]).unwrap().to_tensor().is_err());
    }

    #[test]
    fn strings_move_too() {
        let words: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let tensor = Tensor::from_strings(&[2, 2], words).unwrap();
        let turned = tensor.view().permute(&[1, 0]).unwrap().to_tensor().unwrap();
        assert_eq!(turned.strings().unwrap(), ["a", "c", "b", "d"]);
    }
}
