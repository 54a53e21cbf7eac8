//! The primitives by which passes change graphs. Each leaves every value defined once, numbered in
//! order of definition.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use tilewright_graph::{Graph, Op, Scatter, Type, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::{Ix, Sym};

/// Where a graph stands: the values of the whole model's outputs keep their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The model itself.
    Whole,
    /// The body of a node.
    Body,
}

/// A step of a pass on one graph; it says whether it changed something.
pub(crate) type Rewriter<'a> = &'a mut dyn FnMut(&mut Graph, Place) -> Result<bool>;

/// Runs `f` on every body, inner ones first, and then on the graph itself. A body that several
/// nodes share is rewritten once and stays shared.
pub(crate) fn each_graph(graph: &mut Graph, f: Rewriter<'_>) -> Result<bool> {
    within(graph, Place::Whole, &mut HashMap::new(), f)
}

/// For each body by its address: itself, which keeps the address taken, and what became of it.
type Bodies = HashMap<*const Graph, (Arc<Graph>, Arc<Graph>)>;

fn within(graph: &mut Graph, place: Place, done: &mut Bodies, f: Rewriter<'_>) -> Result<bool> {
    let mut changed = false;
    for node in &mut graph.nodes {
        for body in node.op.bodies_mut() {
            let address = Arc::as_ptr(body);
            if !done.contains_key(&address) {
                let mut new = Graph::clone(body);
                let new = if within(&mut new, Place::Body, done, f)? { Arc::new(new) } else { body.clone() };
                done.insert(address, (body.clone(), new));
            }
            let new = &done[&address].1;
            changed |= !Arc::ptr_eq(new, body);
            *body = new.clone();
        }
    }
    Ok(f(graph, place)? | changed)
}

/// Values that are to be replaced by others, collected in the order of nodes.
pub(crate) struct Replacement {
    to: Vec<ValueId>,
    input: Vec<bool>,
    output: Vec<bool>,
}

impl Replacement {
    pub(crate) fn new(graph: &Graph, place: Place) -> Self {
        let flags = |ids: &[ValueId]| {
            let mut out = vec![false; graph.values.len()];
            ids.iter().filter(|_| place == Place::Whole).for_each(|v| out[v.index()] = true);
            out
        };
        let to = (0..graph.values.len()).map(|v| ValueId(v as u32)).collect();
        Self { to, input: flags(&graph.inputs), output: flags(&graph.outputs) }
    }

    /// What stands for a value; itself if it is new.
    pub(crate) fn of(&self, v: ValueId) -> ValueId {
        self.to.get(v.index()).copied().unwrap_or(v)
    }

    /// Whether [`Replacement::replace`] would take this pair: types agree, and an output of the
    /// model finds a value that can take its name.
    pub(crate) fn allows(&self, graph: &Graph, old: ValueId, new: ValueId) -> bool {
        let new = self.of(new).index();
        graph.ty(old) == &graph.values[new].ty && !(self.output[old.index()] && (self.input[new] || self.output[new]))
    }

    /// Lets `new`, which is defined earlier, stand for `old`. The caller asked whether it may.
    pub(crate) fn replace(&mut self, graph: &mut Graph, old: ValueId, new: ValueId) {
        let new = self.of(new);
        let keeps = self.output[old.index()];
        if keeps || (graph.values[new.index()].name.is_none() && !self.input[new.index()]) {
            graph.values[new.index()].name = graph.values[old.index()].name.clone();
        }
        self.output[new.index()] |= keeps;
        self.to[old.index()] = new;
    }

    /// Rewrites every use, and keeps the nodes for which `keep` says so.
    pub(crate) fn apply(self, graph: &mut Graph, keep: &[bool]) {
        let uses = graph.nodes.iter_mut().flat_map(|n| &mut n.inputs).chain(&mut graph.outputs);
        uses.for_each(|v| *v = self.of(*v));
        retain(graph, keep);
    }
}

/// Drops values that nothing defines, and numbers the others in order of definition.
pub(crate) fn compact(graph: &mut Graph) {
    let mut place = vec![ValueId(u32::MAX); graph.values.len()];
    let old = std::mem::take(&mut graph.values);
    let defined = graph.inputs.iter_mut().chain(graph.nodes.iter_mut().flat_map(|n| &mut n.outputs));
    for v in defined {
        let new = ValueId(graph.values.len() as u32);
        graph.values.push(old[v.index()].clone());
        place[v.index()] = new;
        *v = new;
    }
    let uses = graph.nodes.iter_mut().flat_map(|n| &mut n.inputs).chain(&mut graph.outputs);
    uses.for_each(|v| *v = place[v.index()]);
}

