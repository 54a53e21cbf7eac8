//! A run of nodes, one after the other.

use crate::comp;
use crate::contract;
use crate::layout::Layout;
use crate::module::{Module, Slot, SlotId, Source, Step, Work};
use crate::rows::Group;
use crate::steps::{Planned, Ref, Steps};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tilewright_graph::interp::{Bindings, eval_dim};
use tilewright_graph::{Comp, Graph, Node, Op, Type, ValueId};
use tilewright_support::{Code, Result};
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
    let constant = |n: &'_ Node| matches!(n.op, Op::Constant(_)).then(|| n.outputs[0]);
    let constants = graph.nodes.iter().enumerate().filter_map(|(at, n)| Some((constant(n)?, at))).collect();
    let mut readers = vec![Vec::new(); graph.values.len()];
    for at in nodes.clone() {
        graph.nodes[at].inputs.iter().for_each(|v| readers[v.index()].push(at));
    }
    let (module, slots) = (Module::default(), HashMap::new());
    let mut lowering = Lowering { graph, bindings, constants, readers, module, slots };
    let groups = groups(graph, &nodes, bindings);
    for at in nodes.clone() {
        match groups.get(&at) {
            None => lowering.node(at)?,
            Some(None) => {}
            Some(Some(group)) => lowering.group(group, kept)?,
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

struct Lowering<'a> {
    graph: &'a Graph,
    bindings: &'a Bindings,
    /// The nodes of constants.
    constants: HashMap<ValueId, usize>,
    /// For each value the nodes of the module that read it.
    readers: Vec<Vec<usize>>,
    module: Module,
    slots: HashMap<ValueId, SlotId>,
}

impl Lowering<'_> {
    fn slot(&mut self, source: Source, layout: Option<Layout>) -> SlotId {
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
        self.module.steps.push(Step { node: at, work: Work::Host, reads, writes });
        Ok(())
    }

    /// One kernel for a group, or what there is for each of its nodes.
    fn group(&mut self, group: &Group, kept: &dyn Fn(ValueId) -> bool) -> Result<()> {
        let inside: Vec<usize> = group.nodes().collect();
        let made = |v: &ValueId| inside.iter().any(|n| self.graph.nodes[*n].outputs.contains(v));
        let inputs: Vec<ValueId> = inside.iter().flat_map(|n| &self.graph.nodes[*n].inputs).copied().collect();
        let inputs: Vec<ValueId> = inputs.into_iter().filter(|v| !made(v)).collect();
        for v in inputs {
            self.input(v);
        }
        let outside = |v: ValueId| kept(v) || self.readers[v.index()].iter().any(|n| !inside.contains(n));
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

    /// Kernels for a comprehension; false where there are none.
    fn comp(&mut self, at: usize, c: &Comp, reads: &[SlotId]) -> bool {
        let out = self.graph.nodes[at].outputs[0];
        let layouts: Option<Vec<Layout>> = reads.iter().map(|s| self.module.slots[s.0].layout.clone()).collect();
        let (Some(layouts), Some(result)) = (layouts, self.plain(out)) else { return false };
        let bound = c.bind(&|s| self.bindings.get(s).map(|n| Ix::konst(*n)));
        let Ok(steps) = self.steps(&bound, reads, &layouts, &result) else { return false };
        let slot = self.slot(Source::Memory, Some(result));
        self.slots.insert(out, slot);
        let made: Vec<SlotId> = steps.made.into_iter().map(|l| self.slot(Source::Memory, Some(l))).collect();
        let place = |r: Ref| match r {
            Ref::Operand(o) => reads[o],
            Ref::Made(n) => made[n],
            Ref::Result => slot,
        };
        for Planned { kernel, reads, writes } in steps.kernels {
            let (work, reads) = (Work::Kernel(Arc::new(kernel)), reads.into_iter().map(place).collect());
            self.module.steps.push(Step { node: at, work, reads, writes: vec![place(writes)] });
        }
        true
    }

    fn steps(&self, c: &Comp, reads: &[SlotId], layouts: &[Layout], result: &Layout) -> Result<Steps> {
        let operand = |(slot, layout): (&SlotId, _)| contract::Operand {
            layout,
            constant: match &self.module.slots[slot.0].source {
                Source::Constant(t) => Some(t),
                _ => None,
            },
        };
        let operands: Vec<contract::Operand<'_>> = reads.iter().zip(layouts).map(operand).collect();
        match contract::kernels(c, &operands, result) {
            Err(error) if error.code == Code::Unsupported => {}
            done => return done,
        }
        let kernels = comp::kernels(c, layouts, result)?;
        let reads: Vec<Ref> = (0..layouts.len()).map(Ref::Operand).collect();
        let planned = |kernel| Planned { kernel, reads: reads.clone(), writes: Ref::Result };
        Ok(Steps { made: Vec::new(), kernels: kernels.into_iter().map(planned).collect() })
    }
}
