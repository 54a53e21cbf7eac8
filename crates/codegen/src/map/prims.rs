//! Which instructions compute a primitive: a table by primitive, lane and level, and how its rows are written.

use super::body::Writer;
use crate::inst::{MaskOp, Operand, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::prim::{Cmp, Lane, Prim, Rounding, Table};
use tilewright_support::target::Level;

/// How a primitive is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recipe {
    /// Not at all: the bits are already right.
    Same,
    /// An instruction of one operand.
    One(VecOp),
    /// The same with an immediate.
    Immediate(VecOp, u8),
    /// An instruction of two operands in order.
    Two(VecOp),
    /// The same in either order.
    Either(VecOp),
    /// A comparison with its immediate, if it has one.
    Compare(VecOp, Option<u8>),
    /// An instruction over mask registers.
    Masks(MaskOp),
    /// The complement of a mask that is a vector.
    Not,
    /// A fused multiply-add.
    Fma,
    /// A choice by a mask.
    Select,
    /// High halves from the products of even and odd lanes.
    MulHigh,
    /// 64-bit products from 32-bit halves.
    MulWide,
    /// The smaller (false) or larger by a 64-bit comparison.
    Extreme(bool),
    /// A 64-bit arithmetic shift from a logical one: by so many, or lane by lane.
    SarWide(Option<u8>),
    /// A 64-bit integer as a float, from its halves.
    WideToFloat,
    /// A float as a 64-bit integer, by its halves; the direction by the immediate.
    FloatToWide(u8),
    /// Two multiplications by powers of two.
    Scale,
    /// The low halves of 64-bit lanes.
    NarrowInt,
    /// Through packed half floats.
    HalfToFloat,
    /// Through packed half floats.
    FloatToHalf,
    /// A permutation of a vector, or of its halves.
    Lookup(&'static Table),
}

/// The row of the table for a primitive whose last argument is of `lane`; `None` where a level lacks it.
pub(super) fn recipe(prim: Prim, lane: Lane, level: Level) -> Option<Recipe> {
    use Recipe::*;
    use VecOp::*;
    let wide = lane.bits() == 64;
    let pick = |d: VecOp, q: VecOp| if wide { q } else { d };
    let full = level == Level::Avx512;
    if level == Level::Portable {
        return None;
    }
    Some(match prim {
        Prim::Add => Either(pick(AddPs, AddPd)),
        Prim::Sub => Two(pick(SubPs, SubPd)),
        Prim::Mul => Either(pick(MulPs, MulPd)),
        Prim::Div => Two(pick(DivPs, DivPd)),
        Prim::Sqrt => One(pick(SqrtPs, SqrtPd)),
        Prim::Fma => Fma,
        Prim::Min => Two(pick(MinPs, MinPd)),
        Prim::Max => Two(pick(MaxPs, MaxPd)),
        Prim::Scale if full => Two(pick(ScalePs, ScalePd)),
        Prim::Scale => Scale,
        Prim::Round(to) => Immediate(pick(RoundPs, RoundPd), 8 | direction(to)),
        Prim::Cmp(cmp) => Compare(pick(CmpPs, CmpPd), Some(comparison(cmp))),
        Prim::IAdd => Either(pick(IAddD, IAddQ)),
        Prim::ISub => Two(pick(ISubD, ISubQ)),
        Prim::IMul if wide && !full => MulWide,
        Prim::IMul => Either(pick(IMulD, IMulQ)),
        Prim::IMulHigh => MulHigh,
        Prim::IMin | Prim::IMax if wide && !full => Extreme(prim == Prim::IMax),
        Prim::IMin => Either(pick(IMinD, IMinQ)),
        Prim::IMax => Either(pick(IMaxD, IMaxQ)),
        Prim::IEq => Compare(pick(CmpEqD, CmpEqQ), None),
        Prim::IGt => Compare(pick(CmpGtD, CmpGtQ), None),
        Prim::And => Either(pick(AndD, AndQ)),
        Prim::Or => Either(pick(OrD, OrQ)),
        Prim::Xor => Either(pick(XorD, XorQ)),
        Prim::AndNot => Two(pick(AndNotD, AndNotQ)),
        Prim::Shl(by) => Immediate(pick(ShlD, ShlQ), by),
        Prim::Shr(by) => Immediate(pick(ShrD, ShrQ), by),
        Prim::Sar(by) if wide && !full => SarWide(Some(by)),
        Prim::Sar(by) => Immediate(pick(SarD, SarQ), by),
        Prim::ShlBy => Two(pick(ShlByD, ShlByQ)),
        Prim::ShrBy => Two(pick(ShrByD, ShrByQ)),
        Prim::SarBy if wide && !full => SarWide(None),
        Prim::SarBy => Two(pick(SarByD, SarByQ)),
        Prim::MaskAnd if full => Masks(MaskOp::And),
        Prim::MaskOr if full => Masks(MaskOp::Or),
        Prim::MaskXor if full => Masks(MaskOp::Xor),
        Prim::MaskNot if full => Masks(MaskOp::Not),
        Prim::MaskAnd => Either(AndD),
        Prim::MaskOr => Either(OrD),
        Prim::MaskXor => Either(XorD),
        Prim::MaskNot => Not,
        Prim::Select => Select,
        Prim::IntToFloat if !wide => One(DqToPs),
        Prim::FloatToInt if !wide => One(PsToDq),
        Prim::FloatToIntTrunc if !wide => One(PsToDqTrunc),
        Prim::IntToFloat if !full => WideToFloat,
        Prim::FloatToInt if !full => FloatToWide(8 | direction(Rounding::Even)),
        Prim::FloatToIntTrunc if !full => FloatToWide(8 | direction(Rounding::Trunc)),
        Prim::IntToFloat => One(QqToPd),
        Prim::FloatToInt => One(PdToQq),
        Prim::FloatToIntTrunc => One(PdToQqTrunc),
        Prim::Extend if lane == Lane::F32 => One(PsToPd),
        Prim::Extend => One(SignDq),
        Prim::ExtendUnsigned => One(ZeroDq),
        Prim::Narrow if lane == Lane::F64 => One(PdToPs),
        Prim::Narrow if full => One(StoreQd),
        Prim::Narrow => NarrowInt,
        Prim::Bits => Same,
        Prim::HalfToFloat => HalfToFloat,
        Prim::FloatToHalf => FloatToHalf,
        Prim::Lookup(table) => Lookup(table),
    })
}

fn direction(to: Rounding) -> u8 {
    match to {
        Rounding::Even => 0,
        Rounding::Floor => 1,
        Rounding::Ceil => 2,
        Rounding::Trunc => 3,
    }
}

fn comparison(cmp: Cmp) -> u8 {
    match cmp {
        Cmp::Eq => 0,
        Cmp::Lt => 1,
        Cmp::Le => 2,
        Cmp::Unordered => 3,
    }
}

/// An argument: a constant's place in memory, or a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    pub(super) operand: Operand,
    pub(super) lane: Lane,
}

