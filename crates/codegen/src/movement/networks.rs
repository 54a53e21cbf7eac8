//! Networks of unpacks.
//!
//! A step unpacks vector `i` with vector `i + count / 2` into vectors `2i` and `2i + 1`. In the number of a vector followed
//! by the number of an element in 128 bits it rotates the bits by one; after as many steps as bits of the first, the two
//! have changed places: a matrix of elements is transposed in each block of 128 bits. Permutations of bytes from two
//! vectors (VBMI) would be fewer, but a machine that does one vector of either a cycle loses by them.

use super::Writer;
use super::cursor::Cursor;
use super::tiles::LINE;
use crate::inst::{Cond, ImmOp, Mem, Operand, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::movement::Order;

/// What turns a tile, and the constants that it needs.
pub(super) enum Network {
    /// Rows become columns: as many as a vector has elements.
    Turn(Width),
    /// So many rows become columns that stand side by side.
    Panel(usize),
    /// Rows to groups: the number of rows, and the places of 32-bit lanes.
    Interleave(Width, usize, Option<Reg>),
    /// Groups to rows: the number of rows, the places of bytes, and those of 32-bit lanes.
    Separate(Width, usize, Reg, Option<Reg>),
}

impl Network {
    pub(super) fn new(w: &mut Writer, width: Width) -> Self {
        let blocks = width.bytes() / 16;
        match w.order {
            Order::Interleave { group } => {
                let group = group.into();
                // A block of a row goes in parts to all vectors; a vector takes parts that follow each other.
                Self::Interleave(width, group, w.lanes(width, group, |part| part % group * blocks + part / group))
            }
            Order::Separate { group } => {
                let group = group.into();
                let bytes = w.parts(width, group);
                let lanes = w.lanes(width, group, |part| part % blocks * group + part / blocks);
                Self::Separate(width, group, bytes, lanes)
            }
            Order::Panel { rows } => Self::Panel(rows.into()),
            _ => Self::Turn(width),
        }
    }

    /// Reads the lines of a tile, turns them, and writes the lines that result.
    pub(super) fn write(&self, w: &mut Writer, reads: &mut Cursor, writes: &mut Cursor) {
        match *self {
            Self::Turn(width) => w.turn(width.bytes() / w.element, width, reads, writes),
            Self::Panel(rows) => w.panel(rows, reads, writes),
            Self::Interleave(width, group, lanes) => w.interleave(width, group, lanes, [reads, writes]),
            Self::Separate(width, group, bytes, lanes) => w.separate(width, group, (bytes, lanes), [reads, writes]),
        }
    }
}

impl Writer {
    /// The order of 32-bit lanes that brings parts of 16 bytes, `group` in a block, from the places that `source` says;
    /// none where there is one block, whose parts are in order.
    fn lanes(&mut self, width: Width, group: usize, source: impl Fn(usize) -> usize) -> Option<Reg> {
        if width == Width::X {
            return None;
        }
        let of_part = 4 / group;
        let lanes = (0..width.bytes() / 4).map(|lane| source(lane / of_part) * of_part + lane % of_part);
        let bytes: Vec<u8> = lanes.flat_map(|lane| (lane as u32).to_le_bytes()).collect();
        let constant = self.f.constant(&bytes);
        Some(self.f.vec(VecOp::Load, width, &[constant.into()]))
    }

    /// The order of bytes that brings together what belongs to one row of a group, in each block of 128 bits.
    fn parts(&mut self, width: Width, group: usize) -> Reg {
        let (size, part) = (self.element, 16 / group);
        let bytes = (0..width.bytes()).map(|byte| {
            let (row, column, rest) = (byte % 16 / part, byte % part / size, byte % size);
            ((column * group + row) * size + rest) as u8
        });
        let bytes: Vec<u8> = bytes.collect();
        let constant = self.f.constant(&bytes);
        self.f.vec(VecOp::Load, width, &[constant.into()])
    }

    /// The steps of a network over elements of so many bytes; vectors are 2, 4, 8 or 16.
    fn network(&mut self, mut vectors: Vec<Reg>, size: usize, width: Width) -> Vec<Reg> {
        let ops = match size {
            1 => [VecOp::UnpackLowBw, VecOp::UnpackHighBw],
            2 => [VecOp::UnpackLowWd, VecOp::UnpackHighWd],
            4 => [VecOp::UnpackLowPs, VecOp::UnpackHighPs],
            _ => [VecOp::UnpackLowPd, VecOp::UnpackHighPd],
        };
        let count = vectors.len();
        for _ in 0..count.ilog2() {
            let pair = |i: usize| [vectors[i / 2].into(), vectors[i / 2 + count / 2].into()];
            vectors = (0..count).map(|i| self.f.vec(ops[i % 2], width, &pair(i))).collect();
        }
        vectors
    }

    /// 16 bytes of each row, at most so many rows as elements in a width, become columns; of 64 bytes each half by itself,
    /// as narrow vectors are loaded in fewer parts.
    fn turn(&mut self, rows: usize, width: Width, reads: &mut Cursor, writes: &mut Cursor) {
        let width = width.min(Width::Y);
        let of_part = width.bytes() / self.element;
        let parts: Vec<Vec<Reg>> =
            (0..rows).step_by(of_part).map(|first| self.turned(of_part.min(rows - first), width, reads)).collect();
        for column in 0..16 / self.element {
            let to = writes.next(&mut self.f);
            for (part, columns) in parts.iter().enumerate() {
                let to = to.offset((part * width.bytes()) as i32);
                self.f.vec_to(VecOp::Store, width, to, &[columns[column].into()]);
            }
        }
    }

    /// 16 bytes of each row, as columns in registers.
    fn turned(&mut self, rows: usize, width: Width, reads: &mut Cursor) -> Vec<Reg> {
        let of_block = 16 / self.element;
        let mut vectors: Vec<Reg> = Vec::with_capacity(of_block);
        for row in 0..rows {
            let (from, block, vector) = (reads.next(&mut self.f), row / of_block, row % of_block);
            if block == 0 {
                vectors.push(self.f.vec(VecOp::Load, Width::X, &[from.into()]));
            } else {
                let two = [vectors[vector].into(), from.into()];
                vectors[vector] = self.f.vec_imm(VecOp::Insert128, width, &two, block as u8);
            }
        }
        vectors.resize_with(of_block, || self.f.zero());
        self.network(vectors, self.element, width)
    }

    /// A line of the caches of each row, 16 bytes at a time, becomes columns side by side. Some rows at a time, so that
    /// their lines stay near; the last rows first, as their stores reach beyond them.
    fn panel(&mut self, rows: usize, reads: &Cursor, writes: &Cursor) {
        let most = if self.element == 8 { self.width } else { Width::Y }.bytes() / self.element;
        let column = rows * self.element;
        for first in (0..rows).step_by(most).rev() {
            let count = most.min(rows - first);
            let width = match (count * self.element).div_ceil(16) {
                1 => Width::X,
                2 => Width::Y,
                _ => Width::Z,
            };
            let (lines, from) = reads.after(&mut self.f, first, 0);
            let (_, to) = writes.after(&mut self.f, 0, first * self.element);
            let parts = self.f.general();
            self.f.imm(ImmOp::Set, parts, LINE as i64 / 16);
            let head = self.f.bind_new();
            let mut columns = Cursor::fixed(Mem::at(to, 0), column);
            let mut lines = lines.again(&mut self.f);
            self.turn(count, width, &mut lines, &mut columns);
            self.f.imm(ImmOp::Add, from, 16);
            self.f.imm(ImmOp::Add, to, (16 / self.element * column) as i64);
            self.f.imm(ImmOp::Add, parts, -1);
            self.f.jump_if(Cond::Ne, head);
        }
    }

    fn interleave(&mut self, width: Width, group: usize, lanes: Option<Reg>, [reads, writes]: [&mut Cursor; 2]) {
        let mut rows = Vec::with_capacity(group);
        for _ in 0..group {
            let from = reads.next(&mut self.f);
            rows.push(self.ordered(width, lanes, from.into()));
        }
        let line = writes.next(&mut self.f);
        for (i, vector) in self.network(rows, self.element, width).into_iter().enumerate() {
            self.f.vec_to(VecOp::Store, width, line.offset((i * width.bytes()) as i32), &[vector.into()]);
        }
    }

    fn separate(&mut self, width: Width, group: usize, orders: (Reg, Option<Reg>), [reads, writes]: [&mut Cursor; 2]) {
        let line = reads.next(&mut self.f);
        let mut vectors = Vec::with_capacity(group);
        for i in 0..group {
            let from = line.offset((i * width.bytes()) as i32);
            let vector = self.f.vec(VecOp::Load, width, &[from.into()]);
            vectors.push(self.f.vec(VecOp::ShuffleB, width, &[vector.into(), orders.0.into()]));
        }
        for vector in self.network(vectors, 16 / group, width) {
            let row = self.ordered(width, orders.1, vector.into());
            let to = writes.next(&mut self.f);
            self.f.vec_to(VecOp::Store, width, to, &[row.into()]);
        }
    }

    /// A vector with its 32-bit lanes in another order.
    fn ordered(&mut self, width: Width, lanes: Option<Reg>, from: Operand) -> Reg {
        match lanes {
            Some(lanes) => self.f.vec(VecOp::PermuteD, width, &[lanes.into(), from]),
            None => self.f.vec(VecOp::Load, width, &[from]),
        }
    }
}
