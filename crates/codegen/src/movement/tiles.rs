//! A matrix cut in tiles.
//!
//! ```text
//! for each row of tiles:
//!     for each whole tile, the wide ones first:       lines to registers, network, registers to lines
//!     for each tile that sticks out:      what there is of it to the frame, the same network, and back from there
//! ```

use super::Writer;
use super::cursor::Cursor;
use super::lines::Line;
use super::networks::Network;
use crate::function::Function;
use crate::inst::{Base, Cond, GprOp, ImmOp, Mem, Reg, Width};
use crate::x86::VecOp;
use tilewright_loops::movement::{Arg, Order};

/// An axis of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Rows,
    Columns,
}

/// What is read, or what is written: lines of contiguous bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    base: Arg,
    pub(super) stride: Arg,
    /// The axis that counts the lines; the other runs along them.
    lines: Axis,
    /// Rows of the matrix in a line.
    pub(super) together: usize,
    /// Bytes of a line for each place along it.
    pub(super) unit: usize,
    /// From a line to the next in the frame.
    pitch: usize,
}

/// Rows and columns of the matrix that go through a network at once.
pub(super) struct Tile {
    width: Width,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Columns that there must be for a tile to be whole.
    least: usize,
    pub(super) reads: Side,
    pub(super) writes: Side,
    pub(super) network: Network,
}

/// What is left of a row of tiles, and where it is.
struct Rest {
    rows: Reg,
    columns: Reg,
    from: Reg,
    to: Reg,
}

impl Tile {
    fn new(w: &mut Writer, width: Width) -> Self {
        let (size, vector) = (w.element, width.bytes());
        let plain = |base, stride, lines, pitch| Side { base, stride, lines, together: 1, unit: size, pitch };
        let reads = |pitch| plain(Arg::From, Arg::FromRow, Axis::Rows, pitch);
        let writes = |lines, pitch| plain(Arg::To, Arg::ToRow, lines, pitch);
        let packed = |side: Side, group: u8, columns: usize| {
            let unit = size * usize::from(group);
            Side { together: group.into(), unit, pitch: unit * columns, ..side }
        };
        let (rows, columns, reads, writes) = match w.order {
            Order::Interleave { group } => {
                let columns = vector / size;
                (group.into(), columns, reads(vector), packed(writes(Axis::Rows, 0), group, columns))
            }
            Order::Separate { group } => {
                let columns = vector / size;
                (group.into(), columns, packed(reads(0), group, columns), writes(Axis::Rows, vector))
            }
            // Lines of the first cache are read whole: rows may stand where they drive each other out of it.
            Order::Panel { rows } => {
                let columns = LINE / size;
                (rows.into(), columns, reads(LINE), packed(writes(Axis::Rows, 0), rows, columns))
            }
            _ => (vector / size, 16 / size, reads(16), writes(Axis::Columns, vector)),
        };
        // What is stored behind the last row of a panel is overwritten by the columns that follow, so some must.
        let least = if matches!(w.order, Order::Panel { .. }) { columns + 16 / size } else { columns };
        let network = Network::new(w, width);
        Self { width, rows, columns, least, reads, writes, network }
    }

    fn extent(&self, axis: Axis) -> usize {
        if axis == Axis::Rows { self.rows } else { self.columns }
    }

    fn lines(&self, side: &Side) -> usize {
        self.extent(side.lines) / side.together
    }

    /// The place in the frame where a side's lines stand.
    fn frame(&self, side: &Side) -> Mem {
        let before = if side.base == Arg::From { 0 } else { self.lines(&self.reads) * self.reads.pitch };
        Mem { base: Base::Frame, index: None, disp: before as i32 }
    }
}

/// Bytes of a line of the caches.
pub(super) const LINE: usize = 64;

impl Writer {
    /// The orders that go through a network.
    pub(super) fn tiles(mut self) -> Function {
        let widths = self.widths();
        let tiles: Vec<Tile> = widths.iter().map(|width| Tile::new(&mut self, *width)).collect();
        let Some(last) = tiles.last() else { return self.f };
        let sizes = [&last.reads, &last.writes].map(|side| last.lines(side) * side.pitch);
        self.f.frame = self.f.frame.max(sizes[0] + sizes[1] + LINE);
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
        let bases = [self.load(Arg::From), self.load(Arg::To)];
        match self.order {
            Order::Transpose => tiles.iter().for_each(|tile| self.whole_rows(tile, rows, bases)),
            Order::Panel { .. } => {}
            _ => self.panel_groups(&tiles, rows, bases),
        }
        self.jump_if_zero(rows, end);
        let head = self.f.bind_new();
        let rest = self.rest(rows, bases);
        if self.order != Order::Transpose {
            let edges = self.f.label();
            self.f.imm(ImmOp::Compare, rows, last.rows as i64);
            self.f.jump_if(Cond::Below, edges);
            tiles.iter().for_each(|tile| self.whole_tiles(tile, &rest));
            self.f.bind(edges);
        }
        self.edge_tiles(last, &rest);
        self.down(last, rows, bases);
        self.f.imm(ImmOp::Compare, rows, 1);
        self.f.jump_if(Cond::NotLess, head);
        self.f.bind(end);
        self.f
    }

