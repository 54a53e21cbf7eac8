//! If, Loop and Scan: bodies become graphs that take what they use as inputs.

use super::call::Call;
use super::cx::{Cx, Level};
use crate::Graph;
use std::sync::Arc;
use tilewright_graph::{self as graph, Op, Type, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Sym};
use tilewright_tensor::{DType, Tensor};

/// A translated body.
pub struct Body {
    /// Its graph: parameters, then captured values.
    pub graph: graph::Graph,
    /// The outer values that its last inputs stand for.
    pub captures: Vec<ValueId>,
}

impl Cx<'_> {
    /// Translates a body whose parameters have the given types.
    pub fn body(&mut self, body: &Graph, parameters: &[Type]) -> Result<Body> {
        if body.inputs.len() != parameters.len() {
            return Err(Diagnostic::invalid(format!(
                "the body has {} inputs, expected {}",
                body.inputs.len(),
                parameters.len()
            )));
        }
        let inner = self.b.body();
        let outer = std::mem::replace(&mut self.b, inner);
        let level = Level { initializers: body.initializers.clone(), ..Level::default() };
        let level = std::mem::replace(&mut self.level, level);
        self.outer.push((outer, level));
        let done = self.fill_body(body, parameters);
        let (outer, level) = self.outer.pop().ok_or_else(|| Diagnostic::internal("a body without surroundings"))?;
        let inner = std::mem::replace(&mut self.b, outer);
        let own = std::mem::replace(&mut self.level, level);
        let outputs = done?;
        let captures = own.captures.iter().map(|(_, outer)| *outer).collect();
        Ok(Body { graph: inner.finish(&outputs), captures })
    }

    fn fill_body(&mut self, body: &Graph, parameters: &[Type]) -> Result<Vec<ValueId>> {
        for (decl, ty) in body.inputs.iter().zip(parameters) {
            let v = self.b.input(&decl.name, ty.clone());
            self.level.names.insert(decl.name.clone(), v);
        }
        // Captured names become inputs before any node is added, so that they follow the parameters.
        for name in &body.captures {
            self.lookup(name)?;
        }
        self.nodes(&body.nodes)?;
        body.outputs.iter().map(|o| self.lookup(&o.name)).collect()
    }

    /// Gives both bodies the same captured inputs, in one order.
    pub fn align(&self, a: &mut Body, b: &mut Body) -> Vec<ValueId> {
        let mut all = a.captures.clone();
        all.extend(b.captures.iter().filter(|v| !a.captures.contains(v)));
        for body in [a, b] {
            let inputs: Vec<ValueId> = all
                .iter()
                .map(|v| match body.captures.iter().position(|c| c == v) {
                    Some(i) => body.graph.inputs[body.graph.inputs.len() - body.captures.len() + i],
                    None => body.graph.value(self.b.ty(*v).clone(), None),
                })
                .collect();
            let parameters = body.graph.inputs.len() - body.captures.len();
            body.graph.inputs.truncate(parameters);
            body.graph.inputs.extend(inputs);
            body.captures = all.clone();
        }
        all
    }
}

/// ONNX `If`: both arms are translated; a condition known beforehand leaves one, in place.
pub fn if_(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let condition = call.x(0)?;
    if cx.b.dtype(condition)? != DType::Bool {
        return Err(Diagnostic::dtype("the condition of If must be bool"));
    }
    let (then, otherwise) = (call.graph("then_branch")?, call.graph("else_branch")?);
    outputs_exist(call, then.outputs.len())?;
    if then.outputs.len() != otherwise.outputs.len() {
        return Err(call.invalid("the branches of If give different numbers of outputs"));
    }
    if let Some(t) = cx.known(condition) {
        let arm = if t.len() == 1 && t.get_i64(0) != 0 { then } else { otherwise };
        return inline(cx, arm);
    }
    let (then, otherwise) = match (cx.body(then, &[]), cx.body(otherwise, &[])) {
        (Ok(a), Ok(b)) => (a, b),
        // An arm that does not translate may be the one that is never taken.
        (Err(e), _) | (_, Err(e)) => {
            return match cx.need(condition) {
                Ok(_) => Err(e),
                Err(unknown) if cx.want.is_some() => Err(unknown),
                Err(_) => Err(e),
            };
        }
    };
    let (mut then, mut otherwise) = (then, otherwise);
    let mut inputs = vec![condition];
    inputs.extend(cx.align(&mut then, &mut otherwise));
    let (a, b) = (&then.graph, &otherwise.graph);
    let types = a.outputs.iter().zip(&b.outputs).map(|(x, y)| a.ty(*x).join(b.ty(*y), &mut |_, _| cx.b.symbol()));
    let outer: Vec<_> = types.collect::<Result<_>>().map_err(|e| e.at(&call.node.loc()))?;
    let types = outer.iter().map(|t| hide_inner(cx, t)).collect();
    let op = Op::If { then: Arc::new(then.graph), otherwise: Arc::new(otherwise.graph) };
    Ok(cx.b.node(op, &inputs, types))
}

