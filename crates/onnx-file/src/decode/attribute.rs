//! Attributes: `AttributeProto` to [`Attribute`].
use super::{Decoder, Opsets, message};
use crate::attribute::Attribute;
use crate::model::{Graph, TypeDecl};
use crate::problems::clip;
use crate::proto::{AttributeProto, TypeProto, attribute_type as code};
use bytes::Bytes;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Tensor;

impl Decoder<'_> {
    /// An attribute and its name.
    pub(super) fn attribute(&mut self, bytes: Bytes, opsets: &Opsets) -> Result<(String, Attribute)> {
        let mut proto: AttributeProto = message(bytes, "AttributeProto")?;
        let name = std::mem::take(&mut proto.name);
        if name.is_empty() {
            return Err(Diagnostic::invalid("an attribute has no name"));
        }
        let value = self.attribute_value(proto, opsets);
        let value = value.map_err(|error| error.note(format!("in attribute \"{}\"", clip(&name))))?;
        Ok((name, value))
    }

    fn attribute_value(&mut self, proto: AttributeProto, opsets: &Opsets) -> Result<Attribute> {
        let ty = field_in_use(&proto)?;
        if !proto.ref_attr_name.is_empty() {
            return Ok(Attribute::Ref(proto.ref_attr_name));
        }
        Ok(match ty {
            code::FLOAT => Attribute::Float(proto.f.unwrap_or(0.0)),
            code::INT => Attribute::Int(proto.i.unwrap_or(0)),
            code::STRING => Attribute::String(proto.s.unwrap_or_default()),
            code::TENSOR => Attribute::Tensor(self.tensor(proto.t.unwrap_or_default(), None)?.1?),
            code::GRAPH => Attribute::Graph(Box::new(self.body(proto.g.unwrap_or_default(), opsets)?)),
            code::SPARSE_TENSOR => {
                Attribute::SparseTensor(self.sparse_tensor(proto.sparse_tensor.unwrap_or_default())?.1?)
            }
            code::TYPE => Attribute::Type(self.required_type(proto.tp.unwrap_or_default())?),
            code::FLOATS => Attribute::Floats(shrunk(proto.floats)),
            code::INTS => Attribute::Ints(shrunk(proto.ints)),
            code::STRINGS => Attribute::Strings(shrunk(proto.strings)),
            code::TENSORS => Attribute::Tensors(each(proto.tensors, |bytes| self.tensor(bytes, None)?.1)?),
            code::GRAPHS => Attribute::Graphs(each(proto.graphs, |bytes| self.body(bytes, opsets))?),
            code::SPARSE_TENSORS => {
                let decode = |bytes| -> Result<Tensor> { self.sparse_tensor(bytes)?.1 };
                Attribute::SparseTensors(each(proto.sparse_tensors, decode)?)
            }
            code::TYPES => Attribute::Types(each(proto.type_protos, |ty| self.required_type(ty))?),
            other => return Err(Diagnostic::invalid(format!("attribute type {other} is none of ONNX's"))),
        })
    }

    /// A graph with its captures. Each level of bodies lists those of the bodies inside it again.
    fn body(&mut self, bytes: Bytes, opsets: &Opsets) -> Result<Graph> {
        let mut body = self.graph(bytes, opsets, None)?;
        body.captures = body.free_names();
        let bytes: usize = body.captures.iter().map(|name| name.len() + 2 * size_of::<String>()).sum();
        self.budget.charge(bytes as u64, "the names that bodies capture")?;
        Ok(body)
    }

    fn required_type(&self, proto: TypeProto) -> Result<TypeDecl> {
        self.type_decl(proto)?.ok_or_else(|| Diagnostic::invalid("the type is empty"))
    }
}

fn each<A, B>(list: Vec<A>, decode: impl FnMut(A) -> Result<B>) -> Result<Vec<B>> {
    list.into_iter().map(decode).collect()
}

fn shrunk<T>(mut list: Vec<T>) -> Vec<T> {
    list.shrink_to_fit();
    list
}

/// Types whose value a file cannot leave out: the others have an empty or zero one.
const NO_DEFAULT: [i32; 5] = [code::UNDEFINED, code::TENSOR, code::GRAPH, code::SPARSE_TENSOR, code::TYPE];

/// The declared type. It must be that of the one field that is set; old files declare none, and then the field decides.
fn field_in_use(proto: &AttributeProto) -> Result<i32> {
    let fields = [
        (code::FLOAT, proto.f.is_some()),
        (code::INT, proto.i.is_some()),
        (code::STRING, proto.s.is_some()),
        (code::TENSOR, proto.t.is_some()),
        (code::GRAPH, proto.g.is_some()),
        (code::SPARSE_TENSOR, proto.sparse_tensor.is_some()),
        (code::TYPE, proto.tp.is_some()),
        (code::FLOATS, !proto.floats.is_empty()),
        (code::INTS, !proto.ints.is_empty()),
        (code::STRINGS, !proto.strings.is_empty()),
        (code::TENSORS, !proto.tensors.is_empty()),
        (code::GRAPHS, !proto.graphs.is_empty()),
        (code::SPARSE_TENSORS, !proto.sparse_tensors.is_empty()),
        (code::TYPES, !proto.type_protos.is_empty()),
    ];
    let declared = proto.r#type.unwrap_or(code::UNDEFINED);
    let mut set = fields.iter().filter(|(_, is_set)| *is_set).map(|(ty, _)| *ty);
    match (set.next(), set.next()) {
        (Some(_), Some(_)) => Err(Diagnostic::invalid("the attribute has values of two types")),
        (Some(_), None) if !proto.ref_attr_name.is_empty() => {
            Err(Diagnostic::invalid("the attribute has a value and refers to an attribute of the call as well"))
        }
        (Some(ty), None) if declared == ty || declared == code::UNDEFINED => Ok(ty),
        (Some(ty), None) => {
            let text = format!("the attribute is declared with type code {declared}, its value has type code {ty}");
            Err(Diagnostic::invalid(text))
        }
        (None, _) if proto.ref_attr_name.is_empty() && NO_DEFAULT.contains(&declared) => {
            Err(Diagnostic::invalid(format!("the attribute of type code {declared} has no value")))
        }
        (None, _) => Ok(declared),
    }
}
