//! The Map form, step by step over strips of columns.
//!
//! ```text
//! for each row, or in the order of columns for each strip of columns:
//!     for each pass:
//!         steps that do not vary along the pass
//!         for each strip of the row, or for each row:    the other steps, stores, combiners
//!         the tree of each reduction along a row; what is stored once
//! ```

use super::prims::{Apply, fastest};
use super::strip::{Cell, Kind, Strip, WIDTH};
use tilewright_loops::block::{Block, Step};
use tilewright_loops::map::{Fold, Index, LANES, Map, Operand, Order, Pass, Program, Stride};
use tilewright_loops::prim::Lane;

/// Runs a map; `args` as the module [`tilewright_loops::map`] says.
///
/// # Safety
/// The arguments describe operands that are there.
pub unsafe fn map(form: &Map, program: &Program, args: *const u64) {
    // SAFETY: as the caller promises.
    unsafe { map_with(form, program, args, fastest()) };
}

/// The same by given loops, which the machine can run.
///
/// # Safety
/// As [`map`].
pub(super) unsafe fn map_with(form: &Map, program: &Program, args: *const u64, apply: Apply) {
    // SAFETY: the block of arguments of a map has this length.
    let args = unsafe { std::slice::from_raw_parts(args, form.arguments()) };
    let run = Run::new(form, args, apply);
    let mut works: Vec<Work> = program.passes.iter().map(|pass| Work::new(form, pass)).collect();
    let mut values = Vec::new();
    let mut line = |first: Place| {
        values.clear();
        works.iter_mut().for_each(|work| run.pass(work, first, &mut values));
    };
    let [m, n] = run.sizes;
    match form.order {
        Order::Rows => (0..m).for_each(|row| line(Place { row, column: 0, count: WIDTH.min(n) })),
        Order::Columns => {
            (0..n).step_by(WIDTH).for_each(|column| line(Place { row: 0, column, count: WIDTH.min(n - column) }))
        }
    }
}

/// Some columns of a row.
#[derive(Clone, Copy)]
struct Place {
    row: usize,
    column: usize,
    count: usize,
}

/// A pass, and room for what it computes.
struct Work<'a> {
    pass: &'a Pass,
    values: Vec<Strip>,
    /// Steps that do not vary along the pass, and those that do.
    outer: Vec<usize>,
    inner: Vec<usize>,
    folds: Vec<Sums<'a>>,
}

/// A reduction: its accumulators, and room for the steps of its combiner.
struct Sums<'a> {
    fold: &'a Fold,
    sums: Vec<Strip>,
    values: Vec<Strip>,
    finish: Vec<Strip>,
}

impl<'a> Work<'a> {
    fn new(map: &Map, pass: &'a Pass) -> Self {
        let moving = |n: &usize| pass.varies[*n].inner(map.order);
        let (inner, outer) = (0..pass.block.steps().len()).partition(moving);
        let folds = pass.folds.iter().map(|fold| Sums {
            fold,
            sums: vec![Strip::splat(0, true); fold.combine.lanes.len()],
            values: constants(&fold.combine.block),
            finish: constants(&fold.combine.finish.0),
        });
        Self { pass, values: constants(&pass.block), outer, inner, folds: folds.collect() }
    }
}

/// Strips of the steps of a block, of which the constants are there.
fn constants(block: &Block) -> Vec<Strip> {
    let strip = |(step, lane): &(Step, Lane)| match step {
        Step::Const(bits) => Strip::splat(*bits, is_wide(*lane)),
        _ => Strip::splat(0, true),
    };
    block.steps().iter().map(strip).collect()
}

fn is_wide(lane: Lane) -> bool {
    lane.bits() == 64
}

/// Where an operand is.
struct Side {
    operand: Operand,
    base: usize,
    row: isize,
    column: isize,
    /// The address of the indices of its rows, and how they are stored.
    indices: Option<(usize, Index)>,
    kind: Kind,
    /// Whether a store happens for every element of a pass.
    moves: bool,
}

impl Side {
    fn new(map: &Map, o: usize, args: &[u64]) -> Self {
        let (operand, count) = (map.operands[o], map.operands.len());
        let kind = Kind::new(&operand);
        let column = match operand.column {
            Stride::General => args[2 * count + o] as isize,
            _ => operand.place(1, 0).0,
        };
        Self {
            operand,
            base: args[o] as usize,
            row: if operand.has_rows() { args[count + o] as isize } else { 0 },
            column,
            indices: map.indices(o).map(|(at, index)| (args[at] as usize, index)),
            kind,
            moves: if map.order == Order::Rows { !fixed(&operand) } else { operand.has_rows() },
        }
    }

