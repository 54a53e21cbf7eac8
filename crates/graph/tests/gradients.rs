//! Gradients against central differences in f64.

mod common;

use common::{Random, check, check_twice, dims, f64s, gradients, inputs, run, single, widened};
use std::sync::Arc;
use tilewright_graph::diff::flow::flows;
use tilewright_graph::diff::term::term;
use tilewright_graph::diff::vjp;
use tilewright_graph::ops::{Bounds, Contract, Conv, Cumulate, Gather, STRUCTURED, Structured};
use tilewright_graph::{
    Builder, Combine, Combiner, Comp, Graph, Mark, Op, Opaque, Scalar, Scatter, TensorType, Type, ValueId, interp,
    opaque,
};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

const FLOAT: DType = DType::F64;

fn floats(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_f64(FLOAT, shape, values).unwrap()
}

/// The graph that `build` makes over f64 inputs of the given shapes.
fn graph(shapes: &[&[i64]], build: impl FnOnce(&mut Builder, &[ValueId]) -> Vec<ValueId>) -> Graph {
    let mut b = Builder::new();
    let inputs: Vec<ValueId> = shapes.iter().map(|s| b.input("", f64s(s))).collect();
    let outputs = build(&mut b, &inputs);
    b.finish(&outputs)
}

/// The gradients of all inputs for cotangents of 1.
fn pulled(graph: &Graph, given: &[Tensor]) -> Vec<Vec<f64>> {
    let backward = vjp(graph, &graph.inputs).unwrap_or_else(|e| panic!("{e}"));
    let ones = |v: &ValueId| {
        let shape = graph.tensor(*v).unwrap().static_shape().unwrap();
        Tensor::full(&shape, 1.0f64).unwrap()
    };
    let cotangents: Vec<Tensor> = graph.outputs.iter().map(ones).collect();
    let all = run(&backward, &[given, &cotangents].concat());
    all[graph.outputs.len()..].iter().map(Tensor::to_vec_f64).collect()
}

#[test]
fn every_sample_of_every_operation() {
    let mut random = Random(1);
    let (mut checked, mut refused) = (0, 0);
    for row in STRUCTURED {
        for (i, sample) in (row.samples)().into_iter().enumerate() {
            let Ok(comp) = sample.comp else { continue };
            let (comp, types) = widened(&comp, &sample.operands);
            if !comp.dtype().is_float() || types.iter().any(|t| t.shape.is_empty() && !t.dtype.is_float()) {
                continue;
            }
            let graph = single(&comp, &types);
            let given = inputs(&graph, &mut random);
            match vjp(&graph, &[]).and_then(|_| vjp(&graph, &common::float_values(&graph))) {
                Ok(_) => {
                    check_twice(&format!("{} {i}", row.name), &graph, &given, &mut random);
                    checked += 1;
                }
                Err(e) => {
                    assert!(e.message.starts_with("not differentiable because"), "{e}");
                    refused += 1;
                }
            }
        }
    }
    assert!(checked > 50 && refused < 4, "{checked} checked, {refused} refused");
}

fn conv(strides: &[i64], pads: i64) -> Conv {
    let n = strides.len();
    Conv { strides: strides.to_vec(), pads: vec![(Ix::konst(pads), Ix::konst(pads)); n], ..Conv::plain(n) }
}

#[test]
fn strided_convolutions_twice() {
    let mut random = Random(2);
    for (op, x, w) in [
        (conv(&[2, 2], 1), [1i64, 2, 5, 6], [2i64, 2, 3, 3]),
        (Conv { dilations: vec![2, 1], ..conv(&[3, 2], 2) }, [1, 1, 8, 5], [1, 1, 3, 2]),
        (Conv { dilations: vec![6, 2], ..conv(&[4, 2], 0) }, [1, 1, 17, 6], [1, 1, 3, 2]),
    ] {
        let g = graph(&[&x, &w], |b, v| vec![b.apply(&op, v).unwrap()]);
        let given = inputs(&g, &mut random);
        check_twice("conv", &g, &given, &mut random);
    }
}

