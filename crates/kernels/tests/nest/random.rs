//! Random kernels: trees of loops around leaves whose operands lie in buffers of their own.

mod product;

use super::rng::Random;
use std::sync::Arc;
use tilewright_loops::map::{Combiner, Map, Operand, Order as Along, Rows, Sink, Stride};
use tilewright_loops::movement::{Index, Move, Order};
use tilewright_loops::normalize;
use tilewright_nests::{Access, Buffer, Form, Kernel, Kind, Leaf, Loop, Place, Role, Size, Stmt};
use tilewright_scalar::{Func, Pred, Scalar};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// A kernel, and for each argument the number that its elements are below, where they are indices.
pub struct Case {
    pub kernel: Kernel,
    pub limits: Vec<Option<usize>>,
}

/// Elements along rows or columns: all of them, and the block of each iteration of the loop at a depth.
#[derive(Clone, Copy)]
struct Extent {
    total: usize,
    cut: Option<(usize, usize)>,
}

impl Extent {
    fn size(self) -> Size {
        match self.cut {
            None => Size::Fixed(self.total),
            Some((depth, block)) => Size::Rest { block, total: self.total, depth },
        }
    }

    /// So many elements for each of these.
    fn times(self, n: usize) -> Self {
        Self { total: self.total * n, cut: self.cut.map(|(depth, block)| (depth, block * n)) }
    }

    fn whole(total: usize) -> Self {
        Self { total, cut: None }
    }
}

/// How an operand lies in its buffer.
#[derive(Clone, Copy)]
struct Shape {
    operand: Operand,
    rows: Extent,
    columns: Extent,
    stored: bool,
    /// Whether rows may go back.
    either: bool,
}

struct Maker<'r> {
    r: &'r mut Random,
    buffers: Vec<Buffer>,
    limits: Vec<Option<usize>>,
    around: Vec<Loop>,
}

pub fn case(r: &mut Random) -> Case {
    let mut maker = Maker { r, buffers: Vec::new(), limits: Vec::new(), around: Vec::new() };
    for _ in 0..maker.r.below(3) {
        let trips = [0, 1, 2, 3, 3, 5, 5, 5][maker.r.below(8)];
        maker.around.push(Loop { axis: "p".into(), kind: Kind::Parallel, trips });
    }
    let parallel = maker.around.clone();
    let body = maker.body(2);
    let Maker { buffers, limits, .. } = maker;
    Case { kernel: Kernel { name: "random".into(), buffers, parallel, body }, limits }
}

