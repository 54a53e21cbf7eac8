//! Model files built from messages, for tests.
#![allow(dead_code, reason = "each test binary uses a part of these")]

use bytes::Bytes;
use prost::Message;
use tilewright_onnx_file::proto::*;
use tilewright_onnx_file::{Limits, Model};
use tilewright_support::Result;
use tilewright_tensor::Tensor;
use tilewright_tensor::proto::TensorProto;

/// The bytes of a message.
pub fn bytes(message: &impl Message) -> Bytes {
    Bytes::from(message.encode_to_vec())
}

/// A node.
pub fn node(op: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    NodeProto { op_type: op.into(), input: owned(inputs), output: owned(outputs), ..NodeProto::default() }
}

/// A node of another domain.
pub fn foreign(domain: &str, op: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    NodeProto { domain: domain.into(), ..node(op, inputs, outputs) }
}

/// The node with one more attribute.
pub fn with(mut node: NodeProto, attribute: AttributeProto) -> NodeProto {
    node.attribute.push(bytes(&attribute));
    node
}

/// An attribute of a type code; the field is set by the caller.
pub fn attribute(name: &str, code: i32) -> AttributeProto {
    AttributeProto { name: name.into(), r#type: Some(code), ..AttributeProto::default() }
}

/// An attribute that is a body.
pub fn body(name: &str, graph: &GraphProto) -> AttributeProto {
    AttributeProto { g: Some(bytes(graph)), ..attribute(name, attribute_type::GRAPH) }
}

/// A graph of nodes whose inputs and outputs have no types.
pub fn graph(inputs: &[&str], nodes: &[NodeProto], outputs: &[&str]) -> GraphProto {
    let value = |name: &&str| ValueInfoProto { name: (*name).into(), r#type: None };
    GraphProto {
        name: "g".into(),
        input: inputs.iter().map(value).collect(),
        output: outputs.iter().map(value).collect(),
        node: nodes.iter().map(bytes).collect(),
        ..GraphProto::default()
    }
}

/// The graph with a constant of one f32.
pub fn constant(mut graph: GraphProto, name: &str) -> GraphProto {
    graph.initializer.push(bytes(&tensor(name)));
    graph
}

/// A tensor of one f32.
pub fn tensor(name: &str) -> TensorProto {
    Tensor::from_slice(&[1], &[7f32]).unwrap().to_proto(name)
}

/// An import.
pub fn import(domain: &str, version: i64) -> OperatorSetIdProto {
    OperatorSetIdProto { domain: domain.into(), version: Some(version) }
}

/// A model in opset 17.
pub fn model(graph: &GraphProto) -> ModelProto {
    ModelProto {
        ir_version: Some(8),
        opset_import: vec![import("", 17)],
        graph: Some(bytes(graph)),
        ..ModelProto::default()
    }
}

/// A function of the domain `my`, in opset 17.
pub fn function(name: &str, inputs: &[&str], nodes: &[NodeProto], outputs: &[&str]) -> FunctionProto {
    FunctionProto {
        name: name.into(),
        domain: "my".into(),
        input: owned(inputs),
        output: owned(outputs),
        node: nodes.iter().map(bytes).collect(),
        opset_import: vec![import("", 17), import("my", 1)],
        ..FunctionProto::default()
    }
}

/// The model with functions of the domain `my`.
pub fn with_functions(mut model: ModelProto, functions: &[FunctionProto]) -> ModelProto {
    model.opset_import.push(import("my", 1));
    model.functions = functions.iter().map(bytes).collect();
    model
}

/// Loads a model from its bytes.
pub fn load(model: &ModelProto) -> Result<Model> {
    Model::from_bytes(bytes(model), None, &Limits::default())
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