    /// The widths of tiles, the wide ones first; the last one serves at the edges. A long network is written for few.
    fn widths(&self) -> Vec<Width> {
        let all: &[Width] = match (self.order, self.element) {
            (Order::Panel { .. }, _) => &[self.width],
            (Order::Transpose, 1) => &[Width::Y],
            (Order::Transpose, 2) => &[self.width, Width::X],
            // A line of the caches is written whole, of vectors as wide as there are.
            (Order::Transpose, _) => return vec![Width::Z, Width::Y, Width::X],
            _ => &[Width::Z, Width::Y, Width::X],
        };
        all.iter().copied().filter(|width| *width <= self.width).collect()
    }

    /// A row of tiles that begins at these places.
    fn rest(&mut self, rows: Reg, bases: [Reg; 2]) -> Rest {
        let [from, to] = bases.map(|base| self.f.copy(base));
        Rest { rows, columns: self.load(Arg::Columns), from, to }
    }

    /// The rows of tiles of a Transpose that are whole. The last tile of each ends where the matrix ends.
    fn whole_rows(&mut self, tile: &Tile, rows: Reg, bases: [Reg; 2]) {
        let done = self.f.label();
        let columns = self.load(Arg::Columns);
        self.f.imm(ImmOp::Compare, columns, tile.columns as i64);
        self.f.jump_if(Cond::Below, done);
        self.f.imm(ImmOp::Compare, rows, tile.rows as i64);
        self.f.jump_if(Cond::Below, done);
        let head = self.f.bind_new();
        let rest = self.rest(rows, bases);
        let next = self.f.label();
        let again = self.f.bind_new();
        self.whole_tiles(tile, &rest);
        self.jump_if_zero(rest.columns, next);
        // As many columns back as a whole tile has more than are left.
        self.f.imm(ImmOp::Add, rest.columns, -(tile.columns as i64));
        for (side, at) in [(&tile.reads, rest.from), (&tile.writes, rest.to)] {
            let back = self.f.copy(rest.columns);
            match side.lines {
                Axis::Columns => self.f.gpr(GprOp::Mul, back, self.arg(side.stride)),
                Axis::Rows => self.f.imm(ImmOp::Mul, back, side.unit as i64),
            }
            self.f.gpr(GprOp::Add, at, back);
        }
        self.f.imm(ImmOp::Set, rest.columns, tile.columns as i64);
        self.f.jump(again);
        self.f.bind(next);
        self.down(tile, rows, bases);
        self.f.imm(ImmOp::Compare, rows, tile.rows as i64);
        self.f.jump_if(Cond::NotBelow, head);
        self.f.bind(done);
    }

    /// The tiles that are whole, in a row of whole tiles.
    fn whole_tiles(&mut self, tile: &Tile, rest: &Rest) {
        let done = self.f.label();
        self.f.imm(ImmOp::Compare, rest.columns, tile.least as i64);
        self.f.jump_if(Cond::Below, done);
        let sides = [(&tile.reads, rest.from), (&tile.writes, rest.to)]
            .map(|(side, start)| (side, start, (side.together == 1).then(|| self.load(side.stride))));
        let head = self.f.bind_new();
        let [mut reads, mut writes] = sides.map(|(side, start, stride)| {
            // Lines that follow each other across the matrix lead to the next tile.
            let at = if side.lines == Axis::Columns { start } else { self.f.copy(start) };
            Cursor::memory(at, stride)
        });
        tile.network.write(self, &mut reads, &mut writes);
        for (side, start, stride) in sides {
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
    fn edge_tiles(&mut self, tile: &Tile, rest: &Rest) {
        let done = self.f.label();
        self.jump_if_zero(rest.columns, done);
        let head = self.f.bind_new();
        let fixed = |side: &Side| Cursor::fixed(tile.frame(side), side.pitch);
        if let Order::Interleave { group } = self.order {
            let zero = self.f.zero();
            let mut lines = fixed(&tile.reads);
            for _ in 0..group {
                let at = lines.next(&mut self.f);
                self.f.vec_to(VecOp::Store, tile.width, at, &[zero.into()]);
            }
        }
        self.carry(tile, &tile.reads, rest);
        tile.network.write(self, &mut fixed(&tile.reads), &mut fixed(&tile.writes));
        self.carry(tile, &tile.writes, rest);
        self.past(&tile.reads, Axis::Columns, tile.columns, rest.from);
        self.past(&tile.writes, Axis::Columns, tile.columns, rest.to);
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
        self.f.gpr(GprOp::Address, inside, tile.frame(side));
        let head = self.f.bind_new();
        let (to, from) = if inward { (inside, outside) } else { (outside, inside) };
        let left = self.f.copy(bytes);
        self.line(Line { to, from: Some(from), bytes: left, ahead: None });
        let Some(count) = count else { return };
        self.f.imm(ImmOp::Add, inside, side.pitch as i64);
        self.f.gpr(GprOp::Add, outside, self.arg(side.stride));
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

    /// Moves to the next row of tiles.
    fn down(&mut self, tile: &Tile, rows: Reg, [from, to]: [Reg; 2]) {
        self.past(&tile.reads, Axis::Rows, tile.rows, from);
        self.past(&tile.writes, Axis::Rows, tile.rows, to);
        self.f.imm(ImmOp::Add, rows, -(tile.rows as i64));
    }

    /// Moves a side's pointer past places of an axis.
    fn past(&mut self, side: &Side, axis: Axis, places: usize, at: Reg) {
        if side.lines != axis {
            self.f.imm(ImmOp::Add, at, (places * side.unit) as i64);
            return;
        }
        let distance = self.load(side.stride);
        self.f.imm(ImmOp::Mul, distance, (places / side.together) as i64);
        self.f.gpr(GprOp::Add, at, distance);
    }
}
