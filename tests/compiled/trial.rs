//! One graph, run in many ways.

use crate::bits::{levels, same};
use crate::maker::Random;
use std::collections::HashMap;
use std::sync::Arc;
use tilewright::kernels::{Level, Machine, Target};
use tilewright_executor::{Arenas, Executable, Settings, Trial, Watch};
use tilewright_graph::{Graph, ValueId, interp};
use tilewright_passes::{Options, Pass, compose, cse, dce, fold, fuse, identity, inline, run_passes};
use tilewright_tensor::{Tensor, Value};

const PASSES: [Pass; 7] = [inline::PASS, fold::PASS, identity::PASS, compose::PASS, cse::PASS, fuse::PASS, dce::PASS];

/// A graph after some passes.
pub struct Case {
    pub graph: Arc<Graph>,
    pub inputs: Vec<Value>,
    pub seed: u64,
}

/// A check of a case: whether it ran, or what is wrong.
pub type Check<'a> = &'a dyn Fn(&Case) -> Result<bool, String>;

impl Case {
    /// The graph after the passes that the seed names.
    pub fn of(seed: u64, mut graph: Graph, inputs: Vec<Value>) -> Self {
        pass(seed, &mut graph);
        Self { graph: Arc::new(graph), inputs, seed }
    }

    /// The graph with every value as an output.
    pub fn every_value(&self) -> Arc<Graph> {
        let mut graph = (*self.graph).clone();
        graph.outputs = graph.nodes.iter().flat_map(|n| n.outputs.iter().copied()).collect();
        Arc::new(graph)
    }

    /// What machine code of a level gives.
    ///
    /// # Errors
    /// What the run refuses.
    pub fn run(&self, graph: &Arc<Graph>, level: Level) -> tilewright::Result<Vec<Value>> {
        self.executable(graph, level, 2, false).run(&self.inputs)
    }

    /// The graph as it was made, without what nobody uses.
    pub fn plain(seed: u64, mut graph: Graph, inputs: Vec<Value>) -> Self {
        run_passes(&mut graph, &[dce::PASS], &Options::default()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        Self { graph: Arc::new(graph), inputs, seed }
    }

    fn input(&self, v: ValueId) -> Option<Value> {
        self.graph.inputs.iter().position(|i| *i == v).map(|at| self.inputs[at].clone())
    }

    /// The graph and its inputs as text.
    pub fn show(&self) -> String {
        let inputs: Vec<String> = self.inputs.iter().map(|v| format!("{v:?}")).collect();
        format!("{}\n{}", self.graph.to_text(), inputs.join("\n"))
    }

    /// What the graph interpreter gives.
    pub fn expected(&self) -> tilewright::Result<Vec<Value>> {
        interp::run(&self.graph, &self.inputs)
    }

    fn executable(&self, graph: &Arc<Graph>, level: Level, threads: usize, interpret: bool) -> Executable {
        let fuel = interpret.then(Arc::default);
        Executable::watched(graph.clone(), settings(level, threads), Some(Arc::new(Watch { fuel, ..Watch::default() })))
    }
}

/// Runs the passes that a seed names.
pub fn pass(seed: u64, graph: &mut Graph) {
    let mut random = Random(seed ^ 0x5eed);
    let every = random.chance(60);
    // Without what nobody uses: kernels may leave it out, with its errors.
    let chosen = PASSES.iter().filter(|_| every || random.chance(50)).chain(&[dce::PASS]);
    let passes: Vec<Pass> = chosen.copied().collect();
    run_passes(graph, &passes, &Options::default()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
}

/// Memory that is never clean, and threads that share everything.
pub fn settings(level: Level, threads: usize) -> Settings {
    let machine = Machine::new(Target::detect().at_most(level));
    let trial = Trial { poison: true, share: true };
    Settings { machine, threads, arenas: Arc::new(Arenas::default()), trial }
}

fn describe(values: &[Value], others: &[Value], what: &str) -> String {
    let at = values.iter().zip(others).position(|(a, b)| !same(a, b)).unwrap_or(0);
    format!("{what}: output {at} is\n{:?}\ninstead of\n{:?}", values[at], others[at])
}

/// Bit for bit, but that there is one NaN.
pub fn same_numbers(a: &Value, b: &Value) -> bool {
    let bits = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) if a.dtype().is_float() && a.shape() == b.shape() => {
            a.dtype() == b.dtype() && a.to_vec_f64().iter().zip(&b.to_vec_f64()).all(bits)
        }
        _ => same(a, b),
    }
}

