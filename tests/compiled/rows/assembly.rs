//! Views, gathers and what puts values together, over a batch.

use super::maker::{Batch, Given, Maker, Rows};
use tilewright_graph::decl::Window;
use tilewright_graph::ops::{self, Bounds, Concat, Gather, GatherElements, Pad};
use tilewright_tensor::{DType, Tensor};

impl Maker {
    pub(super) fn view(&mut self) -> Option<Rows> {
        let x = self.any();
        match self.random.below(5) {
            0 | 1 => {
                let order = self.random.permutation(x.dims.len());
                let id = self.b.permute(x.id, &order).ok()?;
                let dims = order.iter().map(|d| x.dims[*d]).collect();
                let to = |dim: usize| order.iter().position(|d| *d == dim).unwrap_or(0);
                let batch = match x.batch {
                    Batch::At { dim, times } => Batch::At { dim: to(dim), times },
                    shared => shared,
                };
                Some(Rows { id, dims, batch })
            }
            2 => self.merged(x),
            3 => self.cut(x),
            _ => {
                let size = 1 + self.random.below(3);
                let dims = [vec![size], x.dims.clone()].concat();
                let batch = match x.batch {
                    Batch::At { dim, times } => Batch::At { dim: dim + 1, times },
                    shared => shared,
                };
                let id = self.b.apply(&ops::Broadcast { shape: self.shape(&dims, batch) }, &[x.id]).ok()?;
                Some(Rows { id, dims, batch })
            }
        }
    }

    /// Two dims as one: the batch may be the outer one.
    fn merged(&mut self, x: Rows) -> Option<Rows> {
        let last = x.dims.len().checked_sub(1).filter(|n| *n > 0)?;
        let d = self.random.below(last);
        if x.dim() == Some(d + 1) {
            return None;
        }
        let size = x.dims[d] * x.dims[d + 1];
        let made = x.clone().with(d, size).without(d + 1);
        self.reshaped(&x, made, d, size)
    }

    /// A dim as two: of the batch's the inner one belongs to a row.
    fn cut(&mut self, x: Rows) -> Option<Rows> {
        let d = self.random.below(x.dims.len());
        let n = *x.dims.get(d)?;
        let parts: Vec<usize> = (1..=n).filter(|p| n % p == 0).collect();
        let inner = self.random.pick(&parts);
        let mut made = x.clone().with(d, n / inner);
        made.dims.insert(d + 1, inner);
        if let Batch::At { dim, .. } = &mut made.batch {
            *dim += usize::from(*dim > d);
        }
        self.reshaped(&x, made, d, n / inner)
    }

    /// A value in another shape, whose dim `d` has a new size.
    fn reshaped(&mut self, x: &Rows, mut made: Rows, d: usize, size: usize) -> Option<Rows> {
        if let Batch::At { dim, times } = &mut made.batch
            && *dim == d
        {
            *times = size;
        }
        let id = self.b.reshape(x.id, self.shape(&made.dims, made.batch)).ok()?;
        Some(Rows { id, ..made })
    }

    pub(super) fn gather(&mut self) -> Option<Rows> {
        let x = self.any();
        let axis = *x.own().first()?;
        let n = x.dims[axis];
        match self.random.below(3) {
            0 => {
                let batch = x.batch;
                let at = self.input(Given { dtype: DType::I64, dims: x.dims.clone(), batch, below: n });
                Some(Rows { id: self.b.apply(&GatherElements { axis }, &[x.id, at.id]).ok()?, ..x })
            }
            1 => {
                let count = 1 + self.random.below(5);
                let at: Vec<i64> = (0..count).map(|_| self.random.below(n) as i64).collect();
                let at = self.b.constant(Tensor::from_i64(DType::I64, &[count], &at).ok()?);
                let id = self.b.apply(&Gather { axis, bounds: Bounds::Error }, &[x.id, at]).ok()?;
                Some(Rows { id, ..x.with(axis, count) })
            }
            _ => {
                let (rows, width) = (1 + self.random.below(20), self.random.pick(&[1, 3, 16, 40]));
                let table = self.shared(DType::F32, vec![rows, width]);
                let rank = 1 + self.random.below(2);
                let (mut dims, dim) = (self.sizes(rank), self.random.below(rank));
                dims[0] = dims[0].min(9);
                let batch = Batch::At { dim, times: dims[dim] };
                let at = self.input(Given { dtype: DType::I64, dims, batch, below: rows });
                let bounds = self.random.pick(&[Bounds::Error, Bounds::Clamp]);
                let id = self.b.apply(&Gather { axis: 0, bounds }, &[table.id, at.id]).ok()?;
                Some(Rows { id, dims: [at.dims, vec![width]].concat(), batch })
            }
        }
    }

    pub(super) fn assembly(&mut self) -> Option<Rows> {
        let x = self.of(DType::F32);
        let axis = *x.own().last()?;
        match self.random.below(3) {
            0 => {
                let dims = x.clone().with(axis, 1 + self.random.below(9)).dims;
                let y = match x.batch {
                    Batch::Shared => self.shared(DType::F32, dims),
                    batch => self.input(Given { dtype: DType::F32, dims, batch, below: 6 }),
                };
                let size = x.dims[axis] + y.dims[axis];
                Some(Rows { id: self.b.apply(&Concat { axis }, &[x.id, y.id]).ok()?, ..x.with(axis, size) })
            }
            1 => {
                let start = self.random.below(x.dims[axis]);
                let size = 1 + self.random.below(x.dims[axis] - start);
                Some(Rows { id: self.b.slice(x.id, axis, start, size).ok()?, ..x.with(axis, size) })
            }
            _ => {
                let own = self.random.below(4);
                let window = |d: usize| Window {
                    before: usize::from(d == axis).into(),
                    after: (if d == axis { own } else { 0 }).into(),
                    stretch: 1,
                };
                let fill = self.b.scalar(DType::F32, 1.0).ok()?;
                let windows = (0..x.dims.len()).map(window).collect();
                let size = x.dims[axis] + 1 + own;
                Some(Rows { id: self.b.apply(&Pad { windows }, &[x.id, fill]).ok()?, ..x.with(axis, size) })
            }
        }
    }
}
