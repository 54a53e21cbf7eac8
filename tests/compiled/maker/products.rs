//! Products, convolutions, windows, and what works on rows.

use super::{Maker, NUMBERS};
use tilewright_graph::ops::{Contract, Conv, ReduceWindow, Reshape, WindowDim};
use tilewright_graph::{Combiner, Func, Scalar, ValueId};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Products of two tensors by the rank of the first.
const PRODUCTS: [&[&str]; 4] = [
    &[",->", ",i->i"],
    &["k,k->", "k,kn->n", "i,j->ij", "i,i->i"],
    &["mk,kn->mn", "mk,nk->mn", "km,kn->mn", "mk,k->m", "mk,mk->m", "mk,mk->", "mk,bkn->bmn", "mk,kn->nm", "mm,m->m"],
    &["bmk,bkn->bmn", "bmk,bnk->bmn", "bkm,bkn->bmn", "bmk,kn->bmn", "mbk,nbk->bmn", "bmk,bk->mb", "mkj,kjn->mn"],
];

impl Maker {
    /// A sum of products with a constant, or with itself.
    pub(super) fn product(&mut self) -> Option<ValueId> {
        let dtype =
            self.random.pick(&[DType::F32, DType::F32, DType::F16, DType::BF16, DType::F64, DType::I32, DType::U8]);
        let x = self.of(dtype);
        let x = self.within(x, 8.0)?;
        let dims = self.dims(x);
        let notation = self.random.pick(PRODUCTS.get(dims.len())?);
        let contract = Contract::parse(notation);
        let label = |l: &char| contract.inputs[0].iter().position(|own| own == l).map(|d| dims[d].clone());
        let other: Vec<Option<Ix>> = contract.inputs[1].iter().map(label).collect();
        let y = if other.iter().flatten().all(|d| d.as_const().is_some()) {
            let sizes: Vec<usize> = other
                .iter()
                .map(|d| match d.as_ref().and_then(Ix::as_const) {
                    Some(n) => n as usize,
                    None => self.random.pick(&[1, 2, 3, 8, 17, 33, 48]),
                })
                .collect();
            self.filled(dtype, &sizes)
        } else {
            x
        };
        let inputs = if self.random.chance(80) { [x, y] } else { [x, x] };
        let wide = matches!(dtype, DType::U8).then_some(DType::I32);
        let product = self.b.apply(&Contract { accumulate: wide, ..contract }, &inputs).ok()?;
        self.tame(product)
    }

    /// A value as dims with so many after the first `lead`, or with more dims of 1 before.
    fn ranked(&mut self, dtype: DType, rank: usize) -> Option<ValueId> {
        let x = self.of(dtype);
        let x = self.within(x, 8.0)?;
        let mut shape = self.dims(x);
        let merged = shape.len().checked_sub(rank);
        match merged {
            Some(0) => return Some(x),
            Some(n) => {
                let first = tilewright_tensor::ix::volume(&shape[..=n]);
                shape.splice(..=n, [first]);
            }
            None => shape.splice(..0, vec![Ix::konst(1); rank - shape.len()]).for_each(drop),
        }
        self.b.apply(&Reshape { shape }, &[x]).ok()
    }

    pub(super) fn convolution(&mut self) -> Option<ValueId> {
        let dtype = self.random.pick(&[DType::F32, DType::F32, DType::F32, DType::F16, DType::F64, DType::I32]);
        let spatial = 1 + self.random.below(2);
        let x = self.ranked(dtype, 2 + spatial)?;
        let channels = self.dims(x)[1].as_const()? as usize;
        let groups = if self.random.chance(60) { 1 } else { channels.max(1) };
        let transposed = self.random.chance(25);
        let own = self.random.pick(&[1, 2, 5, 16]);
        let mut shape = match transposed {
            true => vec![channels, own],
            false => vec![own * groups, channels / groups],
        };
        shape.extend((0..spatial).map(|_| 1 + self.random.below(3)));
        let w = self.filled(dtype, &shape);
        let mut of = |n: usize| (0..spatial).map(|_| 1 + self.random.below(n) as i64).collect::<Vec<i64>>();
        let (strides, dilations, input_dilations) = (of(2), of(2), of(if transposed { 2 } else { 1 }));
        let pads = (0..spatial).map(|_| (self.random.below(3).into(), self.random.below(3).into())).collect();
        let groups = groups as i64;
        let conv = Conv { strides, dilations, input_dilations, pads, groups, transposed, accumulate: None };
        let sums = self.b.apply(&conv, &[x, w]).ok()?;
        self.tame(sums)
    }

