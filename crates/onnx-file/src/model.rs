//! A foreign model as plain Rust values: what an ONNX file says, decoded and validated, not yet translated.
//!
//! Nothing here depends on protobuf. Names are the file's own; the domain `ai.onnx` is written `""`; an absent optional
//! input or output is the empty string. Nodes of every graph are in an order in which values are defined before they are
//! used, whatever order the file has.
use crate::attribute::Attributes;
use crate::problems::clip;
use std::collections::BTreeMap;
use tilewright_support::Loc;
use tilewright_tensor::{DType, Tensor};

/// A decoded model: the main graph, the functions it may call, and the operator sets both are written in.
#[derive(Clone, Debug)]
pub struct Model {
    /// Version of the file format.
    pub ir_version: i64,
    /// Tool that wrote the file.
    pub producer_name: String,
    /// Version of that tool.
    pub producer_version: String,
    /// Reverse-DNS name of the model's owner.
    pub domain: String,
    /// The owner's version of the model.
    pub model_version: i64,
    /// Imported operator sets: domain to version.
    pub opsets: BTreeMap<String, i64>,
    /// Functions that the model defines for itself. They do not call themselves, not even through others.
    pub functions: BTreeMap<FunctionKey, Function>,
    /// The main graph.
    pub graph: Graph,
    /// Free-form properties.
    pub metadata: BTreeMap<String, String>,
}

/// What a call names a model function by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionKey {
    /// Domain of the function.
    pub domain: String,
    /// Name, the `op_type` of its calls.
    pub name: String,
    /// Overload, mostly empty.
    pub overload: String,
}

/// A graph: the model's own, or the body of an If, Loop or Scan.
///
/// A body may read names of the graphs around it, its [captures](Graph::captures). A name is defined once in a graph; in a
/// body, an input or initializer may hide an outer name.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Name of the graph.
    pub name: String,
    /// Inputs in order. One that is also an initializer has that as its default.
    pub inputs: Vec<ValueDecl>,
    /// Outputs in order: results of nodes, initializers or inputs of this graph. One may be listed twice.
    pub outputs: Vec<ValueDecl>,
    /// Constant values by name; sparse ones are stored dense.
    pub initializers: BTreeMap<String, Tensor>,
    /// Nodes, each after those whose results it reads.
    pub nodes: Vec<Node>,
    /// Types that the file claims for values inside the graph: hints, not proved.
    pub value_types: BTreeMap<String, TypeDecl>,
    /// For a body: the names that it, or a body inside it, takes from the graphs around it, in the order of first use.
    pub captures: Vec<String>,
}

/// A function of the model: a body that a node calls by name.
#[derive(Clone, Debug)]
pub struct Function {
    /// Names of the parameters.
    pub inputs: Vec<String>,
    /// Names of the results.
    pub outputs: Vec<String>,
    /// Names of attributes without a default. A call may leave one out; then attributes that refer to it are absent.
    pub attributes: Vec<String>,
    /// Attributes with a default.
    pub defaults: Attributes,
    /// Nodes, each after those whose results it reads. They see the parameters and nothing of the caller.
    pub nodes: Vec<Node>,
    /// Operator sets that the body is written in.
    pub opsets: BTreeMap<String, i64>,
    /// Types that the file claims for values of the body.
    pub value_types: BTreeMap<String, TypeDecl>,
}

/// One node: a call of an operator or of a model function.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Name; may be empty, need not be unique.
    pub name: String,
    /// Operator, such as `Conv`.
    pub op_type: String,
    /// Domain of the operator; `""` is ai.onnx.
    pub domain: String,
    /// Overload of a model function, mostly empty.
    pub overload: String,
    /// Version of the domain's operator set where the node stands; 1 for a domain that nothing imports.
    pub version: i64,
    /// Operands by name; `""` is an absent one.
    pub inputs: Vec<String>,
    /// Results by name; `""` is one that nobody wants.
    pub outputs: Vec<String>,
    /// Attributes.
    pub attributes: Attributes,
}

/// A declared value: a graph's input or output.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueDecl {
    /// Name of the value.
    pub name: String,
    /// Its type, where the file gives one.
    pub ty: Option<TypeDecl>,
}

/// A declared type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeDecl {
    /// A dense tensor.
    Tensor(TensorDecl),
    /// A sequence of values of one type.
    Sequence(Option<Box<TypeDecl>>),
    /// A value that may be absent.
    Optional(Option<Box<TypeDecl>>),
    /// A map from keys of a dtype to values of a type.
    Map(Option<DType>, Option<Box<TypeDecl>>),
    /// A sparse tensor.
    Sparse(TensorDecl),
    /// A type that only a custom operator understands: its domain and name.
    Opaque(String, String),
}

/// Element type and shape, as far as they are declared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorDecl {
    /// Element type.
    pub dtype: Option<DType>,
    /// One entry an axis; `None` when not even the rank is known.
    pub shape: Option<Vec<DimDecl>>,
}

/// A declared extent of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DimDecl {
    /// A number, not negative.
    Fixed(i64),
    /// A name: equal names mean equal extents.
    Named(String),
    /// Nothing is known.
    Unknown,
}

impl Graph {
    /// The same graph with other nodes.
    pub(crate) fn with_nodes(&self, nodes: Vec<Node>) -> Self {
        Self {
            name: self.name.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            initializers: self.initializers.clone(),
            nodes,
            value_types: self.value_types.clone(),
            captures: self.captures.clone(),
        }
    }
}

impl FunctionKey {
    /// The function that a node calls, if there is one of that name.
    pub fn of(node: &Node) -> Self {
        Self { domain: node.domain.clone(), name: node.op_type.clone(), overload: node.overload.clone() }
    }
}

impl Node {
    /// The `i`-th operand, `None` when it is absent.
    pub fn input(&self, i: usize) -> Option<&str> {
        self.inputs.get(i).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The `i`-th result, `None` when nobody wants it.
    pub fn output(&self, i: usize) -> Option<&str> {
        self.outputs.get(i).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Where errors about the node point: its name, or its first result's, and its operator with the version.
    pub fn loc(&self) -> Loc {
        let dot = if self.domain.is_empty() { "" } else { "." };
        let op = format!("{}{dot}{}-{}", clip(&self.domain), clip(&self.op_type), self.version);
        Loc::node(clip(self.label()), op)
    }

    /// The node's name, or that of its first result or operand when it has none.
    pub(crate) fn label(&self) -> &str {
        let names = std::iter::once(&self.name).chain(&self.outputs).chain(&self.inputs);
        names.map(String::as_str).find(|name| !name.is_empty()).unwrap_or_default()
    }

    /// The same node with other attributes.
    pub(crate) fn with_attributes(&self, attributes: Attributes) -> Self {
        Self {
            name: self.name.clone(),
            op_type: self.op_type.clone(),
            domain: self.domain.clone(),
            overload: self.overload.clone(),
            version: self.version,
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            attributes,
        }
    }

    /// The graphs among the attributes: the bodies of an If, Loop or Scan.
    pub fn bodies(&self) -> impl Iterator<Item = &Graph> {
        self.attributes.graphs()
    }
}
