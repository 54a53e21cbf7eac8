//! The state of a translation: names in scope, the graph in the making, what is wanted.

use super::call::Call;
use super::{Facts, Want, table};
use crate::{Model, Node};
use std::collections::{BTreeMap, HashMap, HashSet};
use tilewright_graph::{self as graph, Builder, Type, ValueId};
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Sym};
use tilewright_tensor::{DType, Tensor};

/// Translates nodes into the graph of [`Cx::b`].
pub struct Cx<'m> {
    /// The graph in the making: the model's, or that of the body being translated.
    pub b: Builder,
    pub(super) model: &'m Model,
    pub(super) facts: &'m Facts,
    pub(super) want: Option<Want>,
    pub(super) level: Level,
    pub(super) outer: Vec<(Builder, Level)>,
    /// Nested calls of model functions.
    calls: usize,
    /// Values whose elements are known, but from a run: an error about them is not the model's.
    told: HashSet<ValueId>,
}

/// Calls of functions within functions beyond this depth are refused.
const CALL_DEPTH: usize = 200;

/// The names of one graph.
#[derive(Default)]
pub(super) struct Level {
    pub(super) names: HashMap<String, ValueId>,
    pub(super) initializers: BTreeMap<String, Tensor>,
    /// Inputs of a body that stand for values around it: the input, and the outer value.
    pub(super) captures: Vec<(ValueId, ValueId)>,
}

impl<'m> Cx<'m> {
    pub(super) fn new(model: &'m Model, facts: &'m Facts, b: Builder) -> Self {
        Self { b, model, facts, want: None, level: Level::default(), outer: Vec::new(), calls: 0, told: HashSet::new() }
    }

    /// Translates the main graph.
    pub(super) fn main(&mut self) -> Result<graph::Graph> {
        let main = &self.model.graph;
        self.level.initializers = main.initializers.clone();
        for (i, decl) in main.inputs.iter().enumerate() {
            let given = self.facts.inputs.get(i).cloned().flatten();
            if given.is_none() && main.initializers.contains_key(&decl.name) {
                continue;
            }
            let declared =
                decl.ty.as_ref().map(|t| self.declared(t)).transpose().map_err(|e| name_input(e, &decl.name))?;
            let Some(ty) = given.or(declared.flatten()) else {
                self.want = Some(Want::InputTypes);
                return Err(Diagnostic::dynamic(format!("the type of input \"{}\" is not declared", decl.name)));
            };
            let v = self.b.input(&decl.name, ty);
            self.level.names.insert(decl.name.clone(), v);
        }
        self.nodes(&main.nodes)?;
        let outputs = main.outputs.iter().map(|o| self.lookup(&o.name)).collect::<Result<Vec<_>>>()?;
        let b = std::mem::take(&mut self.b);
        Ok(b.finish(&outputs))
    }

    /// Translates nodes in order.
    pub(super) fn nodes(&mut self, nodes: &[Node]) -> Result<()> {
        nodes.iter().try_for_each(|n| self.node(n))
    }

    fn node(&mut self, node: &Node) -> Result<()> {
        let loc = node.loc();
        let inputs = node
            .inputs
            .iter()
            .map(|name| if name.is_empty() { Ok(None) } else { self.lookup(name).map(Some) })
            .collect::<Result<Vec<_>>>()
            .map_err(|e| e.at(&loc))?;
        let saved = std::mem::replace(&mut self.b.loc, loc.clone());
        let first = self.b.graph.values.len();
        let outputs = match self.model.function(node) {
            Some(f) => self.function(node, f, &inputs),
            None => table::find(node).and_then(|row| {
                let call = Call { node, inputs: inputs.clone(), version: node.version };
                (row.import)(self, &call)
            }),
        };
        let outputs = outputs.map_err(|mut e| {
            match e.code {
                Code::Dynamic => self.want_sizes(&inputs),
                Code::Invalid if self.is_told(&inputs, first) => e.code = Code::Value,
                _ => {}
            }
            e.at(&loc)
        })?;
        if self.is_told(&inputs, first) {
            self.told.extend(outputs.iter().filter(|v| self.b.known(**v).is_some()));
        }
        self.b.loc = saved;
        for (i, name) in node.outputs.iter().enumerate().filter(|(_, n)| !n.is_empty()) {
            let v = outputs.get(i).ok_or_else(|| {
                Diagnostic::unsupported(format!("output {i} (\"{name}\") of {} is not supported", node.op_type))
                    .at(&loc)
            })?;
            self.define(name, *v);
        }
        Ok(())
    }