/// Keeps the nodes for which `keep` says so; nothing uses the results of the others.
pub(crate) fn retain(graph: &mut Graph, keep: &[bool]) {
    let mut kept = keep.iter();
    graph.nodes.retain(|_| kept.next() != Some(&false));
    compact(graph);
}

/// Every symbol that a graph and its bodies mention or bind.
pub(crate) fn symbols(graph: &Graph) -> HashSet<Sym> {
    let (mut out, mut seen) = (HashSet::new(), HashSet::new());
    collect(graph, &mut out, &mut seen);
    out
}

fn collect(graph: &Graph, out: &mut HashSet<Sym>, seen: &mut HashSet<*const Graph>) {
    out.extend(graph.values.iter().flat_map(|v| v.ty.syms()));
    for node in &graph.nodes {
        out.extend(node.op.syms());
        if let Op::Define(syms) = &node.op {
            out.extend(syms.iter().cloned());
        }
        for body in node.op.bodies() {
            if seen.insert(Arc::as_ptr(body)) {
                collect(body, out, seen);
            }
        }
    }
}

/// What a graph does with symbols.
#[derive(Default)]
pub(crate) struct Symbols {
    /// Mentioned without being bound before: they come from outside.
    pub(crate) free: BTreeSet<Sym>,
    /// For each node those that it binds: it defines them, or they stand first as a bare dim of a
    /// result.
    pub(crate) bound: Vec<Vec<Sym>>,
}

impl Symbols {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut out = Self::default();
        let mut seen: HashSet<Sym> = graph.inputs.iter().flat_map(|v| bare_dims(graph.ty(*v))).collect();
        out.mention(graph.inputs.iter().flat_map(|v| graph.ty(*v).syms()), &mut seen);
        for node in &graph.nodes {
            out.mention(node.op.syms(), &mut seen);
            for body in node.op.bodies() {
                out.mention(Self::of(body).free, &mut seen);
            }
            let binds = match &node.op {
                Op::Define(syms) => syms.clone(),
                _ => node.outputs.iter().flat_map(|v| bare_dims(graph.ty(*v))).collect(),
            };
            out.bound.push(binds.into_iter().filter(|s| seen.insert(s.clone())).collect());
            out.mention(node.outputs.iter().flat_map(|v| graph.ty(*v).syms()), &mut seen);
        }
        out
    }

    fn mention(&mut self, syms: impl IntoIterator<Item = Sym>, seen: &mut HashSet<Sym>) {
        self.free.extend(syms.into_iter().filter(|s| seen.insert(s.clone())));
    }
}

fn bare_dims(ty: &Type) -> Vec<Sym> {
    match ty {
        Type::Tensor(t) => t.shape.iter().filter_map(|d| d.as_sym().cloned()).collect(),
        _ => Vec::new(),
    }
}

/// A type with the symbols among the keys replaced.
pub(crate) fn bind_type(ty: &Type, to: &HashMap<Sym, Ix>) -> Type {
    ty.map_dims(&|e| e.subst_syms(&|s| to.get(s).cloned()))
}

/// An operation with the symbols among the keys replaced, also in its bodies and where it binds
/// them.
pub(crate) fn bind(op: &Op, to: &HashMap<Sym, Ix>) -> Result<Op> {
    let f = |s: &Sym| to.get(s).cloned();
    let dim = |e: &Ix| e.subst_syms(&f);
    let mut out = op.clone();
    match &mut out {
        Op::Comp(c) if c.syms().iter().any(|s| to.contains_key(s)) => *c = Arc::new(c.bind(&f)),
        Op::Scatter(s) => {
            *s = Arc::new(Scatter {
                axes: s.axes.iter().map(|(name, extent)| (name.clone(), dim(extent))).collect(),
                index: s.index.iter().map(dim).collect(),
                body: s.body.map_ix(&dim),
                combine: s.combine,
            });
        }
        Op::Define(syms) => {
            let renamed = |s: &Sym| to.get(s).and_then(|e| e.as_sym()).unwrap_or(s).clone();
            *syms = syms.iter().map(renamed).collect();
        }
        Op::Opaque(o) if o.syms().iter().any(|s| to.contains_key(s)) => *o = o.map_sizes(&dim)?,
        _ => {}
    }
    for body in out.bodies_mut() {
        let mut new = Graph::clone(body);
        new.values.iter_mut().for_each(|v| v.ty = bind_type(&v.ty, to));
        for node in &mut new.nodes {
            node.op = bind(&node.op, to)?;
        }
        *body = Arc::new(new);
    }
    Ok(out)
}
