//! Reductions over few points as expressions: windows, small trailing dims.

use super::part::{Part, Span};
use super::reduce::{func_of, identity};
use tilewright_graph::Combiner;
use tilewright_graph::scalar::Scalar;
use tilewright_loops::map::Order;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Points of a reduction that is always written out.
pub const FEW: i64 = 8;

/// Points of a reduction that is written out where it would run along columns.
const WINDOW: i64 = 32;

/// Nodes of what is written out.
const LARGEST: usize = 1024;

/// A reduction as a map: the points in rising order, one after the other. None where they are many.
pub fn unrolled(part: &Part, order: Order) -> Option<Part> {
    let rank = part.rank();
    let extents: Vec<i64> = part.axes[rank..].iter().map(|a| a.extent).collect();
    let points = extents.iter().try_fold(1i64, |n, e| n.checked_mul(*e))?;
    let most = if order == Order::Columns { WINDOW } else { FEW };
    let mut nodes = 0;
    part.body.visit(&mut |_| nodes += 1);
    let few = points <= most && points as usize * nodes <= LARGEST && !part.combiner.is_arg();
    if points != 1 && !few {
        return None;
    }
    let terms: Vec<Scalar> = (0..points).map(|at| term(part, rank, at)).collect();
    let dtype = part.body.dtype();
    let first = identity(part.combiner, dtype, dtype);
    let body = match part.combiner.is_arg() {
        true => Scalar::int(DType::I64, 0),
        false => terms.into_iter().fold(first, |sum, x| Scalar::call(func_of(part.combiner), vec![sum, x])),
    };
    let axes: Vec<Span> = part.axes[..rank].to_vec();
    Some(Part { axes, combiner: Combiner::Map, body, offset: part.offset })
}

/// The value at a point of the reduction, counted row-major.
fn term(part: &Part, rank: usize, at: i64) -> Scalar {
    let mut rest = at;
    let mut values: Vec<Ix> = (0..part.axes.len()).map(|a| Ix::axis(a as u32)).collect();
    for a in (rank..part.axes.len()).rev() {
        values[a] = Ix::konst(rest % part.axes[a].extent);
        rest /= part.axes[a].extent;
    }
    part.body.subst_axes(&values).simplify(&part.extents()[..rank])
}
