//! Machine code of the Contract form.
//!
//! ```text
//! accumulators = C or 0
//! for each product of the batch:            addresses from the table of offsets
//!     for each step, four at a time:
//!         load the vectors of B; for each row broadcast A and multiply-add
//! C = accumulators
//! ```

mod ending;
mod float16;
mod products;
mod steps;

use crate::allocate::{Registers, allocate};
use crate::emitted::Emitted;
use crate::function::Function;
use crate::inst::{Cond, GprOp, ImmOp, Inst, Masking, Mem, Operand, Reg, Width};
use crate::map::{Epilogue, Sums};
use crate::supports::{self, CONTRACT};
use crate::tail;
use crate::x86::VecOp;
use products::Multiplier;
pub use products::is_split;
use std::ops::Range;
use tilewright_loops::contract::{ARGS, Arg, Contract, Product};
use tilewright_loops::map::Map;
use tilewright_support::target::{Level, Target};
use tilewright_support::{Diagnostic, Result};

/// Steps below which C is not fetched ahead.
const FEW: i64 = 65;

/// Emits a Contract.
///
/// # Errors
/// `Unsupported` where the target lacks the instructions, or the tile does not fit its registers.
pub fn emit(contract: &Contract, target: &Target) -> Result<Emitted> {
    emit_with(contract, target, Registers::of_level(target.level))
}

/// The same with fewer registers than there are.
///
/// # Errors
/// As [`emit`].
pub fn emit_with(contract: &Contract, target: &Target, registers: Registers) -> Result<Emitted> {
    supports(contract, target)?;
    let function = Writer::new(contract, target).write(target, None)?;
    let lanes = lanes(contract.product, target.level);
    Emitted::of(contract.name(lanes), allocate(function, registers)?, target.level)
}

/// Emits a Contract whose sums go through a map instead of to C. The map's operand 0 is the tile of sums; its arguments
/// follow those of the Contract, and rows of its operands are at one distance each.
///
/// # Errors
/// As [`emit`], and `Unsupported` for a map that is not of one stage without reductions.
pub fn emit_fused(contract: &Contract, map: &Map, target: &Target, registers: Registers) -> Result<Emitted> {
    supports(contract, target)?;
    let epilogue = Epilogue::new(map, target.level, 8 * contract.product.c_bytes())?;
    let function = Writer::new(contract, target).write(target, Some(&epilogue))?;
    let name = map.name_after(&contract.name(lanes(contract.product, target.level)));
    Emitted::of(name, allocate(function, registers)?, target.level)
}

/// Whether a map can follow the sums of a product in registers.
///
/// # Errors
/// As [`emit_fused`].
pub fn fuses(product: Product, map: &Map, target: &Target) -> Result<()> {
    Epilogue::new(map, target.level, 8 * product.c_bytes()).map(drop)
}

/// Columns of a vector.
pub fn lanes(product: Product, level: Level) -> usize {
    level.vector_bytes() / product.c_bytes()
}

/// Whether a Contract can be emitted for a target.
///
/// # Errors
/// `Unsupported`, saying why not.
pub fn supports(contract: &Contract, target: &Target) -> Result<()> {
    let name = || format!("a Contract of {}", contract.product.name());
    match target.level {
        Level::Portable => Err(Diagnostic::unsupported(format!("{} in machine code for the level portable", name()))),
        _ => supports::check(CONTRACT, |broken| broken(contract), name),
    }
}

pub(crate) struct Writer<'a> {
    pub(crate) f: Function,
    pub(crate) contract: &'a Contract,
    pub(crate) level: Level,
    pub(crate) width: Width,
    args: Reg,
    /// Lanes of the last vector that there are.
    tail: Option<Reg>,
}

/// A pointer and the registers that reach some places after it at a run-time distance.
#[derive(Clone, Copy)]
struct Strided {
    one: Reg,
    three: Option<Reg>,
}

impl<'a> Writer<'a> {
    fn new(contract: &'a Contract, target: &Target) -> Self {
        let mut f = Function::new();
        let args = f.argument();
        let width = if target.level == Level::Avx512 { Width::Z } else { Width::Y };
        Self { f, contract, level: target.level, width, args, tail: None }
    }

