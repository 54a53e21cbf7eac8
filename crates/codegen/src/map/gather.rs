//! Elements of flat operands by their numbers.
//!
//! Gathers read 32 or 64 bits. An element of 8 or 16 bits is taken from the 32 bits around it that start at a multiple of
//! four bytes: these lie in one page, so they are there if the element is.

use super::body::Writer;
use super::memory::At;
use crate::inst::{GprOp, ImmOp, MaskOp, Masking, Mem, Operand, Reg};
use crate::x86::VecOp;
use tilewright_loops::prim::Lane;

/// What is read: the operand, the numbers of its elements, and their lane.
pub(super) struct Read {
    pub(super) operand: u32,
    pub(super) index: (Reg, Lane),
}

impl Writer<'_> {
    /// The elements, extended as steps have them, where the mask holds and lanes are there; elsewhere zeros.
    pub(super) fn gather(&mut self, read: &Read, mask: Option<Reg>, at: &At) -> Reg {
        let operand = self.map.operands[read.operand as usize];
        let bytes = operand.dtype.bits() / 8;
        let base = self.bases[at.row][read.operand as usize];
        if bytes >= 4 {
            return self.gather_whole(Mem::at(base, 0), read.index, 8 * bytes as u32, (mask, at));
        }
        let place = self.place_in_words(base, read.index, bytes);
        let words = self.f.copy(base);
        self.f.imm(ImmOp::And, words, -4);
        let number = self.shifted((place, read.index.1), 2 - bytes.trailing_zeros() as u8);
        let word = self.gather_whole(Mem::at(words, 0), (number, read.index.1), 32, (mask, at));
        let signed = operand.dtype.is_int() && operand.dtype.is_signed();
        self.part(word, (place, read.index.1), bytes, signed)
    }

    /// Elements of 32 or 64 bits.
    fn gather_whole(
        &mut self,
        base: Mem,
        (index, lane): (Reg, Lane),
        bits: u32,
        (mask, at): (Option<Reg>, &At),
    ) -> Reg {
        let op = match (lane, bits) {
            (Lane::I64, 64) => VecOp::GatherQq,
            (Lane::I64, _) => VecOp::GatherQd,
            (_, 64) => VecOp::GatherDq,
            _ => VecOp::GatherDd,
        };
        let width = self.width(bits.max(lane.bits()));
        let mask = self.own_mask(mask, at, bits);
        let dst = self.f.zero();
        let mem: Operand = base.plus(index, bits as u8 / 8).into();
        match self.masks() {
            true => {
                let masking = Masking { by: mask, zero: false };
                self.f.vec_inst(op, width, dst.into(), &[mem], None, Some(masking));
            }
            false => self.f.vec_to(op, width, dst, &[mem, mask.into()]),
        }
        dst
    }

    /// A mask of lanes of so many bits that a gather may clear.
    fn own_mask(&mut self, mask: Option<Reg>, at: &At, bits: u32) -> Reg {
        if self.masks() {
            return match (mask, at.tail) {
                (Some(mask), Some(tail)) => self.f.mask_op(MaskOp::And, mask, Some(tail.mask)),
                (Some(mask), None) => self.f.mask_op(MaskOp::Move, mask, None),
                (None, Some(tail)) => self.f.mask_op(MaskOp::Move, tail.mask, None),
                (None, None) => self.constant_mask(true),
            };
        }
        let mask = mask.map(|mask| self.mask_for(mask, bits));
        let tail = at.tail.map(|tail| if bits == 32 { tail.narrow } else { tail.mask });
        let width = self.width(bits);
        match (mask, tail) {
            (Some(mask), Some(tail)) => self.f.vec(VecOp::AndD, width, &[mask.into(), tail.into()]),
            (Some(one), None) | (None, Some(one)) => self.f.vec(VecOp::Load, width, &[one.into()]),
            (None, None) => {
                let ones = self.bytes(&[0xff; 32]);
                self.f.vec(VecOp::Load, width, &[ones])
            }
        }
    }

    /// Elements of so many bytes from the multiple of four bytes before the operand to each.
    fn place_in_words(&mut self, base: Reg, (index, lane): (Reg, Lane), bytes: usize) -> Reg {
        let (before, slot) = (self.f.copy(base), self.scratch());
        self.f.imm(ImmOp::And, before, 3);
        self.f.imm(ImmOp::Shr, before, bytes.trailing_zeros().into());
        self.f.gpr(GprOp::Store, before, slot);
        let wide = lane == Lane::I64;
        let (splat, add) = if wide { (VecOp::SplatPd, VecOp::IAddQ) } else { (VecOp::SplatPs, VecOp::IAddD) };
        let width = self.width(lane.bits());
        let before = self.f.vec(splat, width, &[slot.into()]);
        self.f.vec(add, width, &[index.into(), before.into()])
    }

    /// Shifted to lower bits.
    fn shifted(&mut self, place: (Reg, Lane), by: u8) -> Reg {
        let op = if place.1 == Lane::I64 { VecOp::ShrQ } else { VecOp::ShrD };
        self.f.vec_imm(op, self.width(place.1.bits()), &[place.0.into()], by)
    }

    /// The element at a place in its 32 bits, extended to them.
    fn part(&mut self, word: Reg, (place, lane): (Reg, Lane), bytes: usize, signed: bool) -> Reg {
        let width = self.width(32);
        let place = match lane {
            Lane::I64 if self.masks() => self.f.vec(VecOp::StoreQd, self.width(64), &[place.into()]),
            Lane::I64 => self.narrow(place),
            _ => place,
        };
        let size = 8 * bytes as u8;
        let last = self.splat(4 / bytes as u64 - 1, Lane::I32);
        let place = self.f.vec(VecOp::AndD, width, &[place.into(), last]);
        let bits = self.f.vec_imm(VecOp::ShlD, width, &[place.into()], size.trailing_zeros() as u8);
        let low = self.f.vec(VecOp::ShrByD, width, &[word.into(), bits.into()]);
        let high = self.f.vec_imm(VecOp::ShlD, width, &[low.into()], 32 - size);
        let back = if signed { VecOp::SarD } else { VecOp::ShrD };
        self.f.vec_imm(back, width, &[high.into()], 32 - size)
    }
}
