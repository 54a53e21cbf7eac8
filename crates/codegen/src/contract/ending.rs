//! The last steps of a Contract with many sums.
//!
//! Stores wait in a queue until all before them is done. A queue full of sums holds up the next call, whose start then
//! no longer hides behind the last multiply-adds of this one. So the last steps are done for some of the rows, which are
//! stored, and then for the others: in three parts, or in two where vectors are three, whose parts would be uneven.

use super::Writer;
use super::products::Multiplier;
use super::steps::{Pointers, UNROLL};
use crate::inst::{Cond, ImmOp, Label, Reg};
use tilewright_loops::contract::Arg;

impl Writer<'_> {
    /// Does the last [`UNROLL`] steps, stores, and goes to the second label; to the first if there are fewer steps.
    pub(super) fn ending(&mut self, m: &Multiplier, from: &Pointers, upcoming: Reg, (few, end): (Label, Label)) {
        let steps = self.load(Arg::Steps);
        self.f.imm(ImmOp::Compare, steps, UNROLL as i64);
        self.f.jump_if(Cond::Below, few);
        self.hint(upcoming);
        let tail = self.columns_mask();
        let places = self.places();
        let rows = usize::from(self.contract.rows);
        let parts = if self.contract.vectors == 3 { 2 } else { 3 };
        let cut = |part: usize| (rows * part).div_ceil(parts);
        for rows in (0..parts).map(|part| cut(part)..cut(part + 1)) {
            self.steps(m, UNROLL, from, rows.clone());
            self.each_place_of(rows, places, |w, sum, at, vector| {
                let mask = tail.filter(|_| w.is_last(vector));
                w.store_columns(at, m.sums[sum], mask);
            });
        }
        self.f.jump(end);
    }
}
