//! Machine code of a kernel: loops around leaves, all in one function.
//!
//! ```text
//! for each iteration that is asked for:
//!     the body: for each loop its trips, then its cells go back;  for each leaf its sizes, then the code of its form,
//!         which for a product calls that of its Contracts
//!     the innermost parallel loop's cells take a step; at its end they go back, and the next one's take a step
//! ```
//!
//! Every number is an argument, see [`Arguments`]; what loops change they change there, so that leaves have all registers.

mod arguments;
pub mod block;

pub use arguments::{Arguments, Cell, Loop, Part, Rest};

use crate::allocate::{Registers, allocate};
use crate::emitted::Emitted;
use crate::function::Function;
use crate::inst::{Cond, GprOp, ImmOp, Inst, Label, Mem, Reg};
use crate::{map, movement};
use tilewright_loops::map::Program;
use tilewright_nests::{Form, Kernel, Leaf, Stmt};
use tilewright_support::target::{Level, Target};
use tilewright_support::{Diagnostic, Result};

/// The most instructions of a function.
const LONGEST: usize = 1 << 16;

/// Emits a kernel.
///
/// # Errors
/// Unsupported, by name, where the target lacks what a leaf needs.
pub fn emit(kernel: &Kernel, target: &Target) -> Result<Emitted> {
    emit_with(kernel, target, Registers::of_level(target.level))
}

/// The same with fewer registers than there are.
///
/// # Errors
/// As [`emit`].
pub fn emit_with(kernel: &Kernel, target: &Target, registers: Registers) -> Result<Emitted> {
    if target.level == Level::Portable {
        return Err(Diagnostic::unsupported("loops in machine code for the level portable"));
    }
    let arguments = Arguments::new(kernel);
    let mut f = Function::new();
    let args = f.argument();
    let (target, arguments) = (*target, &arguments);
    let mut writer = Writer { f, args, target, registers, arguments, loops: kernel.parallel.len(), leaves: 0 };
    writer.iterations(kernel)?;
    Emitted::of(name(kernel), allocate(writer.f, registers)?, target.level)
}

/// The name in profiles: the first leaf's, and how many more there are.
fn name(kernel: &Kernel) -> String {
    let mut names = Vec::new();
    kernel.leaves(&mut |_, leaf| match &leaf.form {
        Form::Map(map) => names.push(map.name()),
        Form::Move(m) => names.push(m.name()),
        Form::Block(b) => names.push(format!("block_{}", b.product.name())),
    });
    match &names[..] {
        [] => "nest".into(),
        [one] => format!("nest_{one}"),
        [first, rest @ ..] => format!("nest_{first}_and_{}", rest.len()),
    }
}

struct Writer<'a> {
    f: Function,
    args: Reg,
    target: Target,
    registers: Registers,
    arguments: &'a Arguments,
    /// Loops and leaves that have begun.
    loops: usize,
    leaves: usize,
}

impl Writer<'_> {
    fn word(&self, at: usize) -> Mem {
        Mem::at(self.args, (8 * at) as i32)
    }

    fn add(&mut self, to: usize, what: usize) {
        let sum = self.f.load(self.word(what));
        self.f.gpr(GprOp::Add, sum, self.word(to));
        self.f.gpr(GprOp::Store, sum, self.word(to));
    }

    fn set(&mut self, to: usize, from: usize) {
        let value = self.f.load(self.word(from));
        self.f.gpr(GprOp::Store, value, self.word(to));
    }

    /// Counts a word down and jumps if it is not zero.
    fn count_down(&mut self, word: usize, cond: Cond, to: Label) {
        let left = self.f.load(self.word(word));
        self.f.imm(ImmOp::Add, left, -1);
        self.f.gpr(GprOp::Store, left, self.word(word));
        self.f.jump_if(cond, to);
    }

    /// All iterations that are asked for; there is at least one.
    fn iterations(&mut self, kernel: &Kernel) -> Result<()> {
        let end = self.f.label();
        let head = self.f.bind_new();
        self.body(&kernel.body)?;
        self.count_down(0, Cond::Eq, end);
        let arguments = self.arguments;
        for l in arguments.loops[..kernel.parallel.len()].iter().rev() {
            self.next(l, head);
            self.set(l.left, l.trips);
        }
        self.f.bind(end);
        self.f.push(Inst::Return);
        Ok(())
    }

    /// Moves to the next iteration if there is one, else back to the first.
    fn next(&mut self, l: &Loop, head: Label) {
        l.cells.iter().for_each(|cell| self.add(cell.at, cell.step));
        self.count_down(l.left, Cond::Ne, head);
        l.cells.iter().for_each(|cell| self.add(cell.at, cell.back));
    }

    fn body(&mut self, body: &[Stmt]) -> Result<()> {
        for stmt in body {
            match stmt {
                Stmt::Leaf(leaf) => self.leaf(leaf)?,
                Stmt::Loop(_, inner) => self.repeat(inner)?,
            }
        }
        Ok(())
    }

    fn repeat(&mut self, inner: &[Stmt]) -> Result<()> {
        let arguments = self.arguments;
        let l = &arguments.loops[self.loops];
        self.loops += 1;
        let done = self.f.label();
        let trips = self.f.load(self.word(l.trips));
        self.f.gpr(GprOp::Store, trips, self.word(l.left));
        self.f.imm(ImmOp::Compare, trips, 0);
        self.f.jump_if(Cond::Eq, done);
        let head = self.f.bind_new();
        self.body(inner)?;
        self.next(l, head);
        self.f.bind(done);
        Ok(())
    }

    fn leaf(&mut self, leaf: &Leaf) -> Result<()> {
        let arguments = self.arguments;
        let part = &arguments.leaves[self.leaves];
        self.leaves += 1;
        part.sizes.iter().for_each(|rest| self.size(rest));
        let (f, args) = (std::mem::take(&mut self.f), (self.args, part.first));
        self.f = match &leaf.form {
            Form::Map(map) => {
                let program = Program::for_level(map, self.target.level)?;
                map::write(f, (map, &program), self.target.level, self.registers, args)?
            }
            Form::Move(m) => movement::write(f, m, &self.target, args)?,
            Form::Block(block) => block::write(f, block, self.target.level, args),
        };
        if self.f.is_too_long() || self.f.insts.len() > LONGEST {
            return Err(Diagnostic::unsupported("in machine code, a kernel of so many steps"));
        }
        Ok(())
    }

    /// What is left, but not less than nothing nor more than a block.
    fn size(&mut self, rest: &Rest) {
        let (some, fits) = (self.f.label(), self.f.label());
        let size = self.f.load(self.word(rest.left));
        self.f.imm(ImmOp::Compare, size, 0);
        self.f.jump_if(Cond::NotLess, some);
        self.f.imm(ImmOp::Set, size, 0);
        self.f.bind(some);
        self.f.gpr(GprOp::Compare, size, self.word(rest.block));
        self.f.jump_if(Cond::Less, fits);
        self.f.gpr(GprOp::Load, size, self.word(rest.block));
        self.f.bind(fits);
        self.f.gpr(GprOp::Store, size, self.word(rest.size));
    }
}
