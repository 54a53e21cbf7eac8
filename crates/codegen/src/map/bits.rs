//! Packed bits to masks and back.
//!
//! A vector starts at a whole byte, but where it has four lanes: then two share one, and a store keeps what the other
//! has of it.

use super::body::Writer;
use super::memory::At;
use crate::inst::{Cond, GprOp, ImmOp, MaskOp, Mem, Reg};
use crate::x86::VecOp;
use tilewright_loops::map::Stride;

impl Writer<'_> {
    /// Whether bits of two vectors stand in one byte.
    pub(super) fn shares_bytes(&self) -> bool {
        self.lanes < 8 && self.map.operands.iter().any(|o| o.column == Stride::Bits)
    }

    /// Bits of a vector as a mask.
    pub(super) fn load_bits(&mut self, o: u32, at: &At) -> Reg {
        let (bits, mem) = (self.f.general(), self.byte(o, at));
        self.bytes_of_bits((GprOp::LoadByte, GprOp::LoadWord), bits, mem, at);
        if self.lanes == 4 {
            let (half, low) = (self.half(at), self.f.label());
            self.f.imm(ImmOp::Compare, half, 0);
            self.f.jump_if(Cond::Eq, low);
            self.f.imm(ImmOp::Shr, bits, 4);
            self.f.bind(low);
        }
        if self.masks() {
            return self.f.mask_op(MaskOp::FromGeneral, bits, None);
        }
        let (width, slot) = (self.width(self.mask_bits()), self.scratch());
        self.f.gpr(GprOp::Store, bits, slot);
        let (splat, and, equal) = match self.mask_bits() {
            64 => (VecOp::SplatPd, VecOp::AndQ, VecOp::CmpEqQ),
            _ => (VecOp::SplatPs, VecOp::AndD, VecOp::CmpEqD),
        };
        let size = self.mask_bits() as usize / 8;
        let own: Vec<u8> = (0..self.lanes).flat_map(|lane| (1u64 << lane).to_le_bytes()[..size].to_vec()).collect();
        let own = self.f.constant(&own);
        let all = self.f.vec(splat, width, &[slot.into()]);
        let found = self.f.vec(and, width, &[all.into(), own.into()]);
        self.f.vec(equal, width, &[found.into(), own.into()])
    }

    /// A mask as bits; those after the last column become zeros.
    pub(super) fn store_bits(&mut self, o: u32, value: Reg, at: &At) {
        let bits = self.mask_to_general(value);
        if let Some(tail) = at.tail {
            self.f.gpr(GprOp::KeepLow, bits, tail.rest);
        }
        let mem = self.byte(o, at);
        if self.lanes == 4 {
            self.join_halves(bits, mem, at);
        }
        self.bytes_of_bits((GprOp::StoreByte, GprOp::StoreWord), bits, mem, at);
    }

    /// A mask as bits of a general register.
    pub(super) fn mask_to_general(&mut self, mask: Reg) -> Reg {
        let op = match self.mask_bits() {
            _ if self.masks() => MaskOp::ToGeneral,
            64 => MaskOp::Signs64,
            _ => MaskOp::Signs32,
        };
        self.f.mask_op(op, mask, None)
    }

    /// Where the bits of a vector start.
    fn byte(&mut self, o: u32, at: &At) -> Mem {
        let address = self.column(at);
        self.f.imm(ImmOp::Shr, address, 3);
        self.f.gpr(GprOp::Add, address, self.bases[at.row][o as usize]);
        Mem::at(address, 0)
    }

    /// The first column of a vector.
    fn column(&mut self, at: &At) -> Reg {
        let column = self.f.general();
        self.f.gpr(GprOp::Address, column, Mem::at(self.place[1], (at.vector * self.lanes) as i32));
        column
    }

    /// 0 where a vector's bits are the low ones of a byte, else 4.
    fn half(&mut self, at: &At) -> Reg {
        let half = self.column(at);
        self.f.imm(ImmOp::And, half, 4);
        half
    }

    /// The byte that a vector has, and the one after it where it has both.
    fn bytes_of_bits(&mut self, (one, two): (GprOp, GprOp), bits: Reg, mem: Mem, at: &At) {
        match at.tail {
            _ if self.lanes <= 8 => self.f.gpr(one, bits, mem),
            None => self.f.gpr(two, bits, mem),
            Some(tail) => {
                let done = self.f.label();
                self.f.gpr(one, bits, mem);
                self.f.imm(ImmOp::Compare, tail.rest, 9);
                self.f.jump_if(Cond::Below, done);
                self.f.gpr(two, bits, mem);
                self.f.bind(done);
            }
        }
    }

    /// Adds the bits of a byte that the vector does not have, of columns that there are.
    fn join_halves(&mut self, bits: Reg, mem: Mem, at: &At) {
        let (old, half) = (self.f.general(), self.half(at));
        self.f.gpr(GprOp::LoadByte, old, mem);
        if let Some(tail) = at.tail {
            let end = self.f.copy(half);
            self.f.gpr(GprOp::Add, end, tail.rest);
            self.f.gpr(GprOp::KeepLow, old, end);
        }
        let (low, joined) = (self.f.label(), self.f.label());
        self.f.imm(ImmOp::Compare, half, 0);
        self.f.jump_if(Cond::Eq, low);
        self.f.imm(ImmOp::And, old, 0x0f);
        self.f.imm(ImmOp::Shl, bits, 4);
        self.f.jump(joined);
        self.f.bind(low);
        self.f.imm(ImmOp::And, old, 0xf0);
        self.f.bind(joined);
        self.f.gpr(GprOp::Add, bits, old);
    }
}
