//! Machine code of the Move form.
//!
//! Rows that stay rows are copied line by line. The other orders cut the matrix into tiles that a network of unpacks
//! turns in registers; tiles at the edges pass through the frame, where they are whole.

mod cursor;
mod groups;
mod lines;
mod networks;

mod tiles;

use crate::allocate::{Registers, allocate};
use crate::emitted::Emitted;
use crate::function::Function;
use crate::inst::{Cond, ImmOp, Inst, Label, Mem, Reg, Width};
use crate::supports::{self, MOVE};
use tilewright_loops::movement::{Arg, Move, Order};
use tilewright_support::target::{Level, Target};
use tilewright_support::{Diagnostic, Result};

/// Emits a Move.
///
/// # Errors
/// `Unsupported` where the target has no vectors, or the Move has no meaning.
pub fn emit(movement: &Move, target: &Target) -> Result<Emitted> {
    emit_with(movement, target, Registers::of_level(target.level))
}

/// The same with fewer registers than there are.
///
/// # Errors
/// As [`emit`].
pub fn emit_with(movement: &Move, target: &Target, registers: Registers) -> Result<Emitted> {
    let mut f = Function::new();
    let args = f.argument();
    let mut f = write(f, movement, target, (args, 0))?;
    f.push(Inst::Return);
    Emitted::of(movement.name(), allocate(f, registers)?, target.level)
}

/// Writes a Move into a function that has begun: its arguments, and how many stand before those of the Move.
pub(crate) fn write(f: Function, movement: &Move, target: &Target, args: (Reg, usize)) -> Result<Function> {
    supports(movement, target)?;
    let writer = Writer::following(f, movement, target.level, args);
    Ok(match movement.order {
        Order::Copy { .. } | Order::Gather(_) | Order::Scatter(_) => writer.rows(movement.order),
        _ => writer.tiles(),
    })
}

/// Whether a Move can be emitted for a target.
///
/// # Errors
/// `Unsupported`, saying why not.
pub fn supports(movement: &Move, target: &Target) -> Result<()> {
    match target.level {
        Level::Portable => {
            let name = movement.name();
            Err(Diagnostic::unsupported(format!("the Move {name} in machine code for the level portable")))
        }
        _ => check(movement),
    }
}

/// Whether a Move has a meaning.
pub(crate) fn check(movement: &Move) -> Result<()> {
    supports::check(MOVE, |broken| broken(movement), || format!("the Move {}", movement.name()))
}

/// A function being written.
struct Writer {
    f: Function,
    level: Level,
    width: Width,
    order: Order,
    /// Bytes of an element.
    element: usize,
    args: Reg,
    /// Arguments before those of the Move.
    skip: usize,
}

impl Writer {
    fn following(f: Function, movement: &Move, level: Level, (args, skip): (Reg, usize)) -> Self {
        let width = if level == Level::Avx512 { Width::Z } else { Width::Y };
        Self { f, level, width, order: movement.order, element: movement.element.into(), args, skip }
    }

    fn arg(&self, arg: Arg) -> Mem {
        Mem::at(self.args, 8 * (self.skip + arg as usize) as i32)
    }

    fn load(&mut self, arg: Arg) -> Reg {
        self.f.load(self.arg(arg))
    }

    /// Jumps if a register is zero.
    fn jump_if_zero(&mut self, reg: Reg, to: Label) {
        self.f.imm(ImmOp::Compare, reg, 0);
        self.f.jump_if(Cond::Eq, to);
    }
}
