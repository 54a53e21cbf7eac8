//! Loads and stores by dtype, stride and tail.
//!
//! What no instruction reaches passes through the frame element by element: stores of general strides and tails of their
//! loads; on AVX2 also the tails of 8- and 16-bit elements. Whole vectors of general strides are collected in registers.

use super::body::Writer;
use crate::inst::{Base, Cond, GprOp, ImmOp, Masking, Mem, Operand, Reg, Width};
use crate::tail;
use crate::x86::VecOp;
use tilewright_loops::map::{Operand as Tile, Stride};

/// The most columns that a tail starts with.
pub(super) const LONGEST_TAIL: usize = 128;

/// Where the frame keeps one element for all lanes; before it lies a vector.
const SCRATCH: i32 = 64;

/// Lanes that there are, where a vector is not full.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    /// How many, at least 1; those beyond a vector count for all its lanes.
    pub(super) rest: Reg,
    /// The same as a mask, a register for masks or a vector of lanes as wide as masks are.
    pub(super) mask: Reg,
    /// On AVX2 the same with lanes of 32 bits.
    pub(super) narrow: Reg,
}

/// The place of a vector.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct At {
    /// Rows from the current one on, 0 or 1.
    pub(super) row: usize,
    /// Vectors from the current column on.
    pub(super) vector: usize,
    /// Its lanes, if not all.
    pub(super) tail: Option<Tail>,
}

