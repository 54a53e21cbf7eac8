//! The order of rows: passes along the columns of each row.

use super::body::{Plan, Vector, When, Writer};
use super::folds::Parts;
use super::memory::{At, LONGEST_TAIL};
use crate::inst::{Cond, GprOp, ImmOp, Inst, Reg};
use tilewright_loops::block::Step;
use tilewright_loops::map::LANES;
use tilewright_support::Result;

impl Writer<'_> {
    /// All rows; there is at least one.
    pub(super) fn rows(&mut self, plans: &[Plan]) -> Result<()> {
        let head = self.f.bind_new();
        let mut of_row = Vec::new();
        for plan in plans {
            let found = self.pass(plan, &of_row)?;
            of_row.extend(found);
        }
        self.next_row(head);
        Ok(())
    }

    /// One pass; gives its values of the row.
    fn pass(&mut self, plan: &Plan, of_row: &[Reg]) -> Result<Vec<Reg>> {
        let mut row = Vector { at: At::default(), values: plan.once.clone(), of_row, sums: &[] };
        self.compute(plan, When::Outer, std::slice::from_mut(&mut row))?;
        let folds = !plan.pass.folds.is_empty();
        let groups = if folds { LANES / self.lanes } else { vectors(plan).min(LONGEST_TAIL / self.lanes) };
        let sums: Vec<Vec<Parts>> = (0..if folds { groups } else { 0 }).map(|_| self.start_folds(plan)).collect();
        if folds || plan.pass.stores.iter().any(|s| Plan::moves(self.map, s.0)) {
            let mut write = |w: &mut Self, places: &[At]| {
                let vector = |at: &At| {
                    let sums = sums.get(at.vector).map_or(&[][..], Vec::as_slice);
                    Vector { at: *at, values: row.values.clone(), of_row, sums }
                };
                let mut vectors: Vec<Vector> = places.iter().map(vector).collect();
                w.elements(plan, &mut vectors)
            };
            self.along(groups, folds, &mut write)?;
        }
        self.stores(plan, &row, false)?;
        let mut found = Vec::new();
        for (n, fold) in plan.pass.folds.iter().enumerate() {
            let groups = sums.iter().map(|parts| parts[n].clone()).collect();
            found.push(self.finish_row(&fold.combine, groups)?);
        }
        Ok(found)
    }

    /// The loop over columns, so many vectors at a time, and its masked end: one vector at a time, or all (`fixed`) in
    /// their places.
    fn along(
        &mut self,
        vectors: usize,
        fixed: bool,
        write: &mut dyn FnMut(&mut Self, &[At]) -> Result<()>,
    ) -> Result<()> {
        let (column, lanes) = (self.place[1], self.lanes as i64);
        let step = vectors as i64 * lanes;
        let (rest, done) = (self.f.label(), self.f.label());
        self.f.imm(ImmOp::Set, column, 0);
        let columns = self.argument(3, 1);
        let whole = self.f.load(columns);
        self.f.imm(ImmOp::And, whole, -step);
        self.f.jump_if(Cond::Eq, rest);
        self.f.push(Inst::Align(32));
        let head = self.f.bind_new();
        let places: Vec<At> = (0..vectors).map(|vector| At { vector, tail: None }).collect();
        write(self, &places)?;
        self.f.imm(ImmOp::Add, column, step);
        self.f.gpr(GprOp::Compare, column, whole);
        self.f.jump_if(Cond::Below, head);
        self.f.bind(rest);
        let left = self.f.load(columns);
        self.f.gpr(GprOp::Sub, left, column);
        self.f.jump_if(Cond::Eq, done);
        if fixed {
            for vector in 0..vectors {
                if vector > 0 {
                    self.f.imm(ImmOp::Add, left, -lanes);
                    self.f.imm(ImmOp::Compare, left, 1);
                    self.f.jump_if(Cond::Less, done);
                }
                let tail = Some(self.tail(left));
                write(self, &[At { vector, tail }])?;
            }
        } else {
            let again = self.f.bind_new();
            let tail = Some(self.tail(left));
            write(self, &[At { vector: 0, tail }])?;
            self.f.imm(ImmOp::Add, column, lanes);
            self.f.imm(ImmOp::Add, left, -lanes);
            self.f.imm(ImmOp::Compare, left, 1);
            self.f.jump_if(Cond::NotLess, again);
        }
        self.f.bind(done);
        Ok(())
    }
}

/// Vectors in the body of a loop without reductions: enough to hide what the loop itself costs.
pub(super) fn vectors(plan: &Plan) -> usize {
    let steps = plan.pass.block.steps().iter().zip(&plan.when);
    let inner = steps.filter(|((s, _), w)| **w == Some(When::Inner) && !matches!(s, Step::Const(_))).count();
    match inner {
        0..=8 => 4,
        9..=80 => 2,
        _ => 1,
    }
}
