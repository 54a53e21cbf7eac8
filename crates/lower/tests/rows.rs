//! Groups of comprehensions over the same rows: one kernel, whose values are those of the graph.

use tilewright_graph::interp::Bindings;
use tilewright_graph::{Graph, interp};
use tilewright_lower::{Module, Source, Work, lower};
use tilewright_nests::{Role, interpret};
use tilewright_support::target::Level;
use tilewright_tensor::{Tensor, Value};

fn module(graph: &Graph) -> Module {
    lower(graph, 0..graph.nodes.len(), &Bindings::new(), &|v| graph.outputs.contains(&v)).unwrap()
}

/// Runs a module of kernels alone, as they are interpreted.
fn run(graph: &Graph, module: &Module, inputs: &[Tensor]) -> Vec<Tensor> {
    let mut memory: Vec<Vec<u8>> = Vec::new();
    for slot in &module.slots {
        memory.push(match &slot.source {
            Source::Given(v) => inputs[graph.inputs.iter().position(|i| i == v).unwrap()].bytes().to_vec(),
            Source::Constant(t) => t.bytes().to_vec(),
            Source::Memory => vec![0xff; slot.layout.as_ref().unwrap().bytes()],
            other => panic!("{other:?}"),
        });
    }
    for step in &module.steps {
        let Work::Kernel(kernel) = &step.work else { panic!("a call of the host") };
        let slots: Vec<usize> = step.reads.iter().chain(&step.writes).map(|s| s.0).collect();
        let mut arguments: Vec<Vec<u8>> = slots.iter().map(|s| memory[*s].clone()).collect();
        interpret(kernel, Level::Portable, &mut arguments).unwrap();
        let roles = kernel.buffers.iter().filter(|b| b.role != Role::Scratch).map(|b| b.role);
        for ((slot, bytes), role) in slots.iter().zip(arguments).zip(roles) {
            if role != Role::Read {
                memory[*slot] = bytes;
            }
        }
    }
    let result = |v| module.results.iter().find(|(r, _)| r == v).map(|(_, s)| s.0).unwrap();
    let tensor = |s: usize| {
        let layout = module.slots[s].layout.as_ref().unwrap();
        Tensor::from_bytes(layout.dtype, &layout.shape, &memory[s]).unwrap()
    };
    graph.outputs.iter().map(|v| tensor(result(v))).collect()
}

fn input(graph: &Graph, n: usize, seed: u64) -> Tensor {
    let ty = graph.tensor(graph.inputs[n]).unwrap();
    let shape: Vec<usize> = ty.shape.iter().map(|d| d.as_const().unwrap() as usize).collect();
    let mut state = seed + n as u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 23) as f64 * 4.0 - 4.0
    };
    let values: Vec<f64> = (0..shape.iter().product()).map(|_| next()).collect();
    Tensor::from_f64(ty.dtype, &shape, &values).unwrap()
}

/// Asserts that a graph becomes so many kernels, and that these compute it.
fn check(text: &str, kernels: usize) -> Module {
    let graph = Graph::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    graph.verify().unwrap();
    let module = module(&graph);
    let shown: Vec<String> = module.steps.iter().map(|s| format!("{:?}", s.work)).collect();
    assert_eq!(module.steps.len(), kernels, "{text}\n{}", shown.join("\n"));
    let inputs: Vec<Tensor> = (0..graph.inputs.len()).map(|n| input(&graph, n, 7)).collect();
    let values: Vec<Value> = inputs.iter().cloned().map(Value::Tensor).collect();
    let expected = interp::run(&graph, &values).unwrap();
    for (found, expected) in run(&graph, &module, &inputs).iter().zip(expected) {
        let Value::Tensor(expected) = expected else { panic!() };
        assert_eq!((found.dtype(), found.shape()), (expected.dtype(), expected.shape()));
        for (a, b) in found.to_vec_f64().iter().zip(expected.to_vec_f64()) {
            assert!((a - b).abs() <= 1e-5 * (1.0 + b.abs()), "{a} {b}\n{text}");
        }
    }
    module
}

fn softmax(m: usize, n: usize) -> String {
    format!(
        "graph (%0: f32[{m}, {n}]) {{
        %1: f32[{m}] = reduce (%0) {{ i:{m} | max k:{n} : $0[i, k] }}
        %2: f32[{m}, {n}] = map (%0, %1) {{ i:{m}, j:{n} : exp($0[i, j] - $1[i]) }}
        %3: f32[{m}] = reduce (%2) {{ i:{m} | sum k:{n} : $0[i, k] }}
        %4: f32[{m}, {n}] = map (%2, %3) {{ i:{m}, j:{n} : $0[i, j] / $1[i] }}
        return (%4) }}"
    )
}

