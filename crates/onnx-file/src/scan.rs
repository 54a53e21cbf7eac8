//! A first look at a file: one pass over the wire format that counts, before anything is decoded.
//!
//! It proves that every length stays inside its message, that nesting, node and item counts stay within [`Limits`], that a
//! message which may occur once does not occur twice, and that the structures decoding builds fit the [`Budget`]. Payloads
//! of tensors are stepped over, so the pass costs microseconds for real models.
use crate::limits::{Budget, Limits};
use crate::model::{Graph, Node, TypeDecl, ValueDecl};
use crate::proto::{AttributeProto, OperatorSetIdProto, TypeProto, ValueInfoProto};
use crate::wire::{Value, count_varints, fields};
use bytes::Bytes;
use std::mem::size_of;
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::Tensor;

/// The messages whose fields are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Model,
    OpsetId,
    Function,
    Graph,
    Node,
    Attribute,
    ValueInfo,
    Type,
    TensorType,
    Element,
    Map,
    Shape,
    Dim,
    Tensor,
    Sparse,
    Entry,
}

/// What decoding makes of a field.
#[derive(Clone, Copy)]
enum Rule {
    /// Nothing, or something of fixed size.
    Skip,
    /// A string of its own.
    Text,
    /// One of several strings, with the bytes that it takes beside its text.
    Texts(usize),
    /// Bytes that may be copied once, and a slice of the file.
    Blob,
    /// Numbers of varying length, each of so many bytes once decoded.
    Varints(usize),
    /// A message that may occur once.
    One(Kind),
    /// One of several messages.
    Many(Kind),
}

impl Kind {
    /// Field numbers as in ONNX's `onnx.proto`.
    fn rule(self, number: u64) -> Rule {
        use Rule::{Blob, Many, One, Skip, Text, Texts, Varints};
        match (self, number) {
            (Self::Model, 2..=4) => Text,
            (Self::Model, 7) => One(Self::Graph),
            (Self::Model, 8) | (Self::Function, 9) => Many(Self::OpsetId),
            (Self::Model, 14) => Many(Self::Entry),
            (Self::Model, 25) => Many(Self::Function),
            (Self::Function, 4..=6) => Texts(STRING + TABLE),
            (Self::Function, 7) | (Self::Graph, 1) => Many(Self::Node),
            (Self::Function, 11) | (Self::Node, 5) => Many(Self::Attribute),
            (Self::Function, 12) | (Self::Graph, 11..=13) => Many(Self::ValueInfo),
            (Self::Graph, 5) | (Self::Attribute, 10) => Many(Self::Tensor),
            (Self::Graph, 15) | (Self::Attribute, 23) => Many(Self::Sparse),
            (Self::Node, 1) => Texts(STRING),
            (Self::Node, 2) => Texts(STRING + TABLE),
            (Self::Attribute, 4) => Blob,
            (Self::Attribute, 5) | (Self::Sparse, 1 | 2) => One(Self::Tensor),
            (Self::Attribute, 6) => One(Self::Graph),
            (Self::Attribute, 7) => Blob,
            (Self::Attribute, 8) => Varints(8),
            (Self::Attribute, 9) => Texts(STRING),
            (Self::Attribute, 11) => Many(Self::Graph),
            (Self::Attribute, 14) | (Self::ValueInfo, 2) => One(Self::Type),
            (Self::Attribute, 15) => Many(Self::Type),
            (Self::Attribute, 22) => One(Self::Sparse),
            (Self::Type, 1 | 8) => One(Self::TensorType),
            (Self::Type, 4 | 9) => One(Self::Element),
            (Self::Type, 5) => One(Self::Map),
            (Self::Element, 1) | (Self::Map, 2) => One(Self::Type),
            (Self::TensorType, 2) => One(Self::Shape),
            (Self::Shape, 1) => Many(Self::Dim),
            (Self::Dim, 2) => Text,
            (Self::Tensor, 1 | 7 | 11) | (Self::Sparse, 3) => Varints(8),
            (Self::Tensor, 5) => Varints(4),
            (Self::Tensor, 4 | 9 | 10) => Blob,
            (Self::Tensor, 6) => Texts(2 * STRING),
            (Self::Tensor, 13 | 16) => Many(Self::Entry),
            (Self::Tensor, 8 | 12) | (Self::Entry, 1 | 2) | (Self::OpsetId | Self::ValueInfo, 1) => Text,
            (Self::Node, 3 | 4 | 7 | 8) | (Self::Function, 1 | 10 | 13) => Text,
            (Self::Graph, 2) | (Self::Attribute, 1 | 21) => Text,
            _ => Skip,
        }
    }

    /// Bytes that one such message takes when decoded, without what is in it.
    ///
    /// Vectors that grow while decoding may be twice too large; tables that validation builds are counted with the item.
    fn size(self) -> usize {
        match self {
            Self::Model => 1 << 10,
            Self::OpsetId => 2 * size_of::<OperatorSetIdProto>() + TABLE,
            Self::Function => 2 * size_of::<Bytes>() + size_of::<crate::model::Function>() + 2 * TABLE,
            Self::Graph => size_of::<Graph>() + TABLE,
            Self::Node => 2 * size_of::<Bytes>() + size_of::<Node>() + TABLE,
            Self::Attribute => size_of::<Bytes>() + size_of::<(String, crate::Attribute)>(),
            Self::ValueInfo => 2 * size_of::<ValueInfoProto>() + size_of::<ValueDecl>() + TABLE,
            Self::Type => 2 * size_of::<TypeProto>() + size_of::<TypeDecl>(),
            Self::Element | Self::Map => size_of::<TypeProto>() + size_of::<TypeDecl>(),
            Self::TensorType | Self::Shape => 0,
            Self::Dim => 4 * size_of::<crate::proto::DimensionProto>(),
            Self::Tensor | Self::Sparse => 2 * size_of::<Bytes>() + 2 * size_of::<Tensor>() + TABLE,
            Self::Entry => 4 * size_of::<String>() + TABLE,
        }
    }
}

