//! Inlining: a call gives way to the nodes of its body, a choice whose condition is a constant to
//! those of its arm.
//!
//! ```text
//! %1 = call "Twice" (%0) graph (%0) {      %1 = mul(%0, 2)  @ "Twice" of node(..)
//!   %1 = mul(%0, 2)                   ──>
//!   return (%1)
//! }
//! ```
//!
//! Locations keep the call's name and place. A body whose types differ from the node's stays.

use crate::pass::{Changed, Pass, PassCx};
use crate::rewrite::{Place, Replacement, Symbols, bind, bind_type, each_graph, symbols};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use tilewright_graph::{Graph, Node, Op, Type, ValueId, ValueInfo};
use tilewright_support::{Loc, Result};
use tilewright_tensor::Tensor;
use tilewright_tensor::ix::{Ix, Sym};

/// A graph is not made larger than this many nodes: bodies that call bodies multiply.
const MOST: usize = 1 << 18;

/// The pass.
pub const PASS: Pass = Pass {
    name: "inline",
    doc: "Expands calls, and choices whose condition is a constant.",
    requires: &[],
    establishes: &[],
    run,
};

fn run(graph: &mut Graph, cx: &PassCx) -> Result<Changed> {
    let before = cx.spent();
    let mut taken = symbols(graph);
    each_graph(graph, &mut |g, place| expand_all(g, place, &mut taken, cx))?;
    Ok(cx.changed_since(before))
}

fn expand_all(graph: &mut Graph, place: Place, taken: &mut HashSet<Sym>, cx: &PassCx) -> Result<bool> {
    let mut replacement = Replacement::new(graph, place);
    let mut changed = false;
    let nodes = std::mem::take(&mut graph.nodes);
    let mut left = MOST.saturating_sub(nodes.len());
    let truths = truths(&nodes);
    for node in nodes {
        let plan = match inlined(&node, &truths) {
            Some((body, args, label)) if body.nodes.len() <= left => {
                let args = args.iter().map(|v| replacement.of(*v)).collect();
                Plan::new(graph, &node, &body, args, &replacement).map(|p| (p, body, label))
            }
            _ => None,
        };
        match plan {
            Some((mut plan, body, label)) if cx.spend() => {
                left -= body.nodes.len();
                plan.expand(graph, &body, |loc| within(loc, &node.loc, &label), taken)?;
                for (old, new) in &plan.same {
                    replacement.replace(graph, *old, *new);
                }
                changed = true;
            }
            _ => graph.nodes.push(node),
        }
    }
    if changed {
        let keep = vec![true; graph.nodes.len()];
        replacement.apply(graph, &keep);
    }
    Ok(changed)
}

/// Bool constants.
fn truths(nodes: &[Node]) -> HashMap<ValueId, bool> {
    let truth =
        |t: &Tensor| (t.len() == 1 && !t.dtype().is_float() && t.strings().is_none()).then(|| t.get_i64(0) != 0);
    let constant = |n: &Node| match &n.op {
        Op::Constant(t) => truth(t).map(|b| (n.outputs[0], b)),
        _ => None,
    };
    nodes.iter().filter_map(constant).collect()
}

/// The body that a node always runs, its inputs, and a name for it.
fn inlined<'n>(node: &'n Node, truths: &HashMap<ValueId, bool>) -> Option<(Arc<Graph>, &'n [ValueId], Arc<str>)> {
    match &node.op {
        Op::Call { name, body } => Some((body.clone(), &node.inputs, name.clone())),
        Op::If { then, otherwise } => match truths.get(&node.inputs[0])? {
            true => Some((then.clone(), &node.inputs[1..], "then".into())),
            false => Some((otherwise.clone(), &node.inputs[1..], "else".into())),
        },
        _ => None,
    }
}

/// The place of a node of a body, under that of the call.
fn within(inner: &Loc, call: &Loc, label: &Arc<str>) -> Loc {
    let part = call.part(label.clone());
    if inner.is_unknown() || inner == call { part } else { part.part(inner.to_string()) }
}

/// How a body's values and symbols become those of the graph.
struct Plan {
    /// Inputs and outputs of the body; the others get new values.
    values: HashMap<ValueId, ValueId>,
    /// Results of the call that are the same as a value that stands already.
    same: Vec<(ValueId, ValueId)>,
    /// Symbols that the body binds; those of its results are those of the call's results.
    syms: HashMap<Sym, Ix>,
    /// Symbols that the body binds and keeps to itself.
    own: BTreeSet<Sym>,
}

impl Plan {
    /// `None` where types of the body and of the node differ, or an output of the model would lose
    /// its name.
    fn new(graph: &Graph, node: &Node, body: &Graph, args: Vec<ValueId>, replacement: &Replacement) -> Option<Self> {
        let own = Symbols::of(body).bound.into_iter().flatten().collect();
        let mut plan = Self { values: HashMap::new(), same: Vec::new(), syms: HashMap::new(), own };
        for (param, arg) in body.inputs.iter().zip(args) {
            if body.ty(*param) != graph.ty(arg) {
                return None;
            }
            plan.values.insert(*param, arg);
        }
        for (inner, outer) in body.outputs.iter().zip(&node.outputs) {
            plan.unify(body.ty(*inner), graph.ty(*outer));
            let Some(there) = plan.values.get(inner).copied() else {
                plan.values.insert(*inner, *outer);
                continue;
            };
            let again = plan.same.iter().any(|(_, new)| *new == there);
            if again || !replacement.allows(graph, *outer, there) {
                return None;
            }
            plan.same.push((*outer, there));
        }
        let agree = |(inner, outer): (&ValueId, &ValueId)| bind_type(body.ty(*inner), &plan.syms) == *graph.ty(*outer);
        body.outputs.iter().zip(&node.outputs).all(agree).then_some(plan)
    }

    fn unify(&mut self, inner: &Type, outer: &Type) {
        let (Type::Tensor(inner), Type::Tensor(outer)) = (inner, outer) else { return };
        for (dim, there) in inner.shape.iter().zip(&outer.shape) {
            if let Some(s) = dim.as_sym()
                && there.as_sym().is_some()
                && self.own.remove(s)
            {
                self.syms.insert(s.clone(), there.clone());
            }
        }
    }

    /// Adds the nodes of the body.
    fn expand(
        &mut self,
        graph: &mut Graph,
        body: &Graph,
        place: impl Fn(&Loc) -> Loc,
        taken: &mut HashSet<Sym>,
    ) -> Result<()> {
        self.syms.extend(self.own.iter().map(|s| (s.clone(), Ix::sym(fresh(s, taken)))));
        for node in &body.nodes {
            let op = bind(&node.op, &self.syms)?;
            let inputs = node.inputs.iter().map(|v| self.values[v]).collect();
            let mut outputs = Vec::with_capacity(node.outputs.len());
            for v in &node.outputs {
                let ValueInfo { ty, name } = &body.values[v.index()];
                let new = || graph.value(bind_type(ty, &self.syms), name.clone());
                outputs.push(*self.values.entry(*v).or_insert_with(new));
            }
            graph.nodes.push(Node { op, inputs, outputs, loc: place(&node.loc) });
        }
        Ok(())
    }
}

/// A name like that of `s` which no symbol has.
fn fresh(s: &Sym, taken: &mut HashSet<Sym>) -> Sym {
    let mut n = 1;
    loop {
        let name = Sym::from(format!("{s}.{n}"));
        if taken.insert(name.clone()) {
            return name;
        }
        n += 1;
    }
}
