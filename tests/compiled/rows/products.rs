//! Sums of products, convolutions and windows over a batch.

use super::maker::{Batch, Given, Maker, Rows};
use tilewright_graph::Combiner;
use tilewright_graph::ops::{Contract, Conv, ReduceWindow, WindowDim};
use tilewright_tensor::DType;

/// An axis of a product: its label, size, and where it is.
#[derive(Clone, Copy)]
struct Label {
    label: char,
    size: usize,
    batch: bool,
    left: bool,
    right: bool,
    summed: bool,
}

impl Maker {
    /// A sum of products of any axes: of both sides or of one, in any order.
    pub(super) fn product(&mut self) -> Option<Rows> {
        let dtypes = [DType::F32, DType::F32, DType::F32, DType::F16, DType::BF16, DType::F64, DType::I32, DType::U8];
        let dtype = self.random.pick(&dtypes);
        let x = self.of(dtype);
        let mut labels: Vec<Label> = Vec::new();
        for (d, size) in x.dims.iter().enumerate() {
            let batch = x.dim() == Some(d);
            let right = self.random.chance(if batch { 50 } else { 60 });
            let summed = !batch && self.random.chance(if right { 70 } else { 5 });
            labels.push(Label { label: ('a'..='z').nth(d)?, size: *size, batch, left: true, right, summed });
        }
        for n in 0..self.random.below(3) {
            let size = self.random.pick(&[1, 2, 3, 5, 16, 33]);
            let batch = n == 0 && x.batch == Batch::Shared;
            labels.push(Label { label: ('p'..='z').nth(n)?, size, batch, left: false, right: true, summed: false });
        }
        let volume = |keep: &dyn Fn(&Label) -> bool| labels.iter().filter(|l| keep(l)).map(|l| l.size).product();
        let [points, results, right]: [usize; 3] = [volume(&|_| true), volume(&|l| !l.summed), volume(&|l| l.right)];
        if points > 200_000 || results > 6000 || right > 20_000 {
            return None;
        }
        let right = self.shuffled(labels.iter().filter(|l| l.right));
        let output = self.shuffled(labels.iter().filter(|l| !l.summed));
        let y = self.operand(dtype, &right);
        let wide = matches!(dtype, DType::U8).then_some(DType::I32);
        let names = |of: &[Label]| of.iter().map(|l| l.label).collect::<Vec<char>>();
        let left: Vec<Label> = labels.iter().filter(|l| l.left).copied().collect();
        let op = Contract { inputs: vec![names(&left), names(&right)], output: names(&output), accumulate: wide };
        let id = self.b.apply(&op, &[x.id, y.id]).ok()?;
        let id = self.b.cast(id, DType::F32).ok()?;
        Some(Rows { id, dims: output.iter().map(|l| l.size).collect(), batch: place(&output) })
    }

