//! Elementwise producers move into what reads them: what they give is never stored.
//!
//! ```text
//! %2 = exp (%1) { i:N : exp($0[i]) }
//! %3 = add (%2, %0) { i:N : $0[i] + $1[i] }    ──>    %3 = add (%1, %0) { i:N : exp($0[i]) + $1[i] }
//! ```
//!
//! Every function still rounds to its dtype, so no bit of a result changes. A producer that computes moves only where it is
//! read by one node, each of its elements at one point: nothing is computed twice. One that only reads elsewhere moves into
//! every reader. Each change takes a read away from the graph, so it ends.

use crate::pass::{Changed, Pass, PassCx};
use crate::rewrite::{compact, each_graph};
use std::sync::Arc;
use tilewright_graph::scalar::{Kind, map_loads};
use tilewright_graph::{Combiner, Comp, Func, Graph, Op, Role, Scalar, ValueId};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix, volume};

/// The pass.
pub const PASS: Pass = Pass {
    name: "fuse",
    doc: "Moves elementwise operations, views and paddings into the one operation that reads them.",
    requires: &[],
    establishes: &[],
    run,
};

/// The most nodes of a joined expression, and the most operands of a joined comprehension.
const LARGEST: usize = 160;
const OPERANDS: usize = 12;

/// The most nodes of what is summed: short sums of more are not written out.
const SUMMED: usize = 24;

fn run(graph: &mut Graph, cx: &PassCx) -> Result<Changed> {
    let before = cx.spent();
    each_graph(graph, &mut |g, _| Ok(fuse(g, cx)))?;
    Ok(cx.changed_since(before))
}

fn fuse(graph: &mut Graph, cx: &PassCx) -> bool {
    let producers = graph.producers();
    let mut readers = Readers::new(graph);
    let mut changed = false;
    for n in 0..graph.nodes.len() {
        let mut at = 0;
        while at < graph.nodes[n].inputs.len() {
            match joined(graph, &producers, &readers, (n, at)) {
                Some((comp, inputs)) if cx.spend() => {
                    readers.replace(graph, &producers, (n, &inputs));
                    graph.nodes[n].op = Op::Comp(Arc::new(comp));
                    graph.nodes[n].inputs = inputs;
                    (changed, at) = (true, 0);
                }
                _ => at += 1,
            }
        }
    }
    if changed {
        compact(graph);
    }
    changed
}

/// For each value the number of nodes that read it, those that nobody reads any more left out; an output has one more.
struct Readers(Vec<usize>);

impl Readers {
    fn new(graph: &Graph) -> Self {
        let mut readers = Self(vec![0; graph.values.len()]);
        graph.outputs.iter().for_each(|v| readers.0[v.index()] += 1);
        graph.nodes.iter().for_each(|node| readers.add(&node.inputs));
        readers
    }

    fn add(&mut self, inputs: &[ValueId]) {
        distinct_values(inputs).for_each(|v| self.0[v.index()] += 1);
    }

    /// A node takes other inputs; what nobody reads afterwards reads nothing itself.
    fn replace(&mut self, graph: &Graph, producers: &[Option<usize>], (n, inputs): (usize, &[ValueId])) {
        self.add(inputs);
        let mut gone = vec![n];
        while let Some(n) = gone.pop() {
            for v in distinct_values(&graph.nodes[n].inputs) {
                self.0[v.index()] -= 1;
                let unread = |n: &usize| graph.nodes[*n].outputs.iter().all(|v| self.0[v.index()] == 0);
                gone.extend(producers[v.index()].filter(unread));
            }
        }
    }
}

fn distinct_values(inputs: &[ValueId]) -> impl Iterator<Item = ValueId> {
    inputs.iter().enumerate().filter(|(n, v)| !inputs[..*n].contains(v)).map(|(_, v)| *v)
}

