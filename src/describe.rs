//! What a model consists of, for people.

use crate::model::Model;
use std::collections::BTreeMap;
use tilewright_graph::{Graph, Op, TensorType};
use tilewright_onnx::import::{self, Facts, Outcome, Want};
use tilewright_onnx::{DimDecl, Graph as OnnxGraph, TypeDecl, ValueDecl};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, pb};

/// A declared input or output.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueSpec {
    /// Its name.
    pub name: String,
    /// Its type as text, such as `f32[batch, 3, 224, 224]`.
    pub ty: String,
    /// Element dtype, of tensors.
    pub dtype: Option<DType>,
    /// Dims of tensors whose rank is declared: sizes, names, or `?`.
    pub dims: Option<Vec<String>>,
    /// The messages that its `.pb` file holds, from the outside in: `[Optional, Sequence, Tensor]` of an optional sequence
    /// of tensors. Empty for undeclared types.
    pub kinds: Vec<pb::Kind>,
}

/// How often an operator occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpCount {
    /// The operator, with its domain unless that is ai.onnx.
    pub op: String,
    /// Occurrences, bodies included.
    pub count: usize,
}

/// What a model consists of.
#[derive(Clone, Debug)]
pub struct Description {
    /// Tool that wrote the file, with its version.
    pub producer: String,
    /// Version of the file format.
    pub ir_version: i64,
    /// Operator sets, `ai.onnx` first.
    pub opsets: Vec<(String, i64)>,
    /// Inputs that a run must give.
    pub inputs: Vec<ValueSpec>,
    /// Outputs.
    pub outputs: Vec<ValueSpec>,
    /// Operators, most frequent first.
    pub operators: Vec<OpCount>,
    /// Nodes, bodies included.
    pub nodes: usize,
    /// Elements of all initializers and constant tensors.
    pub parameters: u64,
    /// Their bytes.
    pub parameter_bytes: u64,
    /// Floating-point operations of a run, as an expression of the inputs' symbolic sizes; `None`
    /// where they depend on values.
    pub flops: Option<String>,
}

impl ValueSpec {
    pub(crate) fn of(decl: &ValueDecl) -> Self {
        let (ty, dtype, dims) = match &decl.ty {
            None => ("of undeclared type".to_string(), None, None),
            Some(t) => (show(t), tensor_dtype(t), tensor_dims(t)),
        };
        Self { name: decl.name.clone(), ty, dtype, dims, kinds: kinds(decl.ty.as_ref()) }
    }
}

impl ValueSpec {
    /// Whether a tensor has the declared dtype, rank and fixed dims.
    pub(crate) fn admits(&self, found: &TensorType) -> bool {
        let fixed = |(dim, size): (&String, &Ix)| dim.parse::<i64>().map_or(true, |n| size.is(n));
        let dims = self.dims.as_ref();
        self.dtype.is_none_or(|d| d == found.dtype)
            && dims.is_none_or(|dims| dims.len() == found.rank() && dims.iter().zip(&found.shape).all(fixed))
    }
}

fn kinds(ty: Option<&TypeDecl>) -> Vec<pb::Kind> {
    let around = |kind, inner: Option<&TypeDecl>| [vec![kind], kinds(inner)].concat();
    match ty {
        Some(TypeDecl::Tensor(_)) => vec![pb::Kind::Tensor],
        Some(TypeDecl::Sequence(t)) => around(pb::Kind::Sequence, t.as_deref()),
        Some(TypeDecl::Optional(t)) => around(pb::Kind::Optional, t.as_deref()),
        Some(TypeDecl::Map(_, t)) => around(pb::Kind::Map, t.as_deref()),
        Some(TypeDecl::Sparse(_) | TypeDecl::Opaque(..)) | None => Vec::new(),
    }
}

fn tensor_dtype(ty: &TypeDecl) -> Option<DType> {
    if let TypeDecl::Tensor(t) = ty { t.dtype } else { None }
}

