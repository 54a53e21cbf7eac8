//! Sequences, optionals and maps to and from their messages.
use super::tensor::text;
use crate::proto::{MapProto, OptionalProto, SequenceProto, elem_type};
use crate::{DType, Map, Tensor, Value};
use bytes::Bytes;
use tilewright_support::{Diagnostic, Result};

/// The elements of a sequence; the field that its `elem_type` names holds them, no other.
pub(super) fn sequence(proto: &SequenceProto) -> Result<Vec<Value>> {
    let fields = [
        (elem_type::TENSOR, proto.tensor_values.len()),
        (elem_type::SPARSE_TENSOR, proto.sparse_tensor_values.len()),
        (elem_type::SEQUENCE, proto.sequence_values.len()),
        (elem_type::MAP, proto.map_values.len()),
        (elem_type::OPTIONAL, proto.optional_values.len()),
    ];
    match kind_of("sequence", proto.elem_type, &fields)? {
        elem_type::TENSOR => proto.tensor_values.iter().map(|t| Tensor::from_proto(t).map(Value::Tensor)).collect(),
        elem_type::SEQUENCE => proto.sequence_values.iter().map(|s| sequence(s).map(Value::Sequence)).collect(),
        elem_type::MAP => proto.map_values.iter().map(|m| map(m).map(Value::Map)).collect(),
        elem_type::OPTIONAL => proto.optional_values.iter().map(optional).collect(),
        elem_type::SPARSE_TENSOR => Err(Diagnostic::unsupported("a sequence of sparse tensors")),
        _ => Ok(Vec::new()),
    }
}

/// The value of an optional, absent when its kind is undefined or its field empty.
pub(super) fn optional(proto: &OptionalProto) -> Result<Value> {
    let fields = [
        (elem_type::TENSOR, usize::from(proto.tensor_value.is_some())),
        (elem_type::SPARSE_TENSOR, usize::from(proto.sparse_tensor_value.is_some())),
        (elem_type::SEQUENCE, usize::from(proto.sequence_value.is_some())),
        (elem_type::MAP, usize::from(proto.map_value.is_some())),
        (elem_type::OPTIONAL, usize::from(proto.optional_value.is_some())),
    ];
    let inner = match kind_of("optional", proto.elem_type, &fields)? {
        elem_type::TENSOR => proto.tensor_value.as_ref().map(|t| Tensor::from_proto(t).map(Value::Tensor)),
        elem_type::SEQUENCE => proto.sequence_value.as_ref().map(|s| sequence(s).map(Value::Sequence)),
        elem_type::MAP => proto.map_value.as_ref().map(|m| map(m).map(Value::Map)),
        elem_type::OPTIONAL => proto.optional_value.as_deref().map(optional),
        elem_type::SPARSE_TENSOR => Some(Err(Diagnostic::unsupported("an optional sparse tensor"))),
        _ => None,
    };
    Ok(Value::Optional(inner.transpose()?.map(Box::new)))
}

/// The kind of a container's elements, stated or shown by the one field that is not empty.
fn kind_of(what: &str, stated: Option<i32>, fields: &[(i32, usize)]) -> Result<i32> {
    let stated = stated.unwrap_or(elem_type::UNDEFINED);
    if !(elem_type::UNDEFINED..=elem_type::OPTIONAL).contains(&stated) {
        return Err(Diagnostic::invalid(format!("{what} of elements of kind {stated}, which ONNX does not define")));
    }
    let mut filled = fields.iter().filter(|field| field.1 > 0).map(|field| field.0);
    match (filled.next(), filled.next()) {
        (None, _) => Ok(stated),
        (Some(found), None) if stated == elem_type::UNDEFINED || stated == found => Ok(found),
        _ => Err(Diagnostic::invalid(format!("{what} with elements of a kind other than stated, or of several kinds"))),
    }
}

/// A map: its keys as a tensor of rank 1, and as many values.
pub(super) fn map(proto: &MapProto) -> Result<Map> {
    let values = proto.values.as_ref().map(sequence).transpose()?.unwrap_or_default();
    let key_type = proto.key_type.and_then(DType::from_onnx_code);
    let keys = match key_type {
        Some(DType::String) if proto.keys.is_empty() => {
            let keys = proto.string_keys.iter().map(text).collect::<Result<Vec<_>>>()?;
            Tensor::from_strings(&[keys.len()], keys)?
        }
        Some(dtype) if dtype.is_int() && proto.string_keys.is_empty() => {
            Tensor::from_i64(dtype, &[proto.keys.len()], &proto.keys)?
        }
        _ => return Err(Diagnostic::invalid("a map's keys are neither integers nor strings, or not as its type says")),
    };
    if keys.len() != values.len() {
        return Err(Diagnostic::invalid(format!("a map has {} keys and {} values", keys.len(), values.len())));
    }
    Ok(Map { keys, values })
}

/// The code of a value's kind.
fn code(value: &Value) -> i32 {
    match value {
        Value::Tensor(_) => elem_type::TENSOR,
        Value::Sequence(_) => elem_type::SEQUENCE,
        Value::Map(_) => elem_type::MAP,
        Value::Optional(_) => elem_type::OPTIONAL,
    }
}

/// The message of a sequence; an empty one is of tensors.
pub(super) fn sequence_proto(values: &[Value]) -> Result<SequenceProto> {
    let kind = values.first().map_or(elem_type::TENSOR, code);
    let mut proto = SequenceProto { elem_type: Some(kind), ..SequenceProto::default() };
    for value in values {
        if code(value) != kind {
            return Err(Diagnostic::usage("a sequence that is written holds values of one kind"));
        }
        match value {
            Value::Tensor(tensor) => proto.tensor_values.push(tensor.to_proto("")),
            Value::Sequence(inner) => proto.sequence_values.push(sequence_proto(inner)?),
            Value::Map(inner) => proto.map_values.push(map_proto(inner)?),
            Value::Optional(inner) => proto.optional_values.push(optional_proto(inner.as_deref())?),
        }
    }
    Ok(proto)
}

/// The message of an optional.
pub(super) fn optional_proto(inner: Option<&Value>) -> Result<OptionalProto> {
    let mut proto =
        OptionalProto { elem_type: Some(inner.map_or(elem_type::UNDEFINED, code)), ..OptionalProto::default() };
    match inner {
        None => {}
        Some(Value::Tensor(tensor)) => proto.tensor_value = Some(tensor.to_proto("")),
        Some(Value::Sequence(values)) => proto.sequence_value = Some(sequence_proto(values)?),
        Some(Value::Map(inner)) => proto.map_value = Some(map_proto(inner)?),
        Some(Value::Optional(inner)) => proto.optional_value = Some(Box::new(optional_proto(inner.as_deref())?)),
    }
    Ok(proto)
}

/// The message of a map.
pub(super) fn map_proto(map: &Map) -> Result<MapProto> {
    let dtype = map.keys.dtype();
    let mut proto = MapProto {
        key_type: Some(dtype.onnx_code()),
        values: Some(sequence_proto(&map.values)?),
        ..MapProto::default()
    };
    match map.keys.strings() {
        Some(keys) => proto.string_keys = keys.iter().map(|k| Bytes::copy_from_slice(k.as_bytes())).collect(),
        None if dtype.is_int() => proto.keys = map.keys.to_vec_i64(),
        None => return Err(Diagnostic::usage(format!("the keys of a map that is written are {dtype}"))),
    }
    Ok(proto)
}
