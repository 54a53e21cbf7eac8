//! Scans: a loop along the scanned axis over accumulators for all other places of a tile.

use super::axes::merge;
use super::frame::Around;
use super::kernel::{scratch, with_loops};
use super::leaf::Maker;
use super::part::Part;
use super::reduce::{combiner_of, func_of, identity};
use super::{Target, tile};
use tilewright_graph::Role;
use tilewright_graph::scalar::Scalar;
use tilewright_loops::map::{Operand, Order, Sink};
use tilewright_nests::{Access, Kernel, Kind, Stmt};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// A kernel for a scan of a part whose reads are flat.
pub fn kernel(part: &Part, target: &Target<'_>) -> Result<Kernel> {
    let missing = || Diagnostic::internal("a scan without its axis");
    let is_scan = |role: Role| matches!(role, Role::Scan { .. });
    let scanned = part.axes.iter().position(|a| is_scan(a.role)).ok_or_else(missing)?;
    let Role::Scan { reverse, exclusive } = part.axes[scanned].role else { return Err(missing()) };
    let part = merge(&if reverse { turned(part, scanned) } else { part.clone() });
    let axis = part.axes.iter().position(|a| is_scan(a.role));
    let taken: Vec<usize> = axis.into_iter().collect();
    let frame = tile::choose(&part, &taken, (None, None));
    let inner = frame.inside(axis.map(|axis| Around { axis, step: 1, kind: Kind::Scan }));
    let wide = match part.body.dtype() {
        DType::Bool => DType::I32,
        dtype => combiner_of(part.combiner)?.result(dtype),
    };
    let sizes = frame.sizes(&part);
    let row = sizes[1].largest() as i64;

    let mut maker = Maker::new(&part, &frame, target.operands, Order::Rows);
    let operand = accumulator(&mut maker, wide, (target.operands.len() + 1, row));
    maker.stage([Sink::Store { operand, value: identity(part.combiner, part.body.dtype(), wide) }]);
    let first = maker.finish(sizes.clone())?;

    let mut maker = Maker::new(&part, &inner, target.operands, Order::Rows);
    let value = maker.value(&part.body)?.cast(wide);
    let operand = accumulator(&mut maker, wide, (target.operands.len() + 1, row));
    let result = maker.result(target.result.dtype);
    let before = maker.map.read(operand);
    let after = Scalar::call(func_of(part.combiner), vec![before.clone(), value]);
    let here = if exclusive { before } else { after.clone() };
    let stores = [(result, here.cast(target.result.dtype)), (operand, after)];
    maker.stage(stores.map(|(operand, value)| Sink::Store { operand, value }));
    let step = maker.finish(sizes.clone())?;

    let step = match axis {
        Some(_) => Stmt::Loop(inner.ring(&part, frame.around.len()), vec![step]),
        None => step,
    };
    let buffer = scratch("acc", wide, sizes[0].largest() * sizes[1].largest());
    with_loops(&part, &frame, vec![first, step], (target, vec![buffer]))
}

fn accumulator(maker: &mut Maker<'_>, wide: DType, (buffer, row): (usize, i64)) -> u32 {
    let row = row * wide.bits() as i64 / 8;
    let access = Access { buffer, offset: 0, steps: Vec::new(), row, column: wide.bits() as i64 / 8, indices: None };
    maker.operand(access, Operand::tile(wide))
}

/// The part with an axis counted from its other end.
fn turned(part: &Part, axis: usize) -> Part {
    let last = part.axes[axis].extent - 1;
    let own = |a: usize| if a == axis { Ix::konst(last) - Ix::axis(a as u32) } else { Ix::axis(a as u32) };
    let values: Vec<Ix> = (0..part.axes.len()).map(own).collect();
    let mut turned = part.over(part.axes.clone(), &values);
    turned.offset += last * turned.axes[axis].stride;
    turned.axes[axis].stride *= -1;
    turned
}
