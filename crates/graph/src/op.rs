//! What a node of a graph can be.

use crate::comp::Comp;
use crate::graph::Graph;
use crate::opaque::Opaque;
use crate::scalar::Scalar;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Atom, Ix, Shape, Sym};
use tilewright_tensor::{DType, Tensor};

/// The operation of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A tensor known when the graph is made.
    Constant(Tensor),
    /// A structured operation: one comprehension over the inputs.
    Comp(Arc<Comp>),
    /// Several writes into a copy of input 0.
    Scatter(Arc<Scatter>),
    /// Binds symbols to the elements of an i64 vector; no outputs.
    Define(Vec<Sym>),
    /// An algorithm that is not a comprehension.
    Opaque(Opaque),
    /// One of two graphs, by a bool scalar (input 0). Both take the other inputs.
    If {
        /// Runs on true.
        then: Arc<Graph>,
        /// Runs on false.
        otherwise: Arc<Graph>,
    },
    /// Repeats a graph; see [`Loop`].
    Loop(Loop),
    /// A graph under a composite's name, over the inputs.
    Call {
        /// The composite, such as `LayerNormalization`.
        name: Arc<str>,
        /// Its decomposition.
        body: Arc<Graph>,
    },
    /// Works on sequences and optionals, which are host values.
    Host(HostOp),
    /// The identity on input 0, with a meaning for passes.
    Mark(Mark),
}

/// `out = x; for every point of the domain: out[index] = combine(out[index], body)`, as if in
/// row-major order of the domain. Input 0 is `x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The axes of the domain, as names and extents.
    pub axes: Vec<(Arc<str>, Ix)>,
    /// Where each point writes; out of bounds is an error when it runs.
    pub index: Vec<Ix>,
    /// What it writes.
    pub body: Scalar,
    /// How it meets what is there.
    pub combine: Combine,
}

/// How a scattered value meets the element that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Replaces it.
    Replace,
    /// Adds.
    Add,
    /// Multiplies.
    Mul,
    /// The smaller; NaN if either is.
    Min,
    /// The larger; NaN if either is.
    Max,
}

impl Combine {
    /// Every way.
    pub const ALL: [Self; 5] = [Self::Replace, Self::Add, Self::Mul, Self::Min, Self::Max];

    /// The word in printed graphs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Add => "add",
            Self::Mul => "mul",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// A loop. The body takes `iteration (i64 scalar)`, the carried values, one slice of each scanned
/// input, then the captured values; it gives `condition (bool scalar)` (if `conditional`), the
/// carried values, and one slice of each stacked output.
///
/// The node's inputs are: the trip count (i64 scalar) if `counted`, the first condition if
/// `conditional`, the first carried values, the scanned inputs, the captured values. Its outputs
/// are the last carried values and the stacked outputs, whose first dim is the number of
/// iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// One iteration.
    pub body: Arc<Graph>,
    /// The number of carried values.
    pub carried: usize,
    /// The number of inputs sliced along their first dim, whose size is the number of iterations.
    pub scanned: usize,
    /// The number of outputs that are stacked.
    pub stacked: usize,
    /// Whether a trip count is given.
    pub counted: bool,
    /// Whether a condition is tested before each iteration.
    pub conditional: bool,
}

/// Operations on sequences and optionals (ONNX's of the same names).
#[derive(Clone, Debug, PartialEq)]
pub enum HostOp {
    /// A sequence of the inputs; the type of an empty one is the node's output type.
    SequenceConstruct,
    /// Inputs: sequence, value, position (absent: at the end).
    SequenceInsert,
    /// Inputs: sequence, position (absent: the last).
    SequenceErase,
    /// Inputs: sequence, position.
    SequenceAt,
    /// The number of elements, an i64 scalar.
    SequenceLength,
    /// Joins the tensors of a sequence along an axis; `stack` makes the axis.
    ConcatFromSequence {
        /// The axis; counted from the end if negative.
        axis: i64,
        /// Whether the axis is new.
        stack: bool,
    },
    /// Cuts a tensor along an axis. Inputs: tensor, sizes (a scalar for equal parts, a vector for
    /// each, absent for 1).
    SplitToSequence {
        /// The axis; counted from the end if negative.
        axis: i64,
        /// Whether parts of size 1 keep the axis (only without sizes).
        keep: bool,
    },
    /// An optional that holds input 0, or nothing without inputs.
    Optional,
    /// Whether an optional (or any value) holds something, a bool scalar.
    OptionalHasElement,
    /// What an optional holds; an error when it is empty.
    OptionalGetElement,
}

