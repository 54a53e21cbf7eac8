//! The typed graph: values, nodes in an order that respects data flow, and the verifier.
//!
//! Invariants, checked by [`Graph::verify`]:
//! - a value is defined once (by the graph's inputs or one node) and before it is used;
//! - the type of a value is what its operation gives for the types of its inputs;
//! - a symbol is bound before it is mentioned: by the first type it stands in as a bare dim (an
//!   input's, or a node output's), or by a [`Op::Define`] node. A body sees the symbols that are
//!   bound where its node stands.

use crate::op::{HostOp, Loop, Mark, Op};
use crate::types::{TensorType, Type};
use std::collections::HashSet;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Loc, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Sym};

/// The name of a value within its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

impl ValueId {
    /// As an index into side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueInfo {
    /// Its type.
    pub ty: Type,
    /// Its name in the user's model.
    pub name: Option<Arc<str>>,
}

/// An operation applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// What it takes.
    pub inputs: Vec<ValueId>,
    /// What it defines.
    pub outputs: Vec<ValueId>,
    /// Where it came from.
    pub loc: Loc,
}

/// A typed directed acyclic graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Side table of values.
    pub values: Vec<ValueInfo>,
    /// Values given from outside, in order.
    pub inputs: Vec<ValueId>,
    /// Values given back, in order; one may occur several times.
    pub outputs: Vec<ValueId>,
    /// Nodes; each stands after those whose values it uses.
    pub nodes: Vec<Node>,
}

impl Graph {
    /// The type of a value.
    pub fn ty(&self, v: ValueId) -> &Type {
        &self.values[v.index()].ty
    }

    /// The tensor type of a value.
    pub fn tensor(&self, v: ValueId) -> Result<&TensorType> {
        self.ty(v).as_tensor()
    }

    /// Makes a value.
    pub fn value(&mut self, ty: Type, name: Option<Arc<str>>) -> ValueId {
        self.values.push(ValueInfo { ty, name });
        ValueId(self.values.len() as u32 - 1)
    }

    /// For each value the position of the node that defines it; `None` for inputs.
    pub fn producers(&self) -> Vec<Option<usize>> {
        let mut out = vec![None; self.values.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            for v in &node.outputs {
                out[v.index()] = Some(n);
            }
        }
        out
    }

    /// The number of nodes, those of bodies included.
    pub fn size(&self) -> usize {
        self.nodes.iter().map(|n| 1 + n.op.bodies().iter().map(|b| b.size()).sum::<usize>()).sum()
    }

    /// Checks every invariant of the module's head.
    pub fn verify(&self) -> Result<()> {
        self.verify_within(&HashSet::new())
    }

    fn verify_within(&self, outer: &HashSet<Sym>) -> Result<()> {
        let mut syms = outer.clone();
        let mut defined = vec![false; self.values.len()];
        for v in &self.inputs {
            self.define(*v, &mut defined)?;
            bind_dims(self.ty(*v), &mut syms);
        }
        for v in &self.inputs {
            check_syms(&self.ty(*v).syms(), &syms)?;
        }
        for node in &self.nodes {
            self.verify_node(node, &mut defined, &mut syms).map_err(|e| e.at(&node.loc))?;
        }
        match self.outputs.iter().find(|v| defined.get(v.index()) != Some(&true)) {
            Some(v) => Err(Diagnostic::internal(format!("output %{} is not defined", v.0))),
            None => Ok(()),
        }
    }

    fn define(&self, v: ValueId, defined: &mut [bool]) -> Result<()> {
        match defined.get_mut(v.index()) {
            Some(d) if !*d => {
                *d = true;
                Ok(())
            }
            _ => Err(Diagnostic::internal(format!("value %{} is defined twice or unknown", v.0))),
        }
    }

    fn verify_node(&self, node: &Node, defined: &mut [bool], syms: &mut HashSet<Sym>) -> Result<()> {
        if let Some(v) = node.inputs.iter().find(|v| defined.get(v.index()) != Some(&true)) {
            return Err(Diagnostic::internal(format!("value %{} is used before it is defined", v.0)));
        }
        check_syms(&node.op.syms(), syms)?;
        for body in node.op.bodies() {
            body.verify_within(syms)?;
        }
        if let Op::Define(names) = &node.op {
            syms.extend(names.iter().cloned());
        }
        for v in &node.outputs {
            self.define(*v, defined)?;
            bind_dims(self.ty(*v), syms);
        }
        for v in &node.outputs {
            check_syms(&self.ty(*v).syms(), syms)?;
        }
        self.verify_types(node)
    }

