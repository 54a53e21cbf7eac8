//! Machine code of the Map form.
//!
//! ```text
//! what varies nowhere                                    once
//! for each row:
//!     for each pass:
//!         what varies from row to row                    once a row
//!         for each vector of columns, some at a time:    loads, steps, stores, combiners
//!         the last vectors, masked
//!         the tree of each reduction; what is stored once a row
//! ```
//!
//! In the order of columns, rows are the inner loop and some vectors of columns the outer one.

mod bits;
mod body;
mod columns;
mod constants;
mod epilogue;
mod folds;
mod gather;
mod memory;
mod places;
mod prims;
mod rows;
mod wide;

use crate::allocate::{Registers, allocate};
use crate::emitted::Emitted;
use crate::function::Function;
use crate::inst::{Cond, GprOp, ImmOp, Inst, Label, Mem, Reg};
use body::{Plan, Vector, When, Writer};
pub(crate) use epilogue::{Epilogue, Sums, fits};
use memory::At;
use tilewright_loops::block::{Block, Step};
use tilewright_loops::map::{Index, Map, Order, Program};
use tilewright_loops::prim::{Lane, Prim};
use tilewright_support::target::{Level, Target};
use tilewright_support::{Diagnostic, Result};

/// Emits a map.
///
/// # Errors
/// Unsupported, by name, where the target lacks what a function needs.
pub fn emit(map: &Map, target: &Target) -> Result<Emitted> {
    emit_with(map, target, Registers::of_level(target.level))
}

/// The same with fewer registers than there are.
///
/// # Errors
/// As [`emit`].
pub fn emit_with(map: &Map, target: &Target, registers: Registers) -> Result<Emitted> {
    emit_program(map, &Program::for_level(map, target.level)?, target, registers)
}

/// A program over the operands of a map; its stages are not looked at but for the name.
///
/// # Errors
/// As [`emit`].
pub fn emit_program(map: &Map, program: &Program, target: &Target, registers: Registers) -> Result<Emitted> {
    let mut f = Function::new();
    let args = f.argument();
    let mut f = write(f, (map, program), target.level, registers, (args, 0))?;
    f.push(Inst::Return);
    if f.is_too_long() {
        return Err(Diagnostic::unsupported("in machine code, a map of so many steps"));
    }
    Emitted::of(map.name(), allocate(f, registers)?, target.level)
}

/// Writes a program into a function that has begun: its arguments, and how many stand before those of the map.
pub(crate) fn write(
    f: Function,
    (map, program): (&Map, &Program),
    level: Level,
    registers: Registers,
    args: (Reg, usize),
) -> Result<Function> {
    check(program, level)?;
    let mut writer = Writer::following(f, map, program, level, args);
    let mut plans: Vec<Plan> = program.passes.iter().map(|p| Plan::new(map, program, p)).collect();
    writer.hoist_constants(&plans, registers.vectors.into());
    let end = writer.f.label();
    writer.start(&mut plans, end)?;
    match map.order {
        Order::Rows => writer.rows(&plans)?,
        Order::Columns => writer.columns(&plans)?,
    }
    writer.f.bind(end);
    Ok(writer.f)
}

/// Whether a map can be emitted for a target.
///
/// # Errors
/// Unsupported, saying what is missing.
pub fn supports(map: &Map, target: &Target) -> Result<()> {
    check(&Program::for_level(map, target.level)?, target.level)
}

/// Whether a level computes a primitive whose last argument is of a lane.
pub fn computes(prim: Prim, lane: Lane, level: Level) -> bool {
    prims::recipe(prim, lane, level).is_some()
}

fn check(program: &Program, level: Level) -> Result<()> {
    for pass in &program.passes {
        check_block(&pass.block, level)?;
        for fold in &pass.folds {
            check_block(&fold.combine.block, level)?;
            check_block(&fold.combine.finish.0, level)?;
        }
    }
    Ok(())
}

fn check_block(block: &Block, level: Level) -> Result<()> {
    for (step, _) in block.steps() {
        if let Step::Prim(prim, args) = step
            && !computes(*prim, block.lane(args[2]), level)
        {
            let (of, level) = (block.lane(args[2]), level.name());
            return Err(Diagnostic::unsupported(format!("{prim:?} of {of:?} in machine code for {level}")));
        }
    }
    Ok(())
}

impl Writer<'_> {
    /// Loads addresses, and computes what varies nowhere. An empty tile needs nothing of it.
    fn start(&mut self, plans: &mut [Plan], end: Label) -> Result<()> {
        let outer = if self.map.order == Order::Rows { 0 } else { 1 };
        let size = self.f.load(self.argument(3, outer));
        self.f.imm(ImmOp::Compare, size, 0);
        self.f.jump_if(Cond::Eq, end);
        self.first_row();
        for plan in plans {
            let mut all = Vector { at: At::default(), values: std::mem::take(&mut plan.once), of_row: &[], sums: &[] };
            self.compute(plan, When::Once, std::slice::from_mut(&mut all))?;
            plan.once = all.values;
        }
        Ok(())
    }

    /// Operands whose rows do not need an index.
    fn plain(&self) -> impl Iterator<Item = usize> + use<> {
        let plain: Vec<usize> = (0..self.map.operands.len()).filter(|o| self.map.indices(*o).is_none()).collect();
        plain.into_iter()
    }

    /// Bases of the first row, but of indexed ones.
    fn first_row(&mut self) {
        for o in self.plain() {
            let base = self.bases[0][o];
            let address = self.argument(0, o);
            self.f.gpr(GprOp::Load, base, address);
        }
        self.f.imm(ImmOp::Set, self.place[0], 0);
    }

    /// Bases of the next row, but of indexed ones.
    fn next_row(&mut self) {
        self.f.imm(ImmOp::Add, self.place[0], 1);
        for o in self.plain().filter(|o| self.map.operands[*o].has_rows()) {
            let stride = self.argument(1, o);
            self.f.gpr(GprOp::Add, self.bases[0][o], stride);
        }
    }

    /// Bases of indexed rows, for a row so many after the current one, which is there.
    fn seek(&mut self, after: usize) {
        for o in 0..self.map.operands.len() {
            let Some((at, index)) = self.map.indices(o) else { continue };
            let (base, size) = (self.bases[after][o], index.bytes());
            let indices = self.f.load(self.one_argument(at));
            let op = if index == Index::I32 { GprOp::LoadDouble } else { GprOp::Load };
            self.f.gpr(op, base, Mem::at(indices, (after * size) as i32).plus(self.place[0], size as u8));
            self.f.gpr(GprOp::Mul, base, self.argument(1, o));
            self.f.gpr(GprOp::Add, base, self.argument(0, o));
        }
    }

    /// Jumps if there is a row so many after the current one.
    fn more_rows(&mut self, after: i32, to: Label) {
        let row = self.f.general();
        self.f.gpr(GprOp::Address, row, Mem::at(self.place[0], after));
        let rows = self.argument(3, 0);
        self.f.gpr(GprOp::Compare, row, rows);
        self.f.jump_if(Cond::Below, to);
    }
}
