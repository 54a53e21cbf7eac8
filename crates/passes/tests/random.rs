//! Random graphs: every subset of passes in any order keeps every bit of every output, and the text
//! form reads back.

use std::sync::Arc;
use tilewright_graph::decl::Window;
use tilewright_graph::ops::{Concat, Cumulate, Gather, Pad, Slice};
use tilewright_graph::{
    Builder, Combine, Combiner, Func, Graph, Loop, Mark, Op, Scalar, Scatter, Type, ValueId, interp, opaque, ops,
};
use tilewright_passes::{Options, Pass, compose, cse, dce, fold, fuse, identity, inline, run_passes};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, Value};

const PASSES: [Pass; 7] = [inline::PASS, identity::PASS, compose::PASS, fold::PASS, cse::PASS, fuse::PASS, dce::PASS];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        if dtype == DType::F32 {
            const VALUES: [f64; 9] = [0.0, -0.0, 1.0, -1.5, 3.25, 1e30, f64::INFINITY, f64::NAN, 0.1];
            return Tensor::from_f64(dtype, shape, &(0..n).map(|_| self.pick(&VALUES)).collect::<Vec<_>>()).unwrap();
        }
        Tensor::from_i64(dtype, shape, &(0..n).map(|_| self.below(4) as i64 - 1).collect::<Vec<_>>()).unwrap()
    }

    fn permutation(&mut self, rank: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rank).collect();
        (1..rank).for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }
}

/// A graph in the making, and the sizes that its symbols have.
struct Maker {
    random: Random,
    b: Builder,
    values: Vec<ValueId>,
    /// Bodies of calls, with the type that they take and give.
    bodies: Vec<(Type, Arc<Graph>)>,
}

