//! The text form of graphs: what [`Graph::to_text`] prints, [`Graph::parse`] reads back exactly.
//!
//! ```text
//! graph (%0 "x": f32[N, 768], %1 "w": f32[768, 64]) {
//!   %2 "y": f32[N, 64] = matmul (%0, %1) { i:N, j:64 | sum k:768 : $0[i, k] * $1[k, j] } @ node("fc", "MatMul-13")
//!   return (%2)
//! }
//! ```
//!
//! - One node a line: outputs with their names and types, the operation, its inputs, its location.
//! - A comprehension is `{ axes | combiner axes : body ; checks }`. Axis names are made unique; the
//!   name itself follows as a string where they differ: `i_1 "i":4`. A scanned axis ends in `scan`,
//!   `scan reverse`, `scan exclusive` or `scan reverse exclusive`.
//! - In a body `$1[i, 2*j + 1]` reads operand 1; literals carry their dtype: `1.5:f32`, `-3:i64`,
//!   `true`, or raw as `0x7fc00001:f32`; `index(i + 1)` is an index as a value; a guard is
//!   `$0[i] where (0 <= i - 1, 0 == mod(i, 2)) else 0.0:f32`; functions are infix or `name(a, b)`,
//!   conversions `cast(f16, a)`.
//! - Symbols that are no plain words, or that equal an axis name, are strings.
//! - A scatter is `scatter add (inputs) { axes : out[index] <- body }`. Attributes are
//!   `[name=value, ...]`; sizes among them `size(N + 1)`.
//! - A constant lists its elements (`[1.0, 2.5]`) if they are few, else its bytes as `0x...`.
//! - `//` starts a comment.
//!
//! Nesting is limited to [`MAX_NESTING`], so that no text overflows the stack.

mod literal;
mod parse;
mod parse_comp;
mod print;
mod print_comp;
#[cfg(test)]
mod tests;

use crate::graph::Graph;
use crate::op::HostOp;
use crate::opaque::attribute::{Attr, Attrs, find};
pub use tilewright_scalar::text::MAX_NESTING;
use tilewright_support::Result;

/// Words with a meaning of their own where a node's operation stands, beside those of host and
/// opaque operations.
const OP_WORDS: [&str; 9] =
    ["constant", "scatter", "define", "if", "loop", "call", "stop_gradient", "barrier", "assert"];

impl Graph {
    /// The text form; it reads back exactly.
    pub fn to_text(&self) -> String {
        print::document(self, false)
    }

    /// The text form for people: long constants are shortened, so it does not read back.
    pub fn to_short_text(&self) -> String {
        print::document(self, true)
    }

    /// Reads the text form and verifies the graph. Errors name line and column.
    pub fn parse(text: &str) -> Result<Self> {
        parse::document(text)
    }
}

/// Whether a word stands for an operation that is no comprehension.
fn is_op_word(word: &str) -> bool {
    OP_WORDS.contains(&word)
        || crate::opaque::OPAQUE.iter().any(|(name, _)| *name == word)
        || host_ops().iter().any(|op| op.name() == word)
}

/// Every host operation, with some attributes.
fn host_ops() -> [HostOp; 10] {
    [
        HostOp::SequenceConstruct,
        HostOp::SequenceInsert,
        HostOp::SequenceErase,
        HostOp::SequenceAt,
        HostOp::SequenceLength,
        HostOp::ConcatFromSequence { axis: 0, stack: false },
        HostOp::SplitToSequence { axis: 0, keep: false },
        HostOp::Optional,
        HostOp::OptionalHasElement,
        HostOp::OptionalGetElement,
    ]
}

fn host_attributes(op: &HostOp) -> Attrs {
    let two =
        |axis: i64, name: &str, flag: bool| vec![("axis".into(), Attr::Int(axis)), (name.into(), Attr::Bool(flag))];
    match op {
        HostOp::ConcatFromSequence { axis, stack } => two(*axis, "stack", *stack),
        HostOp::SplitToSequence { axis, keep } => two(*axis, "keep", *keep),
        _ => Attrs::new(),
    }
}

fn host_with_attributes(op: &HostOp, attrs: &Attrs) -> Result<HostOp> {
    Ok(match op {
        HostOp::ConcatFromSequence { .. } => {
            HostOp::ConcatFromSequence { axis: find(attrs, "axis")?, stack: find(attrs, "stack")? }
        }
        HostOp::SplitToSequence { .. } => {
            HostOp::SplitToSequence { axis: find(attrs, "axis")?, keep: find(attrs, "keep")? }
        }
        other => other.clone(),
    })
}
