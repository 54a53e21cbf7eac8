//! Where the results of comprehensions go: into memory of their own, into a part of another value's, or nowhere, where
//! they are views.

use super::Lowering;
use crate::comp::{self, Lowered};
use crate::concat;
use crate::contract;
use crate::layout::Layout;
use crate::module::{SlotId, Source, Step, Work};
use crate::steps::{Planned, Ref, Steps};
use crate::view;
use std::sync::Arc;
use tilewright_graph::{Comp, ValueId};
use tilewright_support::{Code, Result};

impl Lowering<'_> {
    /// A comprehension as kernels or as a view; false where it is neither.
    pub(super) fn comp(&mut self, at: usize, c: &Comp, reads: &[SlotId]) -> bool {
        let bound = self.bind(c);
        let layouts: Option<Vec<Layout>> = reads.iter().map(|s| self.module.slots[s.0].layout.clone()).collect();
        let Some(layouts) = layouts else { return false };
        self.view(at, &bound, (reads, &layouts)) || self.join(at, c, reads) || {
            let dense = layouts.iter().all(|l| l.is_plain());
            self.kernels(at, &bound, (reads, &layouts)) || (!dense && self.dense(at, &bound, reads))
        }
    }

    /// The result as a part of the memory of an operand.
    fn view(&mut self, at: usize, bound: &Comp, (reads, layouts): (&[SlotId], &[Layout])) -> bool {
        let out = self.graph.nodes[at].outputs[0];
        let Some((o, layout)) = view::of(bound, layouts) else { return false };
        let fits = match self.kept.contains(&out) {
            true => layout.is_whole(),
            // What many read across is better turned once.
            false => layout.is_near() || self.readers[out.index()].len() < 2,
        };
        if !fits || self.pieces.contains_key(&out) {
            return false;
        }
        let slot = self.slot(Source::View(reads[o]), Some(layout));
        self.slots.insert(out, slot);
        true
    }

    /// A concatenation: pieces that are not there yet are copied to their places.
    fn join(&mut self, at: usize, c: &Comp, reads: &[SlotId]) -> bool {
        let node = &self.graph.nodes[at];
        let Some(pieces) = self.pieces_of(c, &node.inputs) else { return false };
        let Some((whole, layout)) = self.target(node.outputs[0]) else { return false };
        let mut copies = Vec::new();
        for p in pieces {
            let part = layout.part(p.axis, p.start, p.length);
            let slot = reads[p.operand];
            let Some(from) = self.module.slots[slot.0].layout.clone() else { return false };
            if self.module.root(slot) == self.module.root(whole) && from == part {
                continue;
            }
            let Ok(kernels) = comp::kernels(&concat::copy(&part), &[from], &part) else { return false };
            copies.extend(kernels.into_iter().map(|k| (k, slot)));
        }
        for (kernel, slot) in copies {
            let work = Work::Kernel(Arc::new(kernel));
            self.module.steps.push(Step { node: at, work, reads: vec![slot], writes: vec![whole] });
        }
        true
    }

    /// Kernels of a comprehension, which write where the result belongs; false where there are none.
    fn kernels(&mut self, at: usize, bound: &Comp, (reads, layouts): (&[SlotId], &[Layout])) -> bool {
        let out = self.graph.nodes[at].outputs[0];
        let Some((mut slot, result)) = self.target(out) else { return false };
        // What is there already as a piece of the result is not read while that is written.
        let apart = reads.iter().all(|r| self.module.root(*r) != self.module.root(slot));
        let mut found = self.steps(bound, reads, layouts, &result);
        // The host, which evaluates where checks fail, writes whole values.
        let own = self.module.slots[slot.0].source == Source::Memory;
        let refused = found.as_ref().map_or(!result.is_plain(), |s| !s.checks.is_empty() && !own);
        if refused || !apart {
            let Some(plain) = self.plain(out) else { return false };
            found = self.steps(bound, reads, layouts, &plain);
            slot = self.slot(Source::Memory, Some(plain));
        }
        let steps = match found {
            Ok(steps) => steps,
            Err(error) => {
                self.refused = Some(error.message.into());
                return false;
            }
        };
        self.slots.insert(out, slot);
        let made: Vec<SlotId> = steps.made.into_iter().map(|l| self.slot(Source::Memory, Some(l))).collect();
        let place = |r: Ref| match r {
            Ref::Operand(o) => reads[o],
            Ref::Made(n) => made[n],
            Ref::Result => slot,
        };
        if !steps.checks.is_empty() {
            let work = Work::Check(steps.checks);
            self.module.steps.push(Step { node: at, work, reads: reads.to_vec(), writes: vec![slot] });
        }
        for Planned { kernel, reads, writes } in steps.kernels {
            let (work, reads) = (Work::Kernel(Arc::new(kernel)), reads.into_iter().map(place).collect());
            self.module.steps.push(Step { node: at, work, reads, writes: vec![place(writes)] });
        }
        true
    }

    fn steps(&self, c: &Comp, reads: &[SlotId], layouts: &[Layout], result: &Layout) -> Result<Steps> {
        let operand = |(slot, layout): (&SlotId, _)| contract::Operand {
            layout,
            constant: match &self.module.slots[self.module.root(*slot).0].source {
                Source::Constant(t) => Some(t),
                _ => None,
            },
        };
        let operands: Vec<contract::Operand<'_>> = reads.iter().zip(layouts).map(operand).collect();
        match contract::kernels(c, &operands, result) {
            Err(error) if error.code == Code::Unsupported => {}
            done => return done,
        }
        let Lowered { kernels, checks } = comp::lowered(c, layouts, result)?;
        let reads: Vec<Ref> = (0..layouts.len()).map(Ref::Operand).collect();
        let planned = |kernel| Planned { kernel, reads: reads.clone(), writes: Ref::Result };
        Ok(Steps { made: Vec::new(), checks, kernels: kernels.into_iter().map(planned).collect() })
    }

    /// Kernels that read copies of operands whose layouts others refuse.
    fn dense(&mut self, at: usize, bound: &Comp, reads: &[SlotId]) -> bool {
        let mut copies = Vec::with_capacity(reads.len());
        for slot in reads {
            let Some(from) = self.module.slots[slot.0].layout.clone() else { return false };
            if from.is_plain() {
                copies.push((*slot, from));
                continue;
            }
            let plain = Layout::row_major(from.dtype, &from.shape);
            let Ok(kernels) = comp::kernels(&concat::copy(&from), &[from], &plain) else { return false };
            let copy = self.slot(Source::Memory, Some(plain.clone()));
            for kernel in kernels {
                let work = Work::Kernel(Arc::new(kernel));
                self.module.steps.push(Step { node: at, work, reads: vec![*slot], writes: vec![copy] });
            }
            copies.push((copy, plain));
        }
        let (reads, layouts): (Vec<SlotId>, Vec<Layout>) = copies.into_iter().unzip();
        self.kernels(at, bound, (&reads, &layouts))
    }

    /// The memory that a node's result is written to: its own, or a part of what it is a piece of.
    fn target(&mut self, v: ValueId) -> Option<(SlotId, Layout)> {
        if let Some(slot) = self.slots.get(&v) {
            return Some((*slot, self.module.slots[slot.0].layout.clone()?));
        }
        let (source, layout) = match self.pieces.get(&v).copied() {
            Some((whole, p)) => {
                let (slot, layout) = self.target(whole)?;
                (Source::View(slot), layout.part(p.axis, p.start, p.length))
            }
            None => (Source::Memory, self.plain(v)?),
        };
        let slot = self.slot(source, Some(layout.clone()));
        self.slots.insert(v, slot);
        Some((slot, layout))
    }
}
