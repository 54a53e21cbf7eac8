//! The order of rows: passes along the columns of each row.

use super::body::{Plan, Vector, When, Writer};
use super::constants::count;
use super::folds::Parts;
use super::memory::{At, LONGEST_TAIL};
use crate::inst::{Cond, GprOp, ImmOp, Inst, Reg};
use tilewright_loops::map::LANES;
use tilewright_support::Result;

impl Writer<'_> {
    /// All rows; there is at least one.
    pub(super) fn rows(&mut self, plans: &[Plan]) -> Result<()> {
        let (single, end) = (self.f.label(), self.f.label());
        let head = self.f.label();
        if self.rows_together > 1 {
            let pair = self.f.label();
            self.more_rows(1, pair);
            self.f.jump(single);
            self.f.bind(pair);
            self.second_row();
            self.some_rows(plans, 2)?;
            self.next_row();
            self.next_row();
            self.more_rows(1, pair);
            self.more_rows(0, single);
            self.f.jump(end);
        }
        self.f.bind(single);
        self.f.bind(head);
        self.some_rows(plans, 1)?;
        self.next_row();
        self.more_rows(0, head);
        self.f.bind(end);
        Ok(())
    }

    /// Bases of the row after the current one.
    fn second_row(&mut self) {
        for o in self.plain().filter(|o| self.map.operands[*o].has_rows()) {
            let (from, to, stride) = (self.bases[0][o], self.bases[1][o], self.argument(1, o));
            self.f.gpr(GprOp::Move, to, from);
            self.f.gpr(GprOp::Add, to, stride);
        }
    }

    /// All passes over one row or two.
    fn some_rows(&mut self, plans: &[Plan], rows: usize) -> Result<()> {
        (0..rows).for_each(|row| self.seek(row));
        let mut of_rows = vec![Vec::new(); rows];
        for plan in plans {
            let found = self.pass(plan, &of_rows)?;
            of_rows.iter_mut().zip(found).for_each(|(values, new)| values.extend(new));
        }
        Ok(())
    }

    /// One pass; gives its values of each row.
    fn pass(&mut self, plan: &Plan, of_rows: &[Vec<Reg>]) -> Result<Vec<Vec<Reg>>> {
        let folds = !plan.pass.folds.is_empty();
        let groups = if folds { LANES / self.lanes } else { self.vectors(plan).min(LONGEST_TAIL / self.lanes) };
        let mut rows = Vec::new();
        let mut sums: Vec<Vec<Vec<Parts>>> = Vec::new();
        for (row, of_row) in of_rows.iter().enumerate() {
            let at = At { row, ..At::default() };
            rows.push(Vector { at, values: plan.once.clone(), of_row, sums: &[] });
            sums.push((0..if folds { groups } else { 0 }).map(|_| self.start_folds(plan)).collect());
        }
        self.compute(plan, When::Outer, &mut rows)?;
        if folds || plan.pass.stores.iter().any(|s| Plan::moves(self.map, s.0)) {
            let mut write = |w: &mut Self, places: &[At]| {
                let of = |at: &At, row: &Vector<'_>| At { row: row.at.row, ..*at };
                let sums = |at: &At| sums[at.row].get(at.vector).map_or(&[][..], Vec::as_slice);
                let mut vectors = Vec::new();
                for (at, row) in places.iter().flat_map(|at| rows.iter().map(move |row| (of(at, row), row))) {
                    let (values, of_row) = (row.values.clone(), &of_rows[at.row][..]);
                    vectors.push(Vector { at, values, of_row, sums: sums(&at) });
                }
                w.elements(plan, &mut vectors)
            };
            self.along(groups, folds, &mut write)?;
        }
        let mut found = Vec::new();
        for (row, sums) in rows.iter().zip(sums) {
            self.stores(plan, row, false)?;
            let mut values = Vec::new();
            for (n, fold) in plan.pass.folds.iter().enumerate() {
                let groups = sums.iter().map(|parts| parts[n].clone()).collect();
                values.push(self.finish_row(&fold.combine, groups)?);
            }
            found.push(values);
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
        let places: Vec<At> = (0..vectors).map(|vector| At { row: 0, vector, tail: None }).collect();
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
                write(self, &[At { row: 0, vector, tail }])?;
            }
        } else {
            let again = self.f.bind_new();
            let tail = Some(self.tail(left));
            write(self, &[At { row: 0, vector: 0, tail }])?;
            self.f.imm(ImmOp::Add, column, lanes);
            self.f.imm(ImmOp::Add, left, -lanes);
            self.f.imm(ImmOp::Compare, left, 1);
            self.f.jump_if(Cond::NotLess, again);
        }
        self.f.bind(done);
        Ok(())
    }

    /// Vectors in the body of a loop without reductions: enough to hide what the loop itself costs, and to fill bytes of
    /// packed bits.
    pub(super) fn vectors(&self, plan: &Plan) -> usize {
        match count(plan, When::Inner) {
            0..=8 => 4,
            9..=80 => 2,
            _ if self.shares_bytes() => 2,
            _ => 1,
        }
    }
}