impl Writer<'_> {
    /// Four or eight bytes of the frame.
    pub(super) fn scratch(&mut self) -> Mem {
        self.frame(SCRATCH)
    }

    fn frame(&mut self, disp: i32) -> Mem {
        self.f.frame = self.f.frame.max(128);
        Mem { base: Base::Frame, index: None, disp }
    }

    fn size(&self, o: u32) -> usize {
        self.map.operands[o as usize].dtype.bits() / 8
    }

    /// The mask of so many lanes.
    pub(super) fn tail(&mut self, rest: Reg) -> Tail {
        let bits = self.mask_bits();
        let mask = tail::mask(&mut self.f, self.level, bits, rest, LONGEST_TAIL);
        if self.masks() || bits == 32 {
            return Tail { rest, mask, narrow: mask };
        }
        Tail { rest, mask, narrow: tail::mask(&mut self.f, self.level, 32, rest, LONGEST_TAIL) }
    }

    fn masking(&self, at: &At, zero: bool) -> Option<Masking> {
        at.tail.filter(|_| self.masks()).map(|t| Masking { by: t.mask, zero })
    }

    /// Whether elements pass through the frame.
    fn staged(&self, o: u32, at: &At) -> bool {
        match self.map.operands[o as usize].column {
            Stride::General => true,
            Stride::Unit => at.tail.is_some() && !self.masks() && self.size(o) < 4,
            Stride::Zero | Stride::Bits => false,
        }
    }

    fn mem(&self, o: u32, at: &At) -> Mem {
        let base = Mem::at(self.bases[at.row][o as usize], 0);
        match self.map.operands[o as usize].column {
            Stride::Zero => base,
            _ => {
                let size = self.size(o);
                base.offset((at.vector * self.lanes * size) as i32).plus(self.place[1], size as u8)
            }
        }
    }

    /// The bits of elements, as steps have them.
    pub(super) fn load(&mut self, o: u32, at: &At) -> Reg {
        let operand = self.map.operands[o as usize];
        match operand.column {
            Stride::Zero => return self.load_one(o, at),
            Stride::Bits => return self.load_bits(o, at),
            Stride::Unit | Stride::General => {}
        }
        let op = loading_lanes(&operand);
        let width = self.width(if op == VecOp::LoadPd { 64 } else { 32 });
        self.load_by(op, width, o, at)
    }

    /// Half floats as f32.
    pub(super) fn load_half(&mut self, o: u32, at: &At) -> Reg {
        let width = self.width(32);
        if self.map.operands[o as usize].column != Stride::Zero {
            return self.load_by(VecOp::PhToPs, width, o, at);
        }
        let raw = self.load_one(o, at);
        let packed = self.pack(raw, 2);
        self.f.vec(VecOp::PhToPs, width, &[packed.into()])
    }

    fn load_by(&mut self, op: VecOp, width: Width, o: u32, at: &At) -> Reg {
        if self.map.operands[o as usize].column == Stride::General && at.tail.is_none() {
            let packed = self.collect(o, at);
            return self.f.vec(op, width, &[packed.into()]);
        }
        let dst = self.f.vector();
        if self.staged(o, at) {
            self.copy(o, at, true);
            let frame = self.frame(0);
            self.f.vec_to(op, width, dst, &[frame.into()]);
            return dst;
        }
        let mem = self.mem(o, at);
        match at.tail.filter(|_| !self.masks()) {
            Some(tail) if op == VecOp::LoadPd => {
                self.f.vec_to(VecOp::MaskLoadPd, width, dst, &[tail.mask.into(), mem.into()])
            }
            Some(tail) => self.f.vec_to(VecOp::MaskLoadPs, width, dst, &[tail.narrow.into(), mem.into()]),
            None => self.f.vec_inst(op, width, dst.into(), &[mem.into()], None, self.masking(at, true)),
        }
        dst
    }

    /// One element for all lanes.
    fn load_one(&mut self, o: u32, at: &At) -> Reg {
        let (mem, size, width) = (self.mem(o, at), self.size(o), self.width(32));
        match size {
            8 => return self.f.vec(VecOp::SplatPd, self.width(64), &[mem.into()]),
            4 => return self.f.vec(VecOp::SplatPs, width, &[mem.into()]),
            _ => {}
        }
        let element = self.f.general();
        self.f.gpr(loading(size), element, mem);
        self.splat_element(element, &self.map.operands[o as usize])
    }

    /// An element in a general register as all lanes have it.
    pub(super) fn splat_element(&mut self, element: Reg, operand: &Tile) -> Reg {
        let (slot, size, width) = (self.scratch(), operand.dtype.bits() / 8, self.width(32));
        self.f.gpr(GprOp::Store, element, slot);
        if size == 8 {
            return self.f.vec(VecOp::SplatPd, self.width(64), &[slot.into()]);
        }
        let splat = self.f.vec(VecOp::SplatPs, width, &[slot.into()]);
        if size == 4 || !operand.dtype.is_int() || !operand.dtype.is_signed() {
            return splat;
        }
        let by = 32 - 8 * size as u8;
        let high = self.f.vec_imm(VecOp::ShlD, width, &[splat.into()], by);
        self.f.vec_imm(VecOp::SarD, width, &[high.into()], by)
    }

    /// Stores bits as steps have them. Where the operand has one column the tail has one lane.
    pub(super) fn store(&mut self, o: u32, value: Reg, at: &At) {
        match self.size(o) {
            _ if self.map.operands[o as usize].column == Stride::Bits => self.store_bits(o, value, at),
            8 => self.store_by(VecOp::StorePd, self.width(64), o, (value, at)),
            4 => self.store_by(VecOp::Store, self.width(32), o, (value, at)),
            size if self.masks() => {
                let op = if size == 1 { VecOp::StoreDb } else { VecOp::StoreDw };
                self.store_by(op, self.width(32), o, (value, at));
            }
            size => {
                let packed = self.pack(value, size);
                let whole = self.staged(o, at) || at.tail.is_some();
                let op = match size * self.lanes {
                    _ if whole => VecOp::Store,
                    4 => VecOp::StoreLowD,
                    8 => VecOp::StoreLowQ,
                    _ => VecOp::Store,
                };
                self.store_by(op, Width::X, o, (packed, at));
            }
        }
    }

    /// Stores f32 as half floats.
    pub(super) fn store_half(&mut self, o: u32, value: Reg, at: &At) {
        let width = self.width(32);
        self.store_by(VecOp::PsToPh, width, o, (value, at));
    }

    fn store_by(&mut self, op: VecOp, width: Width, o: u32, (value, at): (Reg, &At)) {
        let imm = (op == VecOp::PsToPh).then_some(0);
        let through = !self.masks() && at.tail.is_some() && self.size(o) < 4;
        if self.staged(o, at) || through {
            let frame = self.frame(0);
            self.f.vec_inst(op, width, frame.into(), &[value.into()], imm, None);
            return self.copy(o, at, false);
        }
        let mem: Operand = self.mem(o, at).into();
        match at.tail.filter(|_| !self.masks()) {
            Some(tail) if op == VecOp::StorePd => {
                self.f.vec_to(VecOp::MaskStorePd, width, mem, &[tail.mask.into(), value.into()])
            }
            Some(tail) => self.f.vec_to(VecOp::MaskStorePs, width, mem, &[tail.narrow.into(), value.into()]),
            None => self.f.vec_inst(op, width, mem, &[value.into()], imm, self.masking(at, false)),
        }
    }

    /// The low bytes of 32-bit lanes next to each other.
    pub(super) fn pack(&mut self, value: Reg, size: usize) -> Reg {
        let width = self.width(32);
        if self.masks() {
            let op = if size == 1 { VecOp::StoreDb } else { VecOp::StoreDw };
            return self.f.vec(op, width, &[value.into()]);
        }
        let mut order = [0x80u8; 16];
        for lane in 0..4 {
            (0..size).for_each(|byte| order[lane * size + byte] = (4 * lane + byte) as u8);
        }
        let order = self.bytes(&order);
        let low = self.f.vec(VecOp::ShuffleB, width, &[value.into(), order]);
        if width == Width::X {
            return low;
        }
        let high = self.f.vec_imm(VecOp::Upper, width, &[low.into()], 1);
        let join = if size == 1 { VecOp::UnpackLowPs } else { VecOp::UnpackLowPd };
        self.f.vec(join, Width::X, &[low.into(), high.into()])
    }

    /// Copies a vector's elements, one by one, to the frame or from it.
    fn copy(&mut self, o: u32, at: &At, load: bool) {
        let size = self.size(o);
        let (count, address) = (self.count(at), self.f.general());
        let general = self.map.operands[o as usize].column == Stride::General;
        let stride = self.argument(2, o as usize);
        match general {
            true => self.first_of(o, at, address),
            false => {
                let mem = self.mem(o, at);
                self.f.gpr(GprOp::Address, address, mem);
            }
        }
        let (n, element) = (self.f.general(), self.f.general());
        self.f.imm(ImmOp::Set, n, 0);
        let next = self.f.bind_new();
        let slot = self.frame(0).plus(n, size as u8);
        let (from, to) = if load { (Mem::at(address, 0), slot) } else { (slot, Mem::at(address, 0)) };
        self.f.gpr(loading(size), element, from);
        self.f.gpr(storing(size), element, to);
        match general {
            true => self.f.gpr(GprOp::Add, address, stride),
            false => self.f.imm(ImmOp::Add, address, size as i64),
        }
        self.f.imm(ImmOp::Add, n, 1);
        self.f.gpr(GprOp::Compare, n, count);
        self.f.jump_if(Cond::Below, next);
    }

    /// The address of a vector's first element, where columns are a general stride from each other.
    fn first_of(&mut self, o: u32, at: &At, address: Reg) {
        let stride = self.argument(2, o as usize);
        self.f.gpr(GprOp::Address, address, Mem::at(self.place[1], (at.vector * self.lanes) as i32));
        self.f.gpr(GprOp::Mul, address, stride);
        self.f.gpr(GprOp::Add, address, self.bases[at.row][o as usize]);
    }

    /// All elements of a vector, a general stride from each other, side by side in a register.
    fn collect(&mut self, o: u32, at: &At) -> Reg {
        let (size, address) = (self.size(o), self.f.general());
        self.first_of(o, at, address);
        let (stride, thrice) = (self.f.load(self.argument(2, o as usize)), self.f.general());
        self.f.gpr(GprOp::Address, thrice, Mem::at(stride, 0).plus(stride, 2));
        let first = Mem::at(address, 0);
        let four = [first, first.plus(stride, 1), first.plus(stride, 2), first.plus(thrice, 1)];
        let insert = match size {
            1 => VecOp::InsertB,
            2 => VecOp::InsertW,
            4 => VecOp::InsertD,
            _ => VecOp::InsertQ,
        };
        let mut blocks = Vec::new();
        for lane in 0..self.lanes {
            let place = lane % (Width::X.bytes() / size);
            if place == 0 {
                blocks.push(self.f.zero());
            }
            if lane > 0 && lane % 4 == 0 {
                self.f.gpr(GprOp::Address, address, first.plus(stride, 4));
            }
            let block = blocks[blocks.len() - 1];
            let srcs = [block.into(), four[lane % 4].into()];
            self.f.vec_inst(insert, Width::X, block.into(), &srcs, Some(place as u8), None);
        }
        let width = if blocks.len() > 2 { Width::Z } else { Width::Y };
        let mut joined = blocks[0];
        for (at, block) in blocks.into_iter().enumerate().skip(1) {
            joined = self.f.vec_imm(VecOp::Insert128, width, &[joined.into(), block.into()], at as u8);
        }
        joined
    }

    /// The number of lanes that there are.
    fn count(&mut self, at: &At) -> Reg {
        let count = self.f.general();
        self.f.imm(ImmOp::Set, count, self.lanes as i64);
        if let Some(tail) = at.tail {
            let all = self.f.label();
            self.f.imm(ImmOp::Compare, tail.rest, self.lanes as i64);
            self.f.jump_if(Cond::NotBelow, all);
            self.f.gpr(GprOp::Move, count, tail.rest);
            self.f.bind(all);
        }
        count
    }
}

/// What loads elements next to each other as lanes.
pub(super) fn loading_lanes(operand: &Tile) -> VecOp {
    let signed = operand.dtype.is_int() && operand.dtype.is_signed();
    match (operand.dtype.bits() / 8, signed) {
        (1, true) => VecOp::SignBd,
        (1, false) => VecOp::ZeroBd,
        (2, true) => VecOp::SignWd,
        (2, false) => VecOp::ZeroWd,
        (8, _) => VecOp::LoadPd,
        _ => VecOp::Load,
    }
}

pub(super) fn loading(size: usize) -> GprOp {
    match size {
        1 => GprOp::LoadByte,
        2 => GprOp::LoadWord,
        4 => GprOp::LoadDouble,
        _ => GprOp::Load,
    }
}

fn storing(size: usize) -> GprOp {
    match size {
        1 => GprOp::StoreByte,
        2 => GprOp::StoreWord,
        4 => GprOp::StoreDouble,
        _ => GprOp::Store,
    }
}
