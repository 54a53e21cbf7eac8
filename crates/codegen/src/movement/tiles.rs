//! A matrix cut in tiles.
//!
//! ```text
//! for each row of tiles:
//!     for each whole tile:                  lines to registers, network, registers to lines
//!     for each tile that sticks out:        what there is of it to the frame, the same network, and back from there
//! ```

use super::Writer;
use super::lines::Line;
use super::networks::Network;
use crate::function::Function;
use crate::inst::{Base, Cond, GprOp, ImmOp, Mem, Reg};
use crate::x86::VecOp;
use tilewright_loops::movement::{Arg, Order};

/// An axis of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Rows,
    Columns,
}

/// From a line to the next.
#[derive(Clone, Copy, Debug)]
enum Stride {
    Arg(Arg),
    Bytes(usize),
}

/// What is read, or what is written: lines of contiguous bytes.
#[derive(Clone, Copy, Debug)]
struct Side {
    base: Arg,
    stride: Stride,
    /// The axis that counts the lines; the other runs along them.
    lines: Axis,
    /// Rows of the matrix in a line.
    together: usize,
    /// Bytes of a line for each place along it.
    unit: usize,
    /// Where its lines stand in the frame, and the distance between them.
    frame: usize,
    pitch: usize,
}

/// Rows and columns of the matrix that go through the network at once.
#[derive(Debug)]
struct Tile {
    rows: usize,
    columns: usize,
    /// Columns that there must be for a tile to be whole.
    least: usize,
    reads: Side,
    writes: Side,
}

impl Tile {
    fn extent(&self, axis: Axis) -> usize {
        if axis == Axis::Rows { self.rows } else { self.columns }
    }

    fn lines(&self, side: &Side) -> usize {
        self.extent(side.lines) / side.together
    }
}

/// Lines visited one after the other.
pub(super) enum Cursor {
    /// In memory: a pointer that moves, the distance, and the lines visited.
    Memory(Reg, Option<Reg>, usize),
    /// In the frame: the place and the distance.
    Frame(usize, usize),
}

impl Cursor {
    /// The next line.
    pub(super) fn next(&mut self, f: &mut Function) -> Mem {
        match self {
            Self::Memory(at, stride, visited) => {
                *visited += 1;
                match (stride, *visited % 2) {
                    (Some(stride), 0) => Mem::at(*at, 0).plus(*stride, 1),
                    (Some(stride), _) if *visited > 1 => {
                        f.gpr(GprOp::Address, *at, Mem::at(*at, 0).plus(*stride, 2));
                        Mem::at(*at, 0)
                    }
                    _ => Mem::at(*at, 0),
                }
            }
            Self::Frame(place, pitch) => {
                let at = Mem { base: Base::Frame, index: None, disp: *place as i32 };
                *place += *pitch;
                at
            }
        }
    }
}

/// What is left of a row of tiles, and where it is.
struct Rest {
    rows: Reg,
    columns: Reg,
    from: Reg,
    to: Reg,
}

impl Writer {
    /// The orders that go through a network.
    pub(super) fn tiles(mut self) -> Function {
        let tile = self.tile();
        let network = Network::new(&mut self);
        let end = self.f.label();
        let rows = match self.order {
            Order::Panel { rows } => {
                let count = self.f.general();
                self.f.imm(ImmOp::Set, count, rows.into());
                count
            }
            _ => self.load(Arg::Rows),
        };
        self.jump_if_zero(rows, end);
        let from = self.load(Arg::From);
        let to = self.load(Arg::To);
        let head = self.f.bind_new();
        let rest = Rest { rows, columns: self.load(Arg::Columns), from: self.f.copy(from), to: self.f.copy(to) };
        self.whole_tiles(&tile, &network, &rest);
        self.edge_tiles(&tile, &network, &rest);
        self.down(&tile, &tile.reads, from);
        self.down(&tile, &tile.writes, to);
        self.f.imm(ImmOp::Add, rows, -(tile.rows as i64));
        self.f.imm(ImmOp::Compare, rows, 1);
        self.f.jump_if(Cond::NotLess, head);
        self.f.bind(end);
        self.finish()
    }