    /// Whether a node's translation depended on elements that a run told: those of its inputs, or of values from
    /// number `first` on, which it made.
    fn is_told(&self, inputs: &[Option<ValueId>], first: usize) -> bool {
        let (facts, made) = (&self.facts.values, first..self.b.graph.values.len());
        let of_input = |v: &ValueId| self.told.contains(v) || facts.contains_key(v);
        self.outer.is_empty()
            && (inputs.iter().flatten().any(of_input) || facts.keys().any(|v| made.contains(&v.index())))
    }

    /// Gives a value its name; what is known of it from an earlier run takes its place.
    pub(super) fn define(&mut self, name: &str, v: ValueId) {
        let v = match self.facts.values.get(&v) {
            Some(t) if self.outer.is_empty() => {
                let known = self.b.constant(t.clone());
                self.told.insert(known);
                known
            }
            _ => v,
        };
        let slot = &mut self.b.graph.values[v.index()].name;
        if slot.is_none() {
            *slot = Some(name.into());
        }
        self.level.names.insert(name.to_string(), v);
    }

    /// The value of a name, taken into the body being translated if it is an outer one.
    pub fn lookup(&mut self, name: &str) -> Result<ValueId> {
        self.lookup_at(self.outer.len(), name)
    }

    fn parts_at(&mut self, level: usize) -> (&mut Builder, &mut Level) {
        if level == self.outer.len() {
            return (&mut self.b, &mut self.level);
        }
        let (b, level) = &mut self.outer[level];
        (b, level)
    }

    fn lookup_at(&mut self, at: usize, name: &str) -> Result<ValueId> {
        let (b, level) = self.parts_at(at);
        if let Some(v) = level.names.get(name) {
            return Ok(*v);
        }
        if let Some(t) = level.initializers.get(name) {
            let v = b.constant(t.clone());
            b.graph.values[v.index()].name = Some(name.into());
            level.names.insert(name.to_string(), v);
            return Ok(v);
        }
        if at == 0 {
            return Err(Diagnostic::invalid(format!("value \"{name}\" is not defined")));
        }
        let outer = self.lookup_at(at - 1, name)?;
        let (b, _) = self.parts_at(at - 1);
        let (ty, (known, contents)) = (b.ty(outer).clone(), b.assumptions(outer));
        let (b, level) = self.parts_at(at);
        let v = match known {
            Some(t) => b.constant(t),
            None => {
                let v = b.input(name, ty);
                b.assume(v, None, contents);
                level.captures.push((v, outer));
                v
            }
        };
        level.names.insert(name.to_string(), v);
        Ok(v)
    }

    /// Inlines a call of a model function.
    fn function(&mut self, call: &Node, f: &crate::Function, inputs: &[Option<ValueId>]) -> Result<Vec<ValueId>> {
        if self.calls >= CALL_DEPTH {
            return Err(Diagnostic::limit(format!("functions call functions more than {CALL_DEPTH} deep")));
        }
        let parameters = f.inputs.iter().zip(inputs).filter_map(|(name, v)| v.map(|v| (name.clone(), v)));
        let own = Level { names: parameters.collect(), ..Level::default() };
        let saved = std::mem::replace(&mut self.level, own);
        self.calls += 1;
        let given = |i: usize| inputs.get(i).is_some_and(Option::is_some);
        let absent: Vec<&String> = f.inputs.iter().enumerate().filter(|(i, _)| !given(*i)).map(|(_, n)| n).collect();
        let mut body = f.body(call);
        body.iter_mut().for_each(|n| clear_absent(n, &absent));
        let done = self.nodes(&body);
        let outputs = done.and_then(|()| f.outputs.iter().map(|o| self.lookup(o)).collect());
        self.calls -= 1;
        let inner = std::mem::replace(&mut self.level, saved);
        self.level.captures.extend(inner.captures);
        outputs
    }

    /// The elements of a value, if they follow from constants or an earlier run told them, in memory.
    pub fn known(&self, v: ValueId) -> Option<Tensor> {
        let fact = || self.facts.values.get(&v).filter(|_| self.outer.is_empty());
        self.b.known(v).or_else(fact).and_then(|t| t.fetch().ok())
    }

    /// The elements of a value, which the translation depends on. If they are not known, the
    /// translation stops until they are.
    pub fn need(&mut self, v: ValueId) -> Result<Tensor> {
        if let Some(t) = self.known(v) {
            return Ok(t);
        }
        self.want_value(v);
        Err(Diagnostic::dynamic("the translation depends on a value that is known only at run time"))
    }

