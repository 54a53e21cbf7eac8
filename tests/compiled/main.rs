//! Random graphs through passes and kernels: the same bits whatever the threads, the passes and from run to run, the bits
//! of the loop interpreter, and the numbers of the graph interpreter: exactly, or each value within the bound of its node.
//!
//! `TW_GRAPHS=20000 TW_FIRST=0 cargo test --release --test compiled` tries more of them.

mod bits;
mod bounds;
mod maker;
mod rows;
mod shrink;
mod trial;

use bounds::Tally;
use maker::Style;
use shrink::{caught, shrunk};
use std::cell::Cell;
use tilewright_graph::Graph;
use tilewright_tensor::Value;
use trial::{Case, Check};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn style(seed: u64, exact: bool) -> Style {
    let symbol = [3, 7, 1, 16, 0, 33][seed as usize % 6];
    let dims = match seed % 4 {
        0 => vec![1, 2, 4],
        1 => vec![1, 3, 5, 0, 7],
        2 => vec![8, 16, 17, 33, 2],
        _ => vec![1, 31, 70, 3, 64],
    };
    Style { dims, symbol, largest: 20_000, steps: 24, exact }
}

/// Failures that are shown.
const SHOWN: usize = 4;

/// How a case is made of a graph.
type Made = fn(u64, Graph, Vec<Value>) -> Case;

/// Runs the check on random graphs; of those that fail it shows small ones that fail as well.
fn random_graphs(exact: bool, made: Made, check: Check<'_>) {
    let (first, count) = (number("TW_FIRST", 0), number("TW_GRAPHS", 1000) / 2);
    let (mut ran, mut failures) = (0, Vec::new());
    for seed in first..first + count {
        let (graph, inputs) = maker::random_graph(seed, &style(seed, exact));
        let case = made(seed, graph, inputs);
        match caught(check, &case) {
            Ok(done) => ran += u64::from(done),
            Err(_) => {
                let (case, error) = shrunk(case, check);
                failures.push(format!("seed {seed}: {error}\n{}", case.show()));
            }
        }
        if failures.len() == SHOWN {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(ran > count / 2, "{ran} of {count} graphs ran");
}

#[test]
fn whole_numbers_are_the_graph_interpreters() {
    random_graphs(true, Case::of, &trial::equals_interpreter);
}

#[test]
fn bits_are_the_same_everywhere() {
    random_graphs(false, Case::of, &trial::same_bits);
}

#[test]
fn fusion_changes_no_bit() {
    random_graphs(false, Case::plain, &trial::same_bits_unfused);
}

#[test]
fn values_are_within_their_bounds() {
    let tally = Cell::new(Tally::default());
    let check = |case: &Case| {
        let mut now = tally.get();
        let found = bounds::within_bounds(case, &mut now);
        tally.set(now);
        found
    };
    random_graphs(false, Case::of, &check);
    let Tally { all, unbounded } = tally.get();
    println!("{unbounded} of {all} elements may be anything");
    assert!(unbounded * 100 < all, "{unbounded} of {all} elements may be anything");
}
