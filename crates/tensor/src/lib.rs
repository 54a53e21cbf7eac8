//! Tilewright's tensors on the host: dtypes, dims, storage, conversions and files.
//!
//! - [`DType`]: element types, one table.
//! - [`Tensor`], [`TensorMut`]: immutable shared tensors, and the ones being filled.
//! - [`TensorFile`]: files in which elements stay until somebody needs them.
//! - [`convert`]: what a value becomes in another dtype.
//! - [`View`], [`Layout`]: elements under another index, and in another arrangement.
//! - [`Value`]: tensors, and sequences, optionals and maps of them.
//! - [`npy`], [`pb`], [`proto`]: files of NumPy and ONNX, and ONNX's messages.
//! - [`ix`]: the algebra of symbolic dims and indices.
#![forbid(unsafe_code)]

mod buffer;
pub mod convert;
mod dtype;
mod element;
pub mod ix;
mod lanes;
mod layout;
pub mod npy;
pub mod pb;
pub mod proto;
mod rearrange;
mod stored;
mod tensor;
mod tensor_mut;
#[cfg(test)]
mod tests;
pub mod types;
mod value;
mod view;

pub use buffer::ALIGNMENT;
pub use bytes::Bytes;
pub use dtype::DType;
pub use element::Element;
pub use half::{bf16, f16};
pub use layout::Layout;
pub use stored::TensorFile;
pub use tensor::{Tensor, element_count};
pub use tensor_mut::TensorMut;
pub use value::{Map, Value};
pub use view::{View, contiguous_strides};
