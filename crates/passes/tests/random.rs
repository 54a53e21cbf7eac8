//! Random graphs: every subset of passes in any order keeps every bit of every output, and the text
//! form reads back.

#[path = "../../../tests/compiled/maker/mod.rs"]
mod maker;

use maker::{Random, Style, random_graph};
use std::sync::Arc;
use tilewright_graph::{Graph, interp};
use tilewright_passes::{Options, Pass, compose, cse, dce, fold, fuse, identity, inline, run_passes};

const PASSES: [Pass; 7] = [inline::PASS, identity::PASS, compose::PASS, fold::PASS, cse::PASS, fuse::PASS, dce::PASS];

/// Few elements, any values.
fn style() -> Style {
    Style { dims: vec![1, 2, 4], symbol: 3, largest: 300, steps: 20, exact: false }
}

fn output_names(graph: &Graph) -> Vec<Option<Arc<str>>> {
    graph.outputs.iter().map(|v| graph.values[v.index()].name.clone()).collect()
}

#[test]
fn passes_in_any_order_keep_every_bit() {
    let mut order = Random(11);
    let (mut ran, mut changes) = (0, 0);
    for seed in 0..200 {
        let (graph, inputs) = random_graph(seed, &style());
        let text = graph.to_text();
        graph.verify().unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(Graph::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}")), graph);
        let Ok(expected) = interp::run(&graph, &inputs) else { continue };
        ran += 1;
        for subset in 0..1 << PASSES.len() {
            let all = order.permutation(PASSES.len());
            let passes: Vec<Pass> = all.iter().filter(|p| subset >> **p & 1 == 1).map(|p| PASSES[*p]).collect();
            let mut new = graph.clone();
            let report = run_passes(&mut new, &passes, &Options { verify: true, ..Options::default() });
            let names: Vec<&str> = passes.iter().map(|p| p.name).collect();
            let shown = || format!("seed {seed}, passes {names:?}\n{text}\n{}", new.to_text());
            changes += report.unwrap_or_else(|e| panic!("{e}\n{}", shown())).changes();
            let found = interp::run(&new, &inputs).unwrap_or_else(|e| panic!("{e}\n{}", shown()));
            assert!(found == expected, "{}", shown());
            assert_eq!(output_names(&new), output_names(&graph), "{}", shown());
            assert_eq!(Graph::parse(&new.to_text()).unwrap_or_else(|e| panic!("{e}\n{}", shown())), new);
        }
    }
    assert!(ran > 120 && changes > 5_000, "{ran} graphs ran, {changes} changes");
}

#[test]
fn passes_reach_an_end() {
    for seed in 0..60 {
        let (mut graph, _) = random_graph(seed, &style());
        for round in 0.. {
            let report = run_passes(&mut graph, &PASSES, &Options::default()).unwrap();
            if report.changes() == 0 {
                break;
            }
            assert!(round < 20, "seed {seed} does not settle\n{}", graph.to_text());
        }
    }
}
