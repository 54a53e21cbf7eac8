//! Attributes of nodes: a small map from names to typed values, with getters whose errors name the node.
//!
//! A getter gives `None` when the attribute is absent and an error when it has another type, so `node.attr_int("axis")?`
//! reads an optional attribute and `node.required("axis", Node::attr_int)?` one that must be there.
use crate::model::{Graph, Node, TypeDecl};
use crate::problems::clip;
use bytes::Bytes;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Tensor;

/// The value of an attribute.
#[derive(Clone, Debug)]
pub enum Attribute {
    /// A number.
    Float(f32),
    /// An integer.
    Int(i64),
    /// Text, or any bytes.
    String(Bytes),
    /// A tensor.
    Tensor(Tensor),
    /// A body.
    Graph(Box<Graph>),
    /// A sparse tensor, stored dense.
    SparseTensor(Tensor),
    /// A type.
    Type(TypeDecl),
    /// Numbers.
    Floats(Vec<f32>),
    /// Integers.
    Ints(Vec<i64>),
    /// Texts.
    Strings(Vec<Bytes>),
    /// Tensors.
    Tensors(Vec<Tensor>),
    /// Bodies.
    Graphs(Vec<Graph>),
    /// Sparse tensors, stored dense.
    SparseTensors(Vec<Tensor>),
    /// Types.
    Types(Vec<TypeDecl>),
    /// Inside a function: the value of this attribute of the call.
    Ref(String),
}

/// Attributes by name, in file order, each name once.
#[derive(Clone, Debug, Default)]
pub struct Attributes(Vec<(String, Attribute)>);

impl Attributes {
    /// Attributes from pairs whose names differ.
    pub(crate) fn new(pairs: Vec<(String, Attribute)>) -> Self {
        Self(pairs)
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// All of them, in file order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Attribute)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The graphs among them.
    pub fn graphs(&self) -> impl Iterator<Item = &Graph> {
        self.0.iter().flat_map(|(_, value)| value.graphs())
    }
}

impl Attribute {
    /// The type's name in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Float(_) => "float",
            Self::Int(_) => "int",
            Self::String(_) => "string",
            Self::Tensor(_) => "tensor",
            Self::Graph(_) => "graph",
            Self::SparseTensor(_) => "sparse tensor",
            Self::Type(_) => "type",
            Self::Floats(_) => "floats",
            Self::Ints(_) => "ints",
            Self::Strings(_) => "strings",
            Self::Tensors(_) => "tensors",
            Self::Graphs(_) => "graphs",
            Self::SparseTensors(_) => "sparse tensors",
            Self::Types(_) => "types",
            Self::Ref(_) => "reference",
        }
    }

    /// The graphs in the value.
    pub fn graphs(&self) -> &[Graph] {
        match self {
            Self::Graph(graph) => std::slice::from_ref(graph),
            Self::Graphs(graphs) => graphs,
            _ => &[],
        }
    }
}

impl Node {
    /// An attribute of any type.
    pub fn attr(&self, name: &str) -> Option<&Attribute> {
        self.attributes.get(name)
    }

    /// An attribute that must be there: `node.required("axis", Node::attr_int)`.
    ///
    /// # Errors
    /// Invalid, when it is absent or has another type.
    pub fn required<'a, T>(&'a self, name: &str, get: impl Fn(&'a Self, &str) -> Result<Option<T>>) -> Result<T> {
        get(self, name)?
            .ok_or_else(|| Diagnostic::invalid(format!("attribute \"{name}\" is required but missing")).at(&self.loc()))
    }

    /// An integer attribute.
    ///
    /// # Errors
    /// Invalid, as for every getter here, when the attribute has another type.
    pub fn attr_int(&self, name: &str) -> Result<Option<i64>> {
        self.typed(name, "int", |value| if let Attribute::Int(i) = value { Some(*i) } else { None })
    }

    /// An integer attribute that is a truth value: 0 is false.
    pub fn attr_bool(&self, name: &str) -> Result<Option<bool>> {
        Ok(self.attr_int(name)?.map(|i| i != 0))
    }

    /// A float attribute.
    pub fn attr_float(&self, name: &str) -> Result<Option<f32>> {
        self.typed(name, "float", |value| if let Attribute::Float(f) = value { Some(*f) } else { None })
    }

    /// A string attribute that is text.
    pub fn attr_str(&self, name: &str) -> Result<Option<&str>> {
        self.attr_bytes(name)?.map(|bytes| self.text(name, bytes)).transpose()
    }

    /// A string attribute that may be any bytes.
    pub fn attr_bytes(&self, name: &str) -> Result<Option<&Bytes>> {
        self.typed(name, "string", |value| if let Attribute::String(s) = value { Some(s) } else { None })
    }

    /// A list of integers.
    pub fn attr_ints(&self, name: &str) -> Result<Option<&[i64]>> {
        self.typed(name, "ints", |value| if let Attribute::Ints(list) = value { Some(list.as_slice()) } else { None })
    }

    /// A list of floats.
    pub fn attr_floats(&self, name: &str) -> Result<Option<&[f32]>> {
        self.typed(
            name,
            "floats",
            |value| if let Attribute::Floats(list) = value { Some(list.as_slice()) } else { None },
        )
    }

    /// A list of texts.
    pub fn attr_strs(&self, name: &str) -> Result<Option<Vec<&str>>> {
        let list =
            self.typed(name, "strings", |value| if let Attribute::Strings(list) = value { Some(list) } else { None })?;
        list.map(|list| list.iter().map(|bytes| self.text(name, bytes)).collect()).transpose()
    }

    /// A tensor.
    pub fn attr_tensor(&self, name: &str) -> Result<Option<&Tensor>> {
        self.typed(name, "tensor", |value| match value {
            Attribute::Tensor(tensor) | Attribute::SparseTensor(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// A body.
    pub fn attr_graph(&self, name: &str) -> Result<Option<&Graph>> {
        self.typed(name, "graph", |value| if let Attribute::Graph(graph) = value { Some(&**graph) } else { None })
    }

    /// A type.
    pub fn attr_type(&self, name: &str) -> Result<Option<&TypeDecl>> {
        self.typed(name, "type", |value| if let Attribute::Type(ty) = value { Some(ty) } else { None })
    }

    fn typed<'a, T>(
        &'a self,
        name: &str,
        wanted: &str,
        pick: impl Fn(&'a Attribute) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.attr(name) else { return Ok(None) };
        if let (None, Attribute::Ref(of)) = (pick(value), value) {
            let of = clip(of);
            let text =
                format!("attribute \"{name}\" refers to \"{of}\" of a call, but the node is in no called function");
            return Err(Diagnostic::invalid(text).at(&self.loc()));
        }
        let mismatch = || format!("attribute \"{name}\" is of type {}, expected {wanted}", value.kind());
        pick(value).map(Some).ok_or_else(|| Diagnostic::invalid(mismatch()).at(&self.loc()))
    }

    fn text<'a>(&self, name: &str, bytes: &'a [u8]) -> Result<&'a str> {
        std::str::from_utf8(bytes)
            .map_err(|_| Diagnostic::invalid(format!("attribute \"{name}\" is not UTF-8 text")).at(&self.loc()))
    }
}
