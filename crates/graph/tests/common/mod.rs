//! Random inputs, and gradients by central differences.
#![allow(dead_code)]

use tilewright_graph::contraction::{Phase, Strided, phases};
use tilewright_graph::diff::vjp;
use tilewright_graph::scalar::Kind;
use tilewright_graph::scalars::Overflow;
use tilewright_graph::{Axis, Builder, Comp, Func, Graph, Scalar, TensorType, Type, ValueId, interp};
use tilewright_tensor::ix::{Atom, Ix};
use tilewright_tensor::{DType, Tensor, Value};

/// A linear congruential generator.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as i64) % n.max(1)
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low + 1)
    }

    /// Values in -1..1 that differ by at least 1e-3 from each other, and from 0 and other calls' by
    /// about 1e-4.
    pub fn floats(&mut self, n: usize) -> Vec<f64> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i as i64 + 1) as usize);
        }
        let shift = 0.55 + 0.001 * self.below(400) as f64;
        order.iter().map(|i| 2.0 * (*i as f64 + shift) / (n as f64 + 0.07) - 1.0).collect()
    }

    /// A tensor of a static type; integers are in `0..top`.
    pub fn tensor(&mut self, dtype: DType, shape: &[usize], top: i64) -> Tensor {
        let n: usize = shape.iter().product();
        if dtype.is_float() {
            return Tensor::from_f64(dtype, shape, &self.floats(n)).unwrap();
        }
        let ints: Vec<i64> = (0..n).map(|_| self.below(top)).collect();
        Tensor::from_i64(dtype, shape, &ints).unwrap()
    }
}

pub fn f64s(shape: &[i64]) -> Type {
    Type::tensor(DType::F64, dims(shape))
}

pub fn dims(shape: &[i64]) -> Vec<Ix> {
    shape.iter().map(|d| Ix::konst(*d)).collect()
}

fn wide(d: DType) -> DType {
    if d == DType::F32 { DType::F64 } else { d }
}

fn widened_body(s: &Scalar) -> Scalar {
    match s.kind() {
        Kind::Const(_) if s.dtype() == DType::F32 => Scalar::konst(DType::F64, s.as_const().unwrap()),
        Kind::Read(o, index) => Scalar::read(*o, wide(s.dtype()), index.clone()),
        Kind::Call(f, args) => {
            let func = match f {
                Func::Cast(to, _) => Func::Cast(wide(*to), Overflow::Saturate),
                other => *other,
            };
            Scalar::call(func, args.iter().map(widened_body).collect())
        }
        Kind::Where(p, t, e) => Scalar::guarded(p.clone(), widened_body(t), widened_body(e)),
        _ => s.clone(),
    }
}

/// The same over f64 instead of f32.
pub fn widened(comp: &Comp, operands: &[TensorType]) -> (Comp, Vec<TensorType>) {
    let types = operands.iter().map(|t| TensorType::new(wide(t.dtype), t.shape.clone())).collect();
    (Comp { body: widened_body(&comp.body), ..comp.clone() }, types)
}

/// The graph of one comprehension over inputs of its operands' types.
pub fn single(comp: &Comp, operands: &[TensorType]) -> Graph {
    let mut b = Builder::new();
    let inputs: Vec<ValueId> = operands.iter().map(|t| b.input("", Type::Tensor(t.clone()))).collect();
    let y = b.comp(comp.clone(), &inputs);
    b.finish(&[y])
}

pub fn run(graph: &Graph, inputs: &[Tensor]) -> Vec<Tensor> {
    graph.verify().unwrap();
    let inputs: Vec<Value> = inputs.iter().cloned().map(Value::Tensor).collect();
    let outputs = interp::run(graph, &inputs).unwrap_or_else(|e| panic!("{e}"));
    outputs.iter().map(|v| v.as_tensor().unwrap().clone()).collect()
}

/// Random inputs of a graph with static shapes.
pub fn inputs(graph: &Graph, random: &mut Random) -> Vec<Tensor> {
    let types: Vec<&TensorType> = graph.inputs.iter().map(|v| graph.tensor(*v).unwrap()).collect();
    let smallest = types.iter().flat_map(|t| t.static_shape().unwrap()).filter(|d| *d > 0).min().unwrap_or(1);
    types.iter().map(|t| random.tensor(t.dtype, &t.static_shape().unwrap(), smallest as i64)).collect()
}

/// The float inputs of a graph.
pub fn float_values(graph: &Graph) -> Vec<ValueId> {
    float_inputs(graph).iter().map(|i| graph.inputs[*i]).collect()
}

fn float_inputs(graph: &Graph) -> Vec<usize> {
    let float = |i: &usize| graph.tensor(graph.inputs[*i]).unwrap().dtype.is_float();
    (0..graph.inputs.len()).filter(float).collect()
}

