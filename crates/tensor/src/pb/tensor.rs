//! `TensorProto` to and from tensors: raw bytes, or the typed field that the element type demands.
use crate::proto::{DATA_LOCATION_DEFAULT, TensorProto};
use crate::tensor::element_count;
use crate::{DType, Tensor};
use bytes::Bytes;
use tilewright_support::{Diagnostic, Result};

const _: () = assert!(cfg!(target_endian = "little"), "raw_data is little-endian and used in place");

impl Tensor {
    /// The tensor that a message holds. `raw_data` is used in place when it is aligned.
    ///
    /// Fails when the element type is unknown, a dim is negative, the elements are not exactly as many as the dims say,
    /// are in a field that is not the element type's, or do not fit it; unsupported are complex and 6-bit types,
    /// segments, and elements in external files, which whoever reads the model resolves.
    pub fn from_proto(proto: &TensorProto) -> Result<Self> {
        read(proto).map_err(|error| match proto.name.as_deref() {
            Some(name) if !name.is_empty() => error.note(format!("in tensor \"{name}\"")),
            _ => error,
        })
    }

    /// The message that holds this tensor, its elements in `raw_data` (strings in `string_data`).
    pub fn to_proto(&self, name: &str) -> TensorProto {
        let mut proto = TensorProto {
            dims: self.shape().iter().map(|&d| d as i64).collect(),
            data_type: Some(self.dtype().onnx_code()),
            name: (!name.is_empty()).then(|| name.to_owned()),
            ..TensorProto::default()
        };
        match self.strings() {
            Some(strings) => {
                proto.string_data = strings.iter().map(|s| Bytes::copy_from_slice(s.as_bytes())).collect();
            }
            None => proto.raw_data = Some(self.shared_bytes()),
        }
        proto
    }
}

fn read(proto: &TensorProto) -> Result<Tensor> {
    let dtype = element_type(proto.data_type.unwrap_or(0))?;
    let shape = extents(&proto.dims)?;
    let count = element_count(dtype, &shape)?;
    if proto.segment.is_some() {
        return Err(Diagnostic::unsupported("a tensor stored in segments"));
    }
    if proto.data_location.unwrap_or(DATA_LOCATION_DEFAULT) != DATA_LOCATION_DEFAULT {
        return Err(Diagnostic::unsupported("elements in an external file, where there is no model to find it from"));
    }
    check_fields(proto, dtype)?;
    if let Some(raw) = &proto.raw_data
        && (!raw.is_empty() || typed_fields(proto).iter().all(|field| field.1 == 0))
    {
        return Tensor::from_shared(dtype, &shape, raw.clone()).map_err(|e| Diagnostic::invalid(e.message));
    }
    let entries: usize = typed_fields(proto).iter().map(|field| field.1).sum();
    let expected = if dtype.is_packed() { dtype.byte_len(count).unwrap_or(usize::MAX) } else { count };
    if entries != expected {
        let field = field_of(dtype);
        let message =
            format!("{dtype} of shape {shape:?} takes {expected} entries of {field}, but there are {entries}");
        return Err(Diagnostic::invalid(message));
    }
    read_typed(proto, dtype, &shape)
}

fn element_type(code: i32) -> Result<DType> {
    DType::from_onnx_code(code).ok_or_else(|| match code {
        14 | 15 => Diagnostic::unsupported("complex tensors"),
        27 | 28 => Diagnostic::unsupported("tensors of 6-bit floats"),
        _ => Diagnostic::invalid(format!("a tensor has element type {code}, which ONNX does not define")),
    })
}

/// Dims of a message as a shape. Fails when one is negative.
pub(super) fn extents(dims: &[i64]) -> Result<Vec<usize>> {
    let extent = |&d| usize::try_from(d).map_err(|_| Diagnostic::invalid(format!("a tensor has the dims {dims:?}")));
    dims.iter().map(extent).collect()
}

/// Name and number of entries of every typed field.
fn typed_fields(proto: &TensorProto) -> [(&'static str, usize); 6] {
    [
        ("float_data", proto.float_data.len()),
        ("int32_data", proto.int32_data.len()),
        ("string_data", proto.string_data.len()),
        ("int64_data", proto.int64_data.len()),
        ("double_data", proto.double_data.len()),
        ("uint64_data", proto.uint64_data.len()),
    ]
}

/// The typed field that holds elements of `dtype`.
fn field_of(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float_data",
        DType::F64 => "double_data",
        DType::String => "string_data",
        DType::I64 => "int64_data",
        DType::U32 | DType::U64 => "uint64_data",
        _ => "int32_data",
    }
}

/// Elements are in one field, and in the right one.
fn check_fields(proto: &TensorProto, dtype: DType) -> Result<()> {
    let raw = proto.raw_data.as_ref().is_some_and(|raw| !raw.is_empty());
    if raw && dtype == DType::String {
        return Err(Diagnostic::invalid("a tensor of strings has raw_data"));
    }
    for (field, entries) in typed_fields(proto) {
        if entries > 0 && (raw || field != field_of(dtype)) {
            let also = if raw { " beside raw_data" } else { "" };
            return Err(Diagnostic::invalid(format!("a tensor of {dtype} has {field}{also}")));
        }
    }
    Ok(())
}

fn read_typed(proto: &TensorProto, dtype: DType, shape: &[usize]) -> Result<Tensor> {
    match dtype {
        DType::F32 => Tensor::from_slice(shape, &proto.float_data),
        DType::F64 => Tensor::from_slice(shape, &proto.double_data),
        DType::I64 => Tensor::from_slice(shape, &proto.int64_data),
        DType::U64 => Tensor::from_slice(shape, &proto.uint64_data),
        DType::I32 => Tensor::from_slice(shape, &proto.int32_data),
        DType::String => Tensor::from_strings(shape, proto.string_data.iter().map(text).collect::<Result<Vec<_>>>()?),
        DType::U32 => {
            let narrow = |&x: &u64| u32::try_from(x).map_err(|_| out_of_range(dtype, &x));
            Tensor::from_vec(shape, proto.uint64_data.iter().map(narrow).collect::<Result<Vec<_>>>()?)
        }
        _ => read_patterns(&proto.int32_data, dtype, shape),
    }
}

/// Values, or bit patterns, of at most 16 bits; packed elements a byte an entry.
fn read_patterns(entries: &[i32], dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let width = dtype.bits().max(8);
    let signed_or_not = -(1i32 << (width - 1))..1 << width;
    if let Some(wrong) = entries.iter().find(|&x| !signed_or_not.contains(x)) {
        return Err(out_of_range(dtype, wrong));
    }
    let bytes: Vec<u8> = if width == 16 {
        entries.iter().flat_map(|&x| (x as u16).to_le_bytes()).collect()
    } else {
        entries.iter().map(|&x| x as u8).collect()
    };
    Tensor::from_bytes(dtype, shape, &bytes)
}

fn out_of_range(dtype: DType, entry: &impl std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::invalid(format!("a tensor of {dtype} has the entry {entry}, which does not fit"))
}

/// Bytes as text. Fails when they are not UTF-8.
pub(super) fn text(bytes: &Bytes) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Diagnostic::invalid("a string is not UTF-8"))
}
