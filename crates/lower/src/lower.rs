//! A run of nodes, one after the other.

mod results;

use crate::concat::{self, Piece};
use crate::layout::Layout;
use crate::module::{Module, Slot, SlotId, Source, Step, Work};
use crate::rows::Group;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use tilewright_graph::interp::{Bindings, eval_dim};
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Comp, Graph, Node, Op, Type, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;

/// Lowers nodes of a graph whose symbols all have sizes. `kept` says which values are used afterwards.
///
/// # Errors
/// Limit, for sizes beyond the address space; all else that kernels lack becomes a call of the host.
pub fn lower(
    graph: &Graph,
    nodes: Range<usize>,
    bindings: &Bindings,
    kept: &dyn Fn(ValueId) -> bool,
) -> Result<Module> {
    let mut lowering = Lowering::new(graph, bindings);
    lowering.read(nodes.clone(), kept);
    let groups = groups(graph, &nodes, bindings);
    for at in nodes.clone() {
        match groups.get(&at) {
            None => lowering.node(at)?,
            Some(None) => {}
            Some(Some(group)) => lowering.group(group)?,
        }
    }
    for v in graph.nodes[nodes].iter().flat_map(|n| &n.outputs).filter(|v| kept(**v)) {
        let slot = lowering.input(*v);
        lowering.module.results.push((*v, slot));
    }
    Ok(lowering.module)
}

/// Groups of rows by their last node; nothing for the other nodes in them.
fn groups(graph: &Graph, nodes: &Range<usize>, bindings: &Bindings) -> HashMap<usize, Option<Group>> {
    let mut groups = HashMap::new();
    for at in nodes.clone() {
        if groups.contains_key(&at) {
            continue;
        }
        let group = Group::starting_at(graph, at, nodes.end, bindings);
        let Some(group) = group.filter(|g| !g.nodes().any(|n| groups.contains_key(&n))) else { continue };
        groups.extend(group.nodes().map(|n| (n, None)));
        group.nodes().max().and_then(|last| groups.insert(last, Some(group)));
    }
    groups
}

/// A module under construction.
struct Lowering<'a> {
    graph: &'a Graph,
    bindings: &'a Bindings,
    /// The nodes of constants.
    constants: HashMap<ValueId, usize>,
    /// For each value the nodes of the module that read it.
    readers: Vec<Vec<usize>>,
    module: Module,
    slots: HashMap<ValueId, SlotId>,
    /// Values that are used after the module.
    kept: HashSet<ValueId>,
    /// Values that are written as a piece of another one.
    pieces: HashMap<ValueId, (ValueId, Piece)>,
    /// Why the last comprehension without kernels has none.
    refused: Option<Arc<str>>,
}

impl<'a> Lowering<'a> {
    fn new(graph: &'a Graph, bindings: &'a Bindings) -> Self {
        let constant = |n: &Node| matches!(n.op, Op::Constant(_)).then(|| n.outputs[0]);
        let constants = graph.nodes.iter().enumerate().filter_map(|(at, n)| Some((constant(n)?, at))).collect();
        Self {
            graph,
            bindings,
            constants,
            module: Module::default(),
            slots: HashMap::new(),
            kept: HashSet::new(),
            readers: vec![Vec::new(); graph.values.len()],
            pieces: HashMap::new(),
            refused: None,
        }
    }

    /// Finds what is known of values before their nodes are lowered.
    fn read(&mut self, nodes: Range<usize>, kept: &dyn Fn(ValueId) -> bool) {
        let mut made = HashSet::new();
        for at in nodes {
            let node = &self.graph.nodes[at];
            self.kept.extend(node.outputs.iter().filter(|v| kept(**v)));
            node.inputs.iter().for_each(|v| self.readers[v.index()].push(at));
            let Op::Comp(c) = &node.op else { continue };
            let pieces = self.pieces_of(c, &node.inputs).unwrap_or_default();
            let mut times: HashMap<ValueId, usize> = HashMap::with_capacity(pieces.len());
            if !pieces.is_empty() {
                node.inputs[..].iter().for_each(|v| *times.entry(*v).or_default() += 1);
            }
            for piece in pieces {
                let v = node.inputs[piece.operand];
                if times[&v] == 1 && made.contains(&v) && !self.kept.contains(&v) {
                    self.pieces.entry(v).or_insert((node.outputs[0], piece));
                }
            }
            made.insert(node.outputs[0]);
        }
    }