/// Bytes that an entry of a table takes: name, value, and the table's free places.
const TABLE: usize = 96;

/// Bytes that an entry of a list of strings takes, which may have grown to twice its need.
const STRING: usize = 2 * size_of::<Bytes>();

struct Scan<'a> {
    file: &'a [u8],
    limits: &'a Limits,
    budget: Budget,
    nodes: usize,
    graphs: usize,
    messages: usize,
}

/// Scans a model file and returns what is left of its budget.
///
/// # Errors
/// Invalid for a file that is not well-formed protobuf or repeats a message that may occur once; Limit when it goes beyond
/// `limits` or asks for more memory than its size justifies.
pub(crate) fn scan(file: &[u8], limits: &Limits) -> Result<Budget> {
    let budget = Budget::new(file.len(), limits);
    let mut scan = Scan { file, limits, budget, nodes: 0, graphs: 0, messages: 0 };
    scan.budget.charge(size_of::<AttributeProto>() as u64, "decoding")?;
    match scan.message(Kind::Model, file) {
        Ok(()) => Ok(scan.budget),
        Err(mut error) if error.code == Code::Invalid => {
            error.message = format!("not an ONNX model, or a damaged one: {}", error.message);
            Err(error)
        }
        Err(error) => Err(error),
    }
}

impl Scan<'_> {
    fn message(&mut self, kind: Kind, bytes: &[u8]) -> Result<()> {
        self.enter(kind)?;
        let mut seen = 0u64;
        let mut items = [0usize; 3];
        for field in fields(bytes) {
            let field = field.map_err(|error| self.place(error, kind, bytes))?;
            let rule = kind.rule(field.number);
            if let Rule::One(_) = rule {
                let bit = 1 << (field.number & 63);
                if seen & bit != 0 {
                    let text = format!("field {} occurs twice, which has no one meaning", field.number);
                    return Err(self.place(Diagnostic::invalid(text), kind, bytes));
                }
                seen |= bit;
            }
            if let Some((slot, what, limit)) = self.item(kind, field.number) {
                items[slot] += 1;
                within("a node or function has", what, items[slot], limit)?;
            }
            self.field(rule, field.value)?;
        }
        self.leave(kind);
        Ok(())
    }

    fn field(&mut self, rule: Rule, value: Value<'_>) -> Result<()> {
        let cost = match (rule, value) {
            (Rule::One(kind) | Rule::Many(kind), Value::Bytes(bytes)) => {
                self.charge(kind.size())?;
                return self.message(kind, bytes);
            }
            (Rule::Text, Value::Bytes(bytes)) => bytes.len(),
            (Rule::Texts(cost), Value::Bytes(bytes)) => cost + bytes.len(),
            (Rule::Blob, Value::Bytes(bytes)) => bytes.len(),
            (Rule::Blob, Value::Fixed) => 3 * size_of::<u64>(),
            (Rule::Varints(width), Value::Bytes(bytes)) => 3 * width * count_varints(bytes),
            (Rule::Varints(width), Value::Varint) => 3 * width,
            _ => 0,
        };
        self.charge(cost)
    }

    fn charge(&mut self, cost: usize) -> Result<()> {
        self.budget.charge(cost as u64, "decoding the model")
    }

    fn enter(&mut self, kind: Kind) -> Result<()> {
        self.messages += 1;
        match kind {
            Kind::Graph => self.graphs += 1,
            Kind::Node => self.nodes += 1,
            _ => {}
        }
        let limits = self.limits;
        // The main graph is no body; a body is three messages deep: graph, node, attribute.
        within("bodies of nodes nest", "levels", self.graphs.saturating_sub(1), limits.depth)?;
        within("messages nest", "levels", self.messages, 3 * limits.depth + 64)?;
        within("the model has", "nodes", self.nodes, limits.nodes)
    }

    fn leave(&mut self, kind: Kind) {
        self.messages -= 1;
        if kind == Kind::Graph {
            self.graphs -= 1;
        }
    }

    /// Which list of a node or function a field belongs to, and how long that may be.
    fn item(&self, kind: Kind, number: u64) -> Option<(usize, &'static str, usize)> {
        match (kind, number) {
            (Kind::Node, 1) | (Kind::Function, 4) => Some((0, "operands", self.limits.operands)),
            (Kind::Node, 2) | (Kind::Function, 5) => Some((1, "results", self.limits.operands)),
            (Kind::Node, 5) | (Kind::Function, 6 | 11) => Some((2, "attributes", self.limits.attributes)),
            _ => None,
        }
    }

    fn place(&self, error: Box<Diagnostic>, kind: Kind, bytes: &[u8]) -> Box<Diagnostic> {
        let begin = (bytes.as_ptr() as usize).wrapping_sub(self.file.as_ptr() as usize);
        let end = begin + bytes.len();
        error.note(format!("in the message {kind:?} at bytes {begin}..{end} of {}", self.file.len()))
    }
}

fn within(subject: &str, unit: &str, count: usize, limit: usize) -> Result<()> {
    if count <= limit {
        return Ok(());
    }
    Err(Diagnostic::limit(format!("{subject} more than {limit} {unit}"))
        .help("raise the limit in `Limits` if the file can be trusted"))
}
