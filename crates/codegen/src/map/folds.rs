//! Accumulators: their start, their elements, the tree at the end.

use super::body::{Plan, Vector, When, Writer, stored};
use super::memory::{At, Tail};
use crate::inst::{Access, ImmOp, Masking, Operand, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::block::Val;
use tilewright_loops::map::{Combine, Stride};
use tilewright_support::Result;

/// Registers of one accumulator: a value, perhaps its position.
pub(super) type Parts = Vec<Reg>;

impl Writer<'_> {
    /// Accumulators of every fold of a pass, before anything came.
    pub(super) fn start_folds(&mut self, plan: &Plan) -> Vec<Parts> {
        plan.pass
            .folds
            .iter()
            .map(|f| {
                let lanes = f.combine.lanes.iter().zip(&f.combine.identity);
                lanes.map(|(lane, bits)| self.fresh(*bits, *lane)).collect()
            })
            .collect()
    }

    /// Everything that a pass does with some vectors of elements.
    pub(super) fn elements(&mut self, plan: &Plan, vectors: &mut [Vector]) -> Result<()> {
        for some in vectors.chunks_mut(self.together) {
            self.compute(plan, When::Inner, some)?;
            for vector in &*some {
                self.stores(plan, vector, true)?;
            }
            for vector in &*some {
                self.fold(plan, vector)?;
            }
        }
        Ok(())
    }

    fn fold(&mut self, plan: &Plan, vector: &Vector) -> Result<()> {
        for (fold, sum) in plan.pass.folds.iter().zip(vector.sums) {
            let values = fold.values.iter().map(|v| self.value(&plan.pass.block, &vector.values, *v));
            let value = values.collect::<Result<Parts>>()?;
            let new = self.combine(&fold.combine, sum, &value)?;
            self.replace(&fold.combine, sum, &new, vector.at.tail);
        }
        Ok(())
    }

    /// The stores of a pass that happen for every element, or those that do not.
    pub(super) fn stores(&mut self, plan: &Plan, vector: &Vector, moving: bool) -> Result<()> {
        let due = plan.pass.stores.iter().filter(|s| Plan::moves(self.map, s.0) == moving);
        let due: Vec<(u32, Val)> = due.copied().collect();
        let mut bits = Vec::with_capacity(due.len());
        for store in &due {
            let (value, half) = stored(self.map, plan.pass, *store);
            bits.push((half, self.value(&plan.pass.block, &vector.values, value)?));
        }
        for ((o, _), (half, value)) in due.into_iter().zip(bits) {
            let one = self.map.operands[o as usize].column == Stride::Zero;
            let at = if one { At { vector: 0, tail: Some(self.one_lane()), ..vector.at } } else { vector.at };
            match half {
                true => self.store_half(o, value, &at),
                false => self.store(o, value, &at),
            }
        }
        Ok(())
    }

    fn one_lane(&mut self) -> Tail {
        let one = self.f.general();
        self.f.imm(ImmOp::Set, one, 1);
        self.tail(one)
    }

    fn combine(&mut self, combine: &Combine, sum: &[Reg], value: &[Reg]) -> Result<Parts> {
        let leaves: Vec<Reg> = sum.iter().chain(value).copied().collect();
        let values = self.small_block(&combine.block, &leaves)?;
        combine.results.iter().map(|v| self.value(&combine.block, &values, *v)).collect()
    }

    /// Puts new values in the accumulators' registers, in the lanes that there are.
    fn replace(&mut self, combine: &Combine, sum: &[Reg], new: &[Reg], tail: Option<Tail>) {
        if tail.is_none() && self.retarget(sum, new) {
            return;
        }
        for ((lane, sum), new) in combine.lanes.iter().zip(sum).zip(new) {
            let bits = lane.bits();
            let width = self.width(bits);
            let srcs: &[Operand] = &[(*new).into()];
            match tail {
                None => self.f.vec_to(VecOp::Load, width, *sum, srcs),
                Some(tail) if self.masks() => {
                    let op = if bits == 64 { VecOp::LoadPd } else { VecOp::Load };
                    let masking = Some(Masking { by: tail.mask, zero: false });
                    self.f.vec_inst(op, width, (*sum).into(), srcs, None, masking);
                }
                Some(tail) => {
                    let (op, mask) = match bits {
                        64 => (VecOp::BlendVPd, tail.mask),
                        _ => (VecOp::BlendVPs, tail.narrow),
                    };
                    self.f.vec_to(op, width, *sum, &[(*sum).into(), (*new).into(), mask.into()]);
                }
            }
        }
    }

    /// Lets the last instructions write to accumulators what they wrote to new registers of no other use, if none reads
    /// an accumulator that an earlier one would have written.
    fn retarget(&mut self, sums: &[Reg], new: &[Reg]) -> bool {
        let Some(first) = self.f.insts.len().checked_sub(new.len()) else { return false };
        let last = &mut self.f.insts[first..];
        for (n, inst) in last.iter_mut().enumerate() {
            let mut fits = true;
            inst.visit(&mut |r, access| match access {
                Access::Read => fits &= !sums[..n].contains(r) && !new.contains(r),
                Access::Write => fits &= *r == new[n],
                Access::Update => fits = false,
            });
            if !fits {
                return false;
            }
        }
        for (n, inst) in last.iter_mut().enumerate() {
            inst.visit(&mut |r, access| {
                if access == Access::Write {
                    *r = sums[n];
                }
            });
        }
        true
    }

    /// The value of the row from accumulators of 32 lanes, in every lane.
    pub(super) fn finish_row(&mut self, combine: &Combine, mut groups: Vec<Parts>) -> Result<Reg> {
        while groups.len() > 1 {
            let upper = groups.split_off(groups.len() / 2);
            let pairs = groups.iter().zip(&upper);
            groups = pairs.map(|(a, b)| self.combine(combine, a, b)).collect::<Result<_>>()?;
        }
        let mut parts = groups.remove(0);
        let mut by = self.lanes / 2;
        while by > 0 {
            let lanes = combine.lanes.iter().zip(&parts);
            let upper: Parts = lanes.map(|(lane, part)| self.down(*part, lane.bits() as usize / 8 * by)).collect();
            parts = self.combine(combine, &parts, &upper)?;
            by /= 2;
        }
        let first = self.finish(combine, &parts)?;
        let bits = combine.finish.0.lane(combine.finish.1).bits();
        let op = if bits == 64 { VecOp::SplatRegPd } else { VecOp::SplatRegPs };
        Ok(self.f.vec(op, self.width(bits), &[first.into()]))
    }

    /// The value of accumulators.
    pub(super) fn finish(&mut self, combine: &Combine, parts: &[Reg]) -> Result<Reg> {
        let (block, value) = &combine.finish;
        let values = self.small_block(block, parts)?;
        self.value(block, &values, *value)
    }

    /// The bytes of a vector from some on: half of 512, 256, 128 or 64 bits.
    fn down(&mut self, part: Reg, bytes: usize) -> Reg {
        let (op, width, imm) = match bytes {
            32 => (VecOp::UpperY, Width::Z, 1),
            16 if self.masks() => (VecOp::UpperX, Width::Y, 1),
            16 => (VecOp::Upper, Width::Y, 1),
            8 => (VecOp::PermutePs, Width::X, 0x4e),
            _ => (VecOp::PermutePs, Width::X, 0xb1),
        };
        self.f.vec_imm(op, width, &[part.into()], imm)
    }
}
