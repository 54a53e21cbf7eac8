//! Runs: bodies of loops and branches, many at once, bounded memory, and after a fork.

mod common;

use common::*;
use std::sync::Arc;
use tilewright_executor::{Arenas, Executable, Settings};
use tilewright_graph::{Axis, Builder, Combiner, Comp, Graph, Loop, Op, Role, Scalar, Type, interp};
use tilewright_lower::Layout;
use tilewright_lower::contract::{Operand, kernels};
use tilewright_support::Code;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, Value};

fn f32s(dims: &[&str]) -> Type {
    let dim = |d: &&str| d.parse().map_or_else(|_| Ix::sym(*d), Ix::konst);
    Type::tensor(DType::F32, dims.iter().map(dim).collect::<Vec<_>>())
}

fn scalar(dtype: DType) -> Type {
    Type::tensor(dtype, Vec::<Ix>::new())
}

/// A recurrence: `h' = tanh(h * 0.5 + x[t])`, all `h` stacked, and a branch on the sign of what comes out.
fn recurrence() -> Graph {
    let mut b = Builder::new();
    let (h, x) = (b.input("h", f32s(&["n", "4"])), b.input("x", f32s(&["t", "n", "4"])));
    let mut body = b.body();
    let _ = body.input("i", scalar(DType::I64));
    let (hb, xb) = (body.input("h", f32s(&["n", "4"])), body.input("x", f32s(&["n", "4"])));
    let next = body.map(&[hb, xb], |a| (&(&a[0] * &a[0].lit(0.5)) + &a[1]).tanh()).unwrap();
    let twice = body.map(&[next], |a| &a[0] + &a[0]).unwrap();
    let body = Arc::new(body.finish(&[next, twice]));
    let op = Loop { body, carried: 1, scanned: 1, stacked: 1, counted: false, conditional: false };
    let out = b.node(Op::Loop(op), &[h, x], vec![f32s(&["n", "4"]), f32s(&["t", "n", "4"])]);
    b.finish(&out)
}

fn inputs(random: &mut Random, n: usize, t: usize) -> Vec<Value> {
    vec![Value::Tensor(random.tensor(&[n, 4])), Value::Tensor(random.tensor(&[t, n, 4]))]
}

#[test]
fn loops_run_their_bodies_by_plans() {
    let graph = recurrence();
    let executable = executable(graph.clone(), 2);
    let mut random = Random(3);
    for (n, t) in [(1, 1), (3, 5), (2, 0), (3, 50), (1, 1)] {
        let inputs = inputs(&mut random, n, t);
        let expected = interp::run(&graph, &inputs).unwrap();
        assert_close(&executable.run(&inputs).unwrap(), &expected, &format!("{n} of {t}"));
    }
}

#[test]
fn branches_run_the_arm_that_is_chosen() {
    let mut b = Builder::new();
    let (c, x) = (b.input("c", scalar(DType::Bool)), b.input("x", f32s(&["n"])));
    let arm = |b: &Builder, factor: f64| {
        let mut body = b.body();
        let x = body.input("x", f32s(&["n"]));
        let y = body.map(&[x], |a| &a[0] * &a[0].lit(factor)).unwrap();
        Arc::new(body.finish(&[y]))
    };
    let (then, otherwise) = (arm(&b, 2.0), arm(&b, -1.0));
    let y = b.node1(Op::If { then, otherwise }, &[c, x], f32s(&["n"]));
    let executable = executable(b.finish(&[y]), 1);
    for (condition, expected) in [(true, [2f32, 4.0, 6.0]), (false, [-1.0, -2.0, -3.0])] {
        let x = Tensor::from_slice(&[3], &[1f32, 2.0, 3.0]).unwrap();
        let c = Tensor::from_i64(DType::Bool, &[], &[i64::from(condition)]).unwrap();
        let out = executable.run(&[Value::Tensor(c), Value::Tensor(x)]).unwrap();
        assert_eq!(out, [Value::Tensor(Tensor::from_slice(&[3], &expected).unwrap())]);
    }
}

/// A chain of maps, large enough that threads share it.
fn chain(rows: &str) -> Graph {
    let mut b = Builder::new();
    let mut v = b.input("x", f32s(&[rows, "64", "512"]));
    for _ in 0..4 {
        let turned = b.permute(v, &[1, 0, 2]).unwrap();
        let sum = b.map(&[turned], |a| (&a[0] * &a[0].lit(0.75)).tanh()).unwrap();
        v = b.permute(sum, &[1, 0, 2]).unwrap();
    }
    let y = b.map(&[v], |a| &a[0] + &a[0]).unwrap();
    b.finish(&[y])
}

#[test]
fn many_threads_run_one_executable() {
    let executable = executable(chain("n"), 2);
    let mut random = Random(5);
    let given: Vec<Vec<Value>> = [1, 7, 16].map(|n| vec![Value::Tensor(random.tensor(&[n, 64, 512]))]).into();
    let expected: Vec<_> = given.iter().map(|i| executable.run(i).unwrap()).collect();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (executable, given, expected) = (&executable, &given, &expected);
            scope.spawn(move || {
                for turn in 0..10 {
                    let at = (thread + turn) % given.len();
                    assert_eq!(executable.run(&given[at]).unwrap(), expected[at]);
                }
            });
        }
    });
}

