//! Declared types: `TypeProto` to [`TypeDecl`].
use super::Decoder;
use crate::model::{DimDecl, TensorDecl, TypeDecl};
use crate::problems::clip;
use crate::proto::{DimensionValue, TensorShapeProto, TensorTypeProto, TypeProto, TypeValue, ValueInfoProto};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

impl Decoder<'_> {
    /// The name of a value, and its type.
    pub(super) fn value(&self, proto: ValueInfoProto) -> (String, Result<Option<TypeDecl>>) {
        let ty = proto.r#type.map_or(Ok(None), |ty| self.type_decl(ty));
        let ty = ty.map_err(|error| error.note(format!("in the type of \"{}\"", clip(&proto.name))));
        (proto.name, ty)
    }

    /// A type, `None` when it says nothing.
    pub(super) fn type_decl(&self, proto: TypeProto) -> Result<Option<TypeDecl>> {
        let inner = |ty: Option<Box<TypeProto>>| -> Result<Option<Box<TypeDecl>>> {
            Ok(ty.map_or(Ok(None), |ty| self.type_decl(*ty))?.map(Box::new))
        };
        Ok(match proto.value {
            None => None,
            Some(TypeValue::Tensor(tensor)) => Some(TypeDecl::Tensor(self.tensor_decl(tensor)?)),
            Some(TypeValue::Sparse(tensor)) => Some(TypeDecl::Sparse(self.tensor_decl(tensor)?)),
            Some(TypeValue::Sequence(of)) => Some(TypeDecl::Sequence(inner(of.elem_type)?)),
            Some(TypeValue::Optional(of)) => Some(TypeDecl::Optional(inner(of.elem_type)?)),
            Some(TypeValue::Map(map)) => Some(TypeDecl::Map(dtype(map.key_type)?, inner(map.value_type)?)),
            Some(TypeValue::Opaque(opaque)) => Some(TypeDecl::Opaque(opaque.domain, opaque.name)),
        })
    }

    fn tensor_decl(&self, proto: TensorTypeProto) -> Result<TensorDecl> {
        let shape = proto.shape.map(|shape| self.shape(shape)).transpose()?;
        Ok(TensorDecl { dtype: dtype(proto.elem_type)?, shape })
    }

    /// A dim of -1 is what older exporters write for an unknown one.
    fn shape(&self, proto: TensorShapeProto) -> Result<Vec<DimDecl>> {
        self.check_rank(proto.dim.len())?;
        let dims = proto.dim.into_iter().map(|dim| match dim.value {
            Some(DimensionValue::Value(size)) if size >= 0 => DimDecl::Fixed(size),
            Some(DimensionValue::Param(name)) if !name.is_empty() => DimDecl::Named(name),
            _ => DimDecl::Unknown,
        });
        Ok(dims.collect())
    }

    /// Refuses tensors of more axes than the limit.
    pub(super) fn check_rank(&self, rank: usize) -> Result<()> {
        if rank <= self.limits.rank {
            return Ok(());
        }
        Err(Diagnostic::limit(format!("a tensor of {rank} axes; the limit is {}", self.limits.rank)))
    }
}

/// The dtype of an ONNX code, `None` for the code that says nothing.
pub(super) fn dtype(code: i32) -> Result<Option<DType>> {
    if code == 0 {
        return Ok(None);
    }
    let known = match code {
        14 => "complex64",
        15 => "complex128",
        27 => "float6e2m3",
        28 => "float6e3m2",
        _ => "",
    };
    match DType::from_onnx_code(code) {
        Some(dtype) => Ok(Some(dtype)),
        None if known.is_empty() => Err(Diagnostic::invalid(format!("element type {code} is none of ONNX's"))),
        None => Err(Diagnostic::unsupported(format!("element type {known}"))),
    }
}
