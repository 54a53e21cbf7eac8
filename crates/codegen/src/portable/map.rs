//! The Map form, step by step over strips of 32 columns.
//!
//! ```text
//! for each row, or in the order of columns for each strip of columns:
//!     for each pass:
//!         steps that do not vary along the pass
//!         for each strip of the row, or for each row:    the other steps, stores, combiners
//!         the tree of each reduction along a row; what is stored once
//! ```

use super::prims::{Apply, fastest};
use super::strip::{Cell, Strip};
use tilewright_loops::block::{Block, Step};
use tilewright_loops::map::{Fold, LANES, Map, Order, Pass, Program, Stride};
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
    let args = unsafe { std::slice::from_raw_parts(args, 3 * form.operands.len() + 2) };
    let run = Run { map: form, args, apply };
    let mut works: Vec<Work> = program.passes.iter().map(|pass| Work::new(form, pass)).collect();
    let [m, n] = run.sizes();
    let mut values = Vec::new();
    let mut line = |first: Place| {
        values.clear();
        works.iter_mut().for_each(|work| run.pass(work, first, &mut values));
    };
    match form.order {
        Order::Rows => (0..m).for_each(|row| line(Place { row, column: 0, count: LANES })),
        Order::Columns => {
            (0..n).step_by(LANES).for_each(|column| line(Place { row: 0, column, count: LANES.min(n - column) }))
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
            sums: Vec::new(),
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

struct Run<'a> {
    map: &'a Map,
    args: &'a [u64],
    apply: Apply,
}

impl Run<'_> {
    fn sizes(&self) -> [usize; 2] {
        let end = self.args.len();
        [self.args[end - 2] as usize, self.args[end - 1] as usize]
    }

    /// One pass; adds its reductions to the values of the row, or of the columns.
    fn pass(&self, work: &mut Work<'_>, first: Place, of_line: &mut Vec<Strip>) {
        let Work { pass, values, outer, inner, folds } = work;
        self.compute(&pass.block, outer, values, |step, to| self.leaf(step, first, of_line, to));
        for Sums { fold, sums, .. } in folds.iter_mut() {
            let identity = fold.combine.identity.iter().zip(&fold.combine.lanes);
            *sums = identity.map(|(bits, lane)| Strip::splat(*bits, is_wide(*lane))).collect();
        }
        let [m, n] = self.sizes();
        let mut visit = |place: Place| {
            self.compute(&pass.block, inner, values, |step, to| self.leaf(step, place, of_line, to));
            for sums in folds.iter_mut() {
                let incoming: Vec<Strip> = sums.fold.values.iter().map(|v| values[v.index()]).collect();
                self.combine(sums, &incoming, place.count);
            }
            self.store(pass, values, place, true);
        };
        match self.map.order {
            Order::Rows => {
                (0..n).step_by(LANES).for_each(|column| visit(Place { column, count: LANES.min(n - column), ..first }))
            }
            Order::Columns => (0..m).for_each(|row| visit(Place { row, ..first })),
        }
        self.store(pass, values, first, false);
        of_line.extend(folds.iter_mut().map(|sums| self.finish(sums)));
    }

    /// Computes some steps of a block; `leaf` those that are neither constants nor primitives.
    fn compute(&self, block: &Block, steps: &[usize], values: &mut [Strip], leaf: impl Fn(Step, &mut Strip)) {
        for n in steps {
            let (before, rest) = values.split_at_mut(*n);
            match block.steps()[*n].0 {
                Step::Const(_) => {}
                Step::Prim(prim, args) => {
                    let strips = args.map(|a| &before[a.index()]);
                    // SAFETY: the loops were chosen for this machine.
                    unsafe { (self.apply)(prim, block.lane(args[2]), &mut rest[0], strips) };
                }
                step => leaf(step, &mut rest[0]),
            }
        }
    }

    fn leaf(&self, step: Step, place: Place, of_line: &[Strip], to: &mut Strip) {
        match step {
            Step::Load(o) => {
                let operand = self.map.operands[o as usize];
                let count = if operand.column == Stride::Zero { LANES } else { place.count };
                // SAFETY: the arguments describe operands that are there.
                unsafe { to.load(operand.dtype, self.at(o, place), self.step(o), count) };
            }
            Step::Row => *to = Strip::splat(place.row as u64, false),
            Step::Column => *u32::lanes_mut(to) = std::array::from_fn(|n| (place.column + n) as u32),
            Step::OfRow(r) => *to = of_line[r as usize],
            Step::Const(_) | Step::Prim(..) => {}
        }
    }

    /// Bytes from column to column.
    fn step(&self, o: u32) -> usize {
        let operand = self.map.operands[o as usize];
        match operand.column {
            Stride::Zero => 0,
            Stride::Unit => operand.dtype.bits() / 8,
            Stride::General => self.args[2 * self.map.operands.len() + o as usize] as usize,
        }
    }

    fn at(&self, o: u32, place: Place) -> *mut u8 {
        let rows = if self.map.operands[o as usize].rows { place.row } else { 0 };
        let row = self.args[self.map.operands.len() + o as usize] as usize;
        let base = self.args[o as usize] as *mut u8;
        base.wrapping_add(rows.wrapping_mul(row)).wrapping_add(place.column * self.step(o))
    }

    /// Stores what moves along the pass, or what does not.
    fn store(&self, pass: &Pass, values: &[Strip], place: Place, moving: bool) {
        for (o, val) in &pass.stores {
            let operand = self.map.operands[*o as usize];
            let moves = if self.map.order == Order::Rows { operand.column != Stride::Zero } else { operand.rows };
            if moves == moving {
                let count = if operand.column == Stride::Zero { 1 } else { place.count };
                let (wide, size) = (is_wide(pass.block.lane(*val)), operand.dtype.bits() / 8);
                // SAFETY: the arguments describe operands that are there.
                unsafe { values[val.index()].store(wide, size, self.at(*o, place), (self.step(*o), count)) };
            }
        }
    }

    /// Combines accumulators with what comes in, in the first lanes.
    fn combine(&self, sums: &mut Sums<'_>, incoming: &[Strip], count: usize) {
        let Sums { fold, sums, values, .. } = sums;
        let block = &fold.combine.block;
        let steps: Vec<usize> = (0..block.steps().len()).collect();
        self.compute(block, &steps, values, |step, to| {
            if let Step::OfRow(n) = step {
                let n = n as usize;
                *to = if n < sums.len() { sums[n] } else { incoming[n - sums.len()] };
            }
        });
        for ((sum, val), lane) in sums.iter_mut().zip(&fold.combine.results).zip(&fold.combine.lanes) {
            let (new, wide) = (&values[val.index()], is_wide(*lane));
            match count {
                LANES => *sum = *new,
                _ => (0..count).for_each(|n| sum.set(n, wide, new.get(n, wide))),
            }
        }
    }

    /// The value of a reduction, along a row the same in every lane.
    fn finish(&self, sums: &mut Sums<'_>) -> Strip {
        let rows = self.map.order == Order::Rows;
        let mut half = if rows { LANES / 2 } else { 0 };
        while half > 0 {
            let upper: Vec<Strip> =
                sums.sums.iter().zip(&sums.fold.combine.lanes).map(|(s, l)| shifted(s, half, is_wide(*l))).collect();
            self.combine(sums, &upper, half);
            half /= 2;
        }
        let (block, value) = &sums.fold.combine.finish;
        let steps: Vec<usize> = (0..block.steps().len()).collect();
        self.compute(block, &steps, &mut sums.finish, |step, to| {
            if let Step::OfRow(n) = step {
                *to = sums.sums[n as usize];
            }
        });
        let (found, wide) = (sums.finish[value.index()], is_wide(block.lane(*value)));
        if rows { Strip::splat(found.get(0, wide), wide) } else { found }
    }
}

/// The lanes after the first `half` ones, moved to the front.
fn shifted(strip: &Strip, half: usize, wide: bool) -> Strip {
    let mut moved = *strip;
    (0..half).for_each(|n| moved.set(n, wide, strip.get(n + half, wide)));
    moved
}
