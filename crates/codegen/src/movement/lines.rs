//! Lines of bytes copied or filled with zeros, and the orders that are nothing but lines.

use super::Writer;
use super::tiles::LINE;
use crate::function::Function;
use crate::inst::{Base, Cond, GprOp, ImmOp, Inst, Label, MaskOp, Masking, Mem, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::movement::{Arg, Index, Order};
use tilewright_support::target::Level;

/// Vectors in the body of the loop over a long line.
const UNROLL: usize = 4;

/// The most lines of the caches in a row that is copied without a loop.
const LINES: usize = 4;

/// Rows that a copy hints at ahead of the one that it reads.
const AHEAD: i64 = 24;

/// A line: where it goes and what it holds.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// Where it is written.
    pub to: Reg,
    /// Where it is read; it is of zeros without.
    pub from: Option<Reg>,
    /// Its bytes: counted down to those after the last whole vector.
    pub bytes: Reg,
    /// What is hinted at while it is copied, if anything.
    pub ahead: Option<Reg>,
}

/// The way through a line.
struct Progress {
    line: Line,
    at: Reg,
    zero: Option<Reg>,
}

impl Writer {
    /// Copy, Gather and Scatter.
    pub(super) fn rows(mut self, order: Order) -> Function {
        let stream = matches!(order, Order::Copy { stream: true });
        let end = self.f.label();
        let rows = self.load(Arg::Rows);
        self.jump_if_zero(rows, end);
        let from = self.load(Arg::From);
        let to = self.load(Arg::To);
        let table = self.load(Arg::Indices);
        let bytes = self.load(Arg::Columns);
        let padding = self.padding(bytes);
        self.f.imm(ImmOp::Mul, bytes, self.element as i64);
        if order == (Order::Copy { stream: false }) {
            self.narrow(rows, [from, to], [bytes, padding], end);
        }
        let head = self.f.bind_new();
        let (mut source, mut place) = (from, to);
        match order {
            Order::Gather(index) => source = self.indexed(table, index, Arg::From, Arg::FromRow),
            Order::Scatter(index) => place = self.indexed(table, index, Arg::To, Arg::ToRow),
            _ => {}
        }
        let ahead = matches!(order, Order::Copy { .. }).then(|| {
            let ahead = self.load(Arg::FromRow);
            self.f.imm(ImmOp::Mul, ahead, AHEAD);
            self.f.gpr(GprOp::Add, ahead, from);
            ahead
        });
        let left = self.f.copy(bytes);
        self.long_line(Line { to: place, from: Some(source), bytes: left, ahead }, stream);
        let next = self.f.label();
        self.jump_if_zero(padding, next);
        let start = self.f.general();
        self.f.gpr(GprOp::Address, start, Mem::at(place, 0).plus(bytes, 1));
        let left = self.f.copy(padding);
        self.line(Line { to: start, from: None, bytes: left, ahead: None });
        self.f.bind(next);
        self.f.gpr(GprOp::Add, from, self.arg(Arg::FromRow));
        self.f.gpr(GprOp::Add, to, self.arg(Arg::ToRow));
        self.f.imm(ImmOp::Add, rows, -1);
        self.f.jump_if(Cond::Ne, head);
        self.f.bind(end);
        if stream {
            self.f.push(Inst::Fence);
        }
        self.f
    }

