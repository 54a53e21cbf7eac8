//! Decodes and validates model files: `cargo run --example check -- FILE..`; one line a file, and its problems.
use std::process::ExitCode;
use std::time::Instant;
use tilewright_onnx_file::{Limits, Model};

fn main() -> ExitCode {
    let mut refused = 0;
    for path in std::env::args().skip(1) {
        let begin = Instant::now();
        match Model::open(&path, &Limits::default()) {
            Ok(model) => println!("ok {path}: {} nodes, {:?}", model.graph.nodes.len(), begin.elapsed()),
            Err(error) => {
                refused += 1;
                println!("refused {path}: {error}");
            }
        }
    }
    if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
