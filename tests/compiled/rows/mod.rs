//! Random graphs that keep the rows of a batch apart: a row of eight has the bits that it has alone, and among three.
//!
//! `TW_ROWS=20000 TW_FIRST=0 cargo test --release --test compiled rows` tries more of them.

mod assembly;
mod maker;
mod products;
mod slice;

use crate::bits::{levels, same};
use crate::maker::Random;
use crate::trial::{same_numbers, settings};
use maker::{Batch, Given, Made};
use slice::slice;
use std::ops::Range;
use std::sync::Arc;
use tilewright::kernels::Level;
use tilewright_executor::Executable;
use tilewright_graph::{Graph, interp};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{Tensor, Value};

/// Rows of a batch.
const ROWS: usize = 8;

/// What runs beside the batch.
const ALONE: [Range<usize>; 4] = [0..1, 2..5, 4..5, 7..8];

/// The positions of some rows along the dim of their batch.
fn rows(x: &Tensor, batch: Batch, rows: Range<usize>) -> Tensor {
    match batch {
        Batch::At { dim, times } => slice(x, dim, rows.start * times..rows.end * times),
        Batch::Shared => x.clone(),
    }
}

/// Eight rows for an input.
fn filled(given: &Given, random: &mut Random) -> Tensor {
    let mut shape = given.dims.clone();
    if let Batch::At { dim, .. } = given.batch {
        shape[dim] *= ROWS;
    }
    if given.dtype.is_float() {
        return random.tensor(given.dtype, &shape, false);
    }
    let values: Vec<i64> = (0..shape.iter().product()).map(|_| random.below(given.below) as i64).collect();
    Tensor::from_i64(given.dtype, &shape, &values).unwrap()
}

/// Graphs for any number of rows.
struct Case {
    seed: u64,
    steps: usize,
    /// The one value that is the output, counted from the first.
    only: Option<usize>,
}

impl Case {
    /// The graph for so many rows: of a size that it names, or a number in it.
    fn made(&self, rows: usize) -> Made {
        let batch = if self.seed.is_multiple_of(3) { Ix::from(rows) } else { Ix::sym("B") };
        let mut made = maker::made(self.seed, self.steps, self.only, batch);
        crate::trial::pass(self.seed, &mut made.graph);
        made
    }

    fn executable(graph: Graph, level: Level, threads: usize) -> Executable {
        Executable::new(Arc::new(graph), settings(level, threads))
    }

    /// What differs, if something does.
    fn check(&self) -> Result<bool, String> {
        let whole = self.made(ROWS);
        let mut random = Random(self.seed ^ 0xda7a);
        let inputs: Vec<Tensor> = whole.inputs.iter().map(|g| filled(g, &mut random)).collect();
        let given = |part: Range<usize>| -> Vec<Value> {
            let own = |(x, g): (&Tensor, &Given)| Value::Tensor(rows(x, g.batch, part.clone()));
            inputs.iter().zip(&whole.inputs).map(own).collect()
        };
        for level in levels() {
            let run = |n: usize, threads, part: Range<usize>| {
                Self::executable(self.made(n).graph, level, threads).run(&given(part))
            };
            let all = match run(ROWS, 3, 0..ROWS) {
                Err(e) if interp::run(&whole.graph, &given(0..ROWS)).is_ok() => return Err(format!("{level:?}: {e}")),
                Err(_) => return Ok(false),
                Ok(all) => all,
            };
            let again = run(ROWS, 1, 0..ROWS).map_err(|e| format!("{level:?}: {e}"))?;
            if !all.iter().zip(&again).all(|(a, b)| same(a, b)) {
                return Err(format!("{level:?}: threads change bits\n{}", whole.graph.to_text()));
            }
            for (n, part) in ALONE.into_iter().enumerate() {
                let about = format!("{level:?}, rows {part:?}");
                let found = run(part.len(), 1 + n % 2 * 2, part.clone()).map_err(|e| format!("{about}: {e}"))?;
                for (at, (all, found)) in all.iter().zip(&found).enumerate() {
                    let (Value::Tensor(all), Value::Tensor(found)) = (all, found) else { continue };
                    let own = rows(all, whole.outputs[at], part.clone());
                    if !same_numbers(&Value::Tensor(own.clone()), &Value::Tensor(found.clone())) {
                        let alone = self.made(part.len()).graph.to_text();
                        let texts = format!("{}\nalone\n{alone}", whole.graph.to_text());
                        return Err(format!("{about}: output {at} is\n{own:?}\nalone\n{found:?}\n{texts}"));
                    }
                }
            }
        }
        Ok(true)
    }
}

/// The same case, or one of its beginnings that fails with one output.
fn shortest(seed: u64, steps: usize) -> String {
    for steps in 1..=steps {
        for only in 0..steps + 8 {
            if let Err(e) = (Case { seed, steps, only: Some(only) }).check() {
                return format!("seed {seed}, {steps} steps, value {only}: {e}");
            }
        }
    }
    format!("seed {seed}: only the whole graph fails")
}

#[test]
fn rows_are_the_same_in_a_batch_and_alone() {
    let (first, count) = (crate::number("TW_FIRST", 0), crate::number("TW_ROWS", 400));
    let (mut ran, mut failures) = (0, Vec::new());
    for seed in first..first + count {
        let steps = 1 + seed as usize % 7;
        match (Case { seed, steps, only: None }).check() {
            Ok(done) => ran += u64::from(done),
            Err(error) => failures.push(format!("{}\n{error}", shortest(seed, steps))),
        }
        if failures.len() == 3 {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(ran > count * 3 / 4, "{ran} of {count} graphs ran");
}