    fn pieces_of(&self, c: &Comp, inputs: &[ValueId]) -> Option<Vec<Piece>> {
        if !matches!(c.body.kind(), Kind::Where(..)) {
            return None;
        }
        let layouts: Vec<Layout> = inputs.iter().map(|v| self.plain(*v)).collect::<Option<_>>()?;
        let shapes: Vec<&[usize]> = layouts.iter().map(|l| &l.shape[..]).collect();
        concat::pieces(&self.bind(c), &shapes)
    }

    fn bind(&self, c: &Comp) -> Comp {
        c.bind(&|s| self.bindings.get(s).map(|n| Ix::konst(*n)))
    }

    fn slot(&mut self, source: Source, layout: Option<Layout>) -> SlotId {
        // A view of a view is one of the memory itself.
        let source = if let Source::View(of) = source { Source::View(self.module.root(of)) } else { source };
        self.module.slots.push(Slot { source, layout });
        SlotId(self.module.slots.len() - 1)
    }

    /// The slot of a value that a node takes.
    fn input(&mut self, v: ValueId) -> SlotId {
        if let Some(slot) = self.slots.get(&v) {
            return *slot;
        }
        let layout = self.plain(v);
        let source = match self.constants.get(&v).map(|at| &self.graph.nodes[*at].op) {
            Some(Op::Constant(t)) => Source::Constant(t.clone()),
            _ => Source::Given(v),
        };
        let slot = self.slot(source, layout);
        self.slots.insert(v, slot);
        slot
    }

    /// A value row-major in a buffer of its own, if it is a tensor of known size whose elements are whole bytes.
    fn plain(&self, v: ValueId) -> Option<Layout> {
        let Type::Tensor(t) = self.graph.ty(v) else { return None };
        let size = |d: &Ix| eval_dim(d, self.bindings).and_then(|n| usize::try_from(n).ok());
        let shape: Vec<usize> = t.shape.iter().map(size).collect::<Option<_>>()?;
        let fits = tilewright_tensor::element_count(t.dtype, &shape).is_ok();
        (fits && t.dtype.bits() % 8 == 0 && t.dtype.bits() > 0).then(|| Layout::row_major(t.dtype, &shape))
    }

    fn node(&mut self, at: usize) -> Result<()> {
        let node = &self.graph.nodes[at];
        if matches!(node.op, Op::Constant(_)) {
            return Ok(());
        }
        let reads: Vec<SlotId> = node.inputs.iter().map(|v| self.input(*v)).collect();
        if let Op::Comp(c) = &node.op
            && self.comp(at, c, &reads)
        {
            return Ok(());
        }
        let writes = node.outputs.iter().map(|v| {
            let layout = self.plain(*v);
            let slot = self.slot(Source::Host, layout);
            self.slots.insert(*v, slot);
            slot
        });
        let writes = writes.collect();
        let why = match &node.op {
            Op::Comp(_) => self.refused.take().unwrap_or_else(|| "sizes unknown, or elements of no whole bytes".into()),
            op => op.name().into(),
        };
        self.module.steps.push(Step { node: at, work: Work::Host(why), reads, writes });
        Ok(())
    }

    /// One kernel for a group, or what there is for each of its nodes.
    fn group(&mut self, group: &Group) -> Result<()> {
        let inside: Vec<usize> = group.nodes().collect();
        let made = |v: &ValueId| inside.iter().any(|n| self.graph.nodes[*n].outputs.contains(v));
        let inputs: Vec<ValueId> = inside.iter().flat_map(|n| &self.graph.nodes[*n].inputs).copied().collect();
        let inputs: Vec<ValueId> = inputs.into_iter().filter(|v| !made(v)).collect();
        for v in inputs {
            self.input(v);
        }
        let outside =
            |v: ValueId| self.kept.contains(&v) || self.readers[v.index()].iter().any(|n| !inside.contains(n));
        let layout = |v: ValueId| match self.slots.get(&v) {
            Some(slot) => self.module.slots[slot.0].layout.clone(),
            None => self.plain(v),
        };
        let Some(rows) = group.kernel(&layout, &outside) else {
            return inside.into_iter().try_for_each(|n| self.node(n));
        };
        let reads = rows.reads.iter().map(|v| self.input(*v)).collect();
        let mut writes = Vec::new();
        for v in rows.writes {
            let layout = self.plain(v);
            let slot = self.slot(Source::Memory, layout);
            self.slots.insert(v, slot);
            writes.push(slot);
        }
        let node = inside.last().copied().unwrap_or(0);
        self.module.steps.push(Step { node, work: Work::Kernel(Arc::new(rows.kernel)), reads, writes });
        Ok(())
    }
}
