//! The protobuf messages of ONNX around models, graphs and nodes, as `prost` structs without generated code.
//!
//! Field numbers follow ONNX's `onnx.proto`; messages that hold values are in [`tilewright_tensor::proto`]. Two rules keep
//! a small file from growing in memory. Fields that nothing here reads (documentation, device placement, training graphs)
//! are left out, and prost skips them. Messages that repeat freely and decode to large structs are kept as their bytes, a
//! slice of the file, and decoded one at a time: those fields say "encoded".
use bytes::Bytes;
use prost::Message;
use tilewright_tensor::proto::StringStringEntryProto;

/// A model file.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// Version of the format.
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    /// Tool that wrote the file.
    #[prost(string, tag = "2")]
    pub producer_name: String,
    /// Version of that tool.
    #[prost(string, tag = "3")]
    pub producer_version: String,
    /// Reverse-DNS name of the owner.
    #[prost(string, tag = "4")]
    pub domain: String,
    /// The owner's version of the model.
    #[prost(int64, tag = "5")]
    pub model_version: i64,
    /// The main graph, an encoded [`GraphProto`].
    #[prost(bytes = "bytes", optional, tag = "7")]
    pub graph: Option<Bytes>,
    /// Operator sets in use.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Free-form properties.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
    /// The model's own functions, encoded [`FunctionProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "25")]
    pub functions: Vec<Bytes>,
}

/// A domain and the version of its operators.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct OperatorSetIdProto {
    /// Domain, `""` for ai.onnx.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Version.
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

/// A graph or the body of a control-flow node.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// Nodes, encoded [`NodeProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub node: Vec<Bytes>,
    /// Name.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Constants, encoded [`tilewright_tensor::proto::TensorProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pub initializer: Vec<Bytes>,
    /// Inputs.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// Outputs.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// Types of inner values, encoded [`ValueInfoProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "13")]
    pub value_info: Vec<Bytes>,
    /// Sparse constants, encoded [`tilewright_tensor::proto::SparseTensorProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "15")]
    pub sparse_initializer: Vec<Bytes>,
}

/// A node.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// Operands; empty for an absent one.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Results; empty for an unwanted one.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Name.
    #[prost(string, tag = "3")]
    pub name: String,
    /// Operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Attributes, encoded [`AttributeProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pub attribute: Vec<Bytes>,
    /// Domain of the operator.
    #[prost(string, tag = "7")]
    pub domain: String,
    /// Overload of a model function.
    #[prost(string, tag = "8")]
    pub overload: String,
}

/// An attribute: a name, a type code, and one field in use.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// Name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A number.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// Text or bytes.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub s: Option<Bytes>,
    /// An encoded tensor.
    #[prost(bytes = "bytes", optional, tag = "5")]
    pub t: Option<Bytes>,
    /// An encoded [`GraphProto`].
    #[prost(bytes = "bytes", optional, tag = "6")]
    pub g: Option<Bytes>,
    /// Numbers.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Texts.
    #[prost(bytes = "bytes", repeated, tag = "9")]
    pub strings: Vec<Bytes>,
    /// Encoded tensors.
    #[prost(bytes = "bytes", repeated, tag = "10")]
    pub tensors: Vec<Bytes>,
    /// Encoded [`GraphProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "11")]
    pub graphs: Vec<Bytes>,
    /// A type.
    #[prost(message, optional, tag = "14")]
    pub tp: Option<TypeProto>,
    /// Types.
    #[prost(message, repeated, tag = "15")]
    pub type_protos: Vec<TypeProto>,
    /// Which field is in use: a code of [`attribute_type`].
    #[prost(int32, optional, tag = "20")]
    pub r#type: Option<i32>,
    /// In a function: the attribute of the call that this one stands for.
    #[prost(string, tag = "21")]
    pub ref_attr_name: String,
    /// An encoded sparse tensor.
    #[prost(bytes = "bytes", optional, tag = "22")]
    pub sparse_tensor: Option<Bytes>,
    /// Encoded sparse tensors.
    #[prost(bytes = "bytes", repeated, tag = "23")]
    pub sparse_tensors: Vec<Bytes>,
}

