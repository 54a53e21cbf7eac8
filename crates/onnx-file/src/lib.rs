//! ONNX files: from bytes to a validated [`Model`].
//!
//! A file is untrusted. Reading it goes
//!
//! ```text
//! bytes --scan--> counts within Limits --decode--> Model --validate--> Model, or every problem found
//! ```
//!
//! and no step panics, recurses deeper than [`Limits::depth`] or takes memory that the size of the file does not justify.
//! [`proto`] holds the protobuf messages; [`Model`] is independent of them.
#![forbid(unsafe_code)]

mod attribute;
mod decode;
mod domains;
mod external;
mod functions;
mod limits;
mod model;
mod open;
mod order;
mod outline;
mod problems;
pub mod proto;
mod scan;
mod sort;
mod validate;
mod warnings;
mod wire;

pub use attribute::{Attribute, Attributes};
pub use domains::{IR_VERSIONS, versions};
pub use limits::Limits;
pub use model::{DimDecl, Function, FunctionKey, Graph, Model, Node, TensorDecl, TypeDecl, ValueDecl};
pub use open::Checked;
pub use problems::merge;