/// Equal numbers; NaN is NaN and -0 is 0.
fn equal(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    let close = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
    a.bit_eq(b) || a.dtype().is_float() && a.to_vec_f64().iter().zip(&b.to_vec_f64()).all(close)
}

/// Every level gives the numbers of the graph interpreter.
pub fn equals_interpreter(case: &Case) -> Result<bool, String> {
    let expected = case.expected();
    for level in levels() {
        let found = case.executable(&case.graph, level, 2, false).run(&case.inputs);
        let (expected, found) = match (&expected, found) {
            (Ok(expected), Ok(found)) => (expected, found),
            (Err(e), Err(f)) if e.code == f.code => continue,
            (Err(e), found) => return Err(format!("{level:?}: {found:?} instead of {e}")),
            (Ok(_), Err(e)) => return Err(format!("{level:?}: {e}")),
        };
        let fits = |(a, b): (&Value, &Value)| match (a, b) {
            (Value::Tensor(a), Value::Tensor(b)) => equal(a, b),
            _ => a == b,
        };
        if !found.iter().zip(expected).all(fits) {
            return Err(describe(&found, expected, &format!("{level:?}")));
        }
    }
    Ok(expected.is_ok())
}

/// Each level gives the same bits on 1, 2 and 5 threads, again and again, and interpreted.
pub fn same_bits(case: &Case) -> Result<bool, String> {
    if case.expected().is_err() {
        return Ok(false);
    }
    for level in levels() {
        let run = |e: &Executable, what: &str| e.run(&case.inputs).map_err(|e| format!("{level:?}, {what}: {e}"));
        let interpreted = run(&case.executable(&case.graph, level, 1, true), "interpreted")?;
        let mut first: Option<Vec<Value>> = None;
        for threads in [1, 2, 5] {
            let executable = case.executable(&case.graph, level, threads, false);
            for turn in 0..2 {
                let what = format!("{level:?}, {threads} threads, turn {turn}");
                let found = run(&executable, &what)?;
                if !found.iter().zip(&interpreted).all(|(a, b)| same_numbers(a, b)) {
                    return Err(describe(&found, &interpreted, &format!("{what}, against interpreted kernels")));
                }
                let first = first.get_or_insert_with(|| found.clone());
                if !found.iter().zip(&*first).all(|(a, b)| same(a, b)) {
                    return Err(describe(&found, first, &format!("{what}, against the first run")));
                }
            }
        }
    }
    Ok(true)
}

/// Without passes and with every value stored the bits are those of the graph after passes. Constants that are folded are
/// the interpreter's, so that pass is left out.
pub fn same_bits_unfused(case: &Case) -> Result<bool, String> {
    if case.expected().is_err() {
        return Ok(false);
    }
    let mut random = Random(case.seed ^ 0xf05e);
    let chosen = [inline::PASS, identity::PASS, compose::PASS, cse::PASS, fuse::PASS];
    let mut passes: Vec<Pass> = chosen.into_iter().filter(|p| p.name == "fuse" || random.chance(70)).collect();
    passes.push(dce::PASS);
    let mut fused = (*case.graph).clone();
    run_passes(&mut fused, &passes, &Options::default()).map_err(|e| e.to_string())?;
    let fused = Arc::new(fused);
    for level in levels() {
        let every = case.every_value();
        let run = |graph: &Arc<Graph>| case.run(graph, level).map_err(|e| format!("{level:?}: {e}"));
        let stored: HashMap<ValueId, Value> = every.outputs.iter().copied().zip(run(&every)?).collect();
        let of = |v: &ValueId| stored.get(v).cloned().or_else(|| case.input(*v)).unwrap();
        let expected: Vec<Value> = case.graph.outputs.iter().map(of).collect();
        let found = run(&fused)?;
        if !found.iter().zip(&expected).all(|(a, b)| same_numbers(a, b)) {
            return Err(describe(&found, &expected, &format!("{level:?}, fused\n{}", fused.to_text())));
        }
    }
    Ok(true)
}
