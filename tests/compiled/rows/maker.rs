//! Graphs over a batch, in which each value knows where its rows are.

use crate::maker::Random;
use tilewright_graph::{Builder, Combiner, Func, Graph, Scalar, Type, ValueId};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Where the rows of a batch are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// Nowhere: all rows share the value.
    Shared,
    /// Along a dim, each so many positions.
    At { dim: usize, times: usize },
}

/// A value: of the dim of the batch, `dims` has the positions of one row.
#[derive(Clone, Debug)]
pub struct Rows {
    pub id: ValueId,
    pub dims: Vec<usize>,
    pub batch: Batch,
}

impl Rows {
    /// The dim of the batch.
    pub fn dim(&self) -> Option<usize> {
        match self.batch {
            Batch::At { dim, .. } => Some(dim),
            Batch::Shared => None,
        }
    }

    /// Dims that are not the batch's.
    pub fn own(&self) -> Vec<usize> {
        (0..self.dims.len()).filter(|d| Some(*d) != self.dim()).collect()
    }
}

/// An input of a graph: integers are below a bound.
#[derive(Clone, Debug)]
pub struct Given {
    pub dtype: DType,
    pub dims: Vec<usize>,
    pub batch: Batch,
    pub below: usize,
}

/// A graph, its inputs, and where the rows of its outputs are.
pub struct Made {
    pub graph: Graph,
    pub inputs: Vec<Given>,
    pub outputs: Vec<Batch>,
}

/// Elements of a row of the largest value.
const LARGEST: usize = 6000;

/// A graph in the making.
pub struct Maker {
    pub random: Random,
    pub b: Builder,
    batch: Ix,
    inputs: Vec<Given>,
    values: Vec<Rows>,
}

/// A graph of so many steps; one of its values is the only output, or the last few are outputs.
pub fn made(seed: u64, steps: usize, only: Option<usize>, batch: Ix) -> Made {
    let mut maker = Maker { random: Random(seed), b: Builder::new(), batch, inputs: Vec::new(), values: Vec::new() };
    // This one tells how many rows there are.
    maker.batched(DType::F32, vec![1], 0);
    let rank = 1 + maker.random.below(4);
    let (dims, dim) = (maker.sizes(rank), maker.random.below(rank));
    maker.batched(DType::F32, dims, dim);
    for _ in 0..steps {
        if let Some(v) = maker.step().filter(|v| (1..=LARGEST).contains(&v.dims.iter().product::<usize>())) {
            maker.values.push(v);
        }
    }
    let batched: Vec<Rows> = maker.values.iter().filter(|v| v.batch != Batch::Shared).cloned().collect();
    let outputs: Vec<Rows> = match only {
        Some(only) => vec![batched[only.min(batched.len() - 1)].clone()],
        None => batched.iter().rev().take(1 + seed as usize % 3).cloned().collect(),
    };
    let mut graph = maker.b.finish(&outputs.iter().map(|v| v.id).collect::<Vec<_>>());
    for v in &outputs {
        graph.values[v.id.index()].name.get_or_insert_with(|| format!("y{}", v.id.0).into());
    }
    Made { graph, inputs: maker.inputs, outputs: outputs.iter().map(|v| v.batch).collect() }
}

impl Maker {
    /// Sizes of dims, few of them large.
    pub fn sizes(&mut self, rank: usize) -> Vec<usize> {
        let mut dims: Vec<usize> = (0..rank).map(|_| self.random.pick(&[1, 2, 3, 5, 8, 9, 17, 33, 40])).collect();
        if rank > 0 && self.random.chance(15) {
            let at = self.random.below(rank);
            dims[at] = self.random.pick(&[70, 130, 300, 1100]);
        }
        while dims.iter().product::<usize>() > LARGEST {
            let at = self.random.below(rank);
            dims[at] = dims[at] / 2 + 1;
        }
        dims
    }