    /// Rows of a few whole lines of the caches, without padding: for each number of lines a loop over the rows.
    fn narrow(&mut self, rows: Reg, [from, to]: [Reg; 2], [bytes, padding]: [Reg; 2], end: Label) {
        let general = self.f.label();
        self.f.imm(ImmOp::Compare, padding, 0);
        self.f.jump_if(Cond::Ne, general);
        let (width, vector) = (self.width, self.width.bytes());
        for lines in 1..=LINES {
            let next = self.f.label();
            self.f.imm(ImmOp::Compare, bytes, (lines * LINE) as i64);
            self.f.jump_if(Cond::Ne, next);
            let [from_row, to_row] = [Arg::FromRow, Arg::ToRow].map(|arg| self.load(arg));
            let ahead = self.f.copy(from_row);
            self.f.imm(ImmOp::Mul, ahead, AHEAD);
            let head = self.f.bind_new();
            for line in 0..lines {
                let hint = Mem { base: Base::Reg(from), index: Some((ahead, 1)), disp: (line * LINE) as i32 };
                self.f.push(Inst::Prefetch(hint));
            }
            let places = (0..lines * LINE).step_by(vector).map(|at| at as i32);
            let values: Vec<Reg> =
                places.clone().map(|at| self.f.vec(VecOp::Load, width, &[Mem::at(from, at).into()])).collect();
            for (value, at) in values.into_iter().zip(places) {
                self.f.vec_to(VecOp::Store, width, Mem::at(to, at), &[value.into()]);
            }
            self.f.gpr(GprOp::Add, from, from_row);
            self.f.gpr(GprOp::Add, to, to_row);
            self.f.imm(ImmOp::Add, rows, -1);
            self.f.jump_if(Cond::Ne, head);
            self.f.jump(end);
            self.f.bind(next);
        }
        self.f.bind(general);
    }

    /// Bytes of zeros after a row of so many columns.
    fn padding(&mut self, columns: Reg) -> Reg {
        let (padding, more) = (self.load(Arg::Padded), self.f.label());
        self.f.gpr(GprOp::Sub, padding, columns);
        self.f.imm(ImmOp::Compare, padding, 0);
        self.f.jump_if(Cond::NotLess, more);
        self.f.imm(ImmOp::Set, padding, 0);
        self.f.bind(more);
        self.f.imm(ImmOp::Mul, padding, self.element as i64);
        padding
    }

    /// The row that the table says, and the table moved on.
    fn indexed(&mut self, table: Reg, index: Index, base: Arg, stride: Arg) -> Reg {
        let row = self.f.general();
        let load = if index == Index::I32 { GprOp::LoadDouble } else { GprOp::Load };
        self.f.gpr(load, row, Mem::at(table, 0));
        self.f.gpr(GprOp::Mul, row, self.arg(stride));
        self.f.gpr(GprOp::Add, row, self.arg(base));
        self.f.imm(ImmOp::Add, table, index.bytes() as i64);
        row
    }

    /// A line that may be long; past the caches where it starts at a vector, if `stream`.
    fn long_line(&mut self, line: Line, stream: bool) {
        let p = self.start(line);
        let vector = self.width.bytes() as i64;
        if stream {
            let unaligned = self.f.label();
            let low = self.f.copy(line.to);
            self.f.imm(ImmOp::And, low, vector - 1);
            self.f.jump_if(Cond::Ne, unaligned);
            self.whole(&p, UNROLL, VecOp::StoreNt);
            self.f.bind(unaligned);
        }
        self.whole(&p, UNROLL, VecOp::Store);
        self.whole(&p, 1, VecOp::Store);
        self.part(&p);
    }

    /// A line.
    pub(super) fn line(&mut self, line: Line) {
        let p = self.start(line);
        self.whole(&p, 1, VecOp::Store);
        self.part(&p);
    }

    fn start(&mut self, line: Line) -> Progress {
        let at = self.f.general();
        self.f.imm(ImmOp::Set, at, 0);
        let zero = line.from.is_none().then(|| self.f.zero());
        Progress { line, at, zero }
    }

