//! Graphs of many nodes: passes, plans and the first run take time that grows with the nodes, not with their square.

use std::sync::Arc;
use std::time::{Duration, Instant};
use tilewright::kernels::{Machine, Target};
use tilewright_executor::{Arenas, Executable, Settings, Trial};
use tilewright_graph::{Builder, Combiner, Graph, Type, ValueId};
use tilewright_passes::{Options, compose, cse, dce, fold, fuse, identity, inline, run_passes};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, Value};

/// The smaller graphs have so many steps, the larger ones so many times more.
const STEPS: usize = 400;
const TIMES: usize = 8;

/// What the larger one may take, in times of the smaller one: a square would be 64.
const MOST: u32 = 3 * TIMES as u32;

fn input(b: &mut Builder) -> ValueId {
    b.input("x", Type::tensor(DType::F32, vec![Ix::konst(2), Ix::konst(16)]))
}

/// The time of all that comes before the second run, the least of some tries.
fn time(graph: &dyn Fn(usize) -> Graph, steps: usize, tries: usize) -> Duration {
    let graph = graph(steps);
    let once = |_| {
        let mut graph = graph.clone();
        let start = Instant::now();
        let passes =
            [inline::PASS, fold::PASS, identity::PASS, compose::PASS, cse::PASS, dce::PASS, fuse::PASS, dce::PASS];
        run_passes(&mut graph, &passes, &Options::default()).unwrap();
        let (arenas, trial) = (Arc::new(Arenas::default()), Trial::default());
        let settings = Settings { machine: Machine::new(Target::detect()), threads: 1, arenas, trial };
        let executable = Executable::new(Arc::new(graph), settings);
        executable.run(&[Value::Tensor(Tensor::zeros(DType::F32, &[2, 16]).unwrap())]).unwrap();
        start.elapsed()
    };
    (0..tries).map(once).min().unwrap()
}

fn check(graph: &dyn Fn(usize) -> Graph) {
    let few = time(graph, STEPS, 3);
    // Others may take the processor for a while.
    let many = (0..3).map(|_| time(graph, TIMES * STEPS, 1)).find(|many| *many < few * MOST);
    assert!(many.is_some(), "{STEPS} steps take {few:?}, {TIMES} times as many more than {MOST} times as long");
}

#[test]
fn deep_graphs() {
    check(&|steps| {
        let mut b = Builder::new();
        let mut x = input(&mut b);
        for _ in 0..steps {
            let sum = b.reduce(x, Combiner::Sum, &[1], true).unwrap();
            let y = b.map(&[x, sum], |a| (&a[0] - &a[1]).tanh()).unwrap();
            x = b.map(&[x, y], |a| &a[0] + &a[1]).unwrap();
        }
        b.finish(&[x])
    });
}

#[test]
fn many_results() {
    check(&|steps| {
        let mut b = Builder::new();
        let mut outputs = vec![input(&mut b)];
        for n in 0..steps {
            outputs.push(b.map(&[outputs[n]], |a| a[0].tanh()).unwrap());
        }
        b.finish(&outputs)
    });
}

#[test]
fn wide_concatenations() {
    check(&|steps| {
        let mut b = Builder::new();
        let x = input(&mut b);
        let sum = b.reduce(x, Combiner::Sum, &[1], true).unwrap();
        let part = |n| b.map(&[x, sum], |a| &a[0] + &(&a[1] * &a[1].lit(n as f64))).unwrap();
        let parts: Vec<ValueId> = (0..steps).map(part).collect();
        let all = b.concat(&parts, 0).unwrap();
        let sum = b.reduce(all, Combiner::Sum, &[0], false).unwrap();
        b.finish(&[sum])
    });
}

#[test]
fn views_of_views() {
    check(&|steps| {
        let mut b = Builder::new();
        let x = input(&mut b);
        let mut v = b.reshape(x, vec![Ix::konst(4), Ix::konst(8)]).unwrap();
        let mut outputs = Vec::new();
        for _ in 0..steps {
            v = b.permute(v, &[1, 0]).unwrap();
            v = b.reshape(v, vec![Ix::konst(4), Ix::konst(8)]).unwrap();
            outputs.push(b.map(&[v], |a| a[0].tanh()).unwrap());
        }
        b.finish(&outputs)
    });
}

#[test]
fn many_sizes_that_the_run_tells() {
    check(&|steps| {
        let mut b = Builder::new();
        let mut x = input(&mut b);
        for n in 0..steps {
            let size = b.reduce(x, Combiner::Max, &[0, 1], true).unwrap();
            let size = b.reshape(size, vec![Ix::konst(1)]).unwrap();
            let size = b.map(&[size], |a| &a[0] + &a[0].lit((n % 5) as f64)).unwrap();
            let size = b.cast(size, DType::I64).unwrap();
            let rows = b.define(size).unwrap();
            let wide = b.broadcast(size, vec![rows[0].clone()]).unwrap();
            let sum = b.reduce(wide, Combiner::Sum, &[0], false).unwrap();
            let sum = b.cast(sum, DType::F32).unwrap();
            x = b.map(&[x, sum], |a| (&a[0] + &a[1]).tanh()).unwrap();
        }
        b.finish(&[x])
    });
}

#[test]
fn columns_side_by_side() {
    check(&|steps| {
        let mut b = Builder::new();
        let x = input(&mut b);
        let all = b.concat(&vec![x; steps], 1).unwrap();
        b.finish(&[all])
    });
}

/// Bodies of concatenations nest: tens of thousands would take the stack.
#[test]
fn fifty_thousand_operands() {
    let mut b = Builder::new();
    let x = input(&mut b);
    let all = b.concat(&vec![x; 50_000], 0).unwrap();
    assert_eq!(b.finish(&[all]).ty(all).as_tensor().unwrap().static_shape(), Some(vec![100_000, 16]));
}