    pub fn any(&mut self) -> Rows {
        // Later values are likelier.
        let n = self.values.len();
        let at = n - 1 - self.random.below(n).min(self.random.below(n));
        self.values[at].clone()
    }

    /// Any value, of a dtype.
    pub fn of(&mut self, dtype: DType) -> Rows {
        let x = self.any();
        self.cast(&x, dtype)
    }

    pub fn cast(&mut self, x: &Rows, dtype: DType) -> Rows {
        let x = if dtype.is_float() { x.clone() } else { self.small(x) };
        Rows { id: self.b.cast(x.id, dtype).unwrap(), ..x }
    }

    /// A value of at most 8, so that it stays in every dtype, and not negative.
    fn small(&mut self, x: &Rows) -> Rows {
        let limit = |a: &[Scalar]| {
            let low = Scalar::call(Func::Max, vec![a[0].clone(), a[0].lit(0.0)]);
            Scalar::call(Func::Min, vec![low, a[0].lit(8.0)])
        };
        Rows { id: self.b.map(&[x.id], limit).unwrap(), ..x.clone() }
    }

    /// The dims of a value with all rows.
    pub fn shape(&self, dims: &[usize], batch: Batch) -> Vec<Ix> {
        let size = |(d, n): (usize, &usize)| match batch {
            Batch::At { dim, .. } if dim == d => &self.batch * &Ix::from(*n),
            _ => Ix::from(*n),
        };
        dims.iter().enumerate().map(size).collect()
    }

    /// A new input.
    pub fn input(&mut self, given: Given) -> Rows {
        let shape = self.shape(&given.dims, given.batch);
        let name = format!("x{}", self.inputs.len());
        let id = self.b.input(&name, Type::tensor(given.dtype, shape));
        let rows = Rows { id, dims: given.dims.clone(), batch: given.batch };
        self.inputs.push(given);
        self.values.push(rows.clone());
        rows
    }

    /// A new input with a batch along a dim.
    pub fn batched(&mut self, dtype: DType, dims: Vec<usize>, dim: usize) -> Rows {
        let batch = Batch::At { dim, times: dims[dim] };
        self.input(Given { dtype, dims, batch, below: 6 })
    }

    /// What all rows share: a constant or an input.
    pub fn shared(&mut self, dtype: DType, dims: Vec<usize>) -> Rows {
        if self.random.chance(40) {
            return self.input(Given { dtype, dims, batch: Batch::Shared, below: 6 });
        }
        let t = self.random.tensor(dtype, &dims, false);
        Rows { id: self.b.constant(t), dims, batch: Batch::Shared }
    }

    fn step(&mut self) -> Option<Rows> {
        match self.random.below(22) {
            0..3 => self.elementwise(),
            3..6 => self.view(),
            6..11 => self.product(),
            11..13 => self.convolution(),
            13 => self.window(),
            14..17 => self.reduction(),
            17..19 => self.along(),
            19 => self.gather(),
            _ => self.assembly(),
        }
    }

    fn elementwise(&mut self) -> Option<Rows> {
        let dtype = self.random.pick(&[DType::F32, DType::F32, DType::F32, DType::F16, DType::BF16, DType::F64]);
        let x = self.of(dtype);
        let f = self.random.pick(&[Func::Exp, Func::Tanh, Func::Erf, Func::Sigmoid, Func::Abs, Func::Neg]);
        if self.random.chance(40) {
            let f = |a: &[Scalar]| Scalar::call(f, vec![Scalar::call(Func::Min, vec![a[0].clone(), a[0].lit(3.0)])]);
            return Some(Rows { id: self.b.map(&[x.id], f).ok()?, ..x });
        }
        // The other side has some dims of one position; the batch's only where all rows share it.
        let mut dims = x.dims.clone();
        let batch = if self.random.chance(50) { x.batch } else { Batch::Shared };
        for (d, dim) in dims.iter_mut().enumerate() {
            let alone = x.dim() == Some(d);
            if alone && batch == Batch::Shared || !alone && self.random.chance(40) {
                *dim = 1;
            }
        }
        let y = match batch {
            Batch::Shared => self.shared(dtype, dims),
            batch => self.input(Given { dtype, dims, batch, below: 6 }),
        };
        let f = self.random.pick(&[Func::Add, Func::Sub, Func::Mul, Func::Max, Func::Min]);
        let id = self.b.map(&[x.id, y.id], |a| Scalar::call(f, a.to_vec())).ok()?;
        Some(Rows { id, ..x })
    }