/// Codes of [`AttributeProto::type`](AttributeProto).
pub mod attribute_type {
    /// Not set.
    pub const UNDEFINED: i32 = 0;
    /// Field `f`.
    pub const FLOAT: i32 = 1;
    /// Field `i`.
    pub const INT: i32 = 2;
    /// Field `s`.
    pub const STRING: i32 = 3;
    /// Field `t`.
    pub const TENSOR: i32 = 4;
    /// Field `g`.
    pub const GRAPH: i32 = 5;
    /// Field `floats`.
    pub const FLOATS: i32 = 6;
    /// Field `ints`.
    pub const INTS: i32 = 7;
    /// Field `strings`.
    pub const STRINGS: i32 = 8;
    /// Field `tensors`.
    pub const TENSORS: i32 = 9;
    /// Field `graphs`.
    pub const GRAPHS: i32 = 10;
    /// Field `sparse_tensor`.
    pub const SPARSE_TENSOR: i32 = 11;
    /// Field `sparse_tensors`.
    pub const SPARSE_TENSORS: i32 = 12;
    /// Field `tp`.
    pub const TYPE: i32 = 13;
    /// Field `type_protos`.
    pub const TYPES: i32 = 14;
}

/// A function of the model.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionProto {
    /// Name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Parameters.
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    /// Results.
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    /// Attributes without a default.
    #[prost(string, repeated, tag = "6")]
    pub attribute: Vec<String>,
    /// Nodes, encoded [`NodeProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "7")]
    pub node: Vec<Bytes>,
    /// Operator sets of the body.
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Domain.
    #[prost(string, tag = "10")]
    pub domain: String,
    /// Attributes with a default, encoded [`AttributeProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "11")]
    pub attribute_proto: Vec<Bytes>,
    /// Types of inner values, encoded [`ValueInfoProto`]s.
    #[prost(bytes = "bytes", repeated, tag = "12")]
    pub value_info: Vec<Bytes>,
    /// Overload.
    #[prost(string, tag = "13")]
    pub overload: String,
}

/// A value and its type.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    /// Name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
}

/// A type.
#[derive(Clone, PartialEq, Message)]
pub struct TypeProto {
    /// Which type.
    #[prost(oneof = "TypeValue", tags = "1, 4, 5, 7, 8, 9")]
    pub value: Option<TypeValue>,
}

/// The alternatives of [`TypeProto`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TypeValue {
    /// A dense tensor.
    #[prost(message, tag = "1")]
    Tensor(TensorTypeProto),
    /// A sequence.
    #[prost(message, tag = "4")]
    Sequence(Box<ElementTypeProto>),
    /// A map.
    #[prost(message, tag = "5")]
    Map(Box<MapTypeProto>),
    /// A custom type.
    #[prost(message, tag = "7")]
    Opaque(OpaqueTypeProto),
    /// A sparse tensor.
    #[prost(message, tag = "8")]
    Sparse(TensorTypeProto),
    /// An optional.
    #[prost(message, tag = "9")]
    Optional(Box<ElementTypeProto>),
}

/// Type of a dense or sparse tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorTypeProto {
    /// Element type, a code of `TensorProto.DataType`.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// Shape.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// Type of a sequence or an optional: that of its element.
#[derive(Clone, PartialEq, Message)]
pub struct ElementTypeProto {
    /// The element.
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// Type of a map.
#[derive(Clone, PartialEq, Message)]
pub struct MapTypeProto {
    /// Element type of the keys.
    #[prost(int32, tag = "1")]
    pub key_type: i32,
    /// Type of the values.
    #[prost(message, optional, boxed, tag = "2")]
    pub value_type: Option<Box<TypeProto>>,
}

/// Type of a custom operator's value.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct OpaqueTypeProto {
    /// Domain.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Name.
    #[prost(string, tag = "2")]
    pub name: String,
}

/// A shape.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// Extents.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// An extent.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct DimensionProto {
    /// Its value; nothing is known when absent.
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub value: Option<DimensionValue>,
}

/// The alternatives of [`DimensionProto`].
#[derive(Clone, PartialEq, Eq, Hash, prost::Oneof)]
pub enum DimensionValue {
    /// A number.
    #[prost(int64, tag = "1")]
    Value(i64),
    /// A name.
    #[prost(string, tag = "2")]
    Param(String),
}
