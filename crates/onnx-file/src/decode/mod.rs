//! From bytes to a [`Model`]: every message decoded once, checked by itself, and its bytes let go.
//!
//! What a whole graph must satisfy is in [`crate::validate`]. A node, tensor or attribute that cannot be decoded is a
//! problem of its own; decoding goes on, so that one run reports them all.
mod attribute;
mod graph;
mod tensor;
mod types;

use crate::attribute::Attributes;
use crate::domains::canonical;
use crate::external::External;
use crate::limits::{Budget, Limits};
use crate::model::{Function, FunctionKey, Graph, Model};
use crate::outline::LeftOut;
use crate::problems::{Problems, clip};
use crate::proto::{FunctionProto, ModelProto, OperatorSetIdProto};
use crate::scan::scan;
use bytes::Bytes;
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tilewright_support::{Diagnostic, Result};

/// Versions of operator sets by domain.
type Opsets = BTreeMap<String, i64>;

/// What decoding carries along.
pub(crate) struct Decoder<'a> {
    limits: &'a Limits,
    /// The memory that is left to the file.
    pub budget: Budget,
    external: External<'a>,
    /// What was found wrong so far.
    pub problems: Problems,
    /// Names of tensors that could not be decoded: reading one is no further problem.
    pub lost: BTreeSet<String>,
}

impl<'a> Decoder<'a> {
    /// Scans the file and prepares to decode it.
    ///
    /// # Errors
    /// Invalid for bytes that are no well-formed model file, Limit for one that asks for too much.
    pub fn new(bytes: &[u8], base_dir: Option<&'a Path>, limits: &'a Limits) -> Result<Self> {
        recognise(bytes)?;
        if bytes.len() as u64 > limits.file_bytes {
            let text = format!("the file has {} bytes, more than the limit of {}", bytes.len(), limits.file_bytes);
            return Err(Diagnostic::limit(text));
        }
        let budget = scan(bytes, limits)?;
        let (external, problems) = (External::new(base_dir), Problems::new(limits));
        Ok(Self { limits, budget, external, problems, lost: BTreeSet::new() })
    }

    /// Decodes the file; `left_out` are elements of the main graph that are not in the bytes.
    ///
    /// # Errors
    /// Invalid when the model as a whole cannot be decoded; smaller problems are kept in `problems`.
    pub fn model(&mut self, bytes: Bytes, left_out: Option<&LeftOut>) -> Result<Model> {
        let proto: ModelProto = message(bytes, "ModelProto")?;
        let no_graph = "the file holds no graph: it is not an ONNX model, or it is cut off";
        let graph = proto.graph.ok_or_else(|| Diagnostic::invalid(no_graph))?;
        let opsets = self.opsets(proto.opset_import, proto.ir_version);
        let functions = self.functions(proto.functions);
        let graph = self.graph(graph, &opsets, left_out)?;
        let entries = proto.metadata_props.into_iter();
        Ok(Model {
            ir_version: proto.ir_version.unwrap_or(0),
            producer_name: proto.producer_name,
            producer_version: proto.producer_version,
            domain: proto.domain,
            model_version: proto.model_version,
            opsets,
            functions,
            graph,
            metadata: entries.map(|e| (e.key.unwrap_or_default(), e.value.unwrap_or_default())).collect(),
        })
    }

    /// Files before version 3 of the format import nothing and mean the first operator set.
    fn opsets(&mut self, imports: Vec<OperatorSetIdProto>, ir_version: Option<i64>) -> Opsets {
        let mut opsets = Opsets::new();
        for import in imports {
            let (domain, version) = (canonical(import.domain), import.version.unwrap_or(0));
            if opsets.get(&domain).is_some_and(|earlier| *earlier != version) {
                let text = format!("domain \"{}\" is imported in two versions", clip(&domain));
                self.problems.push(Diagnostic::invalid(text));
            }
            opsets.insert(domain, version);
        }
        if opsets.is_empty() && matches!(ir_version, Some(1 | 2)) {
            opsets.insert(String::new(), 1);
        }
        opsets
    }

    fn functions(&mut self, encoded: Vec<Bytes>) -> BTreeMap<FunctionKey, Function> {
        let mut functions = BTreeMap::new();
        for bytes in encoded {
            let decoded = self.function(bytes);
            let Some((key, function)) = self.problems.keep(decoded) else { continue };
            let text = format!("function {key} is defined twice");
            if functions.insert(key, function).is_some() {
                self.problems.push(Diagnostic::invalid(text));
            }
        }
        functions
    }

    fn function(&mut self, bytes: Bytes) -> Result<(FunctionKey, Function)> {
        let proto: FunctionProto = message(bytes, "FunctionProto")?;
        let key = FunctionKey { domain: canonical(proto.domain), name: proto.name, overload: proto.overload };
        if key.name.is_empty() {
            return Err(Diagnostic::invalid("a function of the model has no name"));
        }
        let opsets = self.opsets(proto.opset_import, None);
        let mut body = Graph { nodes: self.nodes(proto.node, &opsets), ..Graph::default() };
        body.value_types = self.value_types(proto.value_info)?;
        let mut defaults = Vec::new();
        for bytes in proto.attribute_proto {
            let default = self.attribute(bytes, &opsets);
            defaults.extend(self.problems.keep(default));
        }
        let function = Function {
            inputs: proto.input,
            outputs: proto.output,
            attributes: proto.attribute,
            defaults: Attributes::new(defaults),
            nodes: body.nodes,
            opsets,
            value_types: body.value_types,
        };
        Ok((key, function))
    }
}

/// Decodes one message.
fn message<M: Message + Default>(bytes: Bytes, name: &str) -> Result<M> {
    M::decode(bytes).map_err(|error| Diagnostic::invalid(format!("{name} does not decode: {error}")))
}

/// Names common files that are no ONNX model.
fn recognise(bytes: &[u8]) -> Result<()> {
    const KINDS: [(&[u8], &str, &str); 5] = [
        (b"version https://git-lfs", "a Git LFS pointer", "fetch the file it stands for with `git lfs pull`"),
        (b"PK\x03\x04", "a zip archive", "unpack it; a PyTorch checkpoint must be exported to ONNX first"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "convert the model to ONNX first"),
        (b"\x1f\x8b", "a gzip archive", "unpack it first"),
        (b"GGUF", "a GGUF file", "convert the model to ONNX first"),
    ];
    if bytes.is_empty() {
        return Err(Diagnostic::invalid("the file is empty"));
    }
    if bytes.get(4..8) == Some(b"ORTM") {
        return Err(Diagnostic::unsupported("an ORT-format model").help("use the ONNX file it was made from"));
    }
    match KINDS.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        Some((_, what, help)) => Err(Diagnostic::invalid(format!("this is {what}, not an ONNX model")).help(*help)),
        None => Ok(()),
    }
}