    fn write(mut self, target: &Target, epilogue: Option<&Epilogue<'_>>) -> Result<Function> {
        self.tail = (self.contract.partial && !self.steps_halves()).then(|| self.tail_mask());
        let multiplier = Multiplier::new(&mut self, target);
        self.start_sums(&multiplier, epilogue);
        let done = self.f.label();
        let upcoming = self.load(Arg::Next);
        let batch = self.load(Arg::Batch);
        let table = self.load(Arg::Offsets);
        self.f.imm(ImmOp::Compare, batch, 0);
        self.f.jump_if(Cond::Eq, done);
        let early = epilogue.is_none() && multiplier.stores_early(&self);
        let next = self.f.bind_new();
        let pointers = self.product(&multiplier, table, upcoming, early.then_some(batch));
        self.f.imm(ImmOp::Add, table, 16);
        self.f.imm(ImmOp::Add, batch, -1);
        self.f.jump_if(Cond::Ne, next);
        let end = self.f.label();
        if early {
            self.ending(&multiplier, &pointers, upcoming, (done, end));
        }
        self.f.bind(done);
        multiplier.finish(&mut self);
        match epilogue {
            None => self.store(&multiplier),
            Some(epilogue) => {
                let tail = self.contract.partial.then(|| self.load(Arg::Columns));
                let sums = Sums {
                    regs: &multiplier.sums,
                    vectors: self.contract.vectors.into(),
                    args: self.args,
                    skip: ARGS,
                    tail,
                };
                self.f = epilogue.write(self.f, self.level, &sums)?;
            }
        }
        self.f.bind(end);
        self.f.push(Inst::Return);
        Ok(self.f)
    }

    fn arg(&self, arg: Arg) -> Mem {
        Mem::at(self.args, 8 * arg as i32)
    }

    fn load(&mut self, arg: Arg) -> Reg {
        self.f.load(self.arg(arg))
    }

    /// A mask with as many lanes as the last vector has columns.
    fn tail_mask(&mut self) -> Reg {
        let count = self.load(Arg::Columns);
        let bits = self.contract.product.c().bits();
        tail::mask(&mut self.f, self.level, bits as u32, count, self.width.bytes() / (bits / 8))
    }

    /// The mask of the last vector of columns, if it is partial.
    fn columns_mask(&mut self) -> Option<Reg> {
        self.contract.partial.then(|| self.tail.unwrap_or_else(|| self.tail_mask()))
    }

    fn is_last(&self, vector: usize) -> bool {
        vector + 1 == usize::from(self.contract.vectors)
    }

    /// Loads a vector of a step of B.
    fn load_step(&mut self, dst: Reg, from: Mem, vector: usize) {
        let mask = self.tail.filter(|_| self.is_last(vector));
        if self.contract.product != Product::F16 {
            return self.load_columns(dst, from, mask);
        }
        let mask = mask.map(|by| Masking { by, zero: true });
        self.f.vec_inst(VecOp::PhToPs, self.width, dst.into(), &[from.into()], None, mask);
    }

    /// Loads a vector of 32- or 64-bit columns; lanes that are not there are zero.
    fn load_columns(&mut self, dst: Reg, from: Mem, mask: Option<Reg>) {
        let wide = self.contract.product.c_bytes() == 8;
        match mask {
            None => self.f.vec_to(VecOp::Load, self.width, dst, &[from.into()]),
            Some(mask) if self.level == Level::Avx512 => {
                let op = if wide { VecOp::LoadPd } else { VecOp::Load };
                let mask = Some(Masking { by: mask, zero: true });
                self.f.vec_inst(op, self.width, dst.into(), &[from.into()], None, mask);
            }
            Some(mask) => {
                let op = if wide { VecOp::MaskLoadPd } else { VecOp::MaskLoadPs };
                self.f.vec_to(op, self.width, dst, &[mask.into(), from.into()]);
            }
        }
    }