fn softmax(b: &mut Builder, x: ValueId) -> ValueId {
    let m = b.reduce(x, Combiner::Max, &[1], true).unwrap();
    let e = b.map(&[x, m], |a| (&a[0] - &a[1]).exp()).unwrap();
    let sum = b.reduce(e, Combiner::Sum, &[1], true).unwrap();
    b.map(&[e, sum], |a| &a[0] / &a[1]).unwrap()
}

fn layernorm(b: &mut Builder, x: ValueId, scale: ValueId) -> ValueId {
    let n = b.shape(x).unwrap()[1].as_const().unwrap() as f64;
    let sum = b.reduce(x, Combiner::Sum, &[1], true).unwrap();
    let centred = b.map(&[x, sum], |a| &a[0] - &(&a[1] / n)).unwrap();
    let square = b.map(&[centred], |a| &a[0] * &a[0]).unwrap();
    let variance = b.reduce(square, Combiner::Sum, &[1], true).unwrap();
    b.map(&[centred, variance, scale], |a| &a[0] / &(&a[1] / n + 1e-5).sqrt() * a[2].clone()).unwrap()
}

#[test]
fn composites() {
    let mut random = Random(3);
    let attention = graph(&[&[3, 4], &[5, 4], &[5, 2]], |b, v| {
        let scores = b.einsum("ik,jk->ij", &v[..2]).unwrap();
        let p = softmax(b, scores);
        vec![b.einsum("ij,jd->id", &[p, v[2]]).unwrap()]
    });
    let norm = graph(&[&[2, 5], &[5]], |b, v| vec![layernorm(b, v[0], v[1])]);
    let shared = graph(&[&[4]], |b, v| {
        let y = b.map(&[v[0], v[0]], |a| &a[0] * &a[1]).unwrap();
        let z = b.map(&[y, v[0]], |a| a[0].exp() * a[1].sqrt()).unwrap();
        vec![z, y]
    });
    for (name, g) in [("attention", attention), ("layernorm", norm), ("shared", shared)] {
        let mut given = inputs(&g, &mut random);
        if name == "shared" {
            given = vec![floats(&[4], &[0.3, 0.7, 1.1, 2.0])];
        }
        check_twice(name, &g, &given, &mut random);
    }
}

#[test]
fn ties_and_nan() {
    let max = |shape: &[i64]| graph(&[shape], |b, v| vec![b.reduce(v[0], Combiner::Max, &[0], false).unwrap()]);
    assert_eq!(pulled(&max(&[4]), &[floats(&[4], &[1.0, 3.0, 3.0, 2.0])]), [[0.0, 0.5, 0.5, 0.0]]);
    assert_eq!(pulled(&max(&[3]), &[floats(&[3], &[1.0, f64::NAN, 2.0])]), [[0.0, 0.0, 0.0]]);
    let window = |size, stride| tilewright_graph::ops::WindowDim {
        size,
        stride,
        dilation: 1,
        pads: (Ix::konst(1), Ix::konst(0)),
        count: None,
    };
    let pool = |n: i64, size, stride| {
        let op = tilewright_graph::ops::ReduceWindow { combiner: Combiner::Max, dims: vec![window(size, stride)] };
        graph(&[&[n]], |b, v| vec![b.apply(&op, v).unwrap()])
    };
    assert_eq!(pulled(&pool(5, 3, 2), &[floats(&[5], &[1.0; 5])]), [[1.0, 1.0, 0.0, 0.0, 0.0]]);
    assert_eq!(pulled(&pool(5, 2, 2), &[floats(&[5], &[1.0; 5])]), [[1.0, 1.0, 0.0, 1.0, 0.0]]);
    assert_eq!(pulled(&pool(3, 2, 1), &[floats(&[3], &[f64::NAN, 1.0, 2.0])]), [[0.0, 0.0, 1.0]]);
}