    fn shuffled<'a>(&mut self, labels: impl Iterator<Item = &'a Label>) -> Vec<Label> {
        let labels: Vec<Label> = labels.copied().collect();
        let order = match self.random.chance(50) {
            true => (0..labels.len()).collect(),
            false => self.random.permutation(labels.len()),
        };
        order.into_iter().map(|at| labels[at]).collect()
    }

    fn operand(&mut self, dtype: DType, labels: &[Label]) -> Rows {
        let dims = labels.iter().map(|l| l.size).collect();
        match place(labels) {
            Batch::Shared => self.shared(dtype, dims),
            batch => self.input(Given { dtype, dims, batch, below: 6 }),
        }
    }

    pub(super) fn convolution(&mut self) -> Option<Rows> {
        let dtype = self.random.pick(&[DType::F32, DType::F32, DType::F32, DType::F16, DType::F64, DType::I32]);
        let x = self.image(dtype)?;
        let (channels, spatial) = (x.dims[1], x.dims.len() - 2);
        let parts: Vec<usize> = (1..=channels).filter(|g| channels % g == 0).collect();
        let groups = if self.random.chance(50) { 1 } else { self.random.pick(&parts) };
        let transposed = self.random.chance(25);
        let own = self.random.pick(&[1, 2, 5, 16]);
        let mut shape = if transposed { vec![channels, own] } else { vec![own * groups, channels / groups] };
        // Kernels of small images often are as large as these.
        let whole = self.random.chance(20);
        for n in &x.dims[2..] {
            let size = 1 + self.random.below(3);
            shape.push(if whole { *n } else { size });
        }
        let w = self.shared(dtype, shape);
        let random = &mut self.random;
        let mut of = |n: usize| (0..spatial).map(|_| 1 + random.below(n) as i64).collect::<Vec<i64>>();
        let (strides, dilations) = (of(2), if whole { of(1) } else { of(2) });
        let input_dilations = of(if transposed { 2 } else { 1 });
        let most = if whole { 1 } else { 3 };
        let pads = (0..spatial).map(|_| (random.below(most).into(), random.below(most).into())).collect();
        let groups = groups as i64;
        let op = Conv { strides, dilations, input_dilations, pads, groups, transposed, accumulate: None };
        let id = self.b.apply(&op, &[x.id, w.id]).ok()?;
        let id = self.b.cast(id, DType::F32).ok()?;
        self.rows_of(id, x.batch)
    }

    /// A value, or an input, with the batch first, then channels, then up to three more dims.
    fn image(&mut self, dtype: DType) -> Option<Rows> {
        let x = self.any();
        if (3..6).contains(&x.dims.len()) && x.dim() == Some(0) && self.random.chance(70) {
            return Some(self.cast(&x, dtype));
        }
        let rank = 3 + self.random.below(3);
        let mut dims = self.sizes(rank);
        (dims[0], dims[1]) = (1, self.random.pick(&[1, 2, 3, 4, 6, 8, 16]));
        while dims.iter().product::<usize>() > 2000 {
            let at = 2 + self.random.below(rank - 2);
            dims[at] = dims[at] / 2 + 1;
        }
        Some(self.batched(dtype, dims, 0))
    }

    /// A value whose dims the graph knows.
    fn rows_of(&mut self, id: tilewright_graph::ValueId, batch: Batch) -> Option<Rows> {
        let shape = self.b.shape(id).ok()?;
        let size = |(d, n): (usize, &tilewright_tensor::ix::Ix)| match batch {
            Batch::At { dim, times } if dim == d => Some(times),
            _ => n.as_const().map(|n| n as usize),
        };
        let dims = shape.iter().enumerate().map(size).collect::<Option<Vec<_>>>()?;
        Some(Rows { id, dims, batch })
    }

    pub(super) fn window(&mut self) -> Option<Rows> {
        let dtype = self.random.pick(&[DType::F32, DType::F32, DType::F16, DType::I32]);
        let x = self.of(dtype);
        let free = x.dims.len() - x.dim().map_or(0, |d| d + 1);
        let count = 1 + self.random.below(Some(free.min(3)).filter(|n| *n > 0)?);
        let kinds = [Combiner::Sum, Combiner::Sum, Combiner::Max, Combiner::ArgMax { last: false }];
        let combiner = self.random.pick(&kinds);
        let dims = (0..count).map(|_| WindowDim {
            size: 1 + self.random.below(5) as i64,
            stride: 1 + self.random.below(4) as i64,
            dilation: 1 + self.random.below(2) as i64,
            pads: (self.random.below(2).into(), self.random.below(2).into()),
            count: None,
        });
        let dims = dims.collect();
        let id = self.b.apply(&ReduceWindow { combiner, dims }, &[x.id]).ok()?;
        let id = self.b.cast(id, DType::F32).ok()?;
        self.rows_of(id, x.batch)
    }
}

/// Where the batch is among labels.
fn place(labels: &[Label]) -> Batch {
    let dim = labels.iter().position(|l| l.batch);
    dim.map_or(Batch::Shared, |dim| Batch::At { dim, times: labels[dim].size })
}
