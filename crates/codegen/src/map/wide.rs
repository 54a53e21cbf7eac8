//! Operations over 64-bit lanes that AVX2 has no instruction for.

use super::body::Writer;
use super::prims::Arg;
use crate::inst::{Operand, Reg};
use crate::x86::VecOp::*;
use tilewright_loops::prim::Lane;

/// Rounding down, without a signal.
const DOWN: u8 = 9;

/// Comparisons that are false for NaN.
const LESS: u8 = 1;
const NOT_LESS: u8 = 13;

impl Writer<'_> {
    pub(super) fn mul_wide(&mut self, args: &[Arg]) -> Reg {
        let width = self.width(64);
        let (a, b) = (self.reg_of(args[0]), self.reg_of(args[1]));
        let low = self.f.vec(MulUdq, width, &[a.into(), b.into()]);
        let a_high = self.f.vec_imm(ShrQ, width, &[a.into()], 32);
        let b_high = self.f.vec_imm(ShrQ, width, &[b.into()], 32);
        let left = self.f.vec(MulUdq, width, &[a_high.into(), b.into()]);
        let right = self.f.vec(MulUdq, width, &[a.into(), b_high.into()]);
        let sum = self.f.vec(IAddQ, width, &[left.into(), right.into()]);
        let sum = self.f.vec_imm(ShlQ, width, &[sum.into()], 32);
        self.f.vec(IAddQ, width, &[low.into(), sum.into()])
    }

    /// `((a ^ s) >> by) ^ s` with the signs `s`.
    pub(super) fn sar_wide(&mut self, by: Option<u8>, args: &[Arg]) -> Reg {
        let width = self.width(64);
        let a = self.reg_of(args[0]);
        let zero = self.f.zero();
        let sign = self.f.vec(CmpGtQ, width, &[zero.into(), a.into()]);
        let bits = self.f.vec(XorQ, width, &[a.into(), sign.into()]);
        let shifted = match by {
            Some(by) => self.f.vec_imm(ShrQ, width, &[bits.into()], by),
            None => self.f.vec(ShrByQ, width, &[bits.into(), args[1].operand]),
        };
        self.f.vec(XorQ, width, &[shifted.into(), sign.into()])
    }

    pub(super) fn powers_of_f64(&mut self, b: Arg) -> [Reg; 2] {
        let width = self.width(64);
        let magic = 1.5 * 2f64.powi(52) + 1023.0;
        let [limit, least, half, magic] = [2044.0, -2044.0, 0.5, magic].map(|x| self.splat(x.to_bits(), Lane::F64));
        let b = self.reg_of(b);
        let b = self.f.vec(MinPd, width, &[b.into(), limit]);
        let b = self.f.vec(MaxPd, width, &[b.into(), least]);
        let h = self.f.vec(MulPd, width, &[b.into(), half]);
        let h = self.f.vec_imm(RoundPd, width, &[h.into()], DOWN);
        let rest = self.f.vec(SubPd, width, &[b.into(), h.into()]);
        [h, rest].map(|exponent| {
            // The sum's low bits are the biased exponent.
            let sum = self.f.vec(AddPd, width, &[exponent.into(), magic]);
            self.f.vec_imm(ShlQ, width, &[sum.into()], 52)
        })
    }

    fn whole(&mut self, bits: u64) -> Operand {
        self.splat(bits, Lane::I64)
    }

    /// The halves, the upper one signed, stand in the mantissas of 2^84 + 2^63 and 2^52; only their sum is rounded.
    pub(super) fn wide_to_float(&mut self, a: Arg) -> Reg {
        let width = self.width(64);
        let consts = [0x4530_0000_8000_0000, 0xffff_ffff, 0x4330_0000_0000_0000, 0x4530_0000_8010_0000];
        let [upper, low, lower, both] = consts.map(|bits| self.whole(bits));
        let a = self.reg_of(a);
        let high = self.f.vec_imm(ShrQ, width, &[a.into()], 32);
        let high = self.f.vec(XorQ, width, &[high.into(), upper]);
        let high = self.f.vec(SubPd, width, &[high.into(), both]);
        let rest = self.f.vec(AndQ, width, &[a.into(), low]);
        let rest = self.f.vec(OrQ, width, &[rest.into(), lower]);
        self.f.vec(AddPd, width, &[high.into(), rest.into()])
    }

    /// A whole number of so many times 2^32 and a rest, each exact; the least integer where it does not fit.
    pub(super) fn float_to_wide(&mut self, imm: u8, a: Arg) -> Reg {
        let width = self.width(64);
        let exact =
            [2f64.powi(-32), 2f64.powi(32), 1.5 * 2f64.powi(52), 2f64.powi(52), -(2f64.powi(63)), 2f64.powi(63)];
        let [down, up, magic, lower, least, limit] = exact.map(|x| self.whole(x.to_bits()));
        let [low, none] = [0xffff_ffff, 1 << 63].map(|bits| self.whole(bits));
        let a = self.reg_of(a);
        let whole = self.f.vec_imm(RoundPd, width, &[a.into()], imm);
        let high = self.f.vec(MulPd, width, &[whole.into(), down]);
        let high = self.f.vec_imm(RoundPd, width, &[high.into()], DOWN);
        let taken = self.f.vec(MulPd, width, &[high.into(), up]);
        let rest = self.f.vec(SubPd, width, &[whole.into(), taken.into()]);
        let high = self.f.vec(AddPd, width, &[high.into(), magic]);
        let high = self.f.vec_imm(ShlQ, width, &[high.into()], 32);
        let rest = self.f.vec(AddPd, width, &[rest.into(), lower]);
        let rest = self.f.vec(AndQ, width, &[rest.into(), low]);
        let value = self.f.vec(OrQ, width, &[high.into(), rest.into()]);
        let above = self.f.vec_imm(CmpPd, width, &[whole.into(), least], NOT_LESS);
        let below = self.f.vec_imm(CmpPd, width, &[whole.into(), limit], LESS);
        let fits = self.f.vec(AndQ, width, &[above.into(), below.into()]);
        let none = self.reg_of(Arg { operand: none, lane: Lane::I64 });
        self.f.vec(BlendVPd, width, &[none.into(), value.into(), fits.into()])
    }
}