/// The size of the symbol `N` when graphs run.
const N: usize = 3;

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

    /// One more node; `None` where the choice does not fit.
    fn step(&mut self) -> Option<ValueId> {
        match self.random.below(20) {
            0..5 => self.elementwise(),
            5..10 => self.view(),
            10..13 => self.reduction(),
            13..16 => self.assembly(),
            16 => self.constant(),
            17 => self.body(),
            18 => self.mark(),
            _ => self.counted(),
        }
    }

    fn elementwise(&mut self) -> Option<ValueId> {
        let x = self.any();
        let dtype = self.b.dtype(x).unwrap();
        if self.random.chance(40) {
            let to = self.random.pick(&[DType::F32, DType::I64, DType::F16, DType::Bool]);
            return self.b.cast(x, to).ok();
        }
        if dtype == DType::Bool {
            return self.b.map(&[x], |a| a[0].not()).ok();
        }
        let y = self.any();
        if self.random.chance(50) && self.b.dtype(y).unwrap() == dtype {
            let f = self.random.pick(&[Func::Add, Func::Sub, Func::Mul, Func::Max, Func::Div]);
            return self.b.map(&[x, y], |a| Scalar::call(f, a.to_vec())).ok();
        }
        let f = self.random.pick(&[Func::Neg, Func::Abs, Func::Exp, Func::Tanh, Func::Sqrt]);
        let f = if dtype.is_float() { f } else { Func::Neg };
        self.b.map(&[x], |a| Scalar::call(f, a.to_vec())).ok()
    }

    fn view(&mut self) -> Option<ValueId> {
        let x = self.any();
        let dims = self.dims(x);
        let rank = dims.len();
        match self.random.below(5) {
            0 | 1 => {
                let order = self.random.permutation(rank);
                self.b.apply(&ops::Permute { order }, &[x]).ok()
            }
            2 => {
                let shape = if self.random.chance(50) { dims } else { vec![tilewright_tensor::ix::volume(&dims)] };
                self.b.apply(&ops::Reshape { shape }, &[x]).ok()
            }
            3 => {
                let shape = if self.random.chance(50) { dims } else { [vec![2.into()], dims].concat() };
                self.b.apply(&ops::Broadcast { shape }, &[x]).ok()
            }
            _ => {
                let back = |d: &Ix| d.as_const().is_some_and(|n| n > 1);
                let flip: Vec<bool> = dims.iter().map(|d| back(d) && self.random.chance(40)).collect();
                let starts = dims.iter().zip(&flip).map(|(d, f)| if *f { d - &Ix::konst(1) } else { Ix::zero() });
                let steps = flip.iter().map(|f| if *f { -1 } else { 1 }).collect();
                self.b.apply(&Slice { starts: starts.collect(), steps, sizes: dims }, &[x]).ok()
            }
        }
    }

    fn reduction(&mut self) -> Option<ValueId> {
        let x = if self.random.chance(70) { self.of(DType::F32) } else { self.of(DType::I64) };
        let rank = self.b.rank(x).ok().filter(|r| *r > 0)?;
        let axis = self.random.below(rank);
        let last = self.random.chance(50);
        let combiner = [Combiner::Sum, Combiner::Max, Combiner::Prod, Combiner::ArgMax { last }];
        if self.random.chance(30) {
            let (reverse, exclusive) = (self.random.chance(50), self.random.chance(50));
            return self.b.apply(&Cumulate { combiner: Combiner::Sum, axis, reverse, exclusive }, &[x]).ok();
        }
        let combiner = self.random.pick(&combiner);
        let keep = self.random.chance(50);
        self.b.reduce(x, combiner, &[axis], keep).ok()
    }

    fn assembly(&mut self) -> Option<ValueId> {
        let x = self.any();
        let dims = self.dims(x);
        let rank = Some(dims.len()).filter(|r| *r > 0)?;
        let axis = self.random.below(rank);
        match self.random.below(4) {
            0 => self.b.apply(&Concat { axis }, &[x, x]).ok(),
            1 => {
                let windows = dims.iter().map(|_| Window::pad(self.random.below(2), self.random.below(2))).collect();
                let dtype = self.b.dtype(x).ok()?;
                let fill = self.b.scalar(dtype, 1.0).ok()?;
                self.b.apply(&Pad { windows }, &[x, fill]).ok()
            }
            2 => {
                let at = self.b.ints(&[self.random.below(2) as i64, 0]).ok()?;
                self.b.apply(&Gather { axis, bounds: ops::Bounds::Clamp }, &[x, at]).ok()
            }
            _ => {
                let axes: Vec<(Arc<str>, Ix)> = dims.iter().map(|d| ("i".into(), d.clone())).collect();
                let index: Vec<Ix> = (0..rank as u32).map(Ix::axis).collect();
                let dtype = self.b.dtype(x).ok().filter(|d| *d != DType::Bool)?;
                let body = Scalar::read(0, dtype, index.clone());
                let combine = self.random.pick(&[Combine::Add, Combine::Max, Combine::Replace]);
                self.b.scatter(Scatter { axes, index, body, combine }, &[x]).ok()
            }
        }
    }

    fn constant(&mut self) -> Option<ValueId> {
        let shape: Vec<usize> = (0..self.random.below(3)).map(|_| self.random.below(4)).collect();
        let dtype = self.random.pick(&[DType::F32, DType::I64, DType::Bool]);
        let t = if dtype == DType::Bool {
            Tensor::zeros(dtype, &shape).unwrap()
        } else {
            self.random.tensor(dtype, &shape)
        };
        Some(self.b.constant(t))
    }

    /// A call, a choice or a loop over one value, with the same few nodes inside.
    fn body(&mut self) -> Option<ValueId> {
        let x = self.any();
        let ty = self.b.ty(x).clone();
        let condition = self.random.pick(&self.values);
        if let Some((_, body)) = self.bodies.iter().find(|(t, _)| *t == ty).filter(|_| self.random.chance(50)) {
            return Some(self.b.node1(Op::Call { name: "Again".into(), body: body.clone() }, &[x], ty));
        }
        let is_scalar = *self.b.ty(condition) == Type::tensor(DType::Bool, vec![]);
        let mut inner = |counted: bool| {
            let mut b = self.b.body();
            if counted {
                b.input("iteration", Type::tensor(DType::I64, vec![]));
            }
            let v = b.input("v", ty.clone());
            let seed = self.random.below(usize::MAX) as u64;
            let mut maker = Maker { random: Random(seed), b, values: vec![v], bodies: vec![] };
            (0..3).for_each(|_| maker.grow());
            let same = maker.values.iter().rev().copied().find(|v| *maker.b.ty(*v) == ty).unwrap_or(v);
            let kept = maker.random.pick(&[same, v]);
            Arc::new(maker.b.finish(&[kept]))
        };
        let (then, otherwise, body) = (inner(false), inner(false), inner(true));
        if self.random.chance(40) {
            self.bodies.push((ty.clone(), then.clone()));
            return Some(self.b.node1(Op::Call { name: "Part".into(), body: then }, &[x], ty));
        }
        if self.random.chance(30) {
            let trips = self.b.scalar(DType::I64, self.random.below(3) as f64).ok()?;
            let looped = Loop { body, carried: 1, scanned: 0, stacked: 0, counted: true, conditional: false };
            return Some(self.b.node1(Op::Loop(looped), &[trips, x], ty));
        }
        let condition = match is_scalar {
            true => condition,
            false => self.b.scalar(DType::Bool, self.random.below(2) as f64).ok()?,
        };
        Some(self.b.node1(Op::If { then, otherwise }, &[condition, x], ty))
    }

    fn mark(&mut self) -> Option<ValueId> {
        let x = self.any();
        let ty = self.b.ty(x).clone();
        match self.random.below(3) {
            0 => Some(self.b.node1(Op::Mark(Mark::Barrier), &[x], ty)),
            1 => Some(self.b.node1(Op::Mark(Mark::StopGradient), &[x], ty)),
            _ => {
                let yes = self.b.scalar(DType::Bool, 1.0).ok()?;
                Some(self.b.node1(Op::Mark(Mark::Assert("holds".into())), &[x, yes], ty))
            }
        }
    }

    /// Values whose sizes are known only when the graph runs.
    fn counted(&mut self) -> Option<ValueId> {
        let x = self.any();
        if self.random.chance(50) {
            return Some(self.b.opaque(opaque::NonZero.into(), &[x]).ok()?[0]);
        }
        let dims = self.dims(x);
        let vector = self.b.dims(&dims).ok()?;
        if dims.is_empty() || self.random.chance(50) {
            return Some(vector);
        }
        let sizes = self.b.define(vector).ok()?;
        self.b.apply(&ops::Broadcast { shape: sizes }, &[vector]).ok();
        let one = self.b.scalar(DType::F32, 1.0).ok()?;
        let again = self.b.define(vector).ok()?;
        self.b.broadcast(one, again).ok()
    }

    fn grow(&mut self) {
        const LARGEST: i64 = 300;
        if let Some(v) = self.step() {
            let size = tilewright_tensor::ix::volume(&self.dims(v));
            let size = size.eval(&|_| Some(N as i64));
            if size.is_some_and(|n| n <= LARGEST) {
                self.values.push(v);
            }
        }
    }
}

