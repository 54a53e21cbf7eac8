//! The reference interpreter: one evaluator for every structured operation, driven by its
//! declaration.
//!
//! ```text
//! run ── binds symbols, walks nodes ──> comp (loops) ──> strip (lanes) ──> index (places)
//!                                       └ product: the one fast path
//! ```
//!
//! It evaluates bodies over strips of 256 positions in f64 or i64 lanes, rounds to the dtype after
//! each function, and accumulates wider than it stores. [`naive`] is the same meaning written
//! point by point, against which the rest is tested.

mod accumulate;
mod bitcast;
mod comp;
pub mod control;
mod host;
mod index;
mod lines;
pub mod naive;
mod product;
mod scatter;
mod strings;
mod strip;
#[cfg(test)]
mod tests;

use crate::graph::{Graph, Node, ValueId};
use crate::op::{Mark, Op};
use crate::types::{Type, is_varying};
use std::collections::HashMap;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Atom, Ix, Sym};
use tilewright_tensor::{Tensor, Value};

/// The sizes that symbols stand for.
pub type Bindings = HashMap<Sym, i64>;

/// Runs a graph on inputs in order.
pub fn run(graph: &Graph, inputs: &[Value]) -> Result<Vec<Value>> {
    run_on(graph, inputs, 1)
}

/// [`run`] on at most `threads` threads. The results are the same bit for bit.
pub fn run_on(graph: &Graph, inputs: &[Value], threads: usize) -> Result<Vec<Value>> {
    run_within(graph, inputs, &Bindings::new(), threads)
}

/// Evaluates a comprehension without symbols.
pub fn eval_comp(c: &crate::comp::Comp, operands: &[Tensor]) -> Result<Tensor> {
    comp::eval(c, operands, 1)
}

/// The sizes of the symbols in a graph's input types, or which input does not fit its type.
pub fn bind_inputs(graph: &Graph, inputs: &[Value]) -> Result<Bindings> {
    bind_within(graph, inputs, &Bindings::new())
}

/// The same for a graph in which symbols of outer graphs occur; these are kept.
///
/// # Errors
/// For an input that does not fit its type.
pub fn bind_within(graph: &Graph, inputs: &[Value], outer: &Bindings) -> Result<Bindings> {
    let mut it = Interpreter { graph, bindings: outer.clone(), values: Vec::new(), uses: Vec::new(), threads: 1 };
    it.bind_all(inputs)?;
    Ok(it.bindings)
}

/// Binds the symbols that the outputs of a node bring, and checks these.
///
/// # Errors
/// For an output that does not fit its type.
pub fn admit(graph: &Graph, node: &Node, outputs: &[Value], bindings: &mut Bindings) -> Result<()> {
    let own = std::mem::take(bindings);
    let mut it = Interpreter { graph, bindings: own, values: Vec::new(), uses: Vec::new(), threads: 1 };
    let fits = it.admit(node, outputs);
    *bindings = it.bindings;
    fits.map_err(|e| e.at(&node.loc))
}

/// Evaluates one node on its inputs, with the sizes of the symbols that it mentions. Binds those that its outputs bring.
pub fn eval_node(
    graph: &Graph,
    node: &Node,
    inputs: &[Value],
    (bindings, threads): (&mut Bindings, usize),
) -> Result<Vec<Value>> {
    let own = std::mem::take(bindings);
    let mut it = Interpreter { graph, bindings: own, values: Vec::new(), uses: Vec::new(), threads };
    let outputs = it.eval(node, inputs).and_then(|outputs| {
        it.admit(node, &outputs)?;
        Ok(outputs)
    });
    *bindings = it.bindings;
    outputs.map_err(|e| e.at(&node.loc))
}

/// Runs a graph in which symbols of outer graphs occur.
fn run_within(graph: &Graph, inputs: &[Value], outer: &Bindings, threads: usize) -> Result<Vec<Value>> {
    Interpreter::new(graph, inputs, outer, threads)?.run()
}

struct Interpreter<'g> {
    graph: &'g Graph,
    bindings: Bindings,
    values: Vec<Option<Value>>,
    /// Uses of each value that are still to come; a value is dropped after its last.
    uses: Vec<usize>,
    threads: usize,
}

