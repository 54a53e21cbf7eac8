//! Reductions: along rows, along columns, and over loops around either.
//!
//! Sums and products of floats are in one order, whether their axes lie side by side in memory or not: along rows with
//! lanes over all axes that are taken as one, along columns as one chain over all axes.

use super::axes::{joined, merge};
use super::frame::{Around, Frame};
use super::kernel::{scratch, with_loops};
use super::leaf::Maker;
use super::part::Part;
use super::{Target, tile};
use tilewright_graph::Combiner;
use tilewright_graph::scalar::Scalar;
use tilewright_graph::scalars::Func;
use tilewright_loops::map::{self, Operand, Order, Sink};
use tilewright_nests::{Access, Buffer, Kernel, Kind, Size, Stmt};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

/// A reduction of a part whose reads are flat.
pub struct Reduction<'a> {
    part: Part,
    target: &'a Target<'a>,
    order: Order,
    combiner: map::Combiner,
    /// The dtype of accumulators.
    wide: DType,
}

/// The combiner of maps.
pub fn combiner_of(combiner: Combiner) -> Result<map::Combiner> {
    Ok(match combiner {
        Combiner::Sum => map::Combiner::Sum,
        Combiner::Prod => map::Combiner::Prod,
        Combiner::Max | Combiner::Any => map::Combiner::Max,
        Combiner::Min | Combiner::All => map::Combiner::Min,
        Combiner::ArgMax { last } => map::Combiner::ArgMax { last },
        Combiner::ArgMin { last } => map::Combiner::ArgMin { last },
        Combiner::Map => return Err(Diagnostic::internal("a reduction without a combiner")),
    })
}

/// The function that a combiner repeats.
pub fn func_of(combiner: Combiner) -> Func {
    match combiner {
        Combiner::Prod => Func::Mul,
        Combiner::Max | Combiner::Any => Func::Max,
        Combiner::Min | Combiner::All => Func::Min,
        _ => Func::Add,
    }
}

/// A kernel for a reduction whose values are taken along rows or along columns.
pub fn kernel(part: &Part, order: Order, target: &Target<'_>) -> Result<Kernel> {
    let mut part = merge(part);
    let (rank, combiner) = (part.rank(), combiner_of(part.combiner)?);
    let wide = combiner.result(part.body.dtype());
    let rounds = matches!(part.combiner, Combiner::Sum | Combiner::Prod) && wide.is_float();
    let one = part.combiner.is_arg() || rounds && order == Order::Rows;
    while let Some(last) = part.axes.len().checked_sub(2).filter(|a| one && *a >= rank && !part.axes[*a].outer) {
        part = joined(&part, last).ok_or_else(|| Diagnostic::unsupported("positions over separate axes"))?;
    }
    let several = part.axes.len() > rank + 1;
    let reduction = Reduction { part, target, order, combiner, wide };
    if several && rounds && order == Order::Columns { reduction.chain() } else { reduction.kernel() }
}