    fn store_columns(&mut self, to: Mem, from: Reg, mask: Option<Reg>) {
        let wide = self.contract.product.c_bytes() == 8;
        match mask {
            None => self.f.vec_to(VecOp::Store, self.width, to, &[from.into()]),
            Some(mask) if self.level == Level::Avx512 => {
                let op = if wide { VecOp::StorePd } else { VecOp::Store };
                let mask = Some(Masking { by: mask, zero: false });
                self.f.vec_inst(op, self.width, to.into(), &[from.into()], None, mask);
            }
            Some(mask) => {
                let op = if wide { VecOp::MaskStorePd } else { VecOp::MaskStorePs };
                self.f.vec_to(op, self.width, to, &[mask.into(), from.into()]);
            }
        }
    }

    /// The first row of C, and what reaches the others of its group.
    fn places(&mut self) -> (Reg, Strided) {
        let base = self.load(Arg::C);
        let rows = self.load(Arg::CRow);
        (base, self.strided(rows, usize::from(self.contract.rows.min(self.contract.group))))
    }

    /// Visits all places of C.
    fn each_place(&mut self, visit: impl FnMut(&mut Self, usize, Mem, usize)) {
        let places = self.places();
        self.each_place_of(0..usize::from(self.contract.rows), places, visit);
    }

    /// Visits the places of some rows of C, those before them visited: the sum's number, its address, its vector.
    fn each_place_of(
        &mut self,
        rows: Range<usize>,
        (base, stride): (Reg, Strided),
        mut visit: impl FnMut(&mut Self, usize, Mem, usize),
    ) {
        let vectors = usize::from(self.contract.vectors);
        for row in rows {
            let inner = row % usize::from(self.contract.group);
            if row > 0 && inner == 0 {
                self.f.gpr(GprOp::Add, base, self.arg(Arg::CGroup));
            }
            for vector in 0..vectors {
                let at = self.reach(base, stride, inner).offset((vector * self.width.bytes()) as i32);
                visit(self, row * vectors + vector, at, vector);
            }
        }
    }

    fn start_sums(&mut self, multiplier: &Multiplier, epilogue: Option<&Epilogue<'_>>) {
        let (zero, go) = (self.f.label(), self.f.label());
        let accumulate = self.load(Arg::Accumulate);
        self.f.imm(ImmOp::Compare, accumulate, 0);
        self.f.jump_if(Cond::Eq, zero);
        let tail = self.columns_mask();
        self.each_place(|w, sum, at, vector| {
            let mask = tail.filter(|_| w.is_last(vector));
            w.load_columns(multiplier.sums[sum], at, mask);
        });
        self.f.jump(go);
        self.f.bind(zero);
        // The lines of the results arrive while the sums are made, unless that takes less time than the hints.
        let few = self.f.label();
        let steps = self.load(Arg::Steps);
        self.f.imm(ImmOp::Compare, steps, FEW);
        self.f.jump_if(Cond::Below, few);
        match epilogue {
            None => self.each_place(|w, _, at, _| w.f.push(Inst::Prefetch(at))),
            Some(epilogue) => {
                let lanes = self.width.bytes() / self.contract.product.c_bytes();
                let sizes = [self.contract.rows.into(), self.contract.vectors.into(), lanes];
                epilogue.fetch(&mut self.f, (self.args, ARGS), sizes);
            }
        }
        self.f.bind(few);
        for sum in &multiplier.sums {
            self.f.push(Inst::Zero(*sum));
        }
        self.f.bind(go);
    }

    fn store(&mut self, multiplier: &Multiplier) {
        let tail = self.columns_mask();
        self.each_place(|w, sum, at, vector| {
            let mask = tail.filter(|_| w.is_last(vector));
            w.store_columns(at, multiplier.sums[sum], mask);
        });
    }

    fn strided(&mut self, one: Reg, reach: usize) -> Strided {
        let three = (reach > 3).then(|| {
            let three = self.f.general();
            self.f.gpr(GprOp::Address, three, Operand::Mem(Mem::at(one, 0).plus(one, 2)));
            three
        });
        Strided { one, three }
    }

    /// The place so many strides after a base: at most four.
    fn reach(&self, base: Reg, stride: Strided, count: usize) -> Mem {
        match (count, stride.three) {
            (0, _) => Mem::at(base, 0),
            (3, Some(three)) => Mem::at(base, 0).plus(three, 1),
            (count, _) => Mem::at(base, 0).plus(stride.one, count as u8),
        }
    }
}
