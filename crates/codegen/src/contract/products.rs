//! The inner step of a Contract, by product and target.

use super::Writer;
use super::float16::Halves;
use crate::inst::{Base, Inst, Mem, Operand, Reg};
use crate::x86::VecOp;
use tilewright_loops::contract::Product;
use tilewright_support::target::{Level, Target};

/// How the factors of a step become part of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// One instruction, B and A in this order.
    One(VecOp),
    /// `vpdpbusd`, whose first operand is the unsigned one: A.
    Bytes,
    /// Of the two bf16 of a lane first the upper, then the lower, each as f32 with denormals as zero.
    PairsApart,
    /// Of the four bytes of a lane first the even ones, then the odd ones, each pair as 16-bit integers.
    BytesApart,
}

impl Way {
    fn new(product: Product, target: &Target) -> Self {
        match product {
            Product::F32 | Product::F16 => Self::One(VecOp::Fma231Ps),
            Product::F64 => Self::One(VecOp::Fma231Pd),
            Product::Bf16 if is_split(product, target) => Self::PairsApart,
            Product::Bf16 => Self::One(VecOp::DotBf16),
            Product::U8S8 | Product::S8S8 | Product::U8U8 if is_split(product, target) => Self::BytesApart,
            Product::U8S8 | Product::S8S8 | Product::U8U8 => Self::Bytes,
        }
    }
}

/// Whether a step of a vector is multiplied in two parts, since the target has no dot products of its dtype.
pub fn is_split(product: Product, target: &Target) -> bool {
    match product {
        Product::F32 | Product::F64 | Product::F16 => false,
        Product::Bf16 => !target.bf16,
        Product::U8S8 | Product::S8S8 | Product::U8U8 => !target.vnni,
    }
}

/// A factor of a step: a vector, or its two parts.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    first: Operand,
    second: Operand,
}

/// Sums in registers, and what they are made from.
pub(super) struct Multiplier {
    /// The tile, row by row.
    pub(super) sums: Vec<Reg>,
    way: Way,
    /// The vectors of B of a step.
    b: Vec<Reg>,
    /// What loads the last vector of 16-bit columns where no mask does.
    halves: Option<Halves>,
    /// What S8S8 and U8U8 add in the end, since only unsigned by signed bytes multiply.
    extra: Option<Extra>,
}

/// `a * b` of bytes with one sign too many or too few: a constant is added to one side, and its share taken off at last.
struct Extra {
    /// 0x80 in every byte.
    high: Reg,
    /// What the share is summed with: 0x80 (S8S8) or 1 (U8U8) in every byte.
    with: Reg,
    /// The share: for each vector of columns (S8S8), or for each row (U8U8).
    sums: Vec<Reg>,
}

/// How floats are rounded by default, with denormals as zero where they come in and where they go out (MXCSR: bits 6
/// and 15; exceptions are masked).
const NO_DENORMALS: u32 = 0x9fc0;

/// Sums of 64 bytes that the store queue holds beside the start of the next call.
const QUEUED: usize = 18;

/// Where the frame keeps what the caller had.
const CALLERS: Mem = Mem { base: Base::Frame, index: None, disp: 0 };

impl Multiplier {
    pub(super) fn new(w: &mut Writer<'_>, target: &Target) -> Self {
        let (rows, vectors) = (usize::from(w.contract.rows), usize::from(w.contract.vectors));
        let way = Way::new(w.contract.product, target);
        if way == Way::PairsApart {
            w.f.frame = w.f.frame.max(64);
            w.f.push(Inst::FloatMode(CALLERS, false));
            let mode = w.f.constant(&NO_DENORMALS.to_le_bytes());
            w.f.push(Inst::FloatMode(mode, true));
        }
        let sums = (0..rows * vectors).map(|_| w.f.vector()).collect();
        let b = (0..vectors).map(|_| w.f.vector()).collect();
        let extra = match w.contract.product {
            Product::S8S8 if way == Way::Bytes => Some(Extra::new(w, 0x80, vectors)),
            Product::U8U8 if way == Way::Bytes => Some(Extra::new(w, 0x01, rows)),
            _ => None,
        };
        let halves = w.steps_halves().then(|| Halves::new(w));
        Self { sums, way, b, halves, extra }
    }

    /// Whether the ending stores the first rows before the last ones are done: where sums crowd the store queue,
    /// registers reach the many rows, and steps may be loaded twice.
    pub(super) fn stores_early(&self, w: &Writer<'_>) -> bool {
        let twice = matches!(self.way, Way::One(_) | Way::Bytes) && self.extra.is_none();
        twice && w.level == Level::Avx512 && w.contract.vectors > 1 && self.sums.len() > QUEUED
    }

    /// The columns of a step.
    pub(super) fn load_b(&self, w: &mut Writer<'_>, at: Mem) -> Vec<Factor> {
        let bytes = w.width.bytes() / w.contract.product.c_bytes() * w.contract.product.step_bytes();
        let signed = w.contract.product.b().is_signed();
        let mut factors = Vec::with_capacity(self.b.len());
        for (vector, reg) in self.b.iter().enumerate() {
            let at = at.offset((vector * bytes) as i32);
            match &self.halves {
                Some(halves) if vector + 1 == self.b.len() => halves.load(w, *reg, at),
                _ => w.load_step(*reg, at, vector),
            }
            match (&self.extra, w.contract.product) {
                (Some(x), Product::S8S8) => {
                    w.f.vec_to(VecOp::DotBusd, w.width, x.sums[vector], &[x.with.into(), (*reg).into()])
                }
                (Some(x), _) => w.f.vec_to(VecOp::XorD, w.width, *reg, &[(*reg).into(), x.high.into()]),
                _ => {}
            }
            factors.push(self.factor(w, *reg, signed));
        }
        factors
    }

