//! Damaged and hostile models, translated: none may panic, take a second, or take memory that its size does not justify.
//!
//! `TW_MUTATIONS=200000` sets how many files are tried, `TW_SHARED` names a folder with more models to start from.
mod common;
#[path = "../../onnx-file/tests/mutate/mod.rs"]
mod mutate;

use bytes::Bytes;
use mutate::survivors;
use tilewright_onnx::import::{Facts, import};
use tilewright_onnx::{Limits, Model};

/// Loads a file and translates it.
fn translate(file: &Bytes) -> Result<(), String> {
    let loaded = Model::from_bytes(file.clone(), None, &Limits::default());
    loaded.and_then(|model| import(&model, &Facts::default())).map(drop).map_err(|error| error.to_string())
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn hostile_models_are_translated_or_refused_cheaply() {
    let (count, translated) = survivors(1000, translate);
    assert!(translated > count / 100 && translated < count);
}