impl<'g> Interpreter<'g> {
    fn new(graph: &'g Graph, inputs: &[Value], outer: &Bindings, threads: usize) -> Result<Self> {
        let mut uses = vec![0; graph.values.len()];
        let used = graph.nodes.iter().flat_map(|n| &n.inputs).chain(&graph.outputs);
        used.for_each(|v| uses[v.index()] += 1);
        let mut it = Self { graph, bindings: outer.clone(), values: vec![None; graph.values.len()], uses, threads };
        it.bind_all(inputs)?;
        for (v, value) in graph.inputs.iter().zip(inputs) {
            it.values[v.index()] = Some(value.clone());
        }
        Ok(it)
    }

    /// Binds the symbols of all inputs, then checks these.
    fn bind_all(&mut self, inputs: &[Value]) -> Result<()> {
        let graph = self.graph;
        if inputs.len() != graph.inputs.len() {
            let message = format!("{} inputs given, {} expected", inputs.len(), graph.inputs.len());
            return Err(Diagnostic::usage(message));
        }
        let within = |v: &ValueId, e: Box<Diagnostic>| {
            let name = graph.values[v.index()].name.as_deref().unwrap_or("?");
            Box::new(Diagnostic { message: format!("input \"{name}\": {}", e.message), ..*e })
        };
        for (v, value) in graph.inputs.iter().zip(inputs) {
            self.bind(graph.ty(*v), value).map_err(|e| within(v, e))?;
        }
        for (v, value) in graph.inputs.iter().zip(inputs) {
            self.check(graph.ty(*v), value).map_err(|e| within(v, e))?;
        }
        Ok(())
    }

    fn run(mut self) -> Result<Vec<Value>> {
        for node in &self.graph.nodes {
            let inputs: Vec<Value> = node.inputs.iter().map(|v| self.take(*v)).collect::<Result<_>>()?;
            let outputs = self.eval(node, &inputs).map_err(|e| e.at(&node.loc))?;
            self.admit(node, &outputs).map_err(|e| e.at(&node.loc))?;
            for (v, value) in node.outputs.iter().zip(outputs) {
                if self.uses[v.index()] > 0 {
                    self.values[v.index()] = Some(value);
                }
            }
        }
        let graph = self.graph;
        graph.outputs.iter().map(|v| self.take(*v)).collect()
    }

    /// Binds the symbols that outputs of a node bring, and checks their types.
    fn admit(&mut self, node: &Node, outputs: &[Value]) -> Result<()> {
        for (v, value) in node.outputs.iter().zip(outputs) {
            self.bind(self.graph.ty(*v), value)?;
            self.check(self.graph.ty(*v), value)?;
        }
        Ok(())
    }

    fn take(&mut self, v: ValueId) -> Result<Value> {
        let slot = &mut self.values[v.index()];
        self.uses[v.index()] = self.uses[v.index()].saturating_sub(1);
        let value = if self.uses[v.index()] == 0 { slot.take() } else { slot.clone() };
        value.ok_or_else(|| Diagnostic::internal(format!("value %{} has not been computed", v.0)))
    }