/// Meanings for passes; the value passes through.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// No derivative flows through.
    StopGradient,
    /// Nothing is moved or merged across.
    Barrier,
    /// Fails with the message unless input 1 (a bool scalar) is true.
    Assert(Arc<str>),
}

impl Op {
    /// A short name for histograms and messages.
    pub fn name(&self) -> &str {
        match self {
            Self::Constant(_) => "constant",
            Self::Comp(c) => &c.name,
            Self::Scatter(_) => "scatter",
            Self::Define(_) => "define",
            Self::Opaque(o) => o.name(),
            Self::If { .. } => "if",
            Self::Loop(_) => "loop",
            Self::Call { name, .. } => name,
            Self::Host(h) => h.name(),
            Self::Mark(Mark::StopGradient) => "stop_gradient",
            Self::Mark(Mark::Barrier) => "barrier",
            Self::Mark(Mark::Assert(_)) => "assert",
        }
    }

    /// The graphs inside.
    pub fn bodies(&self) -> Vec<&Arc<Graph>> {
        match self {
            Self::If { then, otherwise } => vec![then, otherwise],
            Self::Loop(l) => vec![&l.body],
            Self::Call { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The graphs inside, to be replaced.
    pub fn bodies_mut(&mut self) -> Vec<&mut Arc<Graph>> {
        match self {
            Self::If { then, otherwise } => vec![then, otherwise],
            Self::Loop(l) => vec![&mut l.body],
            Self::Call { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The symbols that the operation itself mentions (those of its bodies excepted).
    pub fn syms(&self) -> Vec<Sym> {
        match self {
            Self::Comp(c) => c.syms(),
            Self::Scatter(s) => s.syms(),
            Self::Opaque(o) => o.syms(),
            _ => Vec::new(),
        }
    }
}

impl Scatter {
    /// Checks dtypes, operand ranks and axis positions; `operands` are dtype and rank.
    pub fn verify(&self, operands: &[(DType, usize)]) -> Result<()> {
        let Some((dtype, _)) = operands.first() else {
            return Err(Diagnostic::internal("scatter takes a tensor"));
        };
        let mut fits = self.body.dtype() == *dtype && self.axes.iter().all(|(_, e)| e.is_dim());
        let target = Scalar::read(0, *dtype, self.index.clone());
        for part in [&target, &self.body] {
            part.check(operands)?;
            part.visit_ix(&mut |e| {
                e.visit(&mut |a| fits &= !matches!(a, Atom::Axis(i) if *i as usize >= self.axes.len()));
            });
        }
        if fits { Ok(()) } else { Err(Diagnostic::internal("a scatter with a wrong dtype, extent or axis")) }
    }

    /// Every symbol that occurs.
    pub fn syms(&self) -> Vec<Sym> {
        let mut out: Vec<Sym> = self.axes.iter().flat_map(|(_, e)| e.syms()).collect();
        out.extend(self.index.iter().flat_map(Ix::syms));
        self.body.visit_ix(&mut |e| out.extend(e.syms()));
        out
    }

    /// The extents of the domain.
    pub fn extents(&self) -> Shape {
        self.axes.iter().map(|(_, e)| e.clone()).collect()
    }
}

impl HostOp {
    /// The name in printed graphs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SequenceConstruct => "sequence_construct",
            Self::SequenceInsert => "sequence_insert",
            Self::SequenceErase => "sequence_erase",
            Self::SequenceAt => "sequence_at",
            Self::SequenceLength => "sequence_length",
            Self::ConcatFromSequence { .. } => "concat_from_sequence",
            Self::SplitToSequence { .. } => "split_to_sequence",
            Self::Optional => "optional",
            Self::OptionalHasElement => "optional_has_element",
            Self::OptionalGetElement => "optional_get_element",
        }
    }
}