    /// [`Cx::need`] for integers.
    pub fn need_ints(&mut self, v: ValueId) -> Result<Vec<i64>> {
        if let Some(c) = self.b.contents(v)
            && let Some(ints) = c.iter().map(Ix::as_const).collect::<Option<Vec<i64>>>()
        {
            return Ok(ints);
        }
        let t = self.need(v)?;
        if t.dtype().is_float() || t.dtype() == DType::String {
            return Err(Diagnostic::dtype(format!("expected integers, found {}", t.dtype().name())));
        }
        Ok(t.to_vec_i64())
    }

    /// [`Cx::need`] for a single integer.
    pub fn need_int(&mut self, v: ValueId) -> Result<i64> {
        match self.need_ints(v)?.as_slice() {
            [one] => Ok(*one),
            many => Err(Diagnostic::invalid(format!("expected one integer, found {}", many.len()))),
        }
    }

    /// The elements of an integer vector (or scalar) as sizes: expressions where they follow from
    /// sizes, else symbols that are bound when the graph runs.
    pub fn sizes(&mut self, v: ValueId) -> Result<Vec<Ix>> {
        if let Some(t) = self.known(v) {
            return Ok(t.to_vec_i64().into_iter().map(Ix::konst).collect());
        }
        if let Some(c) = self.b.contents(v) {
            return Ok(c.to_vec());
        }
        let v = self.b.cast(v, DType::I64)?;
        let v = if self.b.rank(v)? == 1 { v } else { self.b.reshape(v, vec![Ix::konst(1)])? };
        self.b.define(v)
    }

    /// Stops the translation until the sizes of these values' symbols are known.
    pub fn need_static(&mut self, values: &[ValueId]) -> Result<Vec<Vec<i64>>> {
        let mut out = Vec::new();
        for v in values {
            let shape = self.b.shape(*v)?;
            match shape.iter().map(Ix::as_const).collect::<Option<Vec<i64>>>() {
                Some(s) => out.push(s),
                None => return Err(Diagnostic::dynamic("the translation depends on sizes known only at run time")),
            }
        }
        Ok(out)
    }

    /// Notes that the elements of a value are wanted, unless something is wanted already.
    fn want_value(&mut self, v: ValueId) {
        let mut v = v;
        for at in (1..=self.outer.len()).rev() {
            let (_, level) = self.parts_at(at);
            match level.captures.iter().find(|(inner, _)| *inner == v) {
                Some((_, outer)) => v = *outer,
                None => return,
            }
        }
        if self.want.is_none() {
            let (b, _) = self.parts_at(0);
            let mut g = b.graph.clone();
            g.outputs = vec![v];
            self.want = Some(Want::Value(v, g));
        }
    }

    /// Notes what would settle a dependence on run-time sizes: an operand of unknown rank, or the
    /// symbols in the operands' types.
    fn want_sizes(&mut self, operands: &[Option<ValueId>]) {
        if self.want.is_some() {
            return;
        }
        let types: Vec<(ValueId, Type)> = operands.iter().flatten().map(|v| (*v, self.b.ty(*v).clone())).collect();
        if let Some((v, _)) = types.iter().find(|(_, t)| matches!(t, Type::Dynamic(_))) {
            return self.want_value(*v);
        }
        let mut syms: Vec<Sym> = types.iter().flat_map(|(_, t)| t.syms()).collect();
        syms.sort();
        syms.dedup();
        let (b, _) = self.parts_at(0);
        let bound = bound_syms(&b.graph);
        syms.retain(|s| bound.contains(s));
        if syms.is_empty() {
            return;
        }
        let dims: Vec<Ix> = syms.iter().map(|s| Ix::sym(s.clone())).collect();
        let mut probe = b.body();
        probe.graph = b.graph.clone();
        if let Ok(v) = probe.dims(&dims) {
            self.want = Some(Want::Sizes(syms, probe.finish(&[v])));
        }
    }
}

/// The symbols that a graph binds.
pub(super) fn bound_syms(g: &graph::Graph) -> Vec<Sym> {
    let mut out: Vec<Sym> = Vec::new();
    for v in &g.values {
        if let Type::Tensor(t) = &v.ty {
            out.extend(t.shape.iter().filter_map(|d| d.as_sym().cloned()));
        }
    }
    for n in &g.nodes {
        if let graph::Op::Define(syms) = &n.op {
            out.extend(syms.iter().cloned());
        }
    }
    out
}

/// Clears the operands that stand for parameters which a call leaves out.
fn clear_absent(node: &mut Node, absent: &[&String]) {
    node.inputs.iter_mut().filter(|n| absent.iter().any(|a| *a == *n)).for_each(String::clear);
}

fn name_input(mut e: Box<Diagnostic>, name: &str) -> Box<Diagnostic> {
    e.message = format!("input \"{name}\": {}", e.message);
    e
}
