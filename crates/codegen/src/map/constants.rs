//! Which constants stay in registers, and how many vectors go side by side.

use super::body::{Plan, When, Writer};
use std::collections::BTreeMap;
use tilewright_loops::block::{Block, Step, Val};
use tilewright_loops::map::{LANES, Order};
use tilewright_loops::prim::Lane;

/// Registers that the instructions of one primitive may need beside its arguments.
const SPARE: usize = 3;

/// Steps up to which two rows go side by side: reductions of few steps wait for themselves.
const SMALL: usize = 40;

impl Writer<'_> {
    /// Keeps the constants that are used most in registers that nothing else needs.
    pub(super) fn hoist_constants(&mut self, plans: &[Plan], registers: usize) {
        let once: usize = plans.iter().map(|p| count(p, When::Once)).sum();
        let live: Vec<usize> = plans.iter().map(|p| self.pressure(p)).collect();
        let taken = |w: &Self, together: usize, rows: usize| {
            let most = plans.iter().zip(&live).map(|(p, live)| together * live + rows * w.held(p)).max();
            most.unwrap_or(0) + once + SPARE
        };
        let small = plans.iter().map(|p| count(p, When::Inner)).sum::<usize>() <= SMALL;
        let folds = self.map.order == Order::Rows && plans.iter().any(|p| !p.pass.folds.is_empty());
        self.together = if taken(self, 2, 1) <= registers { 2 } else { 1 };
        self.rows_together = if folds && small && taken(self, 2, 2) <= registers { 2 } else { 1 };
        let left = registers.saturating_sub(taken(self, self.together, self.rows_together));
        let mut uses: BTreeMap<(u64, Lane), usize> = BTreeMap::new();
        for plan in plans {
            let inner = |n: usize| plan.when[n] == Some(When::Inner);
            tally(&plan.pass.block, &inner, &mut uses);
            plan.pass.folds.iter().for_each(|f| tally(&f.combine.block, &|_| true, &mut uses));
        }
        let mut ranked: Vec<_> = uses.into_iter().collect();
        ranked.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        for ((bits, lane), _) in ranked.into_iter().take(left) {
            self.hoist(bits, lane);
        }
    }

    /// The most vector registers that hold values of one vector of elements at once.
    fn pressure(&self, plan: &Plan) -> usize {
        let block = &plan.pass.block;
        let mut last: Vec<usize> = (0..block.steps().len()).collect();
        for (n, (step, _)) in block.steps().iter().enumerate() {
            if plan.when[n].is_some() {
                step.args().for_each(|a| last[a.index()] = n);
            }
        }
        let end = block.steps().len();
        plan.pass.stores.iter().for_each(|s| last[s.1.index()] = end);
        plan.pass.folds.iter().flat_map(|f| &f.values).for_each(|v| last[v.index()] = end);
        let held =
            |n: usize| plan.when[n] == Some(When::Inner) && (block.lane(Val(n as u32)) != Lane::Mask || !self.masks());
        let mut ends = vec![0; end + 1];
        let (mut live, mut most) = (0usize, 0);
        for n in (0..end).filter(|n| held(*n)) {
            ends[last[n]] += 1;
        }
        for (n, ended) in ends.iter().enumerate().take(end) {
            live += usize::from(held(n));
            live -= ended;
            most = most.max(live);
        }
        most
    }

    /// The vector registers that hold values over all elements of a pass.
    fn held(&self, plan: &Plan) -> usize {
        let groups = if self.map.order == Order::Rows { LANES / self.lanes } else { super::columns::VECTORS };
        let folds: usize = plan.pass.folds.iter().map(|f| f.combine.lanes.len() * groups).sum();
        folds + count(plan, When::Outer)
    }
}

/// The steps of a pass that are computed `when`.
pub(super) fn count(plan: &Plan, when: When) -> usize {
    let steps = plan.pass.block.steps();
    let constant = |n: usize| matches!(steps[n].0, Step::Const(_));
    (0..steps.len()).filter(|n| plan.when[*n] == Some(when) && !constant(*n)).count()
}

fn tally(block: &Block, counts: &dyn Fn(usize) -> bool, uses: &mut BTreeMap<(u64, Lane), usize>) {
    for (n, (step, _)) in block.steps().iter().enumerate().filter(|(n, _)| counts(*n)) {
        let Step::Prim(prim, args) = step else { continue };
        for (at, a) in args[..prim.arity()].iter().enumerate().filter(|(_, a)| block.lane(**a) != Lane::Mask) {
            if let Some(bits) = block.constant(*a).filter(|_| n < block.steps().len()) {
                // As first argument it would take a load of its own.
                *uses.entry((bits, block.lane(*a))).or_default() += if at == 0 { 2 } else { 1 };
            }
        }
    }
}