    /// Multiplies the step of a row with the columns.
    pub(super) fn row(&self, w: &mut Writer<'_>, row: usize, at: Mem, b: &[Factor]) {
        let embed = w.level == Level::Avx512
            && b.len() == 1
            && matches!(self.way, Way::One(_))
            && w.contract.product != Product::F16;
        let a = match embed {
            true => Factor { first: Operand::Splat(at), second: Operand::Splat(at) },
            false => {
                let a = self.broadcast(w, row, at);
                self.factor(w, a, w.contract.product.a().is_signed())
            }
        };
        for (vector, b) in b.iter().enumerate() {
            let sum = self.sums[row * self.b.len() + vector];
            match self.way {
                Way::One(op) => w.f.vec_to(op, w.width, sum, &[b.first, a.first]),
                Way::Bytes => w.f.vec_to(VecOp::DotBusd, w.width, sum, &[a.first, b.first]),
                Way::PairsApart => {
                    w.f.vec_to(VecOp::Fma231Ps, w.width, sum, &[b.first, a.first]);
                    w.f.vec_to(VecOp::Fma231Ps, w.width, sum, &[b.second, a.second]);
                }
                Way::BytesApart => {
                    for (a, b) in [(a.first, b.first), (a.second, b.second)] {
                        let products = w.f.vec(VecOp::MaddWd, w.width, &[a, b]);
                        w.f.vec_to(VecOp::IAddD, w.width, sum, &[sum.into(), products.into()]);
                    }
                }
            }
        }
    }

    /// The parts of a vector, which is overwritten.
    fn factor(&self, w: &mut Writer<'_>, x: Reg, signed: bool) -> Factor {
        let whole = [Operand::from(x)];
        let first = match self.way {
            Way::One(_) | Way::Bytes => x,
            Way::PairsApart => {
                let upper = w.f.constant(&[0, 0, 0xff, 0xff].repeat(w.width.bytes() / 4));
                let first = w.f.vec(VecOp::AndD, w.width, &[x.into(), upper.into()]);
                w.f.vec_inst(VecOp::ShlD, w.width, x.into(), &whole, Some(16), None);
                first
            }
            Way::BytesApart => {
                let shift = if signed { VecOp::SarW } else { VecOp::ShrW };
                let first = w.f.vec_imm(VecOp::ShlW, w.width, &whole, 8);
                w.f.vec_inst(shift, w.width, first.into(), &[first.into()], Some(8), None);
                w.f.vec_inst(shift, w.width, x.into(), &whole, Some(8), None);
                first
            }
        };
        Factor { first: first.into(), second: x.into() }
    }

    fn broadcast(&self, w: &mut Writer<'_>, row: usize, at: Mem) -> Reg {
        let a = match w.contract.product {
            Product::F64 => w.f.vec(VecOp::SplatPd, w.width, &[at.into()]),
            Product::F16 => w.splat_half(at),
            _ => w.f.vec(VecOp::SplatPs, w.width, &[at.into()]),
        };
        match (&self.extra, w.contract.product) {
            (Some(x), Product::S8S8) => w.f.vec(VecOp::XorD, w.width, &[a.into(), x.high.into()]),
            (Some(x), _) => {
                w.f.vec_to(VecOp::DotBusd, w.width, x.sums[row], &[a.into(), x.with.into()]);
                a
            }
            _ => a,
        }
    }

    /// Puts right what the constants added, and how floats are rounded.
    pub(super) fn finish(&self, w: &mut Writer<'_>) {
        if self.way == Way::PairsApart {
            w.f.push(Inst::FloatMode(CALLERS, true));
        }
        let Some(extra) = &self.extra else { return };
        for (n, sum) in self.sums.iter().enumerate() {
            let (row, vector) = (n / self.b.len(), n % self.b.len());
            match w.contract.product {
                Product::S8S8 => w.f.vec_to(VecOp::ISubD, w.width, *sum, &[(*sum).into(), extra.sums[vector].into()]),
                _ => {
                    let share = w.f.vec_imm(VecOp::ShlD, w.width, &[extra.sums[row].into()], 7);
                    w.f.vec_to(VecOp::IAddD, w.width, *sum, &[(*sum).into(), share.into()]);
                }
            }
        }
    }
}

impl Extra {
    fn new(w: &mut Writer<'_>, with: u8, sums: usize) -> Self {
        let splat = |w: &mut Writer<'_>, byte: u8| {
            let at = w.f.constant(&[byte; 4]);
            w.f.vec(VecOp::SplatPs, w.width, &[at.into()])
        };
        let high = splat(w, 0x80);
        let with = if with == 0x80 { high } else { splat(w, with) };
        let sums: Vec<Reg> = (0..sums).map(|_| w.f.vector()).collect();
        for sum in &sums {
            w.f.push(Inst::Zero(*sum));
        }
        Self { high, with, sums }
    }
}
