//! Sparse tensors made dense.
use super::tensor::extents;
use crate::proto::SparseTensorProto;
use crate::tensor::element_count;
use crate::{DType, Tensor, TensorMut};
use tilewright_support::{Diagnostic, Result};

/// The dense tensor of a sparse one, zero where it has no value.
///
/// Fails when it would take more than `max_bytes` (a few bytes of a file can state any size), for strings, and when
/// indices are missing, outside, or not ascending.
pub fn densify(proto: &SparseTensorProto, max_bytes: usize) -> Result<Tensor> {
    let missing = |what| Diagnostic::invalid(format!("a sparse tensor has no {what}"));
    let values = Tensor::from_proto(proto.values.as_ref().ok_or_else(|| missing("values"))?)?;
    let indices = Tensor::from_proto(proto.indices.as_ref().ok_or_else(|| missing("indices"))?)?;
    let (dtype, shape) = (values.dtype(), extents(&proto.dims)?);
    if dtype == DType::String {
        return Err(Diagnostic::unsupported("sparse tensors of strings"));
    }
    let count = element_count(dtype, &shape)?;
    if dtype.byte_len(count).is_none_or(|bytes| bytes > max_bytes) {
        let message = format!("a sparse tensor of {dtype} and shape {shape:?} takes more than {max_bytes} bytes");
        return Err(Diagnostic::limit(message));
    }
    let mut dense = TensorMut::new(dtype, &shape)?;
    let mut end = 0;
    for (i, place) in places(&indices, values.len(), &shape)?.into_iter().enumerate() {
        if place < end || place >= count {
            let message = format!("indices of a sparse tensor of shape {shape:?} leave it, or do not ascend");
            return Err(Diagnostic::invalid(message));
        }
        end = place + 1;
        match dtype.is_float() {
            true => dense.set_f64(place, values.get_f64(i)),
            false => dense.set_i64(place, values.get_i64(i)),
        }
    }
    Ok(dense.finish())
}

/// The linear index of each value, from linear indices `[nnz]` or coordinates `[nnz, rank]`; what is outside its axis
/// becomes `usize::MAX`.
fn places(indices: &Tensor, nnz: usize, shape: &[usize]) -> Result<Vec<usize>> {
    let lanes = indices.to_vec_i64();
    if indices.dtype() == DType::I64 && indices.shape() == [nnz] {
        return Ok(lanes.into_iter().map(|i| usize::try_from(i).unwrap_or(usize::MAX)).collect());
    }
    if indices.dtype() != DType::I64 || indices.shape() != [nnz, shape.len()] {
        let message =
            format!("a sparse tensor has {nnz} values, and indices {:?} {:?}", indices.dtype(), indices.shape());
        return Err(Diagnostic::invalid(message));
    }
    let linear = |row: &[i64]| {
        row.iter().zip(shape).try_fold(0usize, |at, (&i, &extent)| {
            usize::try_from(i).ok().filter(|&i| i < extent).map(|i| at * extent + i)
        })
    };
    Ok((0..nnz).map(|i| linear(&lanes[i * shape.len()..][..shape.len()]).unwrap_or(usize::MAX)).collect())
}