    /// # Safety
    /// The row has an index, if rows have.
    unsafe fn at(&self, place: Place) -> *mut u8 {
        let row = match self.indices {
            None => place.row,
            // SAFETY: as the caller promises.
            Some((table, Index::I32)) => unsafe { (table as *const u32).add(place.row).read_unaligned() as usize },
            // SAFETY: as above.
            Some((table, Index::I64)) => unsafe { (table as *const u64).add(place.row).read_unaligned() as usize },
        };
        let (byte, _) = self.operand.place(place.column, self.column);
        let row = (row as isize).wrapping_mul(self.row);
        self.base.wrapping_add_signed(row).wrapping_add_signed(byte) as *mut u8
    }

    /// The elements whose numbers are the first lanes of a strip, with the columns added if `along` says from which on,
    /// where a mask holds; zeros elsewhere.
    ///
    /// # Safety
    /// Where the mask holds the elements are there.
    unsafe fn gather(
        &self,
        [index, mask]: [&Strip; 2],
        (wide, along): (bool, Option<usize>),
        count: usize,
        to: &mut Strip,
    ) {
        let mut one = Strip::splat(0, true);
        for lane in 0..count {
            let number = if wide { index.get(lane, true) as isize } else { index.get(lane, false) as i32 as isize };
            let number = number.wrapping_add(along.map_or(0, |first| (first + lane) as isize));
            let bits = mask.get(lane, false) != 0;
            if bits {
                let from = self.base.wrapping_add_signed(number.wrapping_mul(self.kind.size as isize)) as *const u8;
                // SAFETY: as the caller promises.
                unsafe { one.load(self.kind, from, 0, 1) };
            }
            let large = self.kind.size == 8;
            to.set(lane, large, if bits { one.get(0, large) } else { 0 });
        }
    }

    /// Lanes to load of so many columns: one element serves all.
    fn lanes(&self, count: usize, whole: usize) -> usize {
        if fixed(&self.operand) { whole } else { count }
    }
}

/// Whether one element serves all columns.
fn fixed(operand: &Operand) -> bool {
    operand.column == Stride::Zero
}

struct Run {
    order: Order,
    sizes: [usize; 2],
    sides: Vec<Side>,
    places: Vec<u64>,
    apply: Apply,
}

impl Run {
    fn new(map: &Map, args: &[u64], apply: Apply) -> Self {
        let count = map.operands.len();
        let sides = (0..count).map(|o| Side::new(map, o, args)).collect();
        let sizes = [args[3 * count] as usize, args[3 * count + 1] as usize];
        Self { order: map.order, sizes, sides, places: args[map.first_place()..].to_vec(), apply }
    }

    /// One pass; adds its reductions to the values of the row, or of the columns.
    fn pass(&self, work: &mut Work<'_>, first: Place, of_line: &mut Vec<Strip>) {
        let Work { pass, values, outer, inner, folds } = work;
        let known = of_line.as_slice();
        let leaf = |place: Place, n: usize, before: &[Strip], to: &mut Strip| {
            self.leaf(&pass.block, n, (place, known, before), to)
        };
        self.compute(&pass.block, outer.iter().copied(), WIDTH, values, |n, before, to| leaf(first, n, before, to));
        folds.iter_mut().for_each(Sums::start);
        let [m, n] = self.sizes;
        let mut visit = |place: Place| {
            let steps = inner.iter().copied();
            self.compute(&pass.block, steps, lanes(place.count), values, |n, before, to| leaf(place, n, before, to));
            folds.iter_mut().for_each(|sums| self.fold(sums, values, place.count));
            self.store(pass, values, place, true);
        };
        match self.order {
            Order::Rows => {
                (0..n).step_by(WIDTH).for_each(|column| visit(Place { column, count: WIDTH.min(n - column), ..first }))
            }
            Order::Columns => (0..m).for_each(|row| visit(Place { row, ..first })),
        }
        self.store(pass, values, first, false);
        of_line.extend(folds.iter_mut().map(|sums| self.finish(sums)));
    }

    /// Computes some steps of a block; `leaf` those that are neither constants nor primitives, given the strips before.
    fn compute(
        &self,
        block: &Block,
        steps: impl Iterator<Item = usize>,
        count: usize,
        values: &mut [Strip],
        leaf: impl Fn(usize, &[Strip], &mut Strip),
    ) {
        for n in steps {
            let (before, rest) = values.split_at_mut(n);
            match block.steps()[n].0 {
                Step::Const(_) => {}
                Step::Prim(prim, args) => {
                    let strips = args.map(|a| &before[a.index()]);
                    // SAFETY: the loops were chosen for this machine.
                    unsafe { (self.apply)(prim, block.lane(args[2]), count, &mut rest[0], strips) };
                }
                _ => leaf(n, before, &mut rest[0]),
            }
        }
    }