#[test]
fn products_with_zeros() {
    let prod = graph(&[&[3, 3]], |b, v| vec![b.reduce(v[0], Combiner::Prod, &[1], false).unwrap()]);
    let x = floats(&[3, 3], &[2.0, 3.0, 4.0, 2.0, 0.0, 4.0, 0.0, 5.0, 0.0]);
    assert_eq!(pulled(&prod, std::slice::from_ref(&x)), [[12.0, 8.0, 6.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0]]);
    let mut random = Random(4);
    for (reverse, exclusive) in [(false, false), (true, false), (false, true), (true, true)] {
        let op = Cumulate { combiner: Combiner::Prod, axis: 1, reverse, exclusive };
        let g = graph(&[&[4, 5]], |b, v| vec![b.apply(&op, v).unwrap()]);
        let rows = [
            [2.0, 0.3, -1.5, 0.7, 1.1],
            [2.0, 0.0, -1.5, 0.7, 1.1],
            [2.0, 0.0, -1.5, 0.0, 1.1],
            [0.0, 0.5, 3.0, 0.2, 0.0],
        ];
        check("running product", &g, &[floats(&[4, 5], &rows.concat())], &mut random);
    }
}

#[test]
fn gathers_scatter_and_mean_one_hot_sums() {
    let mut random = Random(5);
    for bounds in [Bounds::Error, Bounds::Clamp, Bounds::Fill] {
        let types = [TensorType::new(FLOAT, dims(&[3, 4, 2])), TensorType::new(DType::I64, dims(&[2, 3]))];
        let comp = Gather { axis: 1, bounds }.comp(&types).unwrap();
        let g = single(&comp, &types);
        let mut given = inputs(&g, &mut random);
        let far = if bounds == Bounds::Error { 3 } else { 9 };
        given[1] = Tensor::from_slice(&[2, 3], &[3i64, 0, 0, far, 1, 0]).unwrap();
        let backward = vjp(&g, &g.inputs[..1]).unwrap();
        assert!(backward.nodes.iter().any(|n| matches!(n.op, Op::Scatter(_))));
        let (d, found) = gradients(&g, &given, &mut random);
        let at = (0..comp.rank()).map(|a| Ix::axis(a as u32)).collect();
        let all = flows(&comp.body, Scalar::read(2, FLOAT, at), None).unwrap();
        let one_hot = term("", &comp.extents(), comp.rank(), &all[0], &types[0].shape);
        let meaning = interp::naive::eval_comp(&one_hot, &[given, d].concat()).unwrap();
        assert_eq!(found[0].to_vec_f64(), meaning.to_vec_f64(), "{bounds:?}");
    }
}

/// A bilinear resize of rows: places and weights are tables.
#[test]
fn reads_through_tables() {
    let types = [
        TensorType::new(FLOAT, dims(&[2, 4])),
        TensorType::new(DType::I64, dims(&[7, 2])),
        TensorType::new(FLOAT, dims(&[7, 2])),
    ];
    let d = tilewright_graph::decl::Decl::new("resize", &["x", "at", "weight"], &types);
    let body = {
        let (x, at, weight) = (d.operand(0).unwrap(), d.operand(1).unwrap(), d.operand(2).unwrap());
        let (n, y, k) = (d.par("n"), d.par("y"), d.reduce("k"));
        x.at(&[n, at.load(&[y.clone(), k.clone()])]) * weight.at(&[y, k])
    };
    let comp = d.finish(Combiner::Sum, body).unwrap();
    let g = single(&comp, &types);
    let mut random = Random(6);
    let mut given = inputs(&g, &mut random);
    given[1] = Tensor::from_slice(&[7, 2], &[0i64, 0, 0, 1, 1, 2, 1, 2, 2, 3, 2, 3, 3, 3]).unwrap();
    check_twice("resize", &g, &given, &mut random);
}

fn scatter_graph(combine: Combine) -> Graph {
    let mut b = Builder::new();
    let x = b.input("", f64s(&[5]));
    let at = b.input("", Type::tensor(DType::I64, dims(&[6])));
    let v = b.input("", f64s(&[6]));
    let scatter = Scatter {
        axes: vec![("i".into(), Ix::konst(6))],
        index: vec![Ix::load(1, vec![Ix::axis(0)])],
        body: Scalar::read(2, FLOAT, vec![Ix::axis(0)]).exp(),
        combine,
    };
    let y = b.scatter(scatter, &[x, at, v]).unwrap();
    b.finish(&[y])
}

