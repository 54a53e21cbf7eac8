//! Elements of flat operands by their numbers.
//!
//! Gathers read 32 or 64 bits. An element of 8 or 16 bits is taken from the 32 bits around it that start at a multiple of
//! four bytes: these lie in one page, so they are there if the element is. Elements of columns that stand next to each
//! other are loaded as a vector; one that all columns read is loaded alone.

use super::body::Writer;
use super::memory::{At, loading, loading_lanes};
use crate::inst::{Cond, GprOp, ImmOp, MaskOp, Masking, Mem, Operand, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::prim::Lane;

/// What is read: the operand, the numbers of its elements with their lane, and where.
pub(super) struct Read {
    pub(super) operand: u32,
    pub(super) index: (Reg, Lane),
    pub(super) mask: Option<Reg>,
}

impl Writer<'_> {
    /// The elements, extended as steps have them, where the mask holds and lanes are there; elsewhere zeros.
    pub(super) fn gather(&mut self, read: &Read, at: &At) -> Reg {
        let dtype = self.map.operands[read.operand as usize].dtype;
        let bytes = dtype.bits() / 8;
        let base = self.bases[at.row][read.operand as usize];
        if bytes >= 4 {
            return self.gather_whole(Mem::at(base, 0), 8 * bytes as u32, read, at);
        }
        let lane = read.index.1;
        let place = self.place_in_words(base, read.index, bytes);
        let words = self.f.copy(base);
        self.f.imm(ImmOp::And, words, -4);
        let number = self.shifted((place, lane), 2 - bytes.trailing_zeros() as u8);
        let whole = Read { index: (number, lane), ..*read };
        let word = self.gather_whole(Mem::at(words, 0), 32, &whole, at);
        self.part(word, (place, lane), bytes, dtype.is_int() && dtype.is_signed())
    }

    /// The same from elements next to each other; the index is that of column 0.
    pub(super) fn gather_along(&mut self, mut read: Read, at: &At) -> Reg {
        let operand = self.map.operands[read.operand as usize];
        let bytes = operand.dtype.bits() / 8;
        let (first, lane) = read.index;
        let masked = read.mask.is_some() || at.tail.is_some();
        if masked && bytes < 4 && !self.masks() {
            // No masked load has elements so small.
            let columns = self.column_numbers(at);
            read.index.0 = match lane {
                Lane::I64 => {
                    let columns = self.f.vec(VecOp::SignDq, self.width(64), &[columns.into()]);
                    self.f.vec(VecOp::IAddQ, self.width(64), &[first.into(), columns.into()])
                }
                _ => self.f.vec(VecOp::IAddD, self.width(32), &[first.into(), columns.into()]),
            };
            return self.gather(&read, at);
        }
        let number = self.first_number(read.index);
        self.f.gpr(GprOp::Add, number, self.place[1]);
        let mem = Mem::at(self.bases[at.row][read.operand as usize], (at.vector * self.lanes * bytes) as i32);
        let mem = mem.plus(number, bytes as u8);
        let op = loading_lanes(&operand);
        let (dst, width) = (self.f.vector(), self.width(if bytes == 8 { 64 } else { 32 }));
        if !masked {
            self.f.vec_to(op, width, dst, &[mem.into()]);
            return dst;
        }
        let mask = self.own_mask(read.mask, at, 8 * bytes.max(4) as u32);
        match op {
            _ if self.masks() => {
                let masking = Masking { by: mask, zero: true };
                self.f.vec_inst(op, width, dst.into(), &[mem.into()], None, Some(masking));
            }
            VecOp::LoadPd => self.f.vec_to(VecOp::MaskLoadPd, width, dst, &[mask.into(), mem.into()]),
            _ => self.f.vec_to(VecOp::MaskLoadPs, width, dst, &[mask.into(), mem.into()]),
        }
        dst
    }

    /// The same where index and mask are the same in all lanes.
    pub(super) fn gather_one(&mut self, read: &Read, at: &At) -> Reg {
        let operand = self.map.operands[read.operand as usize];
        let bytes = operand.dtype.bits() / 8;
        let (number, element, hidden) = (self.first_number(read.index), self.f.general(), self.f.label());
        self.f.imm(ImmOp::Set, element, 0);
        if let Some(mask) = read.mask {
            let lanes = self.mask_to_general(mask);
            self.f.imm(ImmOp::And, lanes, 1);
            self.f.jump_if(Cond::Eq, hidden);
        }
        let base = Mem::at(self.bases[at.row][read.operand as usize], 0);
        self.f.gpr(loading(bytes), element, base.plus(number, bytes as u8));
        self.f.bind(hidden);
        self.splat_element(element, &operand)
    }

    /// The number in the first lane.
    fn first_number(&mut self, (index, lane): (Reg, Lane)) -> Reg {
        let slot = self.scratch();
        let wide = match lane {
            Lane::I64 => index,
            _ => self.f.vec(VecOp::SignDq, Width::X, &[index.into()]),
        };
        self.f.vec_to(VecOp::Store, Width::X, slot, &[wide.into()]);
        self.f.load(slot)
    }

    /// Elements of 32 or 64 bits.
    fn gather_whole(&mut self, base: Mem, bits: u32, read: &Read, at: &At) -> Reg {
        let (index, lane) = read.index;
        let op = match (lane, bits) {
            (Lane::I64, 64) => VecOp::GatherQq,
            (Lane::I64, _) => VecOp::GatherQd,
            (_, 64) => VecOp::GatherDq,
            _ => VecOp::GatherDd,
        };
        let width = self.width(bits.max(lane.bits()));
        let mask = self.own_mask(read.mask, at, bits);
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