/// A type as seen outside a body: dims that mention symbols bound inside become new symbols.
fn hide_inner(cx: &Cx<'_>, ty: &Type) -> Type {
    ty.map_dims(&|d| if d.syms().iter().all(|s| cx.binds(s)) { d.clone() } else { cx.b.symbol() })
}

fn inline(cx: &mut Cx<'_>, arm: &Graph) -> Result<Vec<ValueId>> {
    let own: Vec<_> = arm.initializers.iter().map(|(n, t)| (n.clone(), t.clone())).collect();
    let mut saved = Vec::new();
    for (name, t) in own {
        let v = cx.b.constant(t);
        saved.push((name.clone(), cx.level.names.insert(name, v)));
    }
    let defined: Vec<String> = arm.nodes.iter().flat_map(|n| n.outputs.clone()).collect();
    for name in defined {
        saved.push((name.clone(), cx.level.names.get(&name).copied()));
    }
    cx.nodes(&arm.nodes)?;
    let outputs = arm.outputs.iter().map(|o| cx.lookup(&o.name)).collect();
    for (name, v) in saved.into_iter().rev() {
        match v {
            Some(v) => cx.level.names.insert(name, v),
            None => cx.level.names.remove(&name),
        };
    }
    outputs
}

/// A loop's parts, as [`graph::Loop`] orders them.
pub struct Parts {
    /// Trip count.
    pub count: Option<ValueId>,
    /// First condition.
    pub condition: Option<ValueId>,
    /// First carried values.
    pub carried: Vec<ValueId>,
    /// Scanned inputs, along their first dims.
    pub scanned: Vec<ValueId>,
}

/// ONNX `Loop`.
pub fn loop_(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let body = call.graph("body")?;
    let carried: Vec<ValueId> = (2..call.inputs.len()).map(|i| call.x(i)).collect::<Result<_>>()?;
    let n = carried.len();
    outputs_exist(call, body.outputs.len().saturating_sub(1))?;
    if body.inputs.len() != n + 2 || body.outputs.len() < n + 1 {
        return Err(call.invalid(format!(
            "the body of a Loop with {n} carried values has {} inputs and {} outputs",
            body.inputs.len(),
            body.outputs.len()
        )));
    }
    let scalar = |cx: &mut Cx<'_>, v: Option<ValueId>| v.map(|v| cx.b.reshape(v, vec![])).transpose();
    let parts =
        Parts { count: scalar(cx, call.opt(0))?, condition: scalar(cx, call.opt(1))?, carried, scanned: Vec::new() };
    let parts = Parts {
        condition: Some(match parts.condition {
            Some(c) => c,
            None => cx.b.constant(Tensor::scalar(true)),
        }),
        ..parts
    };
    repeat(cx, parts, body.outputs.len() - 1 - n, &mut |cx, types| {
        let mut parameters = vec![Type::tensor(DType::I64, vec![]), Type::tensor(DType::Bool, vec![])];
        parameters.extend_from_slice(&types[1..]);
        let mut b = cx.body(body, &parameters)?;
        // The graph's loops do not pass the condition in: it is true wherever the body runs.
        let condition = b.graph.inputs.remove(1);
        let truth = Tensor::scalar(true);
        let node =
            graph::Node { op: Op::Constant(truth), inputs: vec![], outputs: vec![condition], loc: cx.b.loc.clone() };
        b.graph.nodes.insert(0, node);
        Ok(b)
    })
}