impl Writer<'_> {
    /// Writes a row of the table; `lane` is that of the result.
    pub(super) fn prim(&mut self, recipe: Recipe, lane: Lane, args: &[Arg]) -> Reg {
        let last = args[args.len() - 1].lane;
        let bits = lane.bits().max(last.bits());
        let width = self.width(if last == Lane::Mask { self.mask_bits() } else { bits });
        let wide = bits == 64;
        match recipe {
            Recipe::Same => self.reg_of(args[0]),
            Recipe::One(op) => {
                let a = self.reg_of(args[0]);
                self.f.vec(op, width, &[a.into()])
            }
            Recipe::Immediate(op, imm) => {
                let a = self.reg_of(args[0]);
                self.f.vec_imm(op, width, &[a.into()], imm)
            }
            Recipe::Two(op) => {
                let a = self.reg_of(args[0]);
                self.f.vec(op, width, &[a.into(), args[1].operand])
            }
            Recipe::Either(op) => {
                let (a, b) = ordered(args[0], args[1]);
                let a = self.reg_of(a);
                self.f.vec(op, width, &[a.into(), b.operand])
            }
            Recipe::Compare(op, imm) => self.compare(op, imm, args),
            Recipe::Masks(op) => {
                let a = self.reg_of(args[0]);
                let b = (op != MaskOp::Not).then(|| self.reg_of(args[1]));
                self.f.mask_op(op, a, b)
            }
            Recipe::Not => {
                let (a, ones) = (self.reg_of(args[0]), self.bytes(&[0xff; 32]));
                self.f.vec(VecOp::XorD, width, &[a.into(), ones])
            }
            Recipe::Fma => self.fma(wide, args),
            Recipe::Select => self.select(args),
            Recipe::MulHigh => self.mul_high(args),
            Recipe::MulWide => self.mul_wide(args),
            Recipe::Extreme(larger) => {
                let (a, b) = (self.reg_of(args[0]), self.reg_of(args[1]));
                let greater = self.f.vec(VecOp::CmpGtQ, width, &[a.into(), b.into()]);
                let (then, other) = if larger { (a, b) } else { (b, a) };
                self.f.vec(VecOp::BlendVPd, width, &[other.into(), then.into(), greater.into()])
            }
            Recipe::SarWide(by) => self.sar_wide(by, args),
            Recipe::WideToFloat => self.wide_to_float(args[0]),
            Recipe::FloatToWide(imm) => self.float_to_wide(imm, args[0]),
            Recipe::Scale => self.scale(wide, args),
            Recipe::NarrowInt => {
                let a = self.reg_of(args[0]);
                self.narrow(a)
            }
            Recipe::HalfToFloat => {
                let a = self.reg_of(args[0]);
                let packed = self.pack(a, 2);
                self.f.vec(VecOp::PhToPs, width, &[packed.into()])
            }
            Recipe::Lookup(table) => self.lookup(table, args[0]),
            Recipe::FloatToHalf => {
                let a = self.reg_of(args[0]);
                let packed = self.f.vec_imm(VecOp::PsToPh, width, &[a.into()], 0);
                self.f.vec(VecOp::ZeroWd, width, &[packed.into()])
            }
        }
    }

    fn compare(&mut self, op: VecOp, imm: Option<u8>, args: &[Arg]) -> Reg {
        let a = self.reg_of(args[0]);
        let bits = args[1].lane.bits();
        let dst = if self.masks() { self.f.mask() } else { self.f.vector() };
        let srcs = [a.into(), args[1].operand];
        self.f.vec_inst(op, self.width(bits), dst.into(), &srcs, imm, None);
        if self.masks() || bits == self.mask_bits() {
            return dst;
        }
        self.f.vec(VecOp::SignDq, self.width(64), &[dst.into()])
    }

    fn fma(&mut self, wide: bool, args: &[Arg]) -> Reg {
        let (a, mut b) = ordered(args[0], args[1]);
        let a = self.reg_of(a);
        let c = args[2];
        if !matches!(b.operand, Operand::Reg(_)) && !matches!(c.operand, Operand::Reg(_)) {
            b.operand = self.reg_of(b).into();
        }
        let dst = self.f.vector();
        let width = self.width(if wide { 64 } else { 32 });
        self.f.push(crate::inst::Inst::Fma { wide, width, dst, a, b: b.operand, c: c.operand });
        dst
    }

    fn select(&mut self, args: &[Arg]) -> Reg {
        let (mask, other) = (self.reg_of(args[0]), self.reg_of(args[2]));
        let bits = args[1].lane.bits();
        let width = self.width(bits);
        let wide = bits == 64;
        if self.masks() {
            let (op, dst) = (if wide { VecOp::BlendQ } else { VecOp::BlendD }, self.f.vector());
            let masking = crate::inst::Masking { by: mask, zero: false };
            self.f.vec_inst(op, width, dst.into(), &[other.into(), args[1].operand], None, Some(masking));
            return dst;
        }
        let op = if wide { VecOp::BlendVPd } else { VecOp::BlendVPs };
        let mask = self.mask_for(mask, bits);
        self.f.vec(op, width, &[other.into(), args[1].operand, mask.into()])
    }

    /// A vector mask with lanes of so many bits.
    pub(super) fn mask_for(&mut self, mask: Reg, bits: u32) -> Reg {
        if bits == self.mask_bits() { mask } else { self.narrow(mask) }
    }

    /// The low halves of four 64-bit lanes.
    pub(super) fn narrow(&mut self, a: Reg) -> Reg {
        let width = self.width(64);
        let upper = self.f.vec_imm(VecOp::Upper, width, &[a.into()], 1);
        self.f.vec_imm(VecOp::ShufflePs, self.width(32), &[a.into(), upper.into()], 0x88)
    }

    fn mul_high(&mut self, args: &[Arg]) -> Reg {
        let width = self.width(32);
        let (a, b) = (self.reg_of(args[0]), self.reg_of(args[1]));
        let even = self.f.vec(VecOp::MulUdq, width, &[a.into(), b.into()]);
        let even = self.f.vec_imm(VecOp::ShrQ, width, &[even.into()], 32);
        let a = self.f.vec_imm(VecOp::ShrQ, width, &[a.into()], 32);
        let b = self.f.vec_imm(VecOp::ShrQ, width, &[b.into()], 32);
        let odd = self.f.vec(VecOp::MulUdq, width, &[a.into(), b.into()]);
        let high: Vec<u8> = (0..8).flat_map(|_| 0xffff_ffff_0000_0000u64.to_le_bytes()).collect();
        let high = self.bytes(&high);
        let odd = self.f.vec(VecOp::AndQ, width, &[odd.into(), high]);
        self.f.vec(VecOp::OrQ, width, &[even.into(), odd.into()])
    }

    /// A permutation knows the low bits of an index: four of them in a vector of 16 lanes, three in one of 8.
    fn lookup(&mut self, table: &Table, index: Arg) -> Reg {
        let bytes: Vec<u8> = table.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let index = self.reg_of(index);
        if self.level == Level::Avx512 {
            let table = self.f.constant(&bytes);
            return self.f.vec(VecOp::PermuteD, Width::Z, &[index.into(), table.into()]);
        }
        let [low, high] = [0, 32].map(|at| {
            let half = self.f.constant(&bytes[at..at + 32]);
            self.f.vec(VecOp::PermuteD, Width::Y, &[index.into(), half.into()])
        });
        let fourth = self.f.vec_imm(VecOp::ShlD, Width::Y, &[index.into()], 28);
        self.f.vec(VecOp::BlendVPs, Width::Y, &[low.into(), high.into(), fourth.into()])
    }

    /// `a * 2^h * 2^(b - h)` with `h` half of `b`; exponents that nothing survives are held in range.
    fn scale(&mut self, wide: bool, args: &[Arg]) -> Reg {
        let powers = if wide { self.powers_of_f64(args[1]) } else { self.powers_of_f32(args[1]) };
        let op = if wide { VecOp::MulPd } else { VecOp::MulPs };
        let width = self.width(if wide { 64 } else { 32 });
        let a = self.reg_of(args[0]);
        powers.into_iter().fold(a, |product, power| self.f.vec(op, width, &[product.into(), power.into()]))
    }

    fn powers_of_f32(&mut self, b: Arg) -> [Reg; 2] {
        use VecOp::*;
        let width = self.width(32);
        let [limit, least, one] = [252u32, -252i32 as u32, 1f32.to_bits()].map(|x| self.splat(x.into(), Lane::I32));
        let b = self.reg_of(b);
        let b = self.f.vec(PsToDq, width, &[b.into()]);
        let b = self.f.vec(IMinD, width, &[b.into(), limit]);
        let b = self.f.vec(IMaxD, width, &[b.into(), least]);
        let half = self.f.vec_imm(SarD, width, &[b.into()], 1);
        let rest = self.f.vec(ISubD, width, &[b.into(), half.into()]);
        [half, rest].map(|exponent| {
            let high = self.f.vec_imm(ShlD, width, &[exponent.into()], 23);
            self.f.vec(IAddD, width, &[high.into(), one])
        })
    }
}

/// A constant second.
fn ordered(a: Arg, b: Arg) -> (Arg, Arg) {
    if matches!(a.operand, Operand::Reg(_)) { (a, b) } else { (b, a) }
}