    fn tile(&mut self) -> Tile {
        let (size, vector) = (self.element, self.width.bytes());
        let side = |base, stride, lines, together, unit, pitch| {
            let stride = Stride::Arg(stride);
            Side { base, stride, lines, together, unit, frame: 0, pitch }
        };
        let plain = |base, stride, lines, pitch| side(base, stride, lines, 1, size, pitch);
        let packed =
            |base, stride, group: u8| side(base, stride, Axis::Rows, group.into(), size * usize::from(group), 0);
        let short = 16 / size;
        let reads = |lines, pitch| plain(Arg::From, Arg::FromRow, lines, pitch);
        let writes = |lines, pitch| plain(Arg::To, Arg::ToRow, lines, pitch);
        let (rows, columns, reads, writes) = match self.order {
            Order::Interleave { group } => {
                (group.into(), vector / size, reads(Axis::Rows, vector), packed(Arg::To, Arg::ToRow, group))
            }
            Order::Separate { group } => {
                (group.into(), vector / size, packed(Arg::From, Arg::FromRow, group), writes(Axis::Rows, vector))
            }
            Order::Panel { rows } => {
                let rows = usize::from(rows);
                let stride = Stride::Bytes(rows * size);
                // Blocks of rows take whole vectors.
                let pitch = (rows * size).next_multiple_of(vector);
                (rows, short, reads(Axis::Rows, 16), Side { stride, ..writes(Axis::Columns, pitch) })
            }
            _ => (vector / size, short, reads(Axis::Rows, 16), writes(Axis::Columns, vector)),
        };
        // What is stored behind the last row of a panel is overwritten by the columns that follow, so some must.
        let least = if matches!(self.order, Order::Panel { .. }) { 2 * columns } else { columns };
        let mut tile = Tile { rows, columns, least, reads, writes };
        let bytes = |tile: &Tile, side: &Side| (tile.lines(side) * side.pitch).max(4 * vector);
        tile.writes.frame = bytes(&tile, &tile.reads);
        self.f.frame = tile.writes.frame + bytes(&tile, &tile.writes);
        tile
    }

    /// The tiles that are whole.
    fn whole_tiles(&mut self, tile: &Tile, network: &Network, rest: &Rest) {
        let done = self.f.label();
        self.f.imm(ImmOp::Compare, rest.rows, tile.rows as i64);
        self.f.jump_if(Cond::Below, done);
        self.f.imm(ImmOp::Compare, rest.columns, tile.least as i64);
        self.f.jump_if(Cond::Below, done);
        let strides = [&tile.reads, &tile.writes].map(|side| (tile.lines(side) > 1).then(|| self.stride(side)));
        let head = self.f.bind_new();
        let [mut reads, mut writes] =
            [(&tile.reads, rest.from, strides[0]), (&tile.writes, rest.to, strides[1])].map(|(side, start, stride)| {
                // Lines that follow each other across the matrix lead to the next tile.
                let at = if side.lines == Axis::Columns { start } else { self.f.copy(start) };
                Cursor::Memory(at, stride, 0)
            });
        network.write(self, &mut reads, &mut writes);
        for (side, start, stride) in [(&tile.reads, rest.from, strides[0]), (&tile.writes, rest.to, strides[1])] {
            match (side.lines, stride) {
                // Lines are even in number: the pointer stands at the last but one.
                (Axis::Columns, Some(stride)) => {
                    self.f.gpr(GprOp::Address, start, Mem::at(start, 0).plus(stride, 2));
                }
                _ => self.f.imm(ImmOp::Add, start, (tile.columns * side.unit) as i64),
            }
        }
        self.f.imm(ImmOp::Add, rest.columns, -(tile.columns as i64));
        self.f.imm(ImmOp::Compare, rest.columns, tile.least as i64);
        self.f.jump_if(Cond::NotBelow, head);
        self.f.bind(done);
    }