/// Adds a loop. `translate` gives the body for the types of its parameters: the iteration, the
/// carried values, slices of the scanned inputs. Dims of carried values that change from one
/// iteration to the next become symbols bound anew in each.
pub fn repeat(
    cx: &mut Cx<'_>,
    parts: Parts,
    stacked: usize,
    translate: &mut dyn FnMut(&mut Cx<'_>, &[Type]) -> Result<Body>,
) -> Result<Vec<ValueId>> {
    let mut state: Vec<Type> = parts.carried.iter().map(|v| cx.b.ty(*v).clone()).collect();
    let slices = parts.scanned.iter().map(|v| cx.b.tensor(*v)).collect::<Result<Vec<_>>>()?;
    let conditional = parts.condition.is_some();
    // Dims that are bound anew in each iteration already.
    let mut loose: Vec<Ix> = Vec::new();
    let body = loop {
        let mut types = vec![Type::tensor(DType::I64, vec![])];
        types.extend(state.iter().cloned());
        types.extend(slices.iter().map(|t| Type::tensor(t.dtype, t.shape.get(1..).unwrap_or_default())));
        let body = translate(cx, &types)?;
        let next: Vec<Type> = body.graph.outputs[conditional as usize..][..state.len()]
            .iter()
            .zip(&state)
            .map(|(v, t)| {
                t.join(body.graph.ty(*v), &mut |old, _| {
                    if loose.contains(old) {
                        return old.clone();
                    }
                    loose.push(cx.b.symbol());
                    loose[loose.len() - 1].clone()
                })
            })
            .collect::<Result<_>>()?;
        if next == state {
            break body;
        }
        state = next;
    };
    let trips = cx.b.symbol();
    let mut types: Vec<Type> = state.iter().map(|t| hide_inner(cx, t)).collect();
    for v in &body.graph.outputs[conditional as usize + state.len()..][..stacked] {
        let t = body.graph.tensor(*v)?;
        let mut shape = vec![trips.clone()];
        shape.extend(
            t.shape.iter().map(|d| if d.syms().iter().all(|s| cx.binds(s)) { d.clone() } else { cx.b.symbol() }),
        );
        types.push(Type::tensor(t.dtype, shape));
    }
    let op = graph::Loop {
        carried: state.len(),
        scanned: parts.scanned.len(),
        stacked,
        counted: parts.count.is_some(),
        conditional,
        body: Arc::new(body.graph),
    };
    let mut inputs: Vec<ValueId> = parts.count.into_iter().chain(parts.condition).collect();
    inputs.extend(parts.carried.iter().chain(&parts.scanned).chain(&body.captures));
    Ok(cx.b.node(Op::Loop(op), &inputs, types))
}

/// ONNX `Scan`.
pub fn scan(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    if call.version < 9 {
        return Err(call.unsupported("Scan before opset 9 (with a batch dim and sequence lengths) is not supported"));
    }
    let body = call.graph("body")?;
    let m = call.node.required("num_scan_inputs", crate::Node::attr_int)?;
    let all = call.all()?;
    let n = usize::try_from(m).ok().filter(|m| *m > 0).and_then(|m| all.len().checked_sub(m));
    let n = n.ok_or_else(|| call.invalid(format!("num_scan_inputs = {m} of {} inputs", all.len())))?;
    outputs_exist(call, body.outputs.len())?;
    let stacked = body.outputs.len().checked_sub(n).ok_or_else(|| call.invalid("the body gives too few outputs"))?;
    let (directions, axes) = (
        self::directions(call, "scan_input_directions", all.len() - n)?,
        call.ints_of("scan_input_axes", all.len() - n, 0)?,
    );
    let (out_directions, out_axes) =
        (self::directions(call, "scan_output_directions", stacked)?, call.ints_of("scan_output_axes", stacked, 0)?);
    let mut scanned = Vec::new();
    for (i, v) in all[n..].iter().enumerate() {
        let axis = super::call::axis(axes[i], cx.b.rank(*v)?)?;
        let v = move_axis(cx, *v, axis, 0)?;
        scanned.push(if directions[i] == 1 { reverse(cx, v)? } else { v });
    }
    let parts = Parts { count: None, condition: None, carried: all[..n].to_vec(), scanned: scanned.clone() };
    let outputs = repeat(cx, parts, stacked, &mut |cx, types| {
        let mut b = cx.body(body, &types[1..])?;
        let iteration = b.graph.value(Type::tensor(DType::I64, vec![]), None);
        b.graph.inputs.insert(0, iteration);
        Ok(b)
    })?;
    let mut out = outputs[..n].to_vec();
    for (i, v) in outputs[n..].iter().enumerate() {
        let v = if out_directions[i] == 1 { reverse(cx, *v)? } else { *v };
        let axis = super::call::axis(out_axes[i], cx.b.rank(v)?)?;
        out.push(move_axis(cx, v, 0, axis)?);
    }
    Ok(out)
}

/// One direction a scanned value: 0 forwards, 1 backwards.
fn directions(call: &Call<'_>, name: &str, n: usize) -> Result<Vec<i64>> {
    let list = call.ints_of(name, n, 0)?;
    match list.iter().find(|d| !(0..=1).contains(*d)) {
        Some(d) => Err(call.invalid(format!("attribute \"{name}\" holds {d}, expected 0 or 1"))),
        None => Ok(list),
    }
}

/// Refuses a node with more outputs than its bodies give.
fn outputs_exist(call: &Call<'_>, given: usize) -> Result<()> {
    match call.node.outputs.len() {
        n if n > given => Err(call.invalid(format!("{} has {n} outputs, its body gives {given}", call.node.op_type))),
        _ => Ok(()),
    }
}

fn move_axis(cx: &mut Cx<'_>, v: ValueId, from: usize, to: usize) -> Result<ValueId> {
    let mut order: Vec<usize> = (0..cx.b.rank(v)?).filter(|i| *i != from).collect();
    order.insert(to, from);
    cx.b.permute(v, &order)
}

/// The first dim backwards.
fn reverse(cx: &mut Cx<'_>, v: ValueId) -> Result<ValueId> {
    let sizes = cx.b.shape(v)?;
    let mut starts = vec![Ix::zero(); sizes.len()];
    let mut steps = vec![1; sizes.len()];
    (starts[0], steps[0]) = (&sizes[0] - &Ix::konst(1), -1);
    cx.b.apply(&graph::ops::Slice { starts, steps, sizes }, &[v])
}

impl Cx<'_> {
    /// Whether a symbol is bound in the graph being built or around it.
    fn binds(&self, s: &Sym) -> bool {
        let graphs = self.outer.iter().map(|(b, _)| &b.graph).chain([&self.b.graph]);
        graphs.into_iter().any(|g| super::cx::bound_syms(g).contains(s))
    }
}