impl Maker<'_> {
    fn body(&mut self, depth: usize) -> Vec<Stmt> {
        let mut all = Vec::new();
        for _ in 0..1 + self.r.below(2) {
            if depth == 0 || self.r.below(2) == 0 {
                self.leaf(&mut all);
                continue;
            }
            let kind = [Kind::Sequential, Kind::Reduce, Kind::Scan][self.r.below(3)];
            let l = Loop { axis: "s".into(), kind, trips: [0, 1, 2, 4, 4, 4][self.r.below(6)] };
            self.around.push(l.clone());
            let inner = self.body(depth - 1);
            self.around.pop();
            all.push(Stmt::Loop(l, inner));
        }
        all
    }

    fn extent(&mut self, most: usize) -> Extent {
        let depth = self.r.below(2 * self.around.len() + 1);
        let Some(l) = self.around.get(depth).filter(|l| l.trips > 0) else {
            return Extent::whole(self.r.below(most));
        };
        let block = 1 + self.r.below(most);
        let most = if self.r.below(4) == 0 { block * l.trips + 1 } else { block };
        let less = self.r.below(most);
        Extent { total: block * l.trips - less, cut: Some((depth, block)) }
    }

    /// A new buffer with an operand in it.
    fn place(&mut self, shape: Shape, limit: Option<usize>) -> Access {
        let Shape { operand, rows, columns, stored, either } = shape;
        let size = operand.dtype.bits() / 8;
        let column = match operand.column {
            Stride::General => size * (1 + self.r.below(3)),
            Stride::Unit => size,
            _ => 0,
        };
        let mut reach = (columns.total * column).max(size);
        let row = if operand.has_rows() { reach + size * self.r.below(3) } else { 0 };
        reach = reach.max(rows.total * row);
        let mut offset = size * self.r.below(3);
        let back = either && rows.total > 0 && self.r.below(4) == 0;
        offset += if back { row * (rows.total - 1) } else { 0 };
        let row = if back { -(row as i64) } else { row as i64 };
        let column = column as i64;
        let mut steps = vec![0i64; self.around.len()];
        for (depth, l) in self.around.iter().enumerate().rev() {
            let cut = |e: Extent, stride: i64| e.cut.filter(|c| c.0 == depth).map_or(0, |c| c.1 as i64 * stride);
            let merged = cut(rows, row) + cut(columns, column);
            if merged != 0 {
                steps[depth] = merged;
            } else if (stored && l.kind == Kind::Parallel) || self.r.below(2) == 0 {
                let step = reach + size * self.r.below(2);
                let backward = self.r.below(4) == 0 && l.trips > 0;
                steps[depth] = if backward { -(step as i64) } else { step as i64 };
                offset += if backward { step * (l.trips - 1) } else { 0 };
                reach = step * l.trips.max(1);
            }
        }
        let role = if stored { Role::Update } else { Role::Read };
        let name = format!("b{}", self.buffers.len()).into();
        // Elements of a whole number, so that the buffer ends with one.
        self.buffers.push(Buffer { name, dtype: operand.dtype, bytes: offset + reach, role });
        self.limits.push(limit);
        let (buffer, offset) = (self.buffers.len() - 1, offset as i64);
        Access { buffer, offset, steps, row, column, indices: None }
    }

    fn leaf(&mut self, all: &mut Vec<Stmt>) {
        match self.r.below(13) {
            0 => self.through_scratch(all),
            1 => self.in_place(all),
            10 => self.flat(all),
            11 | 12 => self.product(all),
            2..=4 => self.movement(all),
            _ => self.map(all),
        }
    }

    fn push(&mut self, all: &mut Vec<Stmt>, form: Form, sizes: &[Extent], operands: Vec<Access>) {
        let sizes = sizes.iter().map(|e| e.size()).collect();
        all.push(Stmt::Leaf(Leaf { form, sizes, operands, places: Vec::new() }));
    }

    fn operand(&mut self, dtype: DType) -> Operand {
        let index = if self.r.below(2) == 0 { Index::I32 } else { Index::I64 };
        let rows = [Rows::Strided, Rows::Strided, Rows::One, Rows::Indexed(index)][self.r.below(4)];
        let column = [Stride::Unit, Stride::Unit, Stride::Zero, Stride::General][self.r.below(4)];
        Operand { dtype, rows, column }
    }

    fn map(&mut self, all: &mut Vec<Stmt>) {
        let tile = Operand::tile(DType::F32);
        let dtype =
            [DType::F32, DType::F32, DType::BF16, DType::F16, DType::I32, DType::I8, DType::F64][self.r.below(7)];
        let other = self.operand(DType::F32);
        let (map, stored) = match self.r.below(6) {
            0 => (sums(tile, Along::Rows), 1),
            1 => (sums(tile, Along::Columns), 1),
            2 => (normalize::softmax(tile, tile, DType::F32), 1),
            3 => (
                affine(
                    self.operand(dtype),
                    Operand { column: [Stride::Unit, Stride::General][self.r.below(2)], ..Operand::tile(dtype) },
                ),
                1,
            ),
            4 => (numbered(self.r.below(2) == 0), 1),
            _ => (largest(tile, other), 2),
        };
        let most = if self.r.below(3) == 0 { 90 } else { 20 };
        let (rows, columns) = (self.extent(9), self.extent(most));
        let mut accesses = Vec::new();
        for (o, operand) in map.operands.iter().enumerate() {
            let shape = Shape { operand: *operand, rows, columns, stored: o == stored, either: true };
            accesses.push(self.tile(shape));
        }
        let places = (0..map.places).map(|_| self.number()).collect();
        let (form, sizes) = (Form::Map(Arc::new(map)), vec![rows.size(), columns.size()]);
        all.push(Stmt::Leaf(Leaf { form, sizes, operands: accesses, places }));
    }

    fn number(&mut self) -> Place {
        let mut small = || self.r.below(9) as i64 - 4;
        Place { offset: small(), steps: self.around.iter().map(|_| small()).collect() }
    }

    /// A buffer with an operand in it, and its indices.
    fn tile(&mut self, shape: Shape) -> Access {
        let Rows::Indexed(index) = shape.operand.rows else { return self.place(shape, None) };
        let there = 1 + self.r.below(5);
        let access = self.place(Shape { rows: Extent::whole(there), ..shape }, None);
        Access { indices: Some(Box::new(self.indices(index, shape.rows, there))), ..access }
    }

    fn indices(&mut self, index: Index, rows: Extent, below: usize) -> Access {
        let dtype = if index == Index::I32 { DType::I32 } else { DType::I64 };
        let shape =
            Shape { operand: Operand::row(dtype), rows: Extent::whole(1), columns: rows, stored: false, either: false };
        self.place(shape, Some(below))
    }

    /// Elements by their numbers, which follow the loops.
    fn flat(&mut self, all: &mut Vec<Stmt>) {
        let (rows, columns) = (self.extent(9), self.extent(40));
        let there = 1 + self.r.below(60);
        let operands = vec![Operand::flat(DType::F32), Operand::tile(DType::F32)];
        let map = Map { operands, places: 2, narrow: self.r.below(2) == 0, ..Map::default() };
        let along = Ix::konst(self.r.below(4) as i64 - 1);
        let number = &(&Ix::axis(1) * &along) + &(&Map::place(0) - &Ix::axis(0));
        let preds = Pred::within(&number, &Map::place(1)).to_vec();
        let read = map.read_flat(0, number);
        let value = Scalar::guarded(preds, read.clone(), read.lit(2.0));
        let map = map.stage([Sink::Store { operand: 1, value }]);
        let shape = Shape {
            operand: map.operands[0],
            rows: Extent::whole(1),
            columns: Extent::whole(there),
            stored: false,
            either: false,
        };
        let from = self.place(shape, None);
        let to = self.place(Shape { operand: map.operands[1], rows, columns, stored: true, either: true }, None);
        let steps = (0..self.around.len()).map(|_| self.r.below(9) as i64 - 4).collect();
        let first = Place { offset: self.r.below(20) as i64 - 10, steps };
        let end = Place { offset: there as i64, steps: Vec::new() };
        let sizes = vec![rows.size(), columns.size()];
        let form = Form::Map(Arc::new(map));
        all.push(Stmt::Leaf(Leaf { form, sizes, operands: vec![from, to], places: vec![first, end] }));
    }

    fn in_place(&mut self, all: &mut Vec<Stmt>) {
        let tile = Operand::tile(DType::F32);
        let (rows, columns) = (self.extent(9), self.extent(40));
        let access = self.place(Shape { operand: tile, rows, columns, stored: true, either: true }, None);
        self.push(all, Form::Map(Arc::new(affine(tile, tile))), &[rows, columns], vec![access.clone(), access]);
    }

    fn through_scratch(&mut self, all: &mut Vec<Stmt>) {
        let tile = Operand::tile(DType::F32);
        let (rows, columns) = (self.extent(9), self.extent(40));
        let shape = Shape { operand: tile, rows, columns, stored: false, either: false };
        let from = self.place(shape, None);
        let mut kept = self.place(Shape { stored: true, ..shape }, None);
        self.buffers[kept.buffer].role = Role::Scratch;
        // Each iteration has the same place.
        let bytes = rows.total as i64 * kept.row;
        self.buffers[kept.buffer].bytes = bytes as usize;
        (kept.offset, kept.steps) = (0, Vec::new());
        let to = self.place(Shape { stored: true, ..shape }, None);
        let map = Arc::new(affine(tile, tile));
        self.push(all, Form::Map(map.clone()), &[rows, columns], vec![from, kept.clone()]);
        self.push(all, Form::Map(map), &[rows, columns], vec![kept, to]);
    }

    fn movement(&mut self, all: &mut Vec<Stmt>) {
        let dtype = [DType::U8, DType::F16, DType::F32, DType::F64][self.r.below(4)];
        let element = (dtype.bits() / 8) as u8;
        let (mut rows, columns) = (self.extent(20), self.extent(40));
        let tile = Operand::tile(dtype);
        let shape = |rows, columns, stored| Shape { operand: tile, rows, columns, stored, either: false };
        let line = |columns| Shape {
            operand: Operand::row(dtype),
            rows: Extent::whole(1),
            columns,
            stored: true,
            either: false,
        };
        let mut sizes = vec![rows, columns];
        let (order, to) = match self.r.below(5) {
            0 => (Order::Copy { stream: false }, shape(rows, columns, true)),
            1 => (Order::Transpose, shape(columns, rows, true)),
            2 if columns.cut.is_none() => {
                let padded = Extent::whole(columns.total + self.r.below(4));
                sizes.push(padded);
                (Order::Gather(Index::I64), shape(rows, padded, true))
            }
            3 if element < 4 && rows.cut.is_none() => {
                let group = 4 / element;
                let groups = Extent::whole(rows.total.div_ceil(group.into()));
                (Order::Interleave { group }, shape(groups, columns.times(group.into()), true))
            }
            _ => {
                let high = 1 + self.r.below(12);
                rows = Extent::whole(high);
                sizes[0] = rows;
                (Order::Panel { rows: high as u8 }, line(columns.times(high)))
            }
        };
        let there = 1 + self.r.below(5);
        let from = match order {
            Order::Gather(index) => {
                let access = self.place(shape(Extent::whole(there), columns, false), None);
                Access { indices: Some(Box::new(self.indices(index, rows, there))), ..access }
            }
            _ => self.place(shape(rows, columns, false), None),
        };
        let to = self.place(to, None);
        self.push(all, Form::Move(Move { element, order }), &sizes, vec![from, to]);
    }
}

