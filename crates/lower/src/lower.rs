//! A run of nodes, one after the other.

use crate::comp;
use crate::layout::Layout;
use crate::module::{Module, Slot, SlotId, Source, Step, Work};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tilewright_graph::interp::{Bindings, eval_dim};
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
    let constant = |n: &'_ Node| matches!(n.op, Op::Constant(_)).then(|| n.outputs[0]);
    let constants = graph.nodes.iter().enumerate().filter_map(|(at, n)| Some((constant(n)?, at))).collect();
    let mut lowering = Lowering { graph, bindings, constants, module: Module::default(), slots: HashMap::new() };
    for at in nodes.clone() {
        lowering.node(at)?;
    }
    for v in graph.nodes[nodes].iter().flat_map(|n| &n.outputs).filter(|v| kept(**v)) {
        let slot = lowering.input(*v);
        lowering.module.results.push((*v, slot));
    }
    Ok(lowering.module)
}

struct Lowering<'a> {
    graph: &'a Graph,
    bindings: &'a Bindings,
    /// The nodes of constants.
    constants: HashMap<ValueId, usize>,
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

    /// Kernels for a comprehension; false where there are none.
    fn comp(&mut self, at: usize, c: &Comp, reads: &[SlotId]) -> bool {
        let out = self.graph.nodes[at].outputs[0];
        let layouts: Option<Vec<Layout>> = reads.iter().map(|s| self.module.slots[s.0].layout.clone()).collect();
        let (Some(layouts), Some(result)) = (layouts, self.plain(out)) else { return false };
        let bound = c.bind(&|s| self.bindings.get(s).map(|n| Ix::konst(*n)));
        let Ok(kernels) = comp::kernels(&bound, &layouts, &result) else { return false };
        let slot = self.slot(Source::Memory, Some(result));
        self.slots.insert(out, slot);
        for kernel in kernels {
            let work = Work::Kernel(Arc::new(kernel));
            self.module.steps.push(Step { node: at, work, reads: reads.to_vec(), writes: vec![slot] });
        }
        true
    }
}