fn perturbed(t: &Tensor, at: usize, by: f64) -> Tensor {
    let mut values = t.to_vec_f64();
    values[at] += by;
    Tensor::from_f64(t.dtype(), t.shape(), &values).unwrap()
}

pub fn dot(a: &Tensor, b: &Tensor) -> f64 {
    assert_eq!(a.shape(), b.shape());
    a.to_vec_f64().iter().zip(b.to_vec_f64()).map(|(x, y)| x * y).sum()
}

/// The gradients of all float inputs, for random cotangents, which come first.
pub fn gradients(graph: &Graph, given: &[Tensor], random: &mut Random) -> (Vec<Tensor>, Vec<Tensor>) {
    let backward = vjp(graph, &float_values(graph)).unwrap_or_else(|e| panic!("{e}"));
    let outputs = run(graph, given);
    let cotangents: Vec<Tensor> = outputs.iter().map(|t| random.tensor(t.dtype(), t.shape(), 2)).collect();
    let all = run(&backward, &[given, &cotangents].concat());
    (cotangents, all[outputs.len()..].to_vec())
}

/// Compares all gradients with central differences of an f64 graph.
pub fn check(name: &str, graph: &Graph, given: &[Tensor], random: &mut Random) {
    let (cotangents, found) = gradients(graph, given, random);
    let loss = |inputs: &[Tensor]| -> f64 {
        let outputs = run(graph, inputs);
        let floats = outputs.iter().zip(&cotangents).filter(|(y, _)| y.dtype().is_float());
        floats.map(|(y, d)| dot(y, d)).sum()
    };
    for (i, gradient) in float_inputs(graph).into_iter().zip(found) {
        assert_eq!(gradient.shape(), given[i].shape(), "{name}");
        for at in 0..gradient.len() {
            let step = 1e-5;
            let moved = |by: f64| {
                let mut inputs = given.to_vec();
                inputs[i] = perturbed(&given[i], at, by);
                loss(&inputs)
            };
            let expected = (moved(step) - moved(-step)) / (2.0 * step);
            let got = gradient.get_f64(at);
            let apart = (got - expected).abs();
            assert!(apart <= 2e-7 * (1.0 + expected.abs()), "{name}: input {i} at {at}: {got}, not {expected}");
        }
    }
}

/// Checks first derivatives, and the derivatives of those.
pub fn check_twice(name: &str, graph: &Graph, given: &[Tensor], random: &mut Random) {
    check(name, graph, given, random);
    let backward = vjp(graph, &float_values(graph)).unwrap();
    let (cotangents, _) = gradients(graph, given, random);
    check(&format!("{name}, twice"), &backward, &[given, &cotangents].concat(), random);
}

/// The value of an index at a point.
pub fn number(e: &Ix, point: &[i64]) -> i64 {
    let axis = |a: &Atom| match a {
        Atom::Axis(a) => Some(point[*a as usize]),
        _ => None,
    };
    e.eval(&axis).unwrap()
}

/// All points of a box in row-major order.
pub fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    extents.iter().fold(vec![vec![]], |all, n| {
        all.iter().flat_map(|p| (0..*n).map(move |i| [p.as_slice(), &[i]].concat())).collect()
    })
}

/// Constant sizes.
pub fn sizes(extents: &[Ix]) -> Vec<i64> {
    extents.iter().map(|e| e.as_const().unwrap()).collect()
}

/// The whole result of a comprehension from its phases, each of which `part` adds; `None` where
/// there are too many.
pub fn assembled(comp: &Comp, mut part: impl FnMut(&Phase, &mut [f64])) -> Option<Vec<f64>> {
    let mut values = vec![0.0; sizes(&comp.shape()).iter().product::<i64>() as usize];
    phases(comp)?.iter().for_each(|phase| part(phase, &mut values));
    Some(values)
}

/// Adds a phase as the plain evaluator has it.
pub fn add_phase(phase: &Phase, whole: &[Ix], operands: &[Tensor], values: &mut [f64]) {
    phase.comp.verify(&operands.iter().map(|t| (t.dtype(), t.rank())).collect::<Vec<_>>()).unwrap();
    let part = interp::naive::eval_comp(&phase.comp, operands).unwrap();
    let strides = Strided::row_major(whole.to_vec()).strides;
    for (i, p) in points(&sizes(&phase.comp.shape())).iter().enumerate() {
        let at = phase.place.iter().zip(&strides).map(|(e, s)| number(e, p) * s.as_const().unwrap());
        values[at.sum::<i64>() as usize] += part.get_f64(i);
    }
}

/// Axes of a comprehension, for messages.
pub fn axes(axes: &[Axis]) -> String {
    axes.iter().map(|a| format!("{}:{}", a.name, a.extent)).collect::<Vec<_>>().join(", ")
}