    fn verify_types(&self, node: &Node) -> Result<()> {
        let inputs: Vec<&Type> = node.inputs.iter().map(|v| self.ty(*v)).collect();
        let outputs: Vec<&Type> = node.outputs.iter().map(|v| self.ty(*v)).collect();
        let expect = |wanted: &[Type]| {
            if wanted.iter().eq(outputs.iter().copied()) {
                return Ok(());
            }
            let show = |ts: &[String]| ts.join(", ");
            let found: Vec<String> = outputs.iter().map(|t| t.to_string()).collect();
            let wanted: Vec<String> = wanted.iter().map(Type::to_string).collect();
            let message = format!("{} gives {}, not {}", node.op.name(), show(&wanted), show(&found));
            Err(Diagnostic::internal(message))
        };
        match &node.op {
            Op::Constant(t) => expect(&[Type::of(t)]),
            Op::Comp(c) => {
                c.verify(&operand_kinds(&inputs)?)?;
                expect(&[Type::tensor(c.dtype(), c.shape())])
            }
            Op::Scatter(s) => {
                s.verify(&operand_kinds(&inputs)?)?;
                expect(&[inputs[0].clone()])
            }
            Op::Define(_) => match inputs.as_slice() {
                [Type::Tensor(t)] if t.dtype == DType::I64 && t.rank() == 1 => expect(&[]),
                _ => Err(Diagnostic::internal("define takes an i64 vector")),
            },
            Op::If { then, otherwise } => verify_arms(node, then, otherwise, &inputs, outputs.len()),
            Op::Loop(l) => verify_loop(l, inputs.len(), outputs.len()),
            Op::Call { body, .. } => {
                let fits = body.inputs.len() == inputs.len() && body.outputs.len() == outputs.len();
                if fits { Ok(()) } else { Err(Diagnostic::internal("a call and its body differ in arity")) }
            }
            Op::Mark(mark) => {
                let condition = Type::tensor(DType::Bool, vec![]);
                match (mark, inputs.as_slice()) {
                    (Mark::Assert(_), [x, c]) if **c == condition => expect(&[(*x).clone()]),
                    (Mark::Barrier | Mark::StopGradient, [x]) => expect(&[(*x).clone()]),
                    _ => Err(Diagnostic::internal(format!("{} has wrong inputs", node.op.name()))),
                }
            }
            Op::Host(HostOp::SequenceLength) => expect(&[Type::tensor(DType::I64, vec![])]),
            Op::Host(HostOp::OptionalHasElement) => expect(&[Type::tensor(DType::Bool, vec![])]),
            Op::Host(_) | Op::Opaque(_) => Ok(()),
        }
    }
}

fn verify_arms(node: &Node, then: &Graph, otherwise: &Graph, inputs: &[&Type], outputs: usize) -> Result<()> {
    for arm in [then, otherwise] {
        if arm.inputs.len() + 1 != inputs.len() || arm.outputs.len() != outputs {
            return Err(Diagnostic::internal(format!("{} and its arms differ in arity", node.op.name())));
        }
    }
    Ok(())
}

fn verify_loop(l: &Loop, inputs: usize, outputs: usize) -> Result<()> {
    let fixed = l.counted as usize + l.conditional as usize + l.carried + l.scanned;
    let captured = inputs.checked_sub(fixed);
    let takes = captured.map(|c| 1 + l.carried + l.scanned + c);
    let gives = l.conditional as usize + l.carried + l.stacked;
    if takes == Some(l.body.inputs.len()) && gives == l.body.outputs.len() && outputs == l.carried + l.stacked {
        return Ok(());
    }
    Err(Diagnostic::internal("a loop and its body differ in arity"))
}

fn operand_kinds(inputs: &[&Type]) -> Result<Vec<(DType, usize)>> {
    inputs.iter().map(|t| t.as_tensor().map(|t| (t.dtype, t.rank()))).collect()
}

/// Bare symbols among the dims are bound by the value itself.
fn bind_dims(ty: &Type, syms: &mut HashSet<Sym>) {
    if let Type::Tensor(t) = ty {
        syms.extend(t.shape.iter().filter_map(|d| d.as_sym().cloned()));
    }
}

fn check_syms(used: &[Sym], bound: &HashSet<Sym>) -> Result<()> {
    if used.iter().any(|s| Ix::sym(s.clone()).is_intricate()) {
        let message = "a size is too long an expression of other sizes to be followed";
        return Err(Diagnostic::limit(message).help("compile the model with fixed input shapes"));
    }
    match used.iter().find(|s| !bound.contains(*s)) {
        Some(s) => Err(Diagnostic::internal(format!("symbol {s} is used before it is bound"))),
        None => Ok(()),
    }
}
