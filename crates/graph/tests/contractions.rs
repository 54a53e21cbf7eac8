//! Which comprehensions are matrix products, and whether phases and strides mean the same.

mod common;

use common::{Random, add_phase, assembled, dims, f64s, number, points, single, sizes};
use tilewright_graph::contraction::{Class, Contraction, Phase, Strided, phases, recognise};
use tilewright_graph::diff::vjp;
use tilewright_graph::ops::{Contract, Conv, Structured};
use tilewright_graph::{Builder, Combiner, Comp, Graph, Op, Role, TensorType, Type, ValueId, interp};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// A comprehension of a graph and its operands' dims.
struct Found {
    comp: Comp,
    operands: Vec<Strided>,
}

fn comps(graph: &Graph) -> Vec<Found> {
    let shape = |v: &ValueId| Strided::row_major(graph.tensor(*v).unwrap().shape.clone());
    let found = |node: &tilewright_graph::Node| match &node.op {
        Op::Comp(c) => Some(Found { comp: (**c).clone(), operands: node.inputs.iter().map(shape).collect() }),
        _ => None,
    };
    graph.nodes.iter().filter_map(found).collect()
}

/// The sum of products by the strides alone.
fn by_strides(comp: &Comp, c: &Contraction, operands: &[Tensor], out: &mut [f64]) {
    let place = |access: &tilewright_graph::contraction::Access, p: &[i64]| {
        let steps = access.strides.iter().zip(p).map(|(s, x)| s.as_const().unwrap() * x);
        (access.offset.as_const().unwrap() + steps.sum::<i64>()) as usize
    };
    for p in points(&sizes(&comp.extents())) {
        if !c.guards.iter().all(|g| g.pred.holds(number(g.pred.ix(), &p))) {
            continue;
        }
        let sides = [&c.a, &c.b].map(|side| {
            let read = side.plain().unwrap();
            operands[read.operand.unwrap() as usize].get_f64(place(read, &p))
        });
        out[place(&c.out, &p)] += c.scale * sides[0] * sides[1];
    }
}

/// The whole result from phases: the recognised ones by their strides, others by the interpreter.
fn by_phases(found: &Found, operands: &[Tensor]) -> Vec<f64> {
    let out = Strided::row_major(found.comp.shape());
    assembled(&found.comp, |phase, values| match recognise(phase, &found.operands, &out) {
        Ok(c) => by_strides(&phase.comp, &c, operands, values),
        Err(_) => add_phase(phase, &found.comp.shape(), operands, values),
    })
    .unwrap()
}

fn check_values(name: &str, found: &Found, random: &mut Random) {
    let shape = |s: &Strided| s.shape.iter().map(|d| d.as_const().unwrap() as usize).collect::<Vec<_>>();
    let operands: Vec<Tensor> = found.operands.iter().map(|s| random.tensor(DType::F64, &shape(s), 2)).collect();
    let whole = interp::eval_comp(&found.comp, &operands).unwrap().to_vec_f64();
    for (i, (a, b)) in whole.iter().zip(by_phases(found, &operands)).enumerate() {
        assert!((a - b).abs() < 1e-9, "{name} at {i}: {b}, not {a}");
    }
}

/// The product of the extents of K axes, summed over the phases; fails where one is not recognised.
fn taps(found: &Found) -> i64 {
    let out = Strided::row_major(found.comp.shape());
    let live = phases(&found.comp).unwrap().into_iter().filter(|p| p.comp.combiner == Combiner::Sum);
    live.map(|phase| {
        let c = recognise(&phase, &found.operands, &out).unwrap_or_else(|e| panic!("{e}"));
        let k = (0..c.classes.len()).filter(|x| c.classes[*x] == Class::K);
        k.map(|x| phase.comp.axes[x].extent.as_const().unwrap()).product::<i64>()
    })
    .sum()
}

fn conv_graph(op: &Conv, x: &[i64], w: &[i64]) -> Graph {
    let types = [TensorType::new(DType::F64, dims(x)), TensorType::new(DType::F64, dims(w))];
    let g = single(&op.comp(&types).unwrap(), &types);
    vjp(&g, &g.inputs).unwrap()
}

fn conv(strides: &[i64], dilations: &[i64], pad: i64) -> Conv {
    Conv {
        strides: strides.to_vec(),
        dilations: dilations.to_vec(),
        pads: vec![(Ix::konst(pad), Ix::konst(pad)); strides.len()],
        ..Conv::plain(strides.len())
    }
}