    fn eval(&mut self, node: &Node, inputs: &[Value]) -> Result<Vec<Value>> {
        let one = |t: Tensor| vec![Value::Tensor(t)];
        Ok(match &node.op {
            Op::Constant(t) => {
                t.keep()?;
                one(t.clone())
            }
            Op::Comp(c) => {
                let bound = c.bind(&|s| self.bindings.get(s).map(|n| Ix::konst(*n)));
                one(comp::eval(&bound, &tensors(inputs)?, self.threads)?)
            }
            Op::Scatter(s) => {
                let bind = |e: &Ix| e.subst_syms(&|s| self.bindings.get(s).map(|n| Ix::konst(*n)));
                let bound = crate::op::Scatter {
                    axes: s.axes.iter().map(|(n, e)| (n.clone(), bind(e))).collect(),
                    index: s.index.iter().map(bind).collect(),
                    body: s.body.map_ix(&bind),
                    combine: s.combine,
                };
                one(scatter::eval(&bound, &tensors(inputs)?)?)
            }
            Op::Define(syms) => {
                let sizes = tensors(inputs)?[0].to_vec_i64();
                if sizes.len() != syms.len() {
                    return Err(Diagnostic::shape(format!("{} sizes for {} symbols", sizes.len(), syms.len())));
                }
                self.bindings.extend(syms.iter().cloned().zip(sizes));
                Vec::new()
            }
            Op::Opaque(o) => o.eval(inputs)?,
            Op::If { then, otherwise } => {
                let arm = if control::truth(&inputs[0])? { then } else { otherwise };
                run_within(arm, &inputs[1..], &self.bindings, self.threads)?
            }
            Op::Loop(l) => {
                let types = node_types(self.graph, node);
                let mut run = |args: &[Value]| run_within(&l.body, args, &self.bindings, self.threads);
                control::repeat(l, inputs, (&self.bindings, &types), &mut run)?
            }
            Op::Call { body, .. } => run_within(body, inputs, &self.bindings, self.threads)?,
            Op::Host(h) => vec![host::eval(h, inputs, self.graph.ty(node.outputs[0]))?],
            Op::Mark(Mark::Assert(message)) => {
                if !control::truth(&inputs[1])? {
                    return Err(Diagnostic::value(message.to_string()));
                }
                vec![inputs[0].clone()]
            }
            Op::Mark(_) => vec![inputs[0].clone()],
        })
    }

    /// Binds the symbols that stand as bare dims in a type to a value's sizes.
    fn bind(&mut self, ty: &Type, value: &Value) -> Result<()> {
        let (Type::Tensor(t), Value::Tensor(x)) = (ty, value) else { return Ok(()) };
        if t.rank() != x.rank() {
            return Err(Diagnostic::shape(format!("expected {t}, found {}{:?}", x.dtype().name(), x.shape())));
        }
        for (dim, n) in t.shape.iter().zip(x.shape()) {
            if let Some(s) = dim.as_sym()
                && !self.bindings.contains_key(s)
            {
                self.bindings.insert(s.clone(), *n as i64);
            }
        }
        Ok(())
    }

    /// Checks a value against its type under the bindings.
    fn check(&self, ty: &Type, value: &Value) -> Result<()> {
        let fits = match (ty, value) {
            (Type::Tensor(t), Value::Tensor(x)) => {
                let size = |dim: &Ix| eval_dim(dim, &self.bindings);
                let same = |(dim, n): (&Ix, &usize)| is_varying(dim) || size(dim).is_none_or(|d| d == *n as i64);
                t.dtype == x.dtype() && t.rank() == x.rank() && t.shape.iter().zip(x.shape()).all(same)
            }
            (Type::Dynamic(d), Value::Tensor(x)) => *d == x.dtype(),
            (Type::Sequence(_), Value::Sequence(_)) | (Type::Optional(_), Value::Optional(_)) => true,
            (Type::Optional(inner), value) => return self.check(inner, value),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let found = match value {
            Value::Tensor(x) => Type::of(x).to_string(),
            Value::Sequence(_) => "a sequence".into(),
            Value::Optional(_) => "an optional".into(),
            Value::Map(_) => "a map".into(),
        };
        Err(Diagnostic::shape(format!("expected {ty}, found {found}")))
    }
}

fn node_types(graph: &Graph, node: &Node) -> Vec<Type> {
    node.outputs.iter().map(|v| graph.ty(*v).clone()).collect()
}

/// The size that a dim stands for, where its symbols are bound.
pub fn eval_dim(dim: &Ix, bindings: &Bindings) -> Option<i64> {
    dim.eval(&|a| match a {
        Atom::Sym(s) => bindings.get(s).copied(),
        _ => None,
    })
}

fn tensors(values: &[Value]) -> Result<Vec<Tensor>> {
    values
        .iter()
        .map(|v| match v {
            Value::Tensor(t) => Ok(t.clone()),
            _ => Err(Diagnostic::internal("a tensor was expected")),
        })
        .collect()
}
