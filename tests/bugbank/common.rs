//! Models built from messages, and run in every way that there is.
#![allow(dead_code, unused_imports, reason = "they are shared with other tests")]

#[path = "../../crates/onnx/tests/common/case.rs"]
pub mod case;
#[path = "../../crates/onnx-file/tests/common/mod.rs"]
mod messages;

pub use messages::*;

use std::sync::Arc;
use tilewright::kernels::{Level, Machine, Target};
use tilewright::{Result, Tensor, Value};
use tilewright_executor::{Executable, Settings, Trial};
use tilewright_graph::{Graph, interp};

/// What kernels give for a graph, after it was compared with what the interpreter gives: at every level, on 1 and on 3
/// threads.
pub fn ready(graph: &Graph, values: &[Value]) -> Result<Vec<Value>> {
    let expected = interp::run(graph, values);
    let graph = Arc::new(graph.clone());
    let run = |level: Level, threads: usize| {
        let machine = Machine::new(Target::detect().at_most(level));
        Executable::new(
            graph.clone(),
            Settings { machine, threads, arenas: Arc::default(), trial: Trial { poison: true, share: true } },
        )
        .run(values)
    };
    for level in [Level::Portable, Level::Avx2, Level::Avx512] {
        let (one, three) = (run(level, 1), run(level, 3));
        match (&expected, &one, &three) {
            (Ok(expected), Ok(one), Ok(three)) => {
                assert_eq!(one, three, "threads change bits: {}", graph.to_text());
                let same = expected.iter().zip(one).all(|(a, b)| close(a, b));
                assert!(same, "{level:?}: {one:?} instead of {expected:?}: {}", graph.to_text());
            }
            (Err(expected), Err(one), Err(_)) => assert_eq!(expected.code, one.code),
            _ => panic!("{level:?}: {one:?} and {three:?} instead of {expected:?}: {}", graph.to_text()),
        }
    }
    run(Level::Avx512, 2)
}

/// Whether values agree: integers exactly, floats but for a few roundings.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) if a.dtype().is_float() => {
            let (small, large) = if a.dtype().bits() < 32 { (1e-3, 1e-2) } else { (1e-6, 1e-5) };
            let near =
                |(x, y): (f64, f64)| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= small + large * y.abs();
            same_form(a, b) && a.to_vec_f64().into_iter().zip(b.to_vec_f64()).all(near)
        }
        (Value::Sequence(a), Value::Sequence(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b)),
        _ => a == b,
    }
}

fn same_form(a: &Tensor, b: &Tensor) -> bool {
    (a.dtype(), a.shape()) == (b.dtype(), b.shape())
}
