//! Models built from messages, and run, for tests.
#![allow(dead_code, unused_imports, reason = "each test binary uses a part of these")]
pub mod case;
#[path = "../../../onnx-file/tests/common/mod.rs"]
mod messages;

pub use messages::*;

/// Runs a translated graph.
pub fn ready(
    graph: &tilewright_graph::Graph,
    values: &[tilewright_tensor::Value],
) -> tilewright_support::Result<Vec<tilewright_tensor::Value>> {
    tilewright_graph::interp::run(graph, values)
}