#[test]
fn convolutions_and_their_gradients() {
    let transposed =
        |groups| Conv { transposed: true, input_dilations: vec![2, 3], groups, ..conv(&[1, 1], &[1, 1], 1) };
    let cases: Vec<(&str, Conv, [i64; 4], [i64; 4])> = vec![
        ("plain", conv(&[1, 1], &[1, 1], 1), [2, 3, 6, 5], [4, 3, 3, 3]),
        ("stride 2", conv(&[2, 2], &[1, 1], 1), [2, 3, 7, 6], [4, 3, 3, 3]),
        ("stride 3", conv(&[3, 3], &[1, 1], 0), [2, 3, 8, 10], [4, 3, 3, 3]),
        ("stride 3, taps 2", conv(&[3, 3], &[1, 1], 0), [2, 3, 8, 10], [4, 3, 2, 2]),
        ("dilated", conv(&[1, 1], &[2, 3], 2), [2, 3, 7, 8], [4, 3, 3, 2]),
        ("stride 2, dilation 2", conv(&[2, 2], &[2, 2], 1), [2, 3, 9, 8], [4, 3, 3, 3]),
        ("stride 3, dilation 2", conv(&[3, 3], &[2, 2], 2), [2, 3, 10, 8], [4, 3, 3, 3]),
        ("stride 4, dilation 6", conv(&[4, 4], &[6, 6], 3), [2, 3, 21, 23], [4, 3, 3, 2]),
        ("groups", Conv { groups: 2, ..conv(&[1, 1], &[1, 1], 1) }, [2, 6, 5, 4], [4, 3, 3, 3]),
        ("groups, stride 2", Conv { groups: 2, ..conv(&[2, 2], &[1, 1], 1) }, [2, 6, 5, 4], [4, 3, 3, 3]),
        ("transposed", transposed(1), [2, 3, 4, 3], [3, 4, 3, 3]),
        ("transposed, groups", transposed(2), [2, 6, 4, 3], [6, 4, 3, 3]),
    ];
    let mut random = Random(1);
    for (name, op, x, w) in &cases {
        let all = comps(&conv_graph(op, x, w));
        let spatial = w[2] * w[3];
        let channels = |dim: i64| dim / if op.transposed { 1 } else { op.groups };
        let (inner, outer) = if op.transposed { (x[1] / op.groups, w[1]) } else { (w[1], channels(w[0])) };
        assert_eq!(taps(&all[0]), inner * spatial, "{name}: forward");
        assert_eq!(taps(&all[1]), outer * spatial, "{name}: gradient by x");
        assert!(taps(&all[2]) > 0, "{name}: gradient by w");
        for found in &all {
            check_values(name, found, &mut random);
        }
    }
}

/// What single axes are, in the notation of the classes, with the kernel's axes and strides.
#[test]
fn strides_of_a_strided_convolution() {
    let all = comps(&conv_graph(&conv(&[2, 2], &[1, 1], 1), &[2, 64, 56, 56], &[128, 64, 3, 3]));
    let of = |found: &Found| {
        let out = Strided::row_major(found.comp.shape());
        let phase = phases(&found.comp).unwrap().pop().unwrap();
        recognise(&phase, &found.operands, &out).unwrap()
    };
    let at = |c: &Contraction, x: usize| {
        let stride = |s: &Ix| s.as_const().unwrap();
        [&c.a.reads[0], &c.b.reads[0], &c.out].map(|read| stride(&read.strides[x]))
    };
    let forward = of(&all[0]);
    assert_eq!(at(&forward, forward.m), [576, 0, 784]);
    assert_eq!(at(&forward, forward.n), [0, 2, 1]);
    assert_eq!(at(&forward, forward.k), [9, 3136, 0]);
    assert!(forward.b.reads[0].padded && !forward.a.reads[0].padded);
    assert!(forward.guards.iter().all(|g| g.bounds.is_some()));
    let by_x = of(&all[1]);
    assert_eq!(at(&by_x, by_x.m), [9, 0, 3136]);
    assert_eq!(at(&by_x, by_x.n), [0, 1, 2]);
    assert_eq!(at(&by_x, by_x.k), [576, 784, 0]);
    let by_w = of(&all[2]);
    assert_eq!(at(&by_w, by_w.m), [784, 0, 576]);
    assert_eq!(at(&by_w, by_w.n), [0, 3136, 9]);
    assert_eq!(at(&by_w, by_w.k), [1, 2, 0]);
}

fn refusal(comp: &Comp, types: &[TensorType]) -> String {
    let operands: Vec<Strided> = types.iter().map(|t| Strided::row_major(t.shape.clone())).collect();
    recognise(&Phase::whole(comp), &operands, &Strided::row_major(comp.shape())).unwrap_err().0
}

