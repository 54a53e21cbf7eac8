//! The steps of a product of the batch.

use super::products::Multiplier;
use super::{Strided, Writer};
use crate::inst::{Cond, GprOp, ImmOp, Inst, Mem, Operand, Reg};
use std::ops::Range;
use tilewright_loops::contract::{AHEAD, Arg, Steps};

/// Steps in the body of the inner loop.
pub(super) const UNROLL: usize = 4;

/// Where the next steps of a product are.
pub(super) struct Pointers {
    /// The first row of each group of A's, and from it to the next row or step.
    groups: Vec<Reg>,
    a_stride: Strided,
    b: Reg,
    b_step: Strided,
}

impl Writer<'_> {
    /// One product of the batch; the last, with `batch` at 1, leaves [`UNROLL`] steps to the ending, if it has them.
    pub(super) fn product(
        &mut self,
        multiplier: &Multiplier,
        table: Reg,
        upcoming: Reg,
        batch: Option<Reg>,
    ) -> Pointers {
        let pointers = self.pointers(table);
        let count = self.load(Arg::Steps);
        let (rest, last, end) = (self.f.label(), self.f.label(), self.f.label());
        self.f.imm(ImmOp::Compare, count, UNROLL as i64);
        self.f.jump_if(Cond::Below, rest);
        if let Some(batch) = batch {
            let all = self.f.label();
            self.f.imm(ImmOp::Compare, batch, 1);
            self.f.jump_if(Cond::Ne, all);
            self.f.imm(ImmOp::Add, count, -(UNROLL as i64));
            self.f.imm(ImmOp::Compare, count, UNROLL as i64);
            self.f.jump_if(Cond::Below, rest);
            self.f.bind(all);
        }
        self.f.push(Inst::Align(64));
        let head = self.f.bind_new();
        self.steps(multiplier, UNROLL, &pointers, 0..usize::from(self.contract.rows));
        self.pass(&pointers, UNROLL);
        self.hint(upcoming);
        self.f.imm(ImmOp::Add, count, -(UNROLL as i64));
        self.f.imm(ImmOp::Compare, count, UNROLL as i64);
        self.f.jump_if(Cond::NotBelow, head);
        self.f.bind(rest);
        self.f.imm(ImmOp::Compare, count, 0);
        self.f.jump_if(Cond::Eq, end);
        self.f.bind(last);
        self.steps(multiplier, 1, &pointers, 0..usize::from(self.contract.rows));
        self.pass(&pointers, 1);
        self.f.imm(ImmOp::Add, count, -1);
        self.f.jump_if(Cond::Ne, last);
        self.f.bind(end);
        pointers
    }

    /// Where a product of the batch starts.
    fn pointers(&mut self, table: Reg) -> Pointers {
        let first = self.f.load(Mem::at(table, 0));
        self.f.gpr(GprOp::Add, first, self.arg(Arg::A));
        let b = self.f.load(Mem::at(table, 8));
        self.f.gpr(GprOp::Add, b, self.arg(Arg::B));
        let mut groups = vec![first];
        for _ in 1..self.contract.rows.div_ceil(self.contract.group) {
            let base = self.f.copy(groups[groups.len() - 1]);
            self.f.gpr(GprOp::Add, base, self.arg(Arg::AGroup));
            groups.push(base);
        }
        let b_step = self.load(Arg::BStep);
        let b_step = self.strided(b_step, UNROLL);
        let (stride, reach) = match self.contract.a_steps {
            Steps::Dense => (self.load(Arg::ARow), usize::from(self.contract.rows.min(self.contract.group))),
            Steps::Strided => (self.load(Arg::AStep), UNROLL),
        };
        let a_stride = self.strided(stride, reach);
        Pointers { groups, a_stride, b, b_step }
    }

    /// Hints at what is read after this call.
    pub(super) fn hint(&mut self, upcoming: Reg) {
        for line in 0..AHEAD / 64 {
            self.f.push(Inst::Prefetch(Mem::at(upcoming, 64 * line)));
        }
        self.f.gpr(GprOp::Add, upcoming, self.arg(Arg::NextStep));
    }

    /// Some steps of some rows.
    pub(super) fn steps(&mut self, m: &Multiplier, count: usize, pointers: &Pointers, rows: Range<usize>) {
        let size = self.contract.product.step_bytes();
        let Pointers { groups, a_stride, b, b_step } = pointers;
        for step in 0..count {
            let b_at = self.reach(*b, *b_step, step);
            let columns = m.load_b(self, b_at);
            for row in rows.clone() {
                let (outer, inner) = (row / usize::from(self.contract.group), row % usize::from(self.contract.group));
                let at = match self.contract.a_steps {
                    Steps::Dense => self.reach(groups[outer], *a_stride, inner).offset((step * size) as i32),
                    Steps::Strided => self.reach(groups[outer], *a_stride, step).offset((inner * size) as i32),
                };
                m.row(self, row, at, &columns);
            }
        }
    }

    /// Moves the pointers past some steps.
    fn pass(&mut self, pointers: &Pointers, count: usize) {
        let size = self.contract.product.step_bytes();
        for base in &pointers.groups {
            match self.contract.a_steps {
                Steps::Dense => self.f.imm(ImmOp::Add, *base, (count * size) as i64),
                Steps::Strided => self.advance(*base, pointers.a_stride, count),
            }
        }
        self.advance(pointers.b, pointers.b_step, count);
    }

    fn advance(&mut self, base: Reg, stride: Strided, count: usize) {
        let to = self.reach(base, stride, count);
        self.f.gpr(GprOp::Address, base, Operand::Mem(to));
    }
}