fn tensor_dims(ty: &TypeDecl) -> Option<Vec<String>> {
    let TypeDecl::Tensor(t) = ty else { return None };
    let dim = |d: &DimDecl| match d {
        DimDecl::Fixed(n) => n.to_string(),
        DimDecl::Named(name) => name.clone(),
        DimDecl::Unknown => "?".to_string(),
    };
    t.shape.as_ref().map(|s| s.iter().map(dim).collect())
}

fn show(ty: &TypeDecl) -> String {
    let inner = |t: &Option<Box<TypeDecl>>| t.as_ref().map_or_else(|| "?".to_string(), |t| show(t));
    match ty {
        TypeDecl::Tensor(t) => {
            let dtype = t.dtype.map_or("?", DType::name);
            let dims = tensor_dims(ty).map_or_else(|| "...".to_string(), |d| d.join(", "));
            format!("{dtype}[{dims}]")
        }
        TypeDecl::Sequence(t) => format!("seq({})", inner(t)),
        TypeDecl::Optional(t) => format!("opt({})", inner(t)),
        TypeDecl::Map(k, v) => format!("map({}, {})", k.map_or("?", DType::name), inner(v)),
        TypeDecl::Sparse(t) => format!("sparse({})", t.dtype.map_or("?", DType::name)),
        TypeDecl::Opaque(domain, name) => format!("{domain}.{name}"),
    }
}

fn count_ops(graph: &OnnxGraph, counts: &mut BTreeMap<String, usize>) {
    for node in &graph.nodes {
        let op =
            if node.domain.is_empty() { node.op_type.clone() } else { format!("{}.{}", node.domain, node.op_type) };
        *counts.entry(op).or_default() += 1;
        node.bodies().for_each(|g| count_ops(g, counts));
    }
}

/// Elements and bytes of initializers and of constant tensors.
fn count_parameters(graph: &OnnxGraph) -> (u64, u64) {
    let size = |t: &Tensor| (t.len() as u64, t.byte_len() as u64);
    let own = graph.initializers.values().map(size);
    let constants = graph.nodes.iter().filter(|n| n.domain.is_empty() && n.op_type == "Constant");
    let constants = constants.filter_map(|n| n.attr_tensor("value").ok().flatten()).map(size);
    let bodies = graph.nodes.iter().flat_map(|n| n.bodies()).map(count_parameters);
    own.chain(constants).chain(bodies).fold((0, 0), |(n, b), (m, c)| (n + m, b + c))
}

/// Floating-point operations of a graph, those of loop bodies counted once.
fn count_flops(graph: &Graph) -> Ix {
    graph.nodes.iter().fold(Ix::zero(), |sum, node| {
        let own = match &node.op {
            Op::Comp(c) => c.flops(),
            op => op.bodies().iter().fold(Ix::zero(), |s, b| s + count_flops(b)),
        };
        sum + own
    })
}

impl Description {
    pub(crate) fn of(model: &Model) -> Self {
        let onnx = &model.onnx;
        let mut counts = BTreeMap::new();
        count_ops(&onnx.graph, &mut counts);
        let mut operators: Vec<OpCount> = counts.into_iter().map(|(op, count)| OpCount { op, count }).collect();
        operators.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.op.cmp(&b.op)));
        let (parameters, parameter_bytes) = count_parameters(&onnx.graph);
        let flops = match import::import(onnx, &Facts::default()) {
            Ok(Outcome::Ready(g)) => {
                Some(count_flops(&g)).filter(|flops| !flops.is_intricate()).map(|flops| flops.to_string())
            }
            Ok(Outcome::Wants(w)) => match *w {
                Want::InputTypes | Want::Sizes(..) | Want::Value(..) => None,
            },
            Err(_) => None,
        };
        let name = |d: &str| if d.is_empty() { "ai.onnx".to_string() } else { d.to_string() };
        Self {
            producer: format!("{} {}", onnx.producer_name, onnx.producer_version).trim().to_string(),
            ir_version: onnx.ir_version,
            opsets: onnx.opsets.iter().map(|(d, v)| (name(d), *v)).collect(),
            inputs: model.inputs(),
            outputs: model.outputs(),
            nodes: operators.iter().map(|o| o.count).sum(),
            operators,
            parameters,
            parameter_bytes,
            flops,
        }
    }
}