    fn reduction(&mut self) -> Option<Rows> {
        let dtypes = [DType::F32, DType::F32, DType::F32, DType::F16, DType::BF16, DType::F64, DType::I32, DType::U8];
        let dtype = self.random.pick(&dtypes);
        let x = self.of(dtype);
        let mut axes = x.own();
        axes.retain(|_| self.random.chance(60));
        let first = *axes.first()?;
        let last = self.random.chance(50);
        if self.random.chance(20) {
            let (reverse, exclusive) = (self.random.chance(50), self.random.chance(50));
            let op = tilewright_graph::ops::Cumulate { combiner: Combiner::Sum, axis: first, reverse, exclusive };
            return Some(Rows { id: self.b.apply(&op, &[x.id]).ok()?, ..x });
        }
        let sums = [Combiner::Sum, Combiner::Sum, Combiner::Sum, Combiner::Prod, Combiner::Max];
        let all = [sums, [Combiner::Min, Combiner::ArgMax { last }, Combiner::ArgMin { last }, sums[0], sums[0]]];
        let combiner = self.random.pick(all.as_flattened());
        let keep = self.random.chance(50);
        let id = self.b.reduce(x.id, combiner, &axes, keep).ok()?;
        let cast = self.b.cast(id, DType::F32).ok()?;
        let mut made = Rows { id: cast, ..x };
        for d in axes.into_iter().rev() {
            made = if keep { made.with(d, 1) } else { made.without(d) };
        }
        Some(made)
    }

    /// A softmax, or a normalisation.
    fn along(&mut self) -> Option<Rows> {
        let dtype = self.random.pick(&[DType::F32, DType::F32, DType::F32, DType::F16, DType::F64]);
        let x = self.of(dtype);
        let mut axes = x.own();
        let first = axes.pop()?;
        axes.retain(|_| self.random.chance(20));
        axes.push(first);
        let n = axes.iter().map(|d| x.dims[*d]).product::<usize>() as f64;
        let b = &mut self.b;
        let id = if self.random.chance(50) {
            let largest = b.reduce(x.id, Combiner::Max, &axes, true).ok()?;
            let e = b.map(&[x.id, largest], |a| (&a[0] - &a[1]).exp()).ok()?;
            let sum = b.reduce(e, Combiner::Sum, &axes, true).ok()?;
            b.map(&[e, sum], |a| &a[0] / &a[1]).ok()?
        } else {
            let sum = b.reduce(x.id, Combiner::Sum, &axes, true).ok()?;
            let centred = b.map(&[x.id, sum], |a| &a[0] - &(&a[1] / &a[1].lit(n))).ok()?;
            let squares = b.map(&[centred], |a| &a[0] * &a[0]).ok()?;
            let sum = b.reduce(squares, Combiner::Sum, &axes, true).ok()?;
            let root = |a: &Scalar| Scalar::call(Func::Sqrt, vec![&(a / &a.lit(n)) + &a.lit(1e-3)]);
            b.map(&[centred, sum], |a| &a[0] / &root(&a[1])).ok()?
        };
        Some(Rows { id, ..x })
    }
}

impl Rows {
    /// With another size of a dim.
    pub fn with(mut self, dim: usize, size: usize) -> Self {
        self.dims[dim] = size;
        self
    }

    /// Without a dim.
    pub fn without(mut self, gone: usize) -> Self {
        self.dims.remove(gone);
        if let Batch::At { dim, .. } = &mut self.batch {
            *dim -= usize::from(*dim > gone);
        }
        self
    }
}
