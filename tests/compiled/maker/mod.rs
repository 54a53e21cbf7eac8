//! Random graphs of every structured operation, with views, assemblies, bodies and sizes that only a run tells.

mod bodies;
mod products;
mod random;
mod steps;

pub use random::Random;

use std::sync::Arc;
use tilewright_graph::{Builder, Func, Graph, Scalar, Type, ValueId};
use tilewright_tensor::ix::{Ix, volume};
use tilewright_tensor::{DType, Tensor, Value};

/// What graphs are like.
#[derive(Clone, Debug)]
pub struct Style {
    /// Sizes of dims of inputs.
    pub dims: Vec<i64>,
    /// The size of the symbol `N` when graphs run.
    pub symbol: usize,
    /// Elements of the largest value.
    pub largest: i64,
    /// The most nodes beyond the first four.
    pub steps: usize,
    /// Floats are whole numbers of -8..=8, NaN or infinite, and no operation rounds: sums are the same in any order.
    pub exact: bool,
}

/// A graph in the making.
pub struct Maker {
    pub random: Random,
    b: Builder,
    style: Style,
    values: Vec<ValueId>,
    /// Bodies of calls, with the type that they take and give.
    bodies: Vec<(Type, Arc<Graph>)>,
}

/// Dtypes of whole bytes that are numbers.
const NUMBERS: [DType; 12] = [
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];

impl Maker {
    fn any(&mut self) -> ValueId {
        self.random.pick(&self.values)
    }

    /// A value of a dtype; a conversion of another if need be.
    fn of(&mut self, dtype: DType) -> ValueId {
        let v = self.any();
        self.b.cast(v, dtype).unwrap()
    }

    fn dims(&mut self, v: ValueId) -> Vec<Ix> {
        self.b.shape(v).unwrap()
    }

    /// A constant of random elements.
    fn filled(&mut self, dtype: DType, shape: &[usize]) -> ValueId {
        let t = self.random.tensor(dtype, shape, self.style.exact);
        self.b.constant(t)
    }

    /// The value within -8..=8, in the exact style; where it is a number.
    fn tame(&mut self, v: ValueId) -> Option<ValueId> {
        self.within(v, 8.0)
    }

    fn within(&mut self, v: ValueId, most: f64) -> Option<ValueId> {
        let dtype = self.b.dtype(v).ok()?;
        if !self.style.exact || dtype == DType::Bool {
            return Some(v);
        }
        let lowest = if dtype.is_float() || dtype.is_signed() { -most } else { 0.0 };
        let limit = |a: &[Scalar]| {
            let low = Scalar::call(Func::Max, vec![a[0].clone(), a[0].lit(lowest)]);
            Scalar::call(Func::Min, vec![low, a[0].lit(most)])
        };
        self.b.map(&[v], limit).ok()
    }

    /// One more node; `None` where the choice does not fit.
    fn step(&mut self) -> Option<ValueId> {
        match self.random.below(24) {
            0..5 => self.elementwise(),
            5..9 => self.view(),
            9..12 => self.reduction(),
            12..15 => self.assembly(),
            15..17 => self.product(),
            17 => self.convolution(),
            18 => self.window(),
            19 => self.row(),
            20 => self.constant(),
            21 => self.body(),
            22 => self.mark(),
            _ => self.counted(),
        }
    }

    fn grow(&mut self) {
        if let Some(v) = self.step() {
            let size = volume(&self.dims(v));
            let size = size.eval(&|_| Some(self.style.symbol as i64));
            if size.is_some_and(|n| n <= self.style.largest) {
                self.values.push(v);
            }
        }
    }
}

/// A graph with inputs for it.
pub fn random_graph(seed: u64, style: &Style) -> (Graph, Vec<Value>) {
    let mut random = Random(seed);
    let mut b = Builder::new();
    let (mut values, mut inputs) = (Vec::new(), Vec::new());
    for i in 0..1 + random.below(3) {
        let dim = |r: &mut Random| if r.chance(25) { Ix::sym("N") } else { Ix::konst(r.pick(&style.dims)) };
        let dims: Vec<Ix> = (0..random.below(4)).map(|_| dim(&mut random)).collect();
        let shape: Vec<usize> = dims.iter().map(|d| d.as_const().map_or(style.symbol, |n| n as usize)).collect();
        let dtype = random.pick(&[DType::F32, DType::F32, DType::I64]);
        values.push(b.input(&format!("x{i}"), Type::tensor(dtype, dims)));
        inputs.push(Value::Tensor(random.tensor(dtype, &shape, style.exact)));
    }
    values.push(b.input("flag", Type::tensor(DType::Bool, vec![])));
    inputs.push(Value::Tensor(Tensor::from_i64(DType::Bool, &[], &[random.below(2) as i64]).unwrap()));
    let mut maker = Maker { random, b, style: style.clone(), values, bodies: vec![] };
    (0..4 + maker.random.below(style.steps)).for_each(|_| maker.grow());
    let outputs: Vec<ValueId> = (0..1 + maker.random.below(5)).map(|_| maker.any()).collect();
    let mut graph = maker.b.finish(&outputs);
    for v in outputs {
        graph.values[v.index()].name.get_or_insert_with(|| format!("y{}", v.0).into());
    }
    (graph, inputs)
}
