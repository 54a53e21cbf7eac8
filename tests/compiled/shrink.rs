//! A failing graph made small: nodes become inputs, with the values that they have, as long as the rest still fails.

use crate::trial::{Case, Check};
use std::sync::Arc;
use tilewright_graph::{Graph, Op, Type, interp};
use tilewright_passes::{Options, dce, run_passes};
use tilewright_tensor::Value;

/// The check, for which a panic is an error.
pub fn caught(check: Check<'_>, case: &Case) -> Result<bool, String> {
    let run = std::panic::AssertUnwindSafe(|| check(case));
    std::panic::catch_unwind(run).unwrap_or_else(|_| Err("it panics".into()))
}

/// A small case that fails, and how.
pub fn shrunk(mut case: Case, check: Check<'_>) -> (Case, String) {
    let failure = |case: &Case| caught(check, case).err();
    let mut error = failure(&case).unwrap_or_default();
    for _ in 0..4 {
        let before = case.graph.nodes.len() + case.graph.outputs.len();
        for n in (0..case.graph.outputs.len()).rev() {
            let mut graph = (*case.graph).clone();
            graph.outputs.remove(n);
            try_smaller(&mut case, graph, case_inputs, &mut error, &failure);
        }
        let mut n = 0;
        while n < case.graph.nodes.len() {
            let nodes = case.graph.nodes.len();
            if let Some((graph, more)) = cut(&case, n) {
                try_smaller(&mut case, graph, |case| [case_inputs(case), more].concat(), &mut error, &failure);
            }
            n += usize::from(case.graph.nodes.len() == nodes);
        }
        if case.graph.nodes.len() + case.graph.outputs.len() == before {
            break;
        }
    }
    (case, error)
}

fn case_inputs(case: &Case) -> Vec<Value> {
    case.inputs.clone()
}

fn try_smaller(
    case: &mut Case,
    mut graph: Graph,
    inputs: impl FnOnce(&Case) -> Vec<Value>,
    error: &mut String,
    failure: &dyn Fn(&Case) -> Option<String>,
) {
    let mut inputs = inputs(case);
    if graph.outputs.is_empty() || run_passes(&mut graph, &[dce::PASS], &Options::default()).is_err() {
        return;
    }
    let used = |graph: &Graph, n: usize| {
        let v = graph.inputs[n];
        graph.outputs.contains(&v) || graph.nodes.iter().any(|n| n.inputs.contains(&v))
    };
    for n in (0..graph.inputs.len()).rev() {
        if !used(&graph, n) {
            let v = graph.inputs.remove(n);
            let value = inputs.remove(n);
            if graph.verify().is_err() {
                graph.inputs.insert(n, v);
                inputs.insert(n, value);
            }
        }
    }
    if graph.verify().is_err() {
        return;
    }
    let smaller = Case { graph: Arc::new(graph), inputs, seed: case.seed };
    if let Some(e) = failure(&smaller) {
        *error = e;
        *case = smaller;
    }
}

/// The graph whose node `n` is gone, its results being inputs; and their values.
fn cut(case: &Case, n: usize) -> Option<(Graph, Vec<Value>)> {
    let node = &case.graph.nodes[n];
    if matches!(node.op, Op::Define(_) | Op::Constant(_)) {
        return None;
    }
    let mut whole = (*case.graph).clone();
    whole.outputs = node.outputs.clone();
    run_passes(&mut whole, &[dce::PASS], &Options::default()).ok()?;
    let values = interp::run(&whole, &case.inputs).ok()?;
    let mut graph = (*case.graph).clone();
    graph.nodes.remove(n);
    graph.inputs.extend(&node.outputs);
    // Their sizes are fixed, so that nothing has to bind them.
    for (v, value) in node.outputs.iter().zip(&values) {
        if let (Value::Tensor(t), true) = (value, graph.ty(*v).syms().is_empty()) {
            graph.values[v.index()].ty = Type::of(t);
        }
    }
    Some((graph, values))
}
