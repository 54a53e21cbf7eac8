//! Attributes that operators of ai.onnx lost: nothing would follow them, so a node that has one asks for something else
//! than it would get.

use crate::Node;
use tilewright_support::{Diagnostic, Result};

/// Operators of two operands that broadcast by attributes once.
const BINARY: &[&str] = &["Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor"];

/// The attributes, the first version without them, and the operators; none means all.
const GONE: &[(&[&str], i64, &[&str])] = &[
    (&["consumed_inputs"], 6, &[]),
    (&["axis", "broadcast"], 7, BINARY),
    (&["broadcast"], 7, &["Gemm"]),
    (&["is_test"], 7, &["BatchNormalization", "Dropout"]),
    (&["output_sequence"], 7, &["GRU", "LSTM", "RNN"]),
    (&["directions"], 9, &["Scan"]),
    (&["spatial"], 9, &["BatchNormalization"]),
    (&["k"], 10, &["TopK"]),
    (&["max", "min"], 11, &["Clip"]),
    (&["ratio"], 12, &["Dropout"]),
    (&["axes"], 13, &["Squeeze", "Unsqueeze"]),
    (&["axis"], 20, &["DFT"]),
];

/// Refuses attributes that the node's operator had only before the node's version.
pub fn check(node: &Node) -> Result<()> {
    if !node.domain.is_empty() {
        return Ok(());
    }
    let of_node = GONE
        .iter()
        .filter(|(_, since, ops)| node.version >= *since && (ops.is_empty() || ops.contains(&node.op_type.as_str())));
    for (names, since, _) in of_node {
        if let Some(name) = names.iter().find(|name| node.attr(name).is_some()) {
            let op = &node.op_type;
            return Err(Diagnostic::invalid(format!("{op} has no attribute \"{name}\" from opset {since} on")));
        }
    }
    Ok(())
}
