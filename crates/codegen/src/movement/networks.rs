//! Networks of unpacks.
//!
//! A step unpacks vector `i` with vector `i + count / 2` into vectors `2i` and `2i + 1`. In the number of a vector followed
//! by the number of an element in 128 bits it rotates the bits by one; after as many steps as bits of the first, the two
//! have changed places: a matrix of elements is transposed in each block of 128 bits.

use super::Writer;
use super::tiles::Cursor;
use crate::inst::{ImmOp, MaskOp, Masking, Mem, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::movement::Order;
use tilewright_support::target::Level;

/// What turns a tile, and the constants that it needs.
pub(super) enum Network {
    /// Rows become columns: so many rows, and a mask for each block of 128 bits after the first.
    Turn(usize, Vec<Reg>),
    /// Rows to groups: the number of rows, and the places of 32-bit lanes.
    Interleave(usize, Reg),
    /// Groups to rows: the number of rows, the places of bytes, and those of 32-bit lanes.
    Separate(usize, Reg, Reg),
}

impl Network {
    pub(super) fn new(w: &mut Writer) -> Self {
        let blocks = w.width.bytes() / 16;
        match w.order {
            Order::Interleave { group } => {
                let group = group.into();
                // A block of a row goes in parts to all vectors; a vector takes parts that follow each other.
                let lanes = w.lanes(group, |part| part % group * blocks + part / group);
                Self::Interleave(group, lanes)
            }
            Order::Separate { group } => {
                let group = group.into();
                let bytes = w.parts(group);
                let lanes = w.lanes(group, |part| part % blocks * group + part / blocks);
                Self::Separate(group, bytes, lanes)
            }
            Order::Panel { rows } => Self::turn(w, rows.into()),
            _ => Self::turn(w, w.width.bytes() / w.element),
        }
    }

    fn turn(w: &mut Writer, rows: usize) -> Self {
        let blocks = (rows * w.element).div_ceil(16).min(w.width.bytes() / 16);
        let masks = if w.level == Level::Avx512 { 1..blocks } else { 0..0 };
        Self::Turn(rows, masks.map(|block| w.block_mask(block)).collect())
    }

    /// Reads the lines of a tile, turns them, and writes the lines that result.
    pub(super) fn write(&self, w: &mut Writer, reads: &mut Cursor, writes: &mut Cursor) {
        match self {
            Self::Turn(rows, masks) => w.turn(*rows, masks, reads, writes),
            Self::Interleave(group, lanes) => w.interleave(*group, *lanes, reads, writes),
            Self::Separate(group, bytes, lanes) => w.separate(*group, [*bytes, *lanes], reads, writes),
        }
    }
}

impl Writer {
    /// A mask of the 32-bit lanes of a block of 128 bits.
    fn block_mask(&mut self, block: usize) -> Reg {
        let lanes = self.f.general();
        self.f.imm(ImmOp::Set, lanes, 0xf << (4 * block));
        self.f.mask_op(MaskOp::FromGeneral, lanes, None)
    }

    /// The order of 32-bit lanes that brings parts of 16 bytes, `group` in a block, from the places that `source` says.
    fn lanes(&mut self, group: usize, source: impl Fn(usize) -> usize) -> Reg {
        let of_part = 4 / group;
        let lanes = (0..self.width.bytes() / 4).map(|lane| source(lane / of_part) * of_part + lane % of_part);
        let bytes: Vec<u8> = lanes.flat_map(|lane| (lane as u32).to_le_bytes()).collect();
        let constant = self.f.constant(&bytes);
        self.f.vec(VecOp::Load, self.width, &[constant.into()])
    }

    /// The order of bytes that brings together what belongs to one row of a group, in each block of 128 bits.
    fn parts(&mut self, group: usize) -> Reg {
        let (size, part) = (self.element, 16 / group);
        let bytes = (0..self.width.bytes()).map(|byte| {
            let (row, column, rest) = (byte % 16 / part, byte % part / size, byte % size);
            ((column * group + row) * size + rest) as u8
        });
        let bytes: Vec<u8> = bytes.collect();
        let constant = self.f.constant(&bytes);
        self.f.vec(VecOp::Load, self.width, &[constant.into()])
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

    fn turn(&mut self, rows: usize, masks: &[Reg], reads: &mut Cursor, writes: &mut Cursor) {
        let per_vector = self.width.bytes() / self.element;
        let mut turned = Vec::new();
        for first in (0..rows).step_by(per_vector) {
            let count = per_vector.min(rows - first);
            let width = match (count * self.element).div_ceil(16) {
                1 => Width::X,
                2 => Width::Y,
                _ => Width::Z,
            };
            let columns = self.blocks_of_rows(count, width, masks, reads);
            turned.push((self.network(columns, self.element, width), width));
        }
        for line in 0..16 / self.element {
            let mut at = writes.next(&mut self.f);
            for (vectors, width) in &turned {
                self.f.vec_to(VecOp::Store, *width, at, &[vectors[line].into()]);
                at = at.offset(width.bytes() as i32);
            }
        }
    }

    /// Vectors with 16 bytes of each row: as many rows as a block has elements go to the first block of each vector.
    fn blocks_of_rows(&mut self, rows: usize, width: Width, masks: &[Reg], reads: &mut Cursor) -> Vec<Reg> {
        let of_block = 16 / self.element;
        let mut vectors = Vec::with_capacity(of_block);
        for row in 0..rows {
            let (from, block, vector) = (reads.next(&mut self.f), row / of_block, row % of_block);
            match block {
                0 => vectors.push(self.f.vec(VecOp::Load, Width::X, &[from.into()])),
                _ => self.insert(vectors[vector], from, width, masks.get(block - 1).copied()),
            }
        }
        vectors.resize_with(of_block, || self.f.zero());
        vectors
    }

    /// Loads 128 bits into a block of a vector: the one of the mask, or the second of two.
    fn insert(&mut self, vector: Reg, from: Mem, width: Width, mask: Option<Reg>) {
        match mask {
            Some(by) => {
                let mask = Some(Masking { by, zero: false });
                self.f.vec_inst(VecOp::Splat128, width, vector.into(), &[from.into()], None, mask);
            }
            None => {
                let two = [vector.into(), from.into()];
                self.f.vec_inst(VecOp::InsertUpper, width, vector.into(), &two, Some(1), None);
            }
        }
    }

    fn interleave(&mut self, group: usize, lanes: Reg, reads: &mut Cursor, writes: &mut Cursor) {
        let width = self.width;
        let mut rows = Vec::with_capacity(group);
        for _ in 0..group {
            let from = reads.next(&mut self.f);
            rows.push(self.f.vec(VecOp::PermuteD, width, &[lanes.into(), from.into()]));
        }
        let line = writes.next(&mut self.f);
        for (i, vector) in self.network(rows, self.element, width).into_iter().enumerate() {
            self.f.vec_to(VecOp::Store, width, line.offset((i * width.bytes()) as i32), &[vector.into()]);
        }
    }

    fn separate(&mut self, group: usize, [bytes, lanes]: [Reg; 2], reads: &mut Cursor, writes: &mut Cursor) {
        let width = self.width;
        let line = reads.next(&mut self.f);
        let mut vectors = Vec::with_capacity(group);
        for i in 0..group {
            let from = line.offset((i * width.bytes()) as i32);
            let vector = self.f.vec(VecOp::Load, width, &[from.into()]);
            vectors.push(self.f.vec(VecOp::ShuffleB, width, &[vector.into(), bytes.into()]));
        }
        for vector in self.network(vectors, 16 / group, width) {
            let row = self.f.vec(VecOp::PermuteD, width, &[lanes.into(), vector.into()]);
            let to = writes.next(&mut self.f);
            self.f.vec_to(VecOp::Store, width, to, &[row.into()]);
        }
    }
}