    /// A step without arguments, or one that reads memory; there are values of the line and of the steps before it.
    fn leaf(&self, block: &Block, n: usize, (place, of_line, before): (Place, &[Strip], &[Strip]), to: &mut Strip) {
        let (step, lane) = block.steps()[n];
        match step {
            Step::Load(o) => {
                let side = &self.sides[o as usize];
                let count = side.lanes(place.count, WIDTH);
                // SAFETY: the arguments describe operands that are there.
                unsafe { to.load(side.kind, side.at(place), side.column, count) };
            }
            Step::Gather { operand, index, mask, along } => {
                let lanes = [index, mask].map(|v| &before[v.index()]);
                let kind = (is_wide(block.lane(index)), along.then_some(place.column));
                // SAFETY: the arguments describe operands that are there, and column 0 has its elements in any tile.
                unsafe { self.sides[operand as usize].gather(lanes, kind, place.count.max(1), to) };
            }
            Step::Row => *to = Strip::splat(place.row as u64, false),
            Step::Column => *u32::lanes_mut(to) = std::array::from_fn(|n| (place.column + n) as u32),
            Step::OfRow(r) => *to = of_line[r as usize],
            Step::Place(p) => *to = Strip::splat(self.places[p as usize], is_wide(lane)),
            Step::Const(_) | Step::Prim(..) => {}
        }
    }

    /// Stores what moves along the pass, or what does not.
    fn store(&self, pass: &Pass, values: &[Strip], place: Place, moving: bool) {
        for (o, val) in &pass.stores {
            let side = &self.sides[*o as usize];
            if side.moves == moving {
                let count = side.lanes(place.count, 1);
                let wide = is_wide(pass.block.lane(*val));
                // SAFETY: the arguments describe operands that are there.
                unsafe { values[val.index()].store(wide, side.kind, side.at(place), (side.column, count)) };
            }
        }
    }

    /// Combines accumulators with a strip of values: along a row those of every 32 columns after each other.
    fn fold(&self, sums: &mut Sums<'_>, values: &[Strip], count: usize) {
        let group = if self.order == Order::Rows { LANES } else { WIDTH };
        let fold = sums.fold;
        for first in (0..count).step_by(group) {
            let incoming = |n: usize| (&values[fold.values[n].index()], first);
            self.combine(sums, incoming, group.min(count - first));
        }
    }

    /// Combines accumulators with what comes in, in the first lanes; `incoming` says in which strip it is, from which
    /// lane on.
    fn combine<'s>(&self, sums: &mut Sums<'_>, incoming: impl Fn(usize) -> (&'s Strip, usize), count: usize) {
        let Sums { fold, sums, values, .. } = sums;
        let combine = &fold.combine;
        let steps = 0..combine.block.steps().len();
        self.compute(&combine.block, steps, lanes(count), values, |at, _, to| {
            if let Step::OfRow(n) = combine.block.steps()[at].0 {
                let (n, known) = (n as usize, sums.len());
                let (strip, first) = if n < known { (&sums[n], 0) } else { incoming(n - known) };
                to.copy(strip, first, count, is_wide(combine.lanes[n % known]));
            }
        });
        for ((sum, val), lane) in sums.iter_mut().zip(&combine.results).zip(&combine.lanes) {
            sum.copy(&values[val.index()], 0, count, is_wide(*lane));
        }
    }

    /// The value of a reduction, along a row the same in every lane.
    fn finish(&self, sums: &mut Sums<'_>) -> Strip {
        let rows = self.order == Order::Rows;
        let mut half = if rows { LANES / 2 } else { 0 };
        while half > 0 {
            let all = sums.sums.clone();
            self.combine(sums, |n| (&all[n], half), half);
            half /= 2;
        }
        let (block, value) = &sums.fold.combine.finish;
        self.compute(block, 0..block.steps().len(), WIDTH, &mut sums.finish, |at, _, to| {
            if let Step::OfRow(n) = block.steps()[at].0 {
                *to = sums.sums[n as usize];
            }
        });
        let (found, wide) = (sums.finish[value.index()], is_wide(block.lane(*value)));
        if rows { Strip::splat(found.get(0, wide), wide) } else { found }
    }
}

impl Sums<'_> {
    /// Accumulators before anything came.
    fn start(&mut self) {
        let combine = &self.fold.combine;
        for ((sum, bits), lane) in self.sums.iter_mut().zip(&combine.identity).zip(&combine.lanes) {
            *sum = Strip::splat(*bits, is_wide(*lane));
        }
    }
}

/// Lanes to compute for so many columns: whole vectors, so that no loop has a rest.
fn lanes(columns: usize) -> usize {
    columns.next_multiple_of(LANES)
}