    pub(super) fn window(&mut self) -> Option<ValueId> {
        let dtype = self.random.pick(&[DType::F32, DType::F32, DType::F16, DType::I8, DType::I64]);
        let rank = 1 + self.random.below(3);
        let x = self.ranked(dtype, rank)?;
        let last = self.random.chance(50);
        let kinds = [Combiner::Max, Combiner::Min, Combiner::Sum, Combiner::ArgMax { last }, Combiner::ArgMin { last }];
        let combiner = self.random.pick(&kinds);
        let dims = (0..1 + self.random.below(rank)).map(|_| WindowDim {
            size: 1 + self.random.below(4) as i64,
            stride: 1 + self.random.below(3) as i64,
            dilation: 1 + self.random.below(2) as i64,
            pads: (self.random.below(2).into(), self.random.below(2).into()),
            count: None,
        });
        let dims = dims.collect();
        let found = self.b.apply(&ReduceWindow { combiner, dims }, &[x]).ok()?;
        self.tame(found)
    }

    /// Softmax, a normalised row, or in the exact style a row less its largest.
    pub(super) fn row(&mut self) -> Option<ValueId> {
        let dtype = self.random.pick(&[DType::F32, DType::F32, DType::F16, DType::F64]);
        let x = self.of(dtype);
        let rank = self.b.rank(x).ok().filter(|r| *r > 0)?;
        let axis = if self.random.chance(80) { rank - 1 } else { self.random.below(rank) };
        let largest = self.b.reduce(x, Combiner::Max, &[axis], true).ok()?;
        let less = self.b.map(&[x, largest], |a| &a[0] - &a[1]).ok()?;
        if self.style.exact {
            return self.tame(less);
        }
        if self.random.chance(50) {
            let e = self.b.map(&[less], |a| a[0].exp()).ok()?;
            let sum = self.b.reduce(e, Combiner::Sum, &[axis], true).ok()?;
            return self.b.map(&[e, sum], |a| &a[0] / &a[1]).ok();
        }
        let sum = self.b.reduce(x, Combiner::Sum, &[axis], true).ok()?;
        let n = self.dims(x)[axis].as_const().unwrap_or(3) as f64;
        let centred = self.b.map(&[x, sum], |a| &a[0] - &(&a[1] / &a[1].lit(n))).ok()?;
        let squares = self.b.map(&[centred], |a| &a[0] * &a[0]).ok()?;
        let sum = self.b.reduce(squares, Combiner::Sum, &[axis], true).ok()?;
        let scaled = |a: &[Scalar]| &a[0] / &Scalar::call(Func::Sqrt, vec![&(&a[1] / &a[1].lit(n)) + &a[1].lit(1e-3)]);
        self.b.map(&[centred, sum], scaled).ok()
    }

    pub(super) fn reduction(&mut self) -> Option<ValueId> {
        let dtype = self.random.pick(&NUMBERS);
        let dtype = if self.random.chance(60) { DType::F32 } else { dtype };
        let x = self.of(dtype);
        let x = self.within(x, 8.0)?;
        let rank = self.b.rank(x).ok().filter(|r| *r > 0)?;
        let mut axes = self.random.permutation(rank);
        axes.truncate(1 + self.random.below(rank));
        axes.sort_unstable();
        if self.random.chance(15) {
            let combiner = self.random.pick(&[Combiner::Any, Combiner::All]);
            let truth = self.b.cast(x, DType::Bool).ok()?;
            return self.b.reduce(truth, combiner, &axes, self.random.chance(50)).ok();
        }
        let last = self.random.chance(50);
        let plain = [Combiner::Sum, Combiner::Max, Combiner::Min, Combiner::Prod];
        let args = [Combiner::ArgMax { last }, Combiner::ArgMin { last }];
        let scan = self.random.chance(30);
        let combiner = if scan || self.random.chance(70) { self.random.pick(&plain) } else { self.random.pick(&args) };
        let x = if combiner == Combiner::Prod { self.within(x, 1.0)? } else { x };
        let reduced = if scan {
            let (reverse, exclusive) = (self.random.chance(50), self.random.chance(50));
            let op = tilewright_graph::ops::Cumulate { combiner, axis: axes[0], reverse, exclusive };
            self.b.apply(&op, &[x]).ok()?
        } else {
            self.b.reduce(x, combiner, &axes, self.random.chance(50)).ok()?
        };
        self.tame(reduced)
    }
}