/// A graph with inputs for it.
fn random_graph(seed: u64) -> (Graph, Vec<Value>) {
    let mut random = Random(seed);
    let mut b = Builder::new();
    let (mut values, mut inputs) = (Vec::new(), Vec::new());
    for i in 0..1 + random.below(3) {
        let dims: Vec<Ix> =
            (0..random.below(4)).map(|_| random.pick(&[Ix::sym("N"), 1.into(), 2.into(), 4.into()])).collect();
        let shape: Vec<usize> = dims.iter().map(|d| d.as_const().map_or(N, |n| n as usize)).collect();
        let dtype = random.pick(&[DType::F32, DType::F32, DType::I64]);
        values.push(b.input(&format!("x{i}"), Type::tensor(dtype, dims)));
        inputs.push(Value::Tensor(random.tensor(dtype, &shape)));
    }
    values.push(b.input("flag", Type::tensor(DType::Bool, vec![])));
    inputs.push(Value::Tensor(Tensor::from_i64(DType::Bool, &[], &[random.below(2) as i64]).unwrap()));
    let mut maker = Maker { random, b, values, bodies: vec![] };
    (0..4 + maker.random.below(20)).for_each(|_| maker.grow());
    let outputs: Vec<ValueId> = (0..1 + maker.random.below(5)).map(|_| maker.any()).collect();
    let mut graph = maker.b.finish(&outputs);
    for v in outputs {
        graph.values[v.index()].name.get_or_insert_with(|| format!("y{}", v.0).into());
    }
    (graph, inputs)
}

fn output_names(graph: &Graph) -> Vec<Option<Arc<str>>> {
    graph.outputs.iter().map(|v| graph.values[v.index()].name.clone()).collect()
}

#[test]
fn passes_in_any_order_keep_every_bit() {
    let mut order = Random(11);
    let (mut ran, mut changes) = (0, 0);
    for seed in 0..200 {
        let (graph, inputs) = random_graph(seed);
        let text = graph.to_text();
        graph.verify().unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(Graph::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}")), graph);
        let Ok(expected) = interp::run(&graph, &inputs) else { continue };
        ran += 1;
        for subset in 0..1 << PASSES.len() {
            let all = order.permutation(PASSES.len());
            let passes: Vec<Pass> = all.iter().filter(|p| subset >> **p & 1 == 1).map(|p| PASSES[*p]).collect();
            let mut new = graph.clone();
            let report = run_passes(&mut new, &passes, &Options { verify: true, ..Options::default() });
            let names: Vec<&str> = passes.iter().map(|p| p.name).collect();
            let shown = || format!("seed {seed}, passes {names:?}\n{text}\n{}", new.to_text());
            changes += report.unwrap_or_else(|e| panic!("{e}\n{}", shown())).changes();
            let found = interp::run(&new, &inputs).unwrap_or_else(|e| panic!("{e}\n{}", shown()));
            assert!(found == expected, "{}", shown());
            assert_eq!(output_names(&new), output_names(&graph), "{}", shown());
            assert_eq!(Graph::parse(&new.to_text()).unwrap_or_else(|e| panic!("{e}\n{}", shown())), new);
        }
    }
    assert!(ran > 120 && changes > 5_000, "{ran} graphs ran, {changes} changes");
}

#[test]
fn passes_reach_an_end() {
    for seed in 0..60 {
        let (mut graph, _) = random_graph(seed);
        for round in 0.. {
            let report = run_passes(&mut graph, &PASSES, &Options::default()).unwrap();
            if report.changes() == 0 {
                break;
            }
            assert!(round < 20, "seed {seed} does not settle\n{}", graph.to_text());
        }
    }
}
