//! The protobuf messages of ONNX that hold values: tensors, sparse tensors, sequences, maps and optionals.
//!
//! Field numbers follow ONNX's `onnx.proto` and `onnx-data.proto`. Enumerations are kept as their `i32` code, so that
//! an unknown code is reported by whoever reads it and never lost. Byte fields are slices of the decoded buffer.
use bytes::Bytes;
use prost::Message;

/// A key and a value, both text.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct StringStringEntryProto {
    /// The key.
    #[prost(string, optional, tag = "1")]
    pub key: Option<String>,
    /// The value.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

/// A dense tensor: dims, element type, and the elements in one of several fields.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// Extent of each axis.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    /// Element type: a code of `TensorProto.DataType`, see [`crate::DType::from_onnx_code`].
    #[prost(int32, optional, tag = "2")]
    pub data_type: Option<i32>,
    /// The part of a larger tensor that this message holds.
    #[prost(message, optional, tag = "3")]
    pub segment: Option<Segment>,
    /// Elements of f32 tensors.
    #[prost(float, repeated, packed = "true", tag = "4")]
    pub float_data: Vec<f32>,
    /// Elements, or bit patterns, of tensors of at most 32 bits an element; sub-byte ones packed, a byte an entry.
    #[prost(int32, repeated, packed = "true", tag = "5")]
    pub int32_data: Vec<i32>,
    /// Elements of string tensors, UTF-8.
    #[prost(bytes = "bytes", repeated, tag = "6")]
    pub string_data: Vec<Bytes>,
    /// Elements of i64 tensors.
    #[prost(int64, repeated, packed = "true", tag = "7")]
    pub int64_data: Vec<i64>,
    /// Name of the tensor.
    #[prost(string, optional, tag = "8")]
    pub name: Option<String>,
    /// Elements as fixed-width little-endian bytes, row-major.
    #[prost(bytes = "bytes", optional, tag = "9")]
    pub raw_data: Option<Bytes>,
    /// Elements of f64 tensors.
    #[prost(double, repeated, packed = "true", tag = "10")]
    pub double_data: Vec<f64>,
    /// Elements of u32 and u64 tensors.
    #[prost(uint64, repeated, packed = "true", tag = "11")]
    pub uint64_data: Vec<u64>,
    /// Documentation.
    #[prost(string, optional, tag = "12")]
    pub doc_string: Option<String>,
    /// Where external elements lie: `location`, `offset`, `length`, `checksum`.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// [`DATA_LOCATION_DEFAULT`] or [`DATA_LOCATION_EXTERNAL`].
    #[prost(int32, optional, tag = "14")]
    pub data_location: Option<i32>,
    /// Named metadata.
    #[prost(message, repeated, tag = "16")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// `TensorProto.data_location`: the elements are in the message.
pub const DATA_LOCATION_DEFAULT: i32 = 0;
/// `TensorProto.data_location`: the elements are in the file that `external_data` names.
pub const DATA_LOCATION_EXTERNAL: i32 = 1;

/// `TensorProto.Segment`: a half-open range of a larger tensor's elements.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct Segment {
    /// First element.
    #[prost(int64, optional, tag = "1")]
    pub begin: Option<i64>,
    /// One past the last element.
    #[prost(int64, optional, tag = "2")]
    pub end: Option<i64>,
}

/// A sparse tensor in coordinate form.
#[derive(Clone, PartialEq, Message)]
pub struct SparseTensorProto {
    /// The values that are present, shape `[nnz]`; its name is the sparse tensor's name.
    #[prost(message, optional, tag = "1")]
    pub values: Option<TensorProto>,
    /// Their places, `[nnz, rank]` or linear `[nnz]`, ascending.
    #[prost(message, optional, tag = "2")]
    pub indices: Option<TensorProto>,
    /// Shape of the dense tensor.
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub dims: Vec<i64>,
}

/// `SequenceProto.DataType` and `OptionalProto.DataType`: what the elements are.
pub mod elem_type {
    /// Not stated.
    pub const UNDEFINED: i32 = 0;
    /// Dense tensors.
    pub const TENSOR: i32 = 1;
    /// Sparse tensors.
    pub const SPARSE_TENSOR: i32 = 2;
    /// Sequences.
    pub const SEQUENCE: i32 = 3;
    /// Maps.
    pub const MAP: i32 = 4;
    /// Optionals.
    pub const OPTIONAL: i32 = 5;
}

/// A list of values of one kind.
#[derive(Clone, PartialEq, Message)]
pub struct SequenceProto {
    /// Name of the sequence.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Kind of the elements: a code of [`elem_type`].
    #[prost(int32, optional, tag = "2")]
    pub elem_type: Option<i32>,
    /// Elements when they are tensors.
    #[prost(message, repeated, tag = "3")]
    pub tensor_values: Vec<TensorProto>,
    /// Elements when they are sparse tensors.
    #[prost(message, repeated, tag = "4")]
    pub sparse_tensor_values: Vec<SparseTensorProto>,
    /// Elements when they are sequences.
    #[prost(message, repeated, tag = "5")]
    pub sequence_values: Vec<SequenceProto>,
    /// Elements when they are maps.
    #[prost(message, repeated, tag = "6")]
    pub map_values: Vec<MapProto>,
    /// Elements when they are optionals.
    #[prost(message, repeated, tag = "7")]
    pub optional_values: Vec<OptionalProto>,
}

/// A map from integers or strings to values.
#[derive(Clone, PartialEq, Message)]
pub struct MapProto {
    /// Name of the map.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Type of the keys: a code of `TensorProto.DataType`.
    #[prost(int32, optional, tag = "2")]
    pub key_type: Option<i32>,
    /// Keys of an integer type.
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub keys: Vec<i64>,
    /// Keys that are strings.
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub string_keys: Vec<Bytes>,
    /// The values, one for each key.
    #[prost(message, optional, tag = "5")]
    pub values: Option<SequenceProto>,
}

/// A value that may be absent.
#[derive(Clone, PartialEq, Message)]
pub struct OptionalProto {
    /// Name of the optional.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Kind of the value: a code of [`elem_type`]; undefined when absent.
    #[prost(int32, optional, tag = "2")]
    pub elem_type: Option<i32>,
    /// The value when it is a tensor.
    #[prost(message, optional, tag = "3")]
    pub tensor_value: Option<TensorProto>,
    /// The value when it is a sparse tensor.
    #[prost(message, optional, tag = "4")]
    pub sparse_tensor_value: Option<SparseTensorProto>,
    /// The value when it is a sequence.
    #[prost(message, optional, tag = "5")]
    pub sequence_value: Option<SequenceProto>,
    /// The value when it is a map.
    #[prost(message, optional, tag = "6")]
    pub map_value: Option<MapProto>,
    /// The value when it is an optional.
    #[prost(message, optional, boxed, tag = "7")]
    pub optional_value: Option<Box<OptionalProto>>,
}