/// A node's comprehension with the producer of input `at` inside, and its inputs.
fn joined(
    graph: &Graph,
    producers: &[Option<usize>],
    readers: &Readers,
    (n, at): (usize, usize),
) -> Option<(Comp, Vec<ValueId>)> {
    let node = &graph.nodes[n];
    // A join takes one operand away; to look at each of a thousand would take the square of their number.
    if node.inputs.len() > OPERANDS + 1 {
        return None;
    }
    let v = node.inputs[at];
    let inner_node = &graph.nodes[producers[v.index()]?];
    let (Op::Comp(outer), Op::Comp(inner)) = (&node.op, &inner_node.op) else { return None };
    let is = |o: u32| node.inputs[o as usize] == v;
    let reads = reads_of(&outer.body, &is);
    let moves = inner.combiner == Combiner::Map && inner.dtype() != DType::String && !loads(inner, &|_| true);
    let fits = moves && !reads.is_empty() && !loads(outer, &is) && inner_node.outputs.len() == 1;
    if !fits || size(&outer.body) + reads.len() * size(&inner.body) > LARGEST {
        return None;
    }
    if rounds(outer) && !keeps_order(outer, inner) {
        return None;
    }
    let view = matches!(inner.body.kind(), Kind::Read(..));
    let once = || reads.iter().all(|index| distinct(outer, inner, index));
    let alone = readers.0[v.index()] == 1 && once();
    let free = view && in_bounds(graph, inner, &inner_node.inputs);
    if !alone && !free {
        return None;
    }
    let (comp, inputs) = substitute((outer, &node.inputs), v, (inner, &inner_node.inputs));
    if rounds(outer) && is_square(&comp.body) != is_square(&outer.body) {
        return None;
    }
    let simple = divisions(&comp.body) <= divisions(&outer.body).max(divisions(&inner.body));
    (simple && inputs.len() <= OPERANDS).then_some((comp, inputs))
}

/// The indices at which some operands are read.
fn reads_of(body: &Scalar, is: &dyn Fn(u32) -> bool) -> Vec<Vec<Ix>> {
    let mut out = Vec::new();
    body.visit(&mut |s| match s.kind() {
        Kind::Read(o, index) if is(*o) && !out.contains(index) => out.push(index.clone()),
        _ => {}
    });
    out
}

/// Whether elements of some operands are used as indices.
fn loads(comp: &Comp, of: &dyn Fn(u32) -> bool) -> bool {
    let mut found = false;
    comp.body.visit_ix(&mut |e| {
        e.visit(&mut |a| found |= matches!(a, Atom::Load(o, _) if of(*o)));
    });
    found
}

/// Whether the order of a reduction changes bits.
fn rounds(comp: &Comp) -> bool {
    let reduces = comp.axes.iter().any(|a| a.role == Role::Reduce);
    reduces && matches!(comp.combiner, Combiner::Sum | Combiner::Prod) && comp.body.dtype().is_float()
}

/// Whether a sum stays one of the same kind, over the same axes in the same order: these follow from the places at which
/// it reads, from its guards and from its factors. Products inside would not be rounded any more.
fn keeps_order(outer: &Comp, inner: &Comp) -> bool {
    let one = |a: u32, e: &Ix| inner.axes[a as usize].extent.is(1) && e.is(0);
    let along = |(e, a): (&Ix, u32)| *e == Ix::axis(a) || one(a, e);
    let own = |index: &[Ix]| index.len() == inner.rank() && index.iter().zip(0..).all(along);
    let fixed = |index: &[Ix]| index.iter().all(|e| e.as_const().is_some());
    let (mut reads, mut others, mut guards) = (0, false, false);
    inner.body.visit(&mut |s| match s.kind() {
        Kind::Read(_, index) if own(index) => reads += 1,
        Kind::Read(_, index) => others |= !fixed(index),
        Kind::Index(_) | Kind::Where(..) => others = true,
        Kind::Const(_) | Kind::Call(..) => {}
    });
    outer.body.visit(&mut |s| guards |= matches!(s.kind(), Kind::Where(..)));
    let product = outer.combiner == Combiner::Sum && matches!(inner.body.kind(), Kind::Call(Func::Mul, _));
    reads > 0 && !others && !guards && !product && size(&outer.body) + size(&inner.body) <= SUMMED
}