    /// So many whole vectors at a time.
    fn whole(&mut self, p: &Progress, count: usize, store: VecOp) {
        let (width, vector) = (self.width, self.width.bytes());
        let step = (count * vector) as i64;
        let done = self.f.label();
        self.f.imm(ImmOp::Compare, p.line.bytes, step);
        self.f.jump_if(Cond::Below, done);
        let head = self.f.bind_new();
        let values: Vec<Reg> = (0..count).map(|i| self.value(p, width, i * vector)).collect();
        for (i, value) in values.into_iter().enumerate() {
            self.f.vec_to(store, width, p.place(i * vector), &[value.into()]);
        }
        if let Some(ahead) = p.line.ahead {
            let base = Base::Reg(ahead);
            for line in 0..(count * vector).div_ceil(64) {
                self.f.push(Inst::Prefetch(Mem { base, index: Some((p.at, 1)), disp: 64 * line as i32 }));
            }
        }
        self.f.imm(ImmOp::Add, p.at, step);
        self.f.imm(ImmOp::Add, p.line.bytes, -step);
        self.f.imm(ImmOp::Compare, p.line.bytes, step);
        self.f.jump_if(Cond::NotBelow, head);
        self.f.bind(done);
    }

    /// The bytes after the last whole vector.
    fn part(&mut self, p: &Progress) {
        let done = self.f.label();
        self.jump_if_zero(p.line.bytes, done);
        match self.level {
            Level::Avx512 => self.masked(p),
            _ => [16, 8, 4, 2, 1].into_iter().for_each(|bytes| self.piece(p, bytes)),
        }
        self.f.bind(done);
    }

    fn masked(&mut self, p: &Progress) {
        let ones = self.f.general();
        self.f.imm(ImmOp::Set, ones, -1);
        self.f.gpr(GprOp::KeepLow, ones, p.line.bytes);
        let by = self.f.mask_op(MaskOp::FromGeneral, ones, None);
        let value = p.zero.unwrap_or_else(|| self.f.vector());
        if let Some(from) = p.source(0) {
            let mask = Some(Masking { by, zero: true });
            self.f.vec_inst(VecOp::LoadB, self.width, value.into(), &[from.into()], None, mask);
        }
        let mask = Some(Masking { by, zero: false });
        self.f.vec_inst(VecOp::StoreB, self.width, p.place(0).into(), &[value.into()], None, mask);
    }

    /// A power of two of bytes, if the count has it.
    fn piece(&mut self, p: &Progress, bytes: usize) {
        let skip = self.f.label();
        let bit = self.f.copy(p.line.bytes);
        self.f.imm(ImmOp::And, bit, bytes as i64);
        self.f.jump_if(Cond::Eq, skip);
        if bytes == 16 {
            let value = self.value(p, Width::X, 0);
            self.f.vec_to(VecOp::Store, Width::X, p.place(0), &[value.into()]);
        } else {
            let (load, store) = match bytes {
                8 => (GprOp::Load, GprOp::Store),
                4 => (GprOp::LoadDouble, GprOp::StoreDouble),
                2 => (GprOp::LoadWord, GprOp::StoreWord),
                _ => (GprOp::LoadByte, GprOp::StoreByte),
            };
            let value = self.f.general();
            match p.source(0) {
                Some(from) => self.f.gpr(load, value, from),
                None => self.f.imm(ImmOp::Set, value, 0),
            }
            self.f.gpr(store, value, p.place(0));
        }
        self.f.imm(ImmOp::Add, p.at, bytes as i64);
        self.f.bind(skip);
    }

    /// A vector of the line.
    fn value(&mut self, p: &Progress, width: Width, offset: usize) -> Reg {
        match (p.zero, p.source(offset)) {
            (None, Some(from)) => self.f.vec(VecOp::Load, width, &[from.into()]),
            (zero, _) => zero.unwrap_or_else(|| self.f.zero()),
        }
    }
}

impl Progress {
    fn place(&self, offset: usize) -> Mem {
        Mem { base: Base::Reg(self.line.to), index: Some((self.at, 1)), disp: offset as i32 }
    }

    fn source(&self, offset: usize) -> Option<Mem> {
        self.line.from.map(|from| Mem { base: Base::Reg(from), index: Some((self.at, 1)), disp: offset as i32 })
    }
}