#[test]
fn a_row_of_a_batch_is_the_row_alone() {
    let executable = executable(chain("n"), 2);
    let batch = Random(6).tensor(&[8, 64, 512]);
    let Value::Tensor(all) = &executable.run(&[Value::Tensor(batch.clone())]).unwrap()[0] else { panic!("a tensor") };
    let row = batch.bytes().len() / 8;
    for i in 0..8 {
        let bytes = &batch.bytes()[i * row..(i + 1) * row];
        let one = Tensor::from_bytes(DType::F32, &[1, 64, 512], bytes).unwrap();
        let Value::Tensor(alone) = &executable.run(&[Value::Tensor(one)]).unwrap()[0] else { panic!("a tensor") };
        assert_eq!(alone.bytes(), &all.bytes()[i * row..(i + 1) * row], "row {i}");
    }
}

#[test]
fn memory_is_bounded_over_all_runs() {
    let bounded = |limit| {
        let arenas = Arc::new(Arenas::within(limit));
        Executable::new(Arc::new(chain("n")), Settings { arenas, ..settings(1) })
    };
    let x = [Value::Tensor(Random(7).tensor(&[2, 64, 512]))];
    let error = bounded(100_000).run(&x).unwrap_err();
    assert_eq!(error.code, Code::Limit);
    assert!(error.message.contains("100000"), "{error}");
    assert!(bounded(2_000_000).run(&x).is_ok());
}

#[test]
fn the_arena_is_about_what_is_live() {
    let executable = executable(chain("n"), 1);
    executable.run(&[Value::Tensor(Random(8).tensor(&[2, 64, 512]))]).unwrap();
    let (arena, live) = executable.memory();
    assert!(live > 0 && arena <= live * 115 / 100, "{arena} bytes for {live}");
}

#[cfg(target_os = "linux")]
#[test]
fn children_of_forks_run() {
    let executable = Arc::new(executable(chain("n"), 2));
    let x = [Value::Tensor(Random(9).tensor(&[4, 64, 512]))];
    let expected = executable.run(&x).unwrap();
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let others: Vec<_> = (0..2)
        .map(|_| {
            let (executable, over, x) = (executable.clone(), over.clone(), x.clone());
            std::thread::spawn(move || {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    executable.run(&x).unwrap();
                }
            })
        })
        .collect();
    for _ in 0..10 {
        // SAFETY: the child only runs the executable and ends at once.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let fine = executable.run(&x).is_ok_and(|found| found == expected);
            // SAFETY: ends the child without unwinding into the test.
            unsafe { libc::_exit(i32::from(!fine)) };
        }
        let mut status = 0;
        // SAFETY: the status is ours to write.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "a child ended with {status}");
    }
    over.store(true, std::sync::atomic::Ordering::Relaxed);
    others.into_iter().for_each(|t| t.join().unwrap());
}

/// Overlapping windows are a view, and a walk against their direction stays at one element of it.
#[test]
fn a_factor_may_stay_in_place_along_a_summed_axis() {
    let mut b = Builder::new();
    let input = |b: &mut Builder, name, dims: &[i64]| {
        b.input(name, Type::tensor(DType::F32, dims.iter().map(|n| Ix::konst(*n)).collect::<Vec<_>>()))
    };
    let (x, w) = (input(&mut b, "x", &[23]), input(&mut b, "w", &[10, 6]));
    let axis = |name: &str, n, role| Axis { name: name.into(), extent: Ix::konst(n), role };
    let at = |a| Ix::axis(a);
    let windows = Scalar::read(0, DType::F32, vec![at(0) + at(1)]);
    let axes = vec![axis("i", 10, Role::Parallel), axis("j", 14, Role::Parallel)];
    let windows = b.comp(Comp::new("windows", axes, Combiner::Map, windows), &[x]);
    let back = vec![at(2), &(at(0) + 9) - &at(2)];
    let product = Scalar::read(0, DType::F32, back) * Scalar::read(1, DType::F32, vec![at(2), at(1)]);
    let axes = vec![axis("r", 5, Role::Parallel), axis("c", 6, Role::Parallel), axis("k", 10, Role::Reduce)];
    let back = Comp::new("back", axes, Combiner::Sum, product);
    let view = Layout { shape: vec![10, 14], strides: vec![1, 1], ..Layout::row_major(DType::F32, &[23]) };
    let layouts = [view, Layout::row_major(DType::F32, &[10, 6])];
    let operands = layouts.each_ref().map(|layout| Operand { layout, constant: None });
    let refused = kernels(&back, &operands, &Layout::row_major(DType::F32, &[5, 6])).unwrap_err();
    assert_eq!(refused.code, Code::Unsupported, "{refused}");
    let sum = b.comp(back, &[windows, w]);
    let graph = b.finish(&[sum]);
    let mut random = Random(3);
    let inputs = [Value::Tensor(random.tensor(&[23])), Value::Tensor(random.tensor(&[10, 6]))];
    let expected = interp::run(&graph, &inputs).unwrap();
    assert_close(&executable(graph, 2).run(&inputs).unwrap(), &expected, "back");
}