/// Whether a body is something times itself: no product of two factors.
fn is_square(body: &Scalar) -> bool {
    matches!(body.kind(), Kind::Call(Func::Mul, args) if args[0] == args[1])
}

fn size(body: &Scalar) -> usize {
    let mut n = 0;
    if body.depth() as usize > LARGEST {
        return LARGEST + 1;
    }
    body.visit(&mut |_| n += 1);
    n
}

fn divisions(body: &Scalar) -> usize {
    let mut n = 0;
    body.visit_ix(&mut |e| e.visit(&mut |a| n += usize::from(matches!(a, Atom::Div(..) | Atom::Mod(..)))));
    n
}

/// Whether every point of the outer comprehension reads an element of its own.
fn distinct(outer: &Comp, inner: &Comp, index: &[Ix]) -> bool {
    let mut gathers = false;
    index.iter().for_each(|e| e.visit(&mut |a| gathers |= matches!(a, Atom::Load(..))));
    let alone = |axis: u32, e: &Ix| e.affine_in(axis).is_some_and(|(c, rest)| c != 0 && rest.as_const().is_some());
    let mut axes = outer.axes.iter().enumerate().filter(|(_, a)| !a.extent.is(1));
    let separate = axes.all(|(a, _)| index.iter().any(|e| alone(a as u32, e)));
    !gathers && (separate || volume(&outer.extents()) == volume(&inner.extents()))
}

/// Whether each read of a comprehension is proved to be in bounds wherever its guards hold: so that no error gets lost.
fn in_bounds(graph: &Graph, comp: &Comp, inputs: &[ValueId]) -> bool {
    let Kind::Read(operand, index) = comp.body.kind() else { return false };
    let Ok(ty) = graph.tensor(inputs[*operand as usize]) else { return false };
    let extents = comp.extents();
    let inside = |(e, n): (&Ix, &Ix)| {
        let last = &(n - &Ix::konst(1)) - e;
        e.ge0(&extents) == Some(true) && last.ge0(&extents) == Some(true)
    };
    comp.checks.is_empty() && index.iter().zip(&ty.shape).all(inside)
}

/// The outer comprehension with the body of the inner one, which gives `v`, in the place of its reads; and its inputs.
fn substitute(
    (outer, outer_inputs): (&Comp, &[ValueId]),
    v: ValueId,
    (inner, inner_inputs): (&Comp, &[ValueId]),
) -> (Comp, Vec<ValueId>) {
    let mut inputs: Vec<ValueId> = Vec::new();
    let mut number = |v: ValueId| match inputs.iter().position(|i| *i == v) {
        Some(at) => at as u32,
        None => {
            inputs.push(v);
            inputs.len() as u32 - 1
        }
    };
    let outer_to: Vec<Option<u32>> = outer_inputs.iter().map(|i| (*i != v).then(|| number(*i))).collect();
    let inner_to: Vec<u32> = inner_inputs.iter().map(|v| number(*v)).collect();
    let inner_body = inner.body.map_operands(&|o| inner_to[o as usize]);
    let ix = |e: &Ix| map_loads(e, &|o| outer_to[o as usize].unwrap_or(o));
    let body = outer.body.rewrite(&ix, &|o, dtype, index| match outer_to[o as usize] {
        None => inner_body.subst_axes(&index),
        Some(to) => Scalar::read(to, dtype, index),
    });
    let mut comp = Comp::new(outer.name.clone(), outer.axes.clone(), outer.combiner, body);
    comp.checks = outer.checks.iter().chain(&inner.checks).cloned().collect();
    (comp, inputs)
}
