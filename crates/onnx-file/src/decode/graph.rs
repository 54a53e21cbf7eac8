//! Graphs and nodes.
use super::{Decoder, Opsets, message};
use crate::attribute::Attributes;
use crate::domains::canonical;
use crate::model::{Graph, Node, TypeDecl, ValueDecl};
use crate::outline::LeftOut;
use crate::problems::clip;
use crate::proto::{GraphProto, NodeProto, ValueInfoProto};
use crate::sort::sort;
use bytes::Bytes;
use std::collections::BTreeMap;
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::Tensor;

impl Decoder<'_> {
    /// A graph whose nodes are written in the operator sets `opsets`.
    pub(super) fn graph(&mut self, bytes: Bytes, opsets: &Opsets, left_out: Option<&LeftOut>) -> Result<Graph> {
        let proto: GraphProto = message(bytes, "GraphProto")?;
        let mut graph = Graph { name: proto.name, ..Graph::default() };
        graph.inputs = self.values(proto.input);
        graph.outputs = self.values(proto.output);
        graph.value_types = self.value_types(proto.value_info)?;
        for (n, bytes) in proto.initializer.into_iter().enumerate() {
            let raw = left_out.and_then(|l| l.raw(n));
            let (name, tensor) = self.tensor(bytes, raw)?;
            self.initializer(&mut graph, name, tensor);
        }
        for bytes in proto.sparse_initializer {
            let (name, tensor) = self.sparse_tensor(bytes)?;
            self.initializer(&mut graph, name, tensor);
        }
        graph.nodes = self.nodes(proto.node, opsets);
        Ok(graph)
    }

    fn values(&mut self, protos: Vec<ValueInfoProto>) -> Vec<ValueDecl> {
        let decl = |proto| {
            let (name, ty) = self.value(proto);
            ValueDecl { name, ty: self.problems.keep(ty).flatten() }
        };
        protos.into_iter().map(decl).collect()
    }

    /// Types of inner values. One that is not supported is no loss: its node will say so.
    pub(super) fn value_types(&mut self, encoded: Vec<Bytes>) -> Result<BTreeMap<String, TypeDecl>> {
        let mut types = BTreeMap::new();
        for bytes in encoded {
            let (name, ty) = self.value(message(bytes, "ValueInfoProto")?);
            match ty {
                Ok(Some(ty)) => drop(types.insert(name, ty)),
                Err(error) if error.code != Code::Unsupported => self.problems.push(error),
                _ => {}
            }
        }
        Ok(types)
    }

    fn initializer(&mut self, graph: &mut Graph, name: String, tensor: Result<Tensor>) {
        if name.is_empty() {
            self.problems.push(Diagnostic::invalid("an initializer has no name"));
        }
        let Some(tensor) = self.problems.keep(tensor) else {
            self.lost.insert(name);
            return;
        };
        let text = format!("initializer \"{}\" is defined twice", clip(&name));
        if graph.initializers.insert(name, tensor).is_some() {
            self.problems.push(Diagnostic::invalid(text));
        }
    }

    /// Nodes in an order that respects their operands; file order if that does, or if none does.
    pub(super) fn nodes(&mut self, encoded: Vec<Bytes>, opsets: &Opsets) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(encoded.len());
        for bytes in encoded {
            let node = self.node(bytes, opsets);
            nodes.extend(self.problems.keep(node));
        }
        let sorted = sort(&mut nodes);
        self.problems.keep(sorted);
        nodes
    }

    fn node(&mut self, bytes: Bytes, opsets: &Opsets) -> Result<Node> {
        let proto: NodeProto = message(bytes, "NodeProto")?;
        let domain = canonical(proto.domain);
        let version = opsets.get(&domain).copied().unwrap_or(1);
        let (name, op_type, overload) = (proto.name, proto.op_type, proto.overload);
        let (mut inputs, mut outputs) = (proto.input, proto.output);
        inputs.shrink_to_fit();
        outputs.shrink_to_fit();
        let attributes = Attributes::default();
        let mut node = Node { name, op_type, domain, overload, version, inputs, outputs, attributes };
        if node.op_type.is_empty() {
            self.problems.push(Diagnostic::invalid("the node names no operator").at(&node.loc()));
        }
        if node.inputs.is_empty() && node.outputs.is_empty() {
            self.problems.push(Diagnostic::invalid("the node has neither operands nor results").at(&node.loc()));
        }
        node.attributes = self.attributes(proto.attribute, &node, opsets);
        Ok(node)
    }

    fn attributes(&mut self, encoded: Vec<Bytes>, node: &Node, opsets: &Opsets) -> Attributes {
        let mut pairs = Vec::with_capacity(encoded.len());
        for bytes in encoded {
            let attribute = self.attribute(bytes, opsets).map_err(|error| error.at(&node.loc()));
            pairs.extend(self.problems.keep(attribute));
        }
        let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let text = format!("attribute \"{}\" is given twice", clip(twice[0]));
            self.problems.push(Diagnostic::invalid(text).at(&node.loc()));
        }
        Attributes::new(pairs)
    }
}
