//! A product among loops: a tile after the other, each by a call of a Contract's code.
//!
//! ```text
//! for each panel of columns:   where B and C begin, the columns of the last vector, which codes are for such a panel
//!     for each tile of rows:   a call of the code for so many rows;  A, C and what is hinted at move on
//! ```
//!
//! Which code a tile needs is known at run time: a table has the addresses of all of them.

use crate::contract::lanes;
use crate::function::Function;
use crate::inst::{Cond, GprOp, ImmOp, Inst, Label, Mem, Reg};
use tilewright_loops::contract::{ARGS, Arg};
use tilewright_nests::Block;
use tilewright_support::target::Level;

/// Positions in the block of arguments of a product. Before them stand the arguments of the Contract that is called; those
/// that differ from tile to tile are written before each call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Word {
    /// The address of A.
    A = ARGS,
    /// The address of B.
    B,
    /// The address of C.
    C,
    /// The number of rows.
    Rows,
    /// The number of columns.
    Columns,
    /// The number of steps.
    Steps,
    /// Rows of a tile.
    High,
    /// Columns of a tile.
    Wide,
    /// From the rows of A of a tile to those of the next.
    ADown,
    /// From the rows of C of a tile to those of the next.
    CDown,
    /// The address of the codes of tiles, see [`slot`].
    Table,
    /// From the panel of B to what the first tile hints at.
    Behind,
    /// From there to what the next tile hints at.
    Further,
}

/// The number of words of a product.
pub const WORDS: usize = Word::Further as usize + 1;

/// Codes for one kind of panel: a tile has fewer rows.
const HIGHEST: usize = 32;

/// The number of codes in a table: a panel has up to four vectors, the last of them whole or not.
pub const TABLE: usize = 8 * HIGHEST;

/// The place of the code for tiles of so many rows and vectors of columns, the last of them whole or not; none of larger
/// ones.
pub fn slot(rows: usize, vectors: usize, whole: bool) -> Option<usize> {
    let at = (2 * vectors.checked_sub(1)? + usize::from(whole)) * HIGHEST + rows;
    (rows < HIGHEST && at < TABLE).then_some(at)
}

/// Writes a product into a function that has begun: its arguments, and how many stand before those of the product.
pub(super) fn write(f: Function, block: &Block, level: Level, (args, skip): (Reg, usize)) -> Function {
    let mut writer = Writer { f, args, skip, block, lanes: lanes(block.product, level) };
    writer.panels();
    writer.f
}

struct Writer<'a> {
    f: Function,
    args: Reg,
    skip: usize,
    block: &'a Block,
    lanes: usize,
}

impl Writer<'_> {
    fn word(&self, word: usize) -> Mem {
        Mem::at(self.args, (8 * (self.skip + word)) as i32)
    }

    fn load(&mut self, word: Word) -> Reg {
        self.f.load(self.word(word as usize))
    }

    fn store(&mut self, from: Reg, to: Arg) {
        self.f.gpr(GprOp::Store, from, self.word(to as usize));
    }

    fn set(&mut self, to: Arg, from: Word) {
        let value = self.load(from);
        self.store(value, to);
    }

    /// Lets an argument move on.
    fn add(&mut self, to: Arg, what: Word) {
        let sum = self.load(what);
        self.f.gpr(GprOp::Add, sum, self.word(to as usize));
        self.store(sum, to);
    }

    /// Jumps if a count is below one, or if it is not.
    fn if_none(&mut self, count: Reg, cond: Cond, to: Label) {
        self.f.imm(ImmOp::Compare, count, 1);
        self.f.jump_if(cond, to);
    }

    /// What is left, at most a whole tile.
    fn least(&mut self, left: Reg, whole: Word) -> Reg {
        let fits = self.f.label();
        let least = self.f.copy(left);
        self.f.gpr(GprOp::Compare, least, self.word(whole as usize));
        self.f.jump_if(Cond::Less, fits);
        self.f.gpr(GprOp::Load, least, self.word(whole as usize));
        self.f.bind(fits);
        least
    }

    fn panels(&mut self) {
        let done = self.f.label();
        let left = self.load(Word::Columns);
        self.if_none(left, Cond::Less, done);
        let rows = self.load(Word::Rows);
        self.if_none(rows, Cond::Less, done);
        self.set(Arg::Steps, Word::Steps);
        self.set(Arg::B, Word::B);
        let c = self.load(Word::C);
        let head = self.f.bind_new();
        self.store(c, Arg::C);
        let codes = self.codes(left);
        self.tiles(codes);
        let product = self.block.product;
        let wide = self.load(Word::Wide);
        self.f.gpr(GprOp::Sub, left, wide);
        let bytes = self.f.copy(wide);
        self.f.imm(ImmOp::Mul, bytes, product.step_bytes() as i64);
        self.f.gpr(GprOp::Add, bytes, self.word(Arg::B as usize));
        self.store(bytes, Arg::B);
        self.f.imm(ImmOp::Mul, wide, product.c_bytes() as i64);
        self.f.gpr(GprOp::Add, c, wide);
        self.if_none(left, Cond::NotLess, head);
        self.f.bind(done);
    }

    /// The codes for a panel of what is left, less those for no rows; the columns of its last vector.
    fn codes(&mut self, left: Reg) -> Reg {
        let by = i64::from(self.lanes.trailing_zeros());
        let vectors = self.least(left, Word::Wide);
        self.f.imm(ImmOp::Add, vectors, -1);
        let last = self.f.copy(vectors);
        self.f.imm(ImmOp::And, last, self.lanes as i64 - 1);
        self.f.imm(ImmOp::Add, last, 1);
        self.store(last, Arg::Columns);
        // Twice the vectors before the last one, and whether this is whole.
        self.f.imm(ImmOp::Shr, vectors, by);
        self.f.imm(ImmOp::Shl, vectors, 1);
        self.f.imm(ImmOp::Shr, last, by);
        self.f.gpr(GprOp::Add, vectors, last);
        self.f.imm(ImmOp::Shl, vectors, i64::from((8 * HIGHEST).trailing_zeros()));
        self.f.gpr(GprOp::Add, vectors, self.word(Word::Table as usize));
        vectors
    }

    /// The tiles of a panel.
    fn tiles(&mut self, codes: Reg) {
        self.set(Arg::A, Word::A);
        let next = self.load(Word::Behind);
        self.f.gpr(GprOp::Add, next, self.word(Arg::B as usize));
        self.store(next, Arg::Next);
        let left = self.load(Word::Rows);
        let head = self.f.bind_new();
        let rows = self.least(left, Word::High);
        let code = self.f.load(Mem::at(codes, 0).plus(rows, 8));
        self.f.push(Inst::Call { code, args: self.args, disp: (8 * self.skip) as i32 });
        self.add(Arg::A, Word::ADown);
        self.add(Arg::C, Word::CDown);
        self.add(Arg::Next, Word::Further);
        self.f.gpr(GprOp::Sub, left, self.word(Word::High as usize));
        self.if_none(left, Cond::NotLess, head);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_beyond_the_table_have_no_place() {
        assert_eq!(slot(HIGHEST, 1, false), None);
        assert_eq!(slot(1, 5, false), None);
        assert_eq!(slot(1, 0, true), None);
        assert_eq!(slot(HIGHEST - 1, 4, true), Some(TABLE - 1));
    }
}
