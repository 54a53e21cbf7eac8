//! The inner step of a Contract, by product.

use super::Writer;
use crate::inst::{Inst, Mem, Operand, Reg};
use crate::x86::VecOp;
use tilewright_loops::contract::Product;
use tilewright_support::target::Level;

/// Sums in registers, and what they are made from.
pub(super) struct Multiplier {
    /// The tile, row by row.
    pub(super) sums: Vec<Reg>,
    /// The vectors of B of a step.
    b: Vec<Reg>,
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

impl Multiplier {
    pub(super) fn new(w: &mut Writer<'_>) -> Self {
        let (rows, vectors) = (usize::from(w.contract.rows), usize::from(w.contract.vectors));
        let sums = (0..rows * vectors).map(|_| w.f.vector()).collect();
        let b = (0..vectors).map(|_| w.f.vector()).collect();
        let extra = match w.contract.product {
            Product::S8S8 => Some(Extra::new(w, 0x80, vectors)),
            Product::U8U8 => Some(Extra::new(w, 0x01, rows)),
            _ => None,
        };
        Self { sums, b, extra }
    }

    /// Loads the columns of a step.
    pub(super) fn load_b(&self, w: &mut Writer<'_>, at: Mem) {
        for (vector, reg) in self.b.iter().enumerate() {
            w.load_columns(*reg, at.offset((vector * w.width.bytes()) as i32), vector);
            match (&self.extra, w.contract.product) {
                (Some(x), Product::S8S8) => {
                    w.f.vec_to(VecOp::DotBusd, w.width, x.sums[vector], &[x.with.into(), (*reg).into()])
                }
                (Some(x), _) => w.f.vec_to(VecOp::XorD, w.width, *reg, &[(*reg).into(), x.high.into()]),
                _ => {}
            }
        }
    }

    /// Multiplies the step of a row with the columns.
    pub(super) fn row(&self, w: &mut Writer<'_>, row: usize, at: Mem) {
        let embed = w.level == Level::Avx512 && self.b.len() == 1 && w.contract.product.c().is_float();
        let a = if embed { Operand::Splat(at) } else { self.broadcast(w, row, at).into() };
        for (vector, b) in self.b.iter().enumerate() {
            let sum = self.sums[row * self.b.len() + vector];
            let (op, srcs) = match w.contract.product {
                Product::F32 => (VecOp::Fma231Ps, [(*b).into(), a]),
                Product::F64 => (VecOp::Fma231Pd, [(*b).into(), a]),
                Product::Bf16 => (VecOp::DotBf16, [(*b).into(), a]),
                Product::U8S8 | Product::S8S8 | Product::U8U8 => (VecOp::DotBusd, [a, (*b).into()]),
            };
            w.f.vec_to(op, w.width, sum, &srcs);
        }
    }

    fn broadcast(&self, w: &mut Writer<'_>, row: usize, at: Mem) -> Reg {
        let splat = if w.contract.product == Product::F64 { VecOp::SplatPd } else { VecOp::SplatPs };
        let a = w.f.vec(splat, w.width, &[at.into()]);
        match (&self.extra, w.contract.product) {
            (Some(x), Product::S8S8) => w.f.vec(VecOp::XorD, w.width, &[a.into(), x.high.into()]),
            (Some(x), _) => {
                w.f.vec_to(VecOp::DotBusd, w.width, x.sums[row], &[a.into(), x.with.into()]);
                a
            }
            _ => a,
        }
    }

    /// Puts right what the constants added.
    pub(super) fn finish(&self, w: &mut Writer<'_>) {
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
