//! Steps of 16-bit floats, which become f32 as they are loaded.

use super::Writer;
use crate::inst::{Base, GprOp, ImmOp, Mem, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::contract::{Arg, Product};
use tilewright_support::target::Level;

/// What loads a partial vector of halves on AVX2, where masks are for 32-bit elements: pairs by a mask, then the last
/// one if their number is odd. The masks wait in the frame, since a tile leaves no register for them.
pub(super) struct Halves {
    /// One less than the columns of the last vector.
    last: Reg,
}

/// The pairs.
const PAIRS: Mem = Mem { base: Base::Frame, index: None, disp: 0 };

/// The last half, if it has no pair.
const LAST: Mem = Mem { base: Base::Frame, index: None, disp: 16 };

impl Halves {
    /// Stores the masks.
    pub(super) fn new(w: &mut Writer<'_>) -> Self {
        let last = w.load(Arg::Columns);
        w.f.imm(ImmOp::Add, last, -1);
        w.f.frame = w.f.frame.max(64);
        let places: Vec<u8> = (0..4u32).flat_map(u32::to_le_bytes).collect();
        let places = w.f.constant(&places);
        let columns = w.arg(Arg::Columns);
        let count = w.f.vec(VecOp::SplatPs, Width::X, &[columns.into()]);
        let pairs = w.f.vec_imm(VecOp::ShrD, Width::X, &[count.into()], 1);
        let mask = w.f.vec(VecOp::CmpGtD, Width::X, &[pairs.into(), places.into()]);
        w.f.vec_to(VecOp::Store, Width::X, PAIRS, &[mask.into()]);
        let odd = w.f.vec_imm(VecOp::ShlD, Width::X, &[count.into()], 31);
        let odd = w.f.vec_imm(VecOp::SarD, Width::X, &[odd.into()], 31);
        let odd = w.f.vec_imm(VecOp::ShrD, Width::X, &[odd.into()], 16);
        let mask = w.f.vec(VecOp::CmpEqD, Width::X, &[pairs.into(), places.into()]);
        let mask = w.f.vec(VecOp::AndD, Width::X, &[mask.into(), odd.into()]);
        w.f.vec_to(VecOp::Store, Width::X, LAST, &[mask.into()]);
        Self { last }
    }

    /// Loads the last vector of a step.
    pub(super) fn load(&self, w: &mut Writer<'_>, dst: Reg, at: Mem) {
        let first = w.f.general();
        w.f.gpr(GprOp::Address, first, at);
        let last = w.f.vec(VecOp::SplatW, Width::X, &[Mem::at(first, 0).plus(self.last, 2).into()]);
        w.f.vec_to(VecOp::AndD, Width::X, last, &[last.into(), LAST.into()]);
        w.f.vec_to(VecOp::Load, Width::X, dst, &[PAIRS.into()]);
        w.f.vec_to(VecOp::MaskLoadPs, Width::X, dst, &[dst.into(), at.into()]);
        w.f.vec_to(VecOp::OrD, Width::X, dst, &[dst.into(), last.into()]);
        w.f.vec_to(VecOp::PhToPs, w.width, dst, &[dst.into()]);
    }
}

impl Writer<'_> {
    /// Whether partial vectors of steps have no mask of their own.
    pub(super) fn steps_halves(&self) -> bool {
        self.contract.partial && self.contract.product == Product::F16 && self.level == Level::Avx2
    }

    /// A half of memory in every lane.
    pub(super) fn splat_half(&mut self, at: Mem) -> Reg {
        let narrow = if self.width == Width::Z { Width::Y } else { Width::X };
        let splat = self.f.vec(VecOp::SplatW, narrow, &[at.into()]);
        self.f.vec_to(VecOp::PhToPs, self.width, splat, &[splat.into()]);
        splat
    }
}
