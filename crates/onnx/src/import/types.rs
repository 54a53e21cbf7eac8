//! Declared types as types of the graph.

use super::cx::Cx;
use crate::{DimDecl, TensorDecl, TypeDecl};
use tilewright_graph::Type;
use tilewright_graph::types::varying;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// The name of a model's dim as a symbol: letters, digits and underscores.
pub fn symbol_name(name: &str) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let mut out: String = name.chars().map(clean).collect();
    let plain = out == name && !out.starts_with(|c: char| c.is_ascii_digit());
    if !plain {
        // Different names must stay different symbols.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3));
        out = format!("d_{out}_{:08x}", hash as u32);
    }
    out
}

impl Cx<'_> {
    /// The type of a declared input; `None` when not even its rank is declared.
    pub(super) fn declared(&self, decl: &TypeDecl) -> Result<Option<Type>> {
        Ok(match decl {
            TypeDecl::Tensor(t) => self.declared_tensor(t)?,
            TypeDecl::Sequence(Some(t)) => Some(Type::Sequence(Box::new(element(t)?))),
            TypeDecl::Optional(Some(t)) => Some(Type::Optional(Box::new(element(t)?))),
            TypeDecl::Sequence(None) | TypeDecl::Optional(None) => None,
            TypeDecl::Map(..) => return Err(Diagnostic::unsupported("inputs that are maps are not supported")),
            TypeDecl::Sparse(_) => return Err(Diagnostic::unsupported("inputs that are sparse are not supported")),
            TypeDecl::Opaque(..) => return Err(Diagnostic::unsupported("inputs of opaque types are not supported")),
        })
    }

    fn declared_tensor(&self, t: &TensorDecl) -> Result<Option<Type>> {
        let (Some(dtype), Some(shape)) = (t.dtype, &t.shape) else { return Ok(None) };
        let dim = |d: &DimDecl| match d {
            DimDecl::Fixed(n) => Ix::konst(*n),
            DimDecl::Named(name) => self.b.named(&symbol_name(name)),
            DimDecl::Unknown => self.b.symbol(),
        };
        Ok(Some(Type::tensor(dtype, shape.iter().map(dim).collect::<Vec<_>>())))
    }
}

/// The type of a sequence's elements or an optional's content: dims that are not fixed may vary.
pub fn element(decl: &TypeDecl) -> Result<Type> {
    Ok(match decl {
        TypeDecl::Tensor(t) => {
            let dtype = t.dtype.ok_or_else(|| Diagnostic::invalid("a sequence's element type is not declared"))?;
            match &t.shape {
                None => Type::Dynamic(dtype),
                Some(shape) => {
                    let dim = |d: &DimDecl| if let DimDecl::Fixed(n) = d { Ix::konst(*n) } else { varying() };
                    Type::tensor(dtype, shape.iter().map(dim).collect::<Vec<_>>())
                }
            }
        }
        TypeDecl::Sequence(Some(t)) => Type::Sequence(Box::new(element(t)?)),
        TypeDecl::Optional(Some(t)) => Type::Optional(Box::new(element(t)?)),
        _ => return Err(Diagnostic::unsupported("this type of element is not supported")),
    })
}
