//! The order of columns: passes along the rows of some vectors of columns.

use super::body::{Plan, Vector, When, Writer};
use super::folds::Parts;
use super::memory::{At, Tail};
use crate::inst::{Cond, GprOp, ImmOp, Reg};
use tilewright_support::Result;

/// Vectors of columns that a pass holds at most.
pub(super) const VECTORS: usize = 4;

impl Writer<'_> {
    /// All columns; there is at least one.
    pub(super) fn columns(&mut self, plans: &[Plan]) -> Result<()> {
        let vectors = plans.iter().map(|p| self.vectors(p)).min().unwrap_or(1).min(VECTORS);
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
        let places: Vec<At> = (0..vectors).map(|vector| At { row: 0, vector, tail }).collect();
        let mut of_column: Vec<Vec<Reg>> = vec![Vec::new(); vectors];
        for plan in plans {
            self.first_row();
            let sums: Vec<Vec<Parts>> = places.iter().map(|_| self.start_folds(plan)).collect();
            let vector = |at: &At| {
                let (of_row, sums) = (&of_column[at.vector][..], &sums[at.vector][..]);
                Vector { at: *at, values: plan.once.clone(), of_row, sums }
            };
            let mut columns: Vec<Vector> = places.iter().map(vector).collect();
            self.compute(plan, When::Outer, &mut columns)?;
            let done = self.f.label();
            let rows = self.f.load(self.argument(3, 0));
            self.f.imm(ImmOp::Compare, rows, 0);
            self.f.jump_if(Cond::Eq, done);
            let head = self.f.bind_new();
            self.seek(0);
            let mut elements = columns.clone();
            self.elements(plan, &mut elements)?;
            self.next_row();
            self.more_rows(0, head);
            self.f.bind(done);
            let mut found = Vec::new();
            for column in &columns {
                self.stores(plan, column, false)?;
                let folds = plan.pass.folds.iter().zip(column.sums);
                found.push(folds.map(|(f, parts)| self.finish(&f.combine, parts)).collect::<Result<Parts>>()?);
            }
            of_column.iter_mut().zip(found).for_each(|(values, new)| values.extend(new));
        }
        Ok(())
    }
}
