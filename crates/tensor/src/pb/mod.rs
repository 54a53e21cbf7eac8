//! ONNX's files of values: one `TensorProto`, `SequenceProto`, `OptionalProto` or `MapProto` each.
//!
//! The messages do not say which of them they are; the type of the model's input or output does.
mod budget;
mod container;
mod sparse;
mod tensor;
#[cfg(test)]
mod tests;

use crate::proto::{MapProto, OptionalProto, SequenceProto, TensorProto};
use crate::{Tensor, Value};
use bytes::Bytes;
use prost::Message;
use tilewright_support::{Diagnostic, Result};

pub use sparse::densify;

/// Which message a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `TensorProto`.
    Tensor,
    /// `SequenceProto`.
    Sequence,
    /// `OptionalProto`.
    Optional,
    /// `MapProto`.
    Map,
}

/// The value that a file of that kind holds. Elements of tensors stay slices of `bytes` where they are aligned.
///
/// Fails when the bytes are no such message, when a part of it breaks ONNX's rules or is not supported, and when they
/// would take far more memory than the file justifies.
pub fn decode(kind: Kind, bytes: Bytes) -> Result<Value> {
    budget::check(kind, &bytes)?;
    Ok(match kind {
        Kind::Tensor => Value::Tensor(Tensor::from_proto(&message::<TensorProto>(bytes)?)?),
        Kind::Sequence => Value::Sequence(container::sequence(&message::<SequenceProto>(bytes)?)?),
        Kind::Optional => container::optional(&message::<OptionalProto>(bytes)?)?,
        Kind::Map => Value::Map(container::map(&message::<MapProto>(bytes)?)?),
    })
}

fn message<M: Message + Default>(bytes: Bytes) -> Result<M> {
    M::decode(bytes).map_err(|e| Diagnostic::invalid(format!("no protobuf message of the expected kind: {e}")))
}

/// The file of a value. Fails when a sequence holds values of several kinds, or a map's keys are neither integers nor
/// strings.
pub fn encode(value: &Value) -> Result<Vec<u8>> {
    Ok(match value {
        Value::Tensor(tensor) => tensor.to_proto("").encode_to_vec(),
        Value::Sequence(values) => container::sequence_proto(values)?.encode_to_vec(),
        Value::Optional(inner) => container::optional_proto(inner.as_deref())?.encode_to_vec(),
        Value::Map(map) => container::map_proto(map)?.encode_to_vec(),
    })
}