impl Reduction<'_> {
    fn kernel(&self) -> Result<Kernel> {
        let (part, rank) = (&self.part, self.part.rank());
        let last = part.axes.len().checked_sub(1).filter(|a| *a >= rank);
        let given = if self.order == Order::Rows { (None, last) } else { (last, None) };
        let frame = tile::choose(part, &[], given);
        if part.axes.len() <= rank + 1 {
            let leaf = self.whole(&frame)?;
            return with_loops(part, &frame, vec![leaf], (self.target, Vec::new()));
        }
        let loops = (rank..part.axes.len() - 1).map(|axis| Around { axis, step: 1, kind: Kind::Reduce });
        let inner = frame.inside(loops);
        let mut body = self.step(&inner)?;
        for depth in (frame.around.len()..inner.around.len()).rev() {
            body = Stmt::Loop(inner.ring(part, depth), vec![body]);
        }
        let body = vec![self.first(&frame)?, body, self.last(&frame)?];
        with_loops(part, &frame, body, (self.target, vec![self.accumulators(&frame)]))
    }

    /// A loop over all points, each of which is taken in where it stands.
    fn chain(&self) -> Result<Kernel> {
        let (part, rank) = (&self.part, self.part.rank());
        let frame = tile::choose(part, &[], (None, None));
        let inner = frame.inside((rank..part.axes.len()).map(|axis| Around { axis, step: 1, kind: Kind::Reduce }));
        let mut maker = self.maker(&inner);
        let value = maker.value(&part.body)?;
        let operand = self.tile(&frame, &mut maker);
        let sides = vec![maker.map.read(operand), value];
        maker.stage([Sink::Store { operand, value: Scalar::call(func_of(part.combiner), sides) }]);
        let mut body = maker.finish(inner.sizes(part))?;
        for depth in (frame.around.len()..inner.around.len()).rev() {
            body = Stmt::Loop(inner.ring(part, depth), vec![body]);
        }
        let mut maker = self.maker(&frame);
        let operand = self.tile(&frame, &mut maker);
        maker.stage([Sink::Store { operand, value: identity(part.combiner, part.body.dtype(), self.wide) }]);
        let first = maker.finish(frame.sizes(part))?;
        let mut maker = self.maker(&frame);
        let operand = self.tile(&frame, &mut maker);
        let result = maker.result(self.target.result.dtype);
        let value = maker.map.read(operand).cast(self.target.result.dtype);
        maker.stage([Sink::Store { operand: result, value }]);
        let last = maker.finish(frame.sizes(part))?;
        let [rows, columns] = [0, 1].map(|n| frame.sizes(part)[n].largest());
        with_loops(
            part,
            &frame,
            vec![first, body, last],
            (self.target, vec![scratch("acc", self.wide, rows * columns)]),
        )
    }

    /// One accumulator for each place of a tile.
    fn tile(&self, frame: &Frame, maker: &mut Maker<'_>) -> u32 {
        let size = self.wide.bits() as i64 / 8;
        let row = frame.sizes(&self.part)[1].largest() as i64 * size;
        let buffer = self.target.operands.len() + 1;
        let access = Access { buffer, offset: 0, steps: Vec::new(), row, column: size, indices: None };
        maker.operand(access, Operand::tile(self.wide))
    }

    /// One leaf that reduces and stores.
    fn whole(&self, frame: &Frame) -> Result<Stmt> {
        let mut maker = self.maker(frame);
        let value = maker.value(&self.part.body)?;
        let result = maker.result(self.target.result.dtype);
        maker.stage([Sink::Reduce { combiner: self.combiner, value }]);
        let value = maker.map.value_of_row(0).cast(self.target.result.dtype);
        maker.stage([Sink::Store { operand: result, value }]);
        maker.finish(frame.sizes(&self.part))
    }

    fn maker<'b>(&'b self, frame: &'b Frame) -> Maker<'b> {
        Maker::new(&self.part, frame, self.target.operands, self.order)
    }

    /// Accumulators become what changes nothing.
    fn first(&self, frame: &Frame) -> Result<Stmt> {
        let mut maker = self.maker(frame);
        let operand = self.accumulator(&mut maker);
        maker.stage([Sink::Store { operand, value: identity(self.part.combiner, self.part.body.dtype(), self.wide) }]);
        maker.finish(self.sizes(frame))
    }

    /// Accumulators take in the points of a leaf.
    fn step(&self, frame: &Frame) -> Result<Stmt> {
        let mut maker = self.maker(frame);
        let value = maker.value(&self.part.body)?;
        let operand = self.accumulator(&mut maker);
        maker.stage([Sink::Reduce { combiner: self.combiner, value }]);
        let sides = vec![maker.map.read(operand), maker.map.value_of_row(0)];
        maker.stage([Sink::Store { operand, value: Scalar::call(func_of(self.part.combiner), sides) }]);
        maker.finish(frame.sizes(&self.part))
    }

    /// Accumulators become results.
    fn last(&self, frame: &Frame) -> Result<Stmt> {
        let mut maker = self.maker(frame);
        let operand = self.accumulator(&mut maker);
        let result = maker.result(self.target.result.dtype);
        let value = maker.map.read(operand).cast(self.target.result.dtype);
        maker.stage([Sink::Store { operand: result, value }]);
        maker.finish(self.sizes(frame))
    }

    /// One accumulator for each row, or for each column.
    fn accumulator(&self, maker: &mut Maker<'_>) -> u32 {
        let size = self.wide.bits() as i64 / 8;
        let access = |row, column| Access {
            buffer: self.target.operands.len() + 1,
            offset: 0,
            steps: Vec::new(),
            row,
            column,
            indices: None,
        };
        match self.order {
            Order::Rows => maker.operand(access(size, 0), Operand::column(self.wide)),
            Order::Columns => maker.operand(access(0, size), Operand::row(self.wide)),
        }
    }

    fn sizes(&self, frame: &Frame) -> Vec<Size> {
        let sizes = frame.sizes(&self.part);
        match self.order {
            Order::Rows => vec![sizes[0], Size::Fixed(1)],
            Order::Columns => vec![Size::Fixed(1), sizes[1]],
        }
    }

    fn accumulators(&self, frame: &Frame) -> Buffer {
        let [rows, columns] = [0, 1].map(|n| self.sizes(frame)[n].largest());
        scratch("acc", self.wide, rows * columns)
    }
}

/// What changes nothing, of the dtype of accumulators.
pub fn identity(combiner: Combiner, dtype: DType, wide: DType) -> Scalar {
    let (low, high) = tilewright_tensor::convert::int_bounds(dtype);
    let (float, int) = match combiner {
        Combiner::Prod | Combiner::All => (1.0, 1),
        Combiner::Max => (f64::NEG_INFINITY, low),
        Combiner::Min => (f64::INFINITY, high),
        _ => (0.0, 0),
    };
    if wide.is_float() { Scalar::konst(wide, float) } else { Scalar::int(wide, int) }
}