#[test]
fn what_is_no_contraction_says_why() {
    let f64t = |shape: &[i64]| TensorType::new(DType::F64, dims(shape));
    let depthwise = Conv { groups: 4, ..Conv::plain(1) };
    for found in comps(&conv_graph(&depthwise, &[2, 4, 9], &[4, 1, 3])) {
        let types: Vec<TensorType> =
            found.operands.iter().map(|s| TensorType::new(DType::F64, s.shape.clone())).collect();
        assert_eq!(refusal(&found.comp, &types), "depthwise: one factor has no parallel axis of its own");
    }
    let refused = |op: Contract, types: &[TensorType]| refusal(&op.comp(types).unwrap(), types);
    let types = [f64t(&[8]), f64t(&[8, 5])];
    assert!(refused(Contract::parse("k,kj->j"), &types).starts_with("matrix-vector"));
    assert!(refused(Contract::parse("ij->i"), &[f64t(&[4, 3])]).starts_with("pooling or a plain sum"));
    assert!(refused(Contract::parse("ij,jk,ki->"), &[f64t(&[2, 3]), f64t(&[3, 4]), f64t(&[4, 2])]).contains("factor"));
    let strided = conv_graph(&conv(&[2], &[1], 1), &[1, 2, 6], &[2, 2, 3]);
    let found = &comps(&strided)[1];
    let types: Vec<TensorType> = found.operands.iter().map(|s| TensorType::new(DType::F64, s.shape.clone())).collect();
    let reason = refusal(&found.comp, &types);
    assert!(reason.ends_with("is not affine: split phases first"), "{reason}");
}

#[test]
fn sides_may_be_expressions() {
    let mut b = Builder::new();
    let types = [f64s(&[3, 4]), f64s(&[3, 1]), f64s(&[3, 1]), Type::tensor(DType::BF16, dims(&[4, 2]))];
    let v: Vec<ValueId> = types.iter().map(|t| b.input("", t.clone())).collect();
    let read = |o: u32, dtype, index: [Ix; 2]| tilewright_graph::Scalar::read(o, dtype, index.to_vec());
    let (i, d, j) = (Ix::axis(0), Ix::axis(1), Ix::axis(2));
    let score = read(0, DType::F64, [i.clone(), j.clone()]) - read(1, DType::F64, [i.clone(), Ix::zero()]);
    let value = read(3, DType::BF16, [j, d]).cast(DType::F64);
    let body = score.exp() * value * read(2, DType::F64, [i, Ix::zero()]) * 0.5;
    let axis = |name: &str, n: i64, role| tilewright_graph::Axis { name: name.into(), extent: Ix::konst(n), role };
    let axes = vec![axis("i", 3, Role::Parallel), axis("d", 2, Role::Parallel), axis("j", 4, Role::Reduce)];
    let y = b.comp(Comp::new("attend", axes, Combiner::Sum, body), &v);
    let found = comps(&b.finish(&[y])).remove(0);
    let c = recognise(&Phase::whole(&found.comp), &found.operands, &Strided::row_major(found.comp.shape())).unwrap();
    assert_eq!(c.classes, [Class::M, Class::N, Class::K]);
    assert_eq!((c.m, c.n, c.k, c.scale), (0, 1, 2, 0.5));
    assert_eq!(c.a.reads.len(), 3);
    assert!(c.a.plain().is_none() && c.b.plain().is_some());
}

/// The four products of attention's gradient: by P, by V, by Q and by K.
#[test]
fn attention_backward_is_four_products() {
    let mut b = Builder::new();
    let [q, k, v] = [[6, 4], [5, 4], [5, 3]].map(|s: [i64; 2]| b.input("", f64s(&s)));
    let scores = b.einsum("ik,jk->ij", &[q, k]).unwrap();
    let max = b.reduce(scores, Combiner::Max, &[1], true).unwrap();
    let e = b.map(&[scores, max], |a| (&a[0] - &a[1]).exp()).unwrap();
    let sum = b.reduce(e, Combiner::Sum, &[1], true).unwrap();
    let p = b.map(&[e, sum], |a| &a[0] / &a[1]).unwrap();
    let y = b.einsum("ij,jd->id", &[p, v]).unwrap();
    let g = b.finish(&[y]);
    let backward = vjp(&g, &g.inputs).unwrap();
    let product =
        |f: &Found| recognise(&Phase::whole(&f.comp), &f.operands, &Strided::row_major(f.comp.shape())).is_ok();
    assert_eq!(comps(&backward).iter().filter(|f| product(f)).count(), 2 + 4);
}

/// Sizes known only at run time.
#[test]
fn symbolic_sizes() {
    let n = Ix::sym("n");
    let types = [
        TensorType::new(DType::F64, vec![n.clone(), 16.into(), n.clone()]),
        TensorType::new(DType::F64, dims(&[8, 16, 3])),
    ];
    let comp = conv(&[2], &[1], 1).comp(&types).unwrap();
    let g = single(&comp, &types);
    for found in comps(&vjp(&g, &g.inputs).unwrap()) {
        let out = Strided::row_major(found.comp.shape());
        for phase in phases(&found.comp).unwrap() {
            recognise(&phase, &found.operands, &out).unwrap_or_else(|e| panic!("{e}: {:?}", phase.comp));
        }
    }
}
