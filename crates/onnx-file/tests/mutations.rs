//! Damaged and hostile model files: none may panic, take a second, or take memory that its size does not justify.
//!
//! `TW_MUTATIONS=200000` sets how many files are tried, `TW_SHARED` names a folder with more models to start from.
mod common;
mod mutate;

use bytes::Bytes;
use mutate::frugal::survives;
use mutate::{seeds, survivors};
use tilewright_onnx_file::{Graph, Limits, Model};

/// Loads a file and uses what came of it.
fn load(file: &Bytes) -> Result<(), String> {
    let loaded = Model::from_bytes(file.clone(), None, &Limits::default());
    loaded.map(|model| touch(&model)).map_err(|error| error.to_string())
}

/// Reads every part that an importer would.
fn touch(model: &Model) {
    touch_graph(&model.graph);
    for node in &model.graph.nodes {
        drop(model.function(node).map(|function| function.body(node)));
    }
}

fn touch_graph(graph: &Graph) {
    for node in &graph.nodes {
        node.loc();
        for (name, _) in node.attributes.iter() {
            drop((node.attr_int(name), node.attr_strs(name), node.attr_tensor(name), node.attr_graph(name)));
        }
        node.bodies().for_each(touch_graph);
    }
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn hostile_files_are_refused_cheaply() {
    for (label, file) in &seeds() {
        assert!(survives(label, file, load), "{label} should load");
    }
    let (count, accepted) = survivors(4000, load);
    // Mutations that all fail at the first byte would prove nothing.
    assert!(accepted > count / 50 && accepted < count);
}
