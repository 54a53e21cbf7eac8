//! Runs a graph with every value as an output and looks at each node by itself.

use super::Ranges;
use super::range::Range;
use crate::bits::{levels, same};
use crate::trial::Case;
use std::collections::HashMap;
use std::sync::Arc;
use tilewright::kernels::Level;
use tilewright_graph::interp::naive::eval_at;
use tilewright_graph::interp::{Bindings, admit, bind_inputs, control, eval_node};
use tilewright_graph::{Comp, Graph, Node, Op, Type, ValueId, ValueInfo};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, Value};

/// Elements of a value that are looked at.
const LOOKED_AT: usize = 500;
/// Points that all of them may combine.
const POINTS: usize = 200_000;

/// Elements that were looked at, and those of which the bound says nothing.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub all: usize,
    pub unbounded: usize,
}

/// Each value that the nodes of a case have is what the node's meaning gives, within its bound, for the values that it
/// reads; at a level for each seed.
pub fn within_bounds(case: &Case, tally: &mut Tally) -> Result<bool, String> {
    if case.expected().is_err() {
        return Ok(false);
    }
    let level = levels().nth(case.seed as usize % levels().count()).unwrap_or(Level::Portable);
    nodes_within(case, level, tally)?;
    Ok(true)
}

fn nodes_within(case: &Case, level: Level, tally: &mut Tally) -> Result<(), String> {
    let graph = case.every_value();
    let found = case.run(&graph, level).map_err(|e| format!("{level:?}: {e}"))?;
    let mut values: HashMap<ValueId, Value> = graph.outputs.iter().copied().zip(found).collect();
    values.extend(graph.inputs.iter().copied().zip(case.inputs.iter().cloned()));
    let mut bindings = bind_inputs(&graph, &case.inputs).map_err(|e| e.to_string())?;
    for node in &graph.nodes {
        let of = |ids: &[ValueId]| -> Vec<Value> { ids.iter().map(|v| values[v].clone()).collect() };
        let one = One { case, graph: &graph, node, level };
        one.check(&of(&node.inputs), &of(&node.outputs), &mut bindings, tally)
            .map_err(|e| format!("{level:?}: {e}\nof a node {}", node.op.name()))?;
    }
    Ok(())
}

/// Sizes, and what has been looked at.
type Cx<'a> = (&'a Bindings, &'a mut Tally);

/// A node of a graph.
struct One<'a> {
    case: &'a Case,
    graph: &'a Graph,
    node: &'a Node,
    level: Level,
}

impl One<'_> {
    fn check(
        &self,
        inputs: &[Value],
        outputs: &[Value],
        bindings: &mut Bindings,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let fails = |e: Box<tilewright_support::Diagnostic>| e.to_string();
        let expected = match &self.node.op {
            Op::Comp(comp) => {
                admit(self.graph, self.node, outputs, bindings).map_err(fails)?;
                let bound = comp.bind(&|s| bindings.get(s).map(|n| Ix::konst(*n)));
                return elements(&bound, &tensors(inputs), &tensors(outputs)[0], tally);
            }
            Op::If { then, otherwise } => {
                let arm = if control::truth(&inputs[0]).map_err(fails)? { then } else { otherwise };
                self.body(arm, &inputs[1..], (bindings, tally))?
            }
            Op::Call { body, .. } => self.body(body, inputs, (bindings, tally))?,
            Op::Loop(l) => {
                let types: Vec<Type> = self.node.outputs.iter().map(|v| self.graph.ty(*v).clone()).collect();
                let mut fault = Ok(());
                let mut run = |args: &[Value]| {
                    let found = self.body(&l.body, args, (bindings, tally));
                    found.map_err(|e| {
                        fault = Err(e);
                        tilewright_support::Diagnostic::internal("a body is out of bounds")
                    })
                };
                let found = control::repeat(l, inputs, (bindings, &types), &mut run);
                fault?;
                found.map_err(fails)?
            }
            _ => return self.by_host(inputs, outputs, bindings),
        };
        admit(self.graph, self.node, outputs, bindings).map_err(fails)?;
        equal(outputs, &expected)
    }

    /// What a body gives as a graph of its own, after a look at its nodes. The sizes that it knows from outside come with
    /// further inputs.
    fn body(&self, body: &Graph, inputs: &[Value], (bindings, tally): Cx<'_>) -> Result<Vec<Value>, String> {
        let (mut graph, mut inputs) = (body.clone(), inputs.to_vec());
        for (sym, n) in bindings {
            let ty = Type::tensor(DType::Bool, vec![Ix::sym(sym.clone())]);
            graph.inputs.push(ValueId(graph.values.len() as u32));
            graph.values.push(ValueInfo { ty, name: None });
            let zeros = vec![0; *n as usize];
            inputs.push(Value::Tensor(Tensor::from_i64(DType::Bool, &[zeros.len()], &zeros).unwrap()));
        }
        let case = Case { graph: Arc::new(graph), inputs, seed: self.case.seed };
        nodes_within(&case, self.level, tally)?;
        case.run(&case.graph, self.level).map_err(|e| e.to_string())
    }

    /// What the host computes is the same.
    fn by_host(&self, inputs: &[Value], outputs: &[Value], bindings: &mut Bindings) -> Result<(), String> {
        let expected = eval_node(self.graph, self.node, inputs, (bindings, 1)).map_err(|e| e.to_string())?;
        equal(outputs, &expected)
    }
}

fn equal(found: &[Value], expected: &[Value]) -> Result<(), String> {
    match found.iter().zip(expected).all(|(a, b)| same(a, b)) {
        true => Ok(()),
        false => Err(format!("{found:?} instead of {expected:?}")),
    }
}

fn tensors(values: &[Value]) -> Vec<Tensor> {
    values.iter().filter_map(|v| v.as_tensor().cloned()).collect()
}

/// Looks at elements of what a comprehension gave: all of small results, some of larger ones.
pub fn elements(comp: &Comp, operands: &[Tensor], found: &Tensor, tally: &mut Tally) -> Result<(), String> {
    if found.dtype() == DType::String {
        return Ok(());
    }
    let points: usize = comp.extents().iter().skip(comp.rank()).filter_map(Ix::as_const).product::<i64>() as usize;
    let looked_at = LOOKED_AT.min(POINTS / points.max(1)).max(2);
    let step = (found.len() / looked_at).max(1);
    // Places at odd distances, and the last.
    for place in (0..found.len()).step_by(step | 1).chain(found.len().checked_sub(1)) {
        let bound = eval_at(&Ranges, comp, operands, &point(found.shape(), place)).map_err(|e| e.to_string())?;
        tally.all += 1;
        tally.unbounded += usize::from(bound.is_any());
        let fits = match bound {
            Range::Float(..) => bound.admits(found.get_f64(place)),
            Range::Int(..) => bound.admits_int(found.get_i64(place)),
        };
        if !fits {
            let is = if found.dtype().is_float() { found.get_f64(place) } else { found.get_i64(place) as f64 };
            return Err(format!("element {place} of {:?} is {is:e}, not in {bound:?}", found.shape()));
        }
    }
    Ok(())
}

fn point(shape: &[usize], mut place: usize) -> Vec<i64> {
    let mut point = vec![0; shape.len()];
    for (at, n) in point.iter_mut().zip(shape).rev() {
        *at = (place % n) as i64;
        place /= n;
    }
    point
}
