//! Tensors: in the message, in an external file, or sparse.
use super::types::dtype;
use super::{Decoder, message};
use crate::problems::clip;
use bytes::Bytes;
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::proto::{DATA_LOCATION_DEFAULT, DATA_LOCATION_EXTERNAL, SparseTensorProto, TensorProto};
use tilewright_tensor::{Tensor, pb};

impl Decoder<'_> {
    /// The name of a tensor, which may be empty, and the tensor.
    pub(super) fn tensor(&mut self, bytes: Bytes) -> Result<(String, Result<Tensor>)> {
        let mut proto: TensorProto = message(bytes, "TensorProto")?;
        let name = proto.name.take().unwrap_or_default();
        let tensor = self.elements(&proto).map_err(|error| in_tensor(error, &name));
        Ok((name, tensor))
    }

    fn elements(&mut self, proto: &TensorProto) -> Result<Tensor> {
        self.check_rank(proto.dims.len())?;
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
        self.budget.charge(dense.bytes().len() as u64, "a sparse tensor made dense")?;
        Ok(dense)
    }
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
