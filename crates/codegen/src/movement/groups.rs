//! The groups of rows of a panel: a matrix of so few columns that its tiles stand in the loop over the groups one beside
//! the other, and little else.

use super::Writer;
use super::cursor::Cursor;
use super::tiles::{LINE, Side, Tile};
use crate::inst::{Cond, GprOp, ImmOp, Inst, Mem, Reg};
use tilewright_loops::movement::Arg;

/// The columns of a panel are so many, or twice, three or four times as many.
const COLUMNS: usize = 16;
const MOST: usize = 4;

/// Rows that are hinted at ahead of those that are read.
const AHEAD: i64 = 24;

impl Writer {
    /// The whole groups of a matrix that is a panel; moves rows and places past them.
    pub(super) fn panel_groups(&mut self, tiles: &[Tile], rows: Reg, bases: [Reg; 2]) {
        let Some(last) = tiles.last() else { return };
        let end = self.f.label();
        self.f.imm(ImmOp::Compare, rows, last.rows as i64);
        self.f.jump_if(Cond::Below, end);
        let columns = self.load(Arg::Columns);
        for wide in (1..=MOST).map(|times| times * COLUMNS) {
            let next = self.f.label();
            self.f.imm(ImmOp::Compare, columns, wide as i64);
            self.f.jump_if(Cond::Ne, next);
            self.groups(tiles, wide, rows, bases);
            self.f.jump(end);
            self.f.bind(next);
        }
        self.f.bind(end);
    }

    /// One group of so many columns after the other.
    fn groups(&mut self, tiles: &[Tile], columns: usize, rows: Reg, bases: [Reg; 2]) {
        let Some(Tile { rows: group, reads, writes, .. }) = tiles.last() else { return };
        let sides = [reads, writes];
        let strides = sides.map(|side| self.load(side.stride));
        let ahead = (reads.together == 1).then(|| {
            let ahead = self.f.copy(strides[0]);
            self.f.imm(ImmOp::Mul, ahead, AHEAD);
            self.f.gpr(GprOp::Add, ahead, bases[0]);
            ahead
        });
        let head = self.f.bind_new();
        if let Some(ahead) = ahead {
            let (mut lines, _) = at(reads, ahead, strides[0]).after(&mut self.f, 0, 0);
            for _ in 0..*group {
                let line = lines.next(&mut self.f);
                for part in (0..columns * reads.unit).step_by(LINE) {
                    self.f.push(Inst::Prefetch(line.offset(part as i32)));
                }
            }
            self.next_group(reads, *group, ahead, strides[0]);
        }
        let mut first = 0;
        while let Some(tile) = tiles.iter().find(|tile| first + tile.columns <= columns) {
            let [mut from, mut to] = [0, 1].map(|i| {
                let whole = at(sides[i], bases[i], strides[i]);
                whole.after(&mut self.f, 0, first * sides[i].unit).0
            });
            tile.network.write(self, &mut from, &mut to);
            first += tile.columns;
        }
        for i in [0, 1] {
            self.next_group(sides[i], *group, bases[i], strides[i]);
        }
        self.f.imm(ImmOp::Add, rows, -(*group as i64));
        self.f.imm(ImmOp::Compare, rows, *group as i64);
        self.f.jump_if(Cond::NotBelow, head);
    }

    /// Moves a pointer past the lines of a group.
    fn next_group(&mut self, side: &Side, group: usize, place: Reg, stride: Reg) {
        if side.together > 1 {
            return self.f.gpr(GprOp::Add, place, stride);
        }
        for _ in 0..group / 2 {
            self.f.gpr(GprOp::Address, place, Mem::at(place, 0).plus(stride, 2));
        }
    }
}

/// The lines of a group.
fn at(side: &Side, place: Reg, stride: Reg) -> Cursor {
    Cursor::memory(place, (side.together == 1).then_some(stride))
}