fn over(operands: &[Operand]) -> Map {
    Map { operands: operands.to_vec(), ..Map::default() }
}

fn affine(from: Operand, to: Operand) -> Map {
    let map = over(&[from, to]);
    let x = map.read(0);
    let value = &(&x * &x.lit(2.0)) + &x.lit(1.0);
    map.stage([Sink::Store { operand: 1, value }])
}

/// A number of each element is added, in a tile that starts at a place.
fn numbered(narrow: bool) -> Map {
    let map = Map { places: 1, narrow, ..over(&[Operand::tile(DType::F32), Operand::tile(DType::F32)]) };
    let number = &(&Map::place(0) + &(&Ix::axis(0) * &Ix::konst(-3))) + &(&Ix::axis(1) * &Ix::konst(2));
    let value = map.read(0) + Scalar::index(number).cast(DType::F32);
    map.stage([Sink::Store { operand: 1, value }])
}

fn largest(a: Operand, b: Operand) -> Map {
    let map = over(&[a, b, Operand::tile(DType::F32)]);
    let value = Scalar::call(Func::Max, vec![map.read(0), map.read(1)]) - map.read(1);
    map.stage([Sink::Store { operand: 2, value }])
}

fn sums(tile: Operand, order: Along) -> Map {
    let to = if order == Along::Rows { Operand::column(tile.dtype) } else { Operand::row(tile.dtype) };
    let map = Map { order, ..over(&[tile, to]) };
    let map = map.clone().stage([Sink::Reduce { combiner: Combiner::Sum, value: map.read(0) }]);
    let value = map.value_of_row(0);
    map.stage([Sink::Store { operand: 1, value }])
}