#[test]
fn scatters() {
    let mut random = Random(7);
    for combine in Combine::ALL {
        let g = scatter_graph(combine);
        let mut given = inputs(&g, &mut random);
        given[1] = Tensor::from_slice(&[6], &[3i64, 0, 3, 1, 3, 0]).unwrap();
        check_twice(combine.name(), &g, &given, &mut random);
        if combine == Combine::Mul {
            given[0] = floats(&[5], &[0.0, 2.0, 0.0, 0.5, 1.0]);
            check(combine.name(), &g, &given, &mut random);
        }
    }
    let mut tied = inputs(&scatter_graph(Combine::Max), &mut random);
    tied[0] = floats(&[5], &[1.0, 0.5, 9.0, 9.0, 9.0]);
    tied[1] = Tensor::from_slice(&[6], &[0i64, 0, 1, 1, 1, 2]).unwrap();
    tied[2] = floats(&[6], &[0.0, 0.0, 0.0, -1.0, 0.0, 0.0]);
    let g = scatter_graph(Combine::Max);
    let backward = vjp(&g, &[g.inputs[0], g.inputs[2]]).unwrap();
    let all = run(&backward, &[tied, vec![Tensor::full(&[5], 1.0f64).unwrap()]].concat());
    let third = 1.0 / 3.0;
    assert_eq!(all[1].to_vec_f64(), [third, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(all[2].to_vec_f64(), [third, third, 0.5, 0.0, 0.5, 0.0]);
}

#[test]
fn calls_choices_and_marks() {
    let mut random = Random(8);
    let cube = Arc::new(graph(&[&[3]], |b, v| vec![b.map(v, |a| &(&a[0] * &a[0]) * &a[0]).unwrap()]));
    let sine = Arc::new(graph(&[&[3]], |b, v| vec![b.map(v, |a| a[0].tanh()).unwrap()]));
    let mut b = Builder::new();
    let pick = b.input("", Type::tensor(DType::Bool, vec![]));
    let x = b.input("", f64s(&[3]));
    let called = b.node1(Op::Call { name: "Cube".into(), body: cube.clone() }, &[x], f64s(&[3]));
    let chosen = b.node1(Op::If { then: cube, otherwise: sine }, &[pick, called], f64s(&[3]));
    let barrier = b.node1(Op::Mark(Mark::Barrier), &[chosen], f64s(&[3]));
    let stopped = b.node1(Op::Mark(Mark::StopGradient), &[x], f64s(&[3]));
    let y = b.map(&[barrier, stopped], |a| &a[0] + &a[1]).unwrap();
    let g = b.finish(&[y]);
    for pick in [0i64, 1] {
        let x = Tensor::from_slice(&[3], &random.floats(3)).unwrap();
        let backward = vjp(&g, &g.inputs[1..]).unwrap();
        let given = [Tensor::from_i64(DType::Bool, &[], &[pick]).unwrap(), x.clone(), Tensor::full(&[3], 1.0).unwrap()];
        let found = run(&backward, &given).remove(1).to_vec_f64();
        for (x, got) in x.to_vec_f64().into_iter().zip(found) {
            let cube = x * x * x;
            let outer = if pick == 1 { 3.0 * cube * cube } else { 1.0 - cube.tanh() * cube.tanh() };
            assert!((got - outer * 3.0 * x * x).abs() < 1e-12);
        }
    }
}

#[test]
fn what_has_no_gradient_says_so() {
    let mut b = Builder::new();
    let x = b.input("", f64s(&[4]));
    let y = b.input("", Type::tensor(DType::I64, dims(&[4])));
    let position = b.reduce(x, Combiner::ArgMax { last: false }, &[0], false).unwrap();
    let rounded = b.map(&[x, y], |a| a[0].floor() + a[1].cast(FLOAT)).unwrap();
    let places = b.opaque(Opaque::from(opaque::NonZero), &[x]).unwrap()[0];
    let g = b.finish(&[position, rounded, places]);
    let given = [floats(&[4], &[0.5, 0.0, 2.5, -1.0]), Tensor::from_slice(&[4], &[1i64, 2, 3, 4]).unwrap()];
    let backward = vjp(&g, &g.inputs[..1]).unwrap();
    let forward = run(&g, &given);
    let all = run(&backward, &[&given[..], &forward].concat());
    assert_eq!(all[3].to_vec_f64(), [0.0; 4], "integers and steps: zero");
    assert_eq!(vjp(&g, &[y]).unwrap_err().code, tilewright_support::Code::Usage);

    let running = Cumulate { combiner: Combiner::Max, axis: 0, reverse: false, exclusive: false };
    let g = graph(&[&[4]], |b, v| vec![b.apply(&running, v).unwrap()]);
    let error = vjp(&g, &g.inputs).unwrap_err();
    assert_eq!(error.message, "not differentiable because a running max has no rule");
}

#[test]
fn sizes_known_at_run_time() {
    let mut random = Random(10);
    let mut b = Builder::new();
    let (n, h) = (Ix::sym("n"), Ix::sym("h"));
    let x = b.input("", Type::tensor(FLOAT, vec![n.clone(), 2.into(), h.clone()]));
    let w = b.input("", f64s(&[3, 2, 3]));
    let y = b.apply(&conv(&[2], 1), &[x, w]).unwrap();
    let rows = b.permute(y, &[1, 0, 2]).unwrap();
    let max = b.reduce(rows, Combiner::Max, &[2], true).unwrap();
    let shifted = b.map(&[rows, max], |a| (&a[0] - &a[1]).exp()).unwrap();
    let flat = b.reshape(shifted, vec![3.into(), &n * &b.shape(shifted).unwrap()[2]]).unwrap();
    let square = b.einsum("ik,jk->ij", &[flat, flat]).unwrap();
    let g = b.finish(&[square]);
    for (n, h) in [(2, 5), (1, 6), (3, 1)] {
        let given = [random.tensor(FLOAT, &[n, 2, h], 2), random.tensor(FLOAT, &[3, 2, 3], 2)];
        check_twice("symbolic", &g, &given, &mut random);
    }
    let none = [random.tensor(FLOAT, &[0, 2, 5], 2), random.tensor(FLOAT, &[3, 2, 3], 2)];
    assert_eq!(gradients(&g, &none, &mut random).1[1].to_vec_f64(), [0.0; 18]);
}

/// Reads at the identity are the same tensor only where shapes agree.
#[test]
fn slices_and_sums_of_terms() {
    let mut random = Random(9);
    let g = graph(&[&[6], &[2]], |b, v| {
        let head = b.slice(v[0], 0, 0, 4).unwrap();
        let tail = b.slice(v[0], 0, 2, 4).unwrap();
        let joined = b.concat(&[head, v[1]], 0).unwrap();
        let part = b.slice(joined, 0, 0, 4).unwrap();
        let product = b.apply(&Contract::parse("i,i->"), &[part, tail]).unwrap();
        vec![product, part]
    });
    let given = inputs(&g, &mut random);
    check_twice("slices", &g, &given, &mut random);
    let values = pulled(&g, &given);
    assert_eq!(values[1], [0.0, 0.0]);
}

/// bf16 operands, f32 sums: products are not rounded to bf16 before they are summed.
#[test]
fn sums_stay_wide() {
    let op = Contract { accumulate: Some(DType::F32), ..Contract::parse("ik,kj->ij") };
    let types = [TensorType::new(DType::BF16, dims(&[1, 1])), TensorType::new(DType::BF16, dims(&[1, 64]))];
    let g = single(&op.comp(&types).unwrap(), &types);
    let ones = |shape: &[usize], dtype| Tensor::from_f64(dtype, shape, &vec![1.0; shape.iter().product()]).unwrap();
    let backward = vjp(&g, &g.inputs[..1]).unwrap();
    let weights: Vec<f64> = (0..64).map(|i| 1.0 + (i % 2) as f64 / 128.0).collect();
    let w = Tensor::from_f64(DType::BF16, &[1, 64], &weights).unwrap();
    let d = Tensor::from_f64(DType::F32, &[1, 64], &[1.0 + 1.0 / 512.0; 64]).unwrap();
    let found = run(&backward, &[ones(&[1, 1], DType::BF16), w, d]).remove(1);
    assert_eq!((found.dtype(), found.get_f64(0)), (DType::BF16, 64.5));
    let sum = |c: &Comp| c.combiner == Combiner::Sum && c.dtype() == DType::F32;
    assert!(backward.nodes.iter().filter(|n| matches!(&n.op, Op::Comp(c) if sum(c))).count() >= 1);
}
