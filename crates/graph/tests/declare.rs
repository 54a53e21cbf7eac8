//! One declaration gives everything: a structured operation defined here, in a few lines, has
//! shapes with messages in its own axis names, evaluation, a derivative, FLOPs and a docs page.

use tilewright_graph::decl::Decl;
use tilewright_graph::ops::{Body, Structured};
use tilewright_graph::{Builder, Combiner, TensorType, Type, diff, docs, interp};
use tilewright_support::{Code, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, Value};

/// Squared distances between the rows of two matrices.
struct Distances;

impl Structured for Distances {
    const NAME: &'static str = "distances";
    const DOC: &'static str = "Squared distances between the rows of `a [n, d]` and `b [m, d]`, as `[n, m]`.";
    const OPERANDS: &'static [&'static str] = &["a", "b"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let (a, b) = (d.operand(0)?, d.operand(1)?);
        let (n, m, k) = (d.par("n"), d.par("m"), d.reduce("d"));
        let difference = a.at(&[n, k.clone()]) - b.at(&[m, k]);
        Ok((Combiner::Sum, difference.clone() * difference))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![(Self, vec![matrix(2.into(), 3), matrix(4.into(), 3)])]
    }
}

fn matrix(rows: Ix, columns: i64) -> TensorType {
    TensorType::new(DType::F64, vec![rows, Ix::konst(columns)])
}

#[test]
fn shapes_and_messages() {
    let types = [matrix(Ix::sym("N"), 3), matrix(4.into(), 3)];
    let comp = Distances.comp(&types).unwrap();
    assert_eq!(comp.shape(), vec![Ix::sym("N"), Ix::konst(4)]);
    let error = Distances.comp(&[matrix(Ix::sym("N"), 3), matrix(4.into(), 5)]).unwrap_err();
    assert_eq!(error.code, Code::Shape);
    assert_eq!(error.message, "axis d: d = 3 but 5 in a[N, d=3] vs b[4, d=5]");
}

#[test]
fn evaluation_flops_and_docs() {
    let a = Tensor::from_vec(&[1, 2], vec![1f64, 2.0]).unwrap();
    let b = Tensor::from_vec(&[2, 2], vec![1f64, 0.0, 4.0, 6.0]).unwrap();
    let types: Vec<TensorType> = [&a, &b].map(|t| Type::of(t).as_tensor().unwrap().clone()).to_vec();
    let comp = Distances.comp(&types).unwrap();
    assert_eq!(interp::eval_comp(&comp, &[a, b]).unwrap().to_vec_f64(), [4.0, 25.0]);
    // Two rows of two: a difference (once, it is shared), a product and a sum each.
    assert_eq!(comp.flops().as_const(), Some(12));
    let page = docs::page::<Distances>();
    assert!(page.contains("### distances") && page.contains("Squared distances"), "{page}");
    assert!(page.contains("{ n:2, m:4 | sum d:3 : ($0[n, d] - $1[m, d]) * ($0[n, d] - $1[m, d]) }"), "{page}");
}

#[test]
fn gradient() {
    let mut builder = Builder::new();
    let a = builder.input("a", Type::Tensor(matrix(2.into(), 3)));
    let b = builder.input("b", Type::Tensor(matrix(4.into(), 3)));
    let y = builder.apply(&Distances, &[a, b]).unwrap();
    let graph = builder.finish(&[y]);
    let backward = diff::vjp(&graph, &[a, b]).unwrap();
    let value = |shape: &[usize], seed: usize| {
        let n = shape.iter().product::<usize>();
        let values: Vec<f64> = (0..n).map(|i| ((i * 7 + seed) % 11) as f64 / 5.0 - 1.0).collect();
        Value::Tensor(Tensor::from_vec(shape, values).unwrap())
    };
    let inputs = [value(&[2, 3], 1), value(&[4, 3], 2), value(&[2, 4], 3)];
    let outputs = interp::run(&backward, &inputs).unwrap();
    let loss = |inputs: &[Value]| {
        let y = interp::run(&graph, &inputs[..2]).unwrap()[0].as_tensor().unwrap().to_vec_f64();
        let d = inputs[2].as_tensor().unwrap().to_vec_f64();
        y.iter().zip(d).map(|(y, d)| y * d).sum::<f64>()
    };
    for operand in 0..2 {
        let x = inputs[operand].as_tensor().unwrap();
        let gradient = outputs[1 + operand].as_tensor().unwrap().to_vec_f64();
        for (i, g) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut values = x.to_vec_f64();
                values[i] += by;
                let mut inputs = inputs.clone();
                inputs[operand] = Value::Tensor(Tensor::from_vec(x.shape(), values).unwrap());
                loss(&inputs)
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(
                (difference - g).abs() < 1e-6 * (1.0 + g.abs()),
                "operand {operand}, element {i}: {difference} vs {g}"
            );
        }
    }
}

#[test]
fn shapes_of_thousands_of_axes_are_refused() {
    let mut b = tilewright_graph::Builder::new();
    let x = b.input("x", Type::tensor(DType::F32, vec![Ix::konst(1)]));
    let wide = vec![Ix::konst(1); 9_000];
    assert_eq!(b.reshape(x, wide.clone()).unwrap_err().code, tilewright_support::Code::Limit);
    assert_eq!(b.broadcast(x, wide).unwrap_err().code, tilewright_support::Code::Limit);
}
