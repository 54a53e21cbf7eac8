//! The order of columns: passes along the rows of some vectors of columns.

use super::body::{Plan, Values, When, Writer};
use super::folds::Parts;
use super::memory::{At, Tail};
use crate::inst::{Cond, GprOp, ImmOp, Reg};
use tilewright_support::Result;

/// Vectors of columns that a pass holds at most.
pub(super) const VECTORS: usize = 4;

impl Writer<'_> {
    /// All columns; there is at least one.
    pub(super) fn columns(&mut self, plans: &[Plan]) -> Result<()> {
        let vectors = plans.iter().map(super::rows::vectors).min().unwrap_or(1).min(VECTORS);
        let (column, lanes) = (self.place[1], self.lanes as i64);
        let step = vectors as i64 * lanes;
        let (rest, done) = (self.f.label(), self.f.label());
        self.f.imm(ImmOp::Set, column, 0);
        let columns = self.argument(3, 1);
        let whole = self.f.load(columns);
        self.f.imm(ImmOp::And, whole, -step);
        self.f.jump_if(Cond::Eq, rest);
        let head = self.f.bind_new();
        self.block(plans, vectors, None)?;
        self.f.imm(ImmOp::Add, column, step);
        self.f.gpr(GprOp::Compare, column, whole);
        self.f.jump_if(Cond::Below, head);
        self.f.bind(rest);
        let left = self.f.load(columns);
        self.f.gpr(GprOp::Sub, left, column);
        self.f.jump_if(Cond::Eq, done);
        let again = self.f.bind_new();
        let tail = self.tail(left);
        self.block(plans, 1, Some(tail))?;
        self.f.imm(ImmOp::Add, column, lanes);
        self.f.imm(ImmOp::Add, left, -lanes);
        self.f.imm(ImmOp::Compare, left, 1);
        self.f.jump_if(Cond::NotLess, again);
        self.f.bind(done);
        Ok(())
    }

    /// All passes over some vectors of columns.
    fn block(&mut self, plans: &[Plan], vectors: usize, tail: Option<Tail>) -> Result<()> {
        let places: Vec<At> = (0..vectors).map(|vector| At { vector, tail }).collect();
        let mut of_column: Vec<Vec<Reg>> = vec![Vec::new(); vectors];
        for plan in plans {
            self.first_row();
            let mut outer: Vec<Values> = vec![plan.once.clone(); vectors];
            for (at, values) in places.iter().zip(&mut outer) {
                self.compute(plan, When::Outer, at, values, &of_column[at.vector])?;
            }
            let sums: Vec<Vec<Parts>> = places.iter().map(|_| self.start_folds(plan)).collect();
            let done = self.f.label();
            let rows = self.f.load(self.argument(3, 0));
            self.f.imm(ImmOp::Compare, rows, 0);
            self.f.jump_if(Cond::Eq, done);
            let head = self.f.bind_new();
            for at in &places {
                let given = (&of_column[at.vector][..], &sums[at.vector][..]);
                self.element(plan, &outer[at.vector], at, given)?;
            }
            self.next_row(head);
            self.f.bind(done);
            for at in &places {
                self.stores(plan, &outer[at.vector], at, false)?;
                for (fold, parts) in plan.pass.folds.iter().zip(&sums[at.vector]) {
                    let value = self.finish(&fold.combine, parts)?;
                    of_column[at.vector].push(value);
                }
            }
        }
        Ok(())
    }
}
