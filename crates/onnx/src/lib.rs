//! ONNX models to graphs: the translation of every operator, in every version.
//!
//! ```text
//! file --tilewright-onnx-file--> Model --import--> graph, or what must be known first
//! ```
//!
//! Versioned semantics live here and nowhere else; the graph's operations have one meaning.
#![forbid(unsafe_code)]

pub mod import;

pub use tilewright_onnx_file::*;