#[test]
fn softmax_is_one_kernel_without_scratch() {
    for (m, n) in [(2, 9), (128, 768), (3, 17), (33, 100)] {
        let module = check(&softmax(m, n), 1);
        let Work::Kernel(kernel) = &module.steps[0].work else { panic!() };
        assert_eq!(kernel.scratch(), 0, "{kernel}");
    }
}

#[test]
fn layer_norm_is_one_kernel() {
    let text = "graph (%0: f32[2, 3, 64], %1: f32[64], %2: f32[64]) {
        %3: f32[2, 3, 1] = reduce (%0) { a:2, i:3, u:1 | sum k:64 : $0[a, i, k] }
        %4: f32[2, 3, 1] = map (%3) { a:2, i:3, u:1 : $0[a, i, 0] / 64.0:f32 }
        %5: f32[2, 3, 64] = map (%0, %4) { a:2, i:3, j:64 : $0[a, i, j] - $1[a, i, 0] }
        %6: f32[2, 3, 1] = reduce (%5) { a:2, i:3, u:1 | sum k:64 : $0[a, i, k] * $0[a, i, k] }
        %7: f32[2, 3, 1] = map (%6) { a:2, i:3, u:1 : 1.0:f32 / sqrt($0[a, i, 0] / 64.0:f32 + 0.00001:f32) }
        %8: f32[2, 3, 64] = map (%5, %7, %1, %2) { a:2, i:3, j:64 : $0[a, i, j] * $1[a, i, 0] * $2[j] + $3[j] }
        return (%8, %4) }";
    check(text, 1);
}

#[test]
fn rows_with_a_broadcast_mask_and_results_in_between() {
    let text = "graph (%0: f32[2, 3, 4, 18], %1: f32[2, 18]) {
        %2: f32[2, 3, 4] = reduce (%0, %1) { a:2, h:3, i:4 | max k:18 : $0[a, h, i, k] + $1[a, k] }
        %3: f32[2, 3, 4, 18] = map (%0, %1, %2) { a:2, h:3, i:4, j:18 : exp($0[a, h, i, j] + $1[a, j] - $2[a, h, i]) }
        %4: f32[2, 3, 4] = reduce (%3) { a:2, h:3, i:4 | sum k:18 : $0[a, h, i, k] }
        %5: f32[2, 3, 4, 18] = map (%3, %4) { a:2, h:3, i:4, j:18 : $0[a, h, i, j] / $1[a, h, i] }
        return (%5, %3, %4) }";
    check(text, 1);
}

#[test]
fn what_a_stage_leaves_for_later_ones_may_need_scratch() {
    let text = "graph (%0: f32[5, 40]) {
        %1: f32[5] = reduce (%0) { i:5 | max k:40 : $0[i, k] }
        %2: f32[5, 40] = map (%0, %1) { i:5, j:40 : exp($0[i, j] - $1[i]) }
        %3: f32[5] = reduce (%2) { i:5 | sum k:40 : $0[i, k] }
        %4: i64[5] = reduce (%2, %3) { i:5 | argmax k:40 : $0[i, k] / $1[i] }
        return (%4) }";
    let module = check(text, 1);
    let Work::Kernel(kernel) = &module.steps[0].work else { panic!() };
    assert!(kernel.scratch() > 0, "{kernel}");
}

#[test]
fn a_reader_of_other_rows_stays_outside() {
    let text = "graph (%0: f32[4, 4]) {
        %1: f32[4] = reduce (%0) { i:4 | max k:4 : $0[i, k] }
        %2: f32[4, 4] = map (%0, %1) { i:4, j:4 : $0[i, j] - $1[j] }
        return (%2) }";
    let graph = Graph::parse(text).unwrap();
    assert!(module(&graph).steps.len() > 1);
}

#[test]
fn short_rows_and_reductions_along_columns_start_no_group() {
    let graph = Graph::parse(&softmax(4, 8)).unwrap();
    assert_eq!(module(&graph).steps.len(), 4);
    let text = "graph (%0: f32[40, 50]) {
        %1: f32[50] = reduce (%0) { j:50 | max k:40 : $0[k, j] }
        %2: f32[50, 40] = map (%0, %1) { j:50, k:40 : $0[k, j] - $1[j] }
        return (%2) }";
    let graph = Graph::parse(text).unwrap();
    assert!(module(&graph).steps.len() > 1);
}

#[test]
fn a_product_starts_no_group() {
    let text = "graph (%0: f32[4, 8], %1: f32[8, 6]) {
        %2: f32[4, 6] = contract (%0, %1) { i:4, j:6 | sum k:8 : $0[i, k] * $1[k, j] }
        %3: f32[4, 6] = map (%2) { i:4, j:6 : exp($0[i, j]) }
        return (%3) }";
    let graph = Graph::parse(text).unwrap();
    assert!(module(&graph).steps.len() > 1);
}
