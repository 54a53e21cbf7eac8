//! Random graphs of views, concatenations, maps, reductions and products: the executor against the interpreter, on
//! several threads and again and again.

mod common;

use common::*;
use tilewright_graph::{Builder, Combiner, Graph, Type, ValueId, interp};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Value};

/// A graph under construction, with values of known shapes.
struct Making {
    random: Random,
    builder: Builder,
    values: Vec<(ValueId, Vec<usize>)>,
}

impl Making {
    fn pick(&mut self) -> (ValueId, Vec<usize>) {
        // Later values are likelier, so that graphs are deep.
        let n = self.values.len();
        let at = n - 1 - self.random.below(n).min(self.random.below(n));
        self.values[at].clone()
    }

    fn step(&mut self) {
        let (x, shape) = self.pick();
        let rank = shape.len();
        let made = match self.random.below(9) {
            0 | 1 => self.map(x, &shape),
            2 => self.permute(x, &shape),
            3 => self.builder.reshape(x, dims(&[shape.iter().product()])).map(|v| (v, vec![shape.iter().product()])),
            4 if rank > 0 => self.slice(x, &shape),
            5 | 6 if rank > 0 => self.concat(x, &shape),
            7 if rank > 1 => self.reduce(x, &shape),
            8 if rank == 2 => self.product(x, &shape),
            _ => self.map(x, &shape),
        };
        let (v, shape) = made.unwrap();
        if shape.iter().product::<usize>() < 4096 {
            self.values.push((v, shape));
        }
    }

    fn map(&mut self, x: ValueId, shape: &[usize]) -> Made {
        let alike: Vec<ValueId> = self.values.iter().filter(|(_, s)| s == shape).map(|(v, _)| *v).collect();
        let y = alike[self.random.below(alike.len())];
        let scale = self.random.below(5) as f64 / 4.0 - 0.5;
        let v = match self.random.below(3) {
            0 => self.builder.map_named("add", &[x, y], |a| &(&a[0] + &a[1]) * &a[0].lit(0.5))?,
            1 => self.builder.map_named("max", &[x, y], |a| a[0].maximum(&(&a[1] * &a[1].lit(scale))))?,
            _ => self.builder.map_named("tanh", &[x], |a| a[0].tanh())?,
        };
        Ok((v, shape.to_vec()))
    }

    fn permute(&mut self, x: ValueId, shape: &[usize]) -> Made {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        (1..shape.len()).for_each(|i| order.swap(i, self.random.below(i + 1)));
        Ok((self.builder.permute(x, &order)?, order.iter().map(|d| shape[*d]).collect()))
    }

    fn slice(&mut self, x: ValueId, shape: &[usize]) -> Made {
        let axis = self.random.below(shape.len());
        let start = self.random.below(shape[axis] + 1);
        let size = self.random.below(shape[axis] - start + 1);
        let v = self.builder.slice(x, axis, Ix::konst(start as i64), Ix::konst(size as i64))?;
        let mut shape = shape.to_vec();
        shape[axis] = size;
        Ok((v, shape))
    }

    fn concat(&mut self, x: ValueId, shape: &[usize]) -> Made {
        let axis = self.random.below(shape.len());
        let fits = |s: &[usize]| s.len() == shape.len() && (0..s.len()).all(|d| d == axis || s[d] == shape[d]);
        let alike: Vec<(ValueId, usize)> =
            self.values.iter().filter(|(_, s)| fits(s)).map(|(v, s)| (*v, s[axis])).collect();
        let mut parts = vec![(x, shape[axis])];
        (0..1 + self.random.below(2)).for_each(|_| parts.push(alike[self.random.below(alike.len())]));
        let ids: Vec<ValueId> = parts.iter().map(|(v, _)| *v).collect();
        let mut shape = shape.to_vec();
        shape[axis] = parts.iter().map(|(_, n)| n).sum();
        Ok((self.builder.concat(&ids, axis)?, shape))
    }

    fn reduce(&mut self, x: ValueId, shape: &[usize]) -> Made {
        let axis = self.random.below(shape.len());
        let combiner = [Combiner::Sum, Combiner::Max][self.random.below(2)];
        if shape[axis] == 0 {
            return self.map(x, shape);
        }
        let v = self.builder.reduce(x, combiner, &[axis], false)?;
        let mut shape = shape.to_vec();
        shape.remove(axis);
        Ok((v, shape))
    }

    fn product(&mut self, x: ValueId, shape: &[usize]) -> Made {
        let fits = |s: &[usize]| s.len() == 2 && s[0] == shape[1];
        let alike: Vec<(ValueId, usize)> =
            self.values.iter().filter(|(_, s)| fits(s)).map(|(v, s)| (*v, s[1])).collect();
        if alike.is_empty() {
            return self.map(x, shape);
        }
        let (y, n) = alike[self.random.below(alike.len())];
        Ok((self.builder.einsum("ij,jk->ik", &[x, y])?, vec![shape[0], n]))
    }
}

type Made = tilewright_support::Result<(ValueId, Vec<usize>)>;

fn dims(shape: &[usize]) -> Vec<Ix> {
    shape.iter().map(|n| Ix::konst(*n as i64)).collect()
}

fn graph(seed: u64) -> (Graph, Vec<Value>) {
    let mut making = Making { random: Random(seed), builder: Builder::new(), values: Vec::new() };
    let mut inputs = Vec::new();
    for n in 0..1 + making.random.below(3) {
        let shape: Vec<usize> = (0..making.random.below(4)).map(|_| 1 + making.random.below(7)).collect();
        let tensor = making.random.tensor(&shape);
        let v = match making.random.below(3) {
            0 => making.builder.constant(tensor),
            _ => {
                inputs.push(Value::Tensor(tensor));
                making.builder.input(&format!("x{n}"), Type::tensor(DType::F32, dims(&shape)))
            }
        };
        making.values.push((v, shape));
    }
    (0..4 + making.random.below(20)).for_each(|_| making.step());
    let outputs: Vec<ValueId> = (0..1 + making.random.below(3)).map(|_| making.pick().0).collect();
    (making.builder.finish(&outputs), inputs)
}

#[test]
fn executor_and_interpreter_agree() {
    for seed in 0..400 {
        let (graph, inputs) = graph(seed);
        let expected = interp::run(&graph, &inputs).unwrap();
        let first = executable(graph.clone(), 1).run(&inputs).unwrap();
        assert_close(&first, &expected, &format!("graph {seed}"));
        for threads in [2, 5] {
            let executable = executable(graph.clone(), threads);
            for _ in 0..3 {
                assert_eq!(executable.run(&inputs).unwrap(), first, "graph {seed} on {threads} threads");
            }
        }
    }
}
