//! Tensors: in the message, in an external file, or sparse.
use super::types::dtype;
use super::{Decoder, message};
use crate::outline::Raw;
use crate::problems::clip;
use bytes::Bytes;
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::proto::{DATA_LOCATION_DEFAULT, DATA_LOCATION_EXTERNAL, SparseTensorProto, TensorProto};
use tilewright_tensor::{DType, Tensor, element_count, pb};

impl Decoder<'_> {
    /// The name of a tensor, which may be empty, and the tensor. `raw` says where its raw data are if not in the message.
    pub(super) fn tensor(&mut self, bytes: Bytes, raw: Option<Raw<'_>>) -> Result<(String, Result<Tensor>)> {
        let mut proto: TensorProto = message(bytes, "TensorProto")?;
        let name = proto.name.take().unwrap_or_default();
        let tensor = self.elements(&mut proto, raw).map_err(|error| in_tensor(error, &name));
        Ok((name, tensor))
    }

    fn elements(&mut self, proto: &mut TensorProto, raw: Option<Raw<'_>>) -> Result<Tensor> {
        self.check_rank(proto.dims.len())?;
        if let Some(raw) = raw {
            if let Some(stored) = stored(proto, raw) {
                return Ok(stored);
            }
            proto.raw_data = Some(raw.file.tensor(DType::U8, &[raw.bytes], raw.at)?.shared_bytes());
        }
        match proto.data_location.unwrap_or(DATA_LOCATION_DEFAULT) {
            DATA_LOCATION_DEFAULT => Tensor::from_proto(proto),
            DATA_LOCATION_EXTERNAL if has_elements(proto) => {
                Err(Diagnostic::invalid("the tensor has elements both in the model and in an external file"))
            }
            DATA_LOCATION_EXTERNAL => self.external_elements(proto),
            other => Err(Diagnostic::invalid(format!("data location {other} is none of ONNX's"))),
        }
    }

    fn external_elements(&mut self, proto: &TensorProto) -> Result<Tensor> {
        let negative = |dim: &i64| Diagnostic::invalid(format!("the tensor has the dim {dim}"));
        let size = |dim: &i64| usize::try_from(*dim).map_err(|_| negative(dim));
        let shape = proto.dims.iter().map(size).collect::<Result<Vec<_>>>()?;
        let no_type = || Diagnostic::invalid("the tensor has no element type");
        let dtype = dtype(proto.data_type.unwrap_or(0))?.ok_or_else(no_type)?;
        self.external.tensor(&proto.external_data, dtype, &shape)
    }

    /// The name of a sparse tensor, and the tensor made dense.
    pub(super) fn sparse_tensor(&mut self, bytes: Bytes) -> Result<(String, Result<Tensor>)> {
        let mut proto: SparseTensorProto = message(bytes, "SparseTensorProto")?;
        let name = proto.values.as_mut().and_then(|values| values.name.take()).unwrap_or_default();
        let dense = self.dense(&mut proto).map_err(|error| in_tensor(error, &name));
        Ok((name, dense))
    }

    fn dense(&mut self, proto: &mut SparseTensorProto) -> Result<Tensor> {
        for part in [&mut proto.values, &mut proto.indices].into_iter().flatten() {
            self.check_rank(part.dims.len())?;
            part.name = None;
        }
        self.check_rank(proto.dims.len())?;
        let dense = pb::densify(proto, usize::try_from(self.budget.left()).unwrap_or(usize::MAX))?;
        self.budget.charge(dense.byte_len() as u64, "a sparse tensor made dense")?;
        Ok(dense)
    }
}

/// The tensor of a message whose raw data are in a file, if they may stay there.
fn stored(proto: &TensorProto, Raw { file, at, bytes }: Raw<'_>) -> Option<Tensor> {
    let alone = !has_elements(proto) && proto.segment.is_none() && proto.external_data.is_empty();
    let inside = proto.data_location.is_none_or(|l| l == DATA_LOCATION_DEFAULT);
    let dtype = dtype(proto.data_type?).ok()??;
    let shape = proto.dims.iter().map(|d| usize::try_from(*d)).collect::<Result<Vec<_>, _>>().ok()?;
    let fits = || element_count(dtype, &shape).is_ok_and(|n| dtype.byte_len(n) == Some(bytes));
    (alone && inside && fits()).then(|| Tensor::stored(dtype, &shape, file, at).ok()).flatten()
}

fn has_elements(proto: &TensorProto) -> bool {
    proto.raw_data.as_ref().is_some_and(|raw| !raw.is_empty())
        || !(proto.float_data.is_empty() && proto.int32_data.is_empty() && proto.int64_data.is_empty())
        || !(proto.double_data.is_empty() && proto.uint64_data.is_empty() && proto.string_data.is_empty())
}

/// Names the tensor. A shape or dtype that does not fit its elements is, in a file, a broken file.
fn in_tensor(mut error: Box<Diagnostic>, name: &str) -> Box<Diagnostic> {
    if matches!(error.code, Code::Shape | Code::Dtype | Code::Value) {
        error.code = Code::Invalid;
    }
    if name.is_empty() { error } else { error.note(format!("in tensor \"{}\"", clip(name))) }
}