    /// The tiles that stick out, or all of a row of tiles that does.
    fn edge_tiles(&mut self, tile: &Tile, network: &Network, rest: &Rest) {
        let done = self.f.label();
        self.jump_if_zero(rest.columns, done);
        let head = self.f.bind_new();
        if tile.writes.together > 1 {
            let zero = self.f.zero();
            let mut lines = Cursor::Frame(tile.reads.frame, tile.reads.pitch);
            for _ in 0..tile.lines(&tile.reads) {
                let at = lines.next(&mut self.f);
                self.f.vec_to(VecOp::Store, self.width, at, &[zero.into()]);
            }
        }
        self.carry(tile, &tile.reads, rest);
        let [mut reads, mut writes] = [&tile.reads, &tile.writes].map(|side| Cursor::Frame(side.frame, side.pitch));
        network.write(self, &mut reads, &mut writes);
        self.carry(tile, &tile.writes, rest);
        self.across(tile, &tile.reads, rest.from);
        self.across(tile, &tile.writes, rest.to);
        self.f.imm(ImmOp::Add, rest.columns, -(tile.columns as i64));
        self.f.imm(ImmOp::Compare, rest.columns, 1);
        self.f.jump_if(Cond::NotLess, head);
        self.f.bind(done);
    }

    /// What there is of a side's lines, from memory to the frame or back.
    fn carry(&mut self, tile: &Tile, side: &Side, rest: &Rest) {
        let left = |axis| if axis == Axis::Rows { rest.rows } else { rest.columns };
        let along = if side.lines == Axis::Rows { Axis::Columns } else { Axis::Rows };
        let bytes = self.at_most(left(along), tile.extent(along));
        self.f.imm(ImmOp::Mul, bytes, side.unit as i64);
        let count = (side.together == 1).then(|| self.at_most(left(side.lines), tile.extent(side.lines)));
        let inward = side.base == Arg::From;
        let outside = self.f.copy(if inward { rest.from } else { rest.to });
        let inside = self.f.general();
        let frame = Mem { base: Base::Frame, index: None, disp: side.frame as i32 };
        self.f.gpr(GprOp::Address, inside, frame);
        let head = self.f.bind_new();
        let (to, from) = if inward { (inside, outside) } else { (outside, inside) };
        let left = self.f.copy(bytes);
        self.line(Line { to, from: Some(from), bytes: left });
        let Some(count) = count else { return };
        self.f.imm(ImmOp::Add, inside, side.pitch as i64);
        match side.stride {
            Stride::Arg(arg) => self.f.gpr(GprOp::Add, outside, self.arg(arg)),
            Stride::Bytes(bytes) => self.f.imm(ImmOp::Add, outside, bytes as i64),
        }
        self.f.imm(ImmOp::Add, count, -1);
        self.f.jump_if(Cond::Ne, head);
    }

    /// The smaller of a count and a constant.
    fn at_most(&mut self, count: Reg, most: usize) -> Reg {
        let (least, fits) = (self.f.copy(count), self.f.label());
        self.f.imm(ImmOp::Compare, least, most as i64);
        self.f.jump_if(Cond::Below, fits);
        self.f.imm(ImmOp::Set, least, most as i64);
        self.f.bind(fits);
        least
    }

    fn stride(&mut self, side: &Side) -> Reg {
        match side.stride {
            Stride::Arg(arg) => self.load(arg),
            Stride::Bytes(bytes) => {
                let stride = self.f.general();
                self.f.imm(ImmOp::Set, stride, bytes as i64);
                stride
            }
        }
    }

    /// Moves a side's pointer to the next tile of the row.
    fn across(&mut self, tile: &Tile, side: &Side, at: Reg) {
        self.past(side, Axis::Columns, tile.columns, at);
    }

    /// Moves a side's pointer to the next row of tiles.
    fn down(&mut self, tile: &Tile, side: &Side, at: Reg) {
        self.past(side, Axis::Rows, tile.rows, at);
    }

    fn past(&mut self, side: &Side, axis: Axis, places: usize, at: Reg) {
        if side.lines != axis {
            self.f.imm(ImmOp::Add, at, (places * side.unit) as i64);
            return;
        }
        let distance = self.stride(side);
        self.f.imm(ImmOp::Mul, distance, (places / side.together) as i64);
        self.f.gpr(GprOp::Add, at, distance);
    }
}
