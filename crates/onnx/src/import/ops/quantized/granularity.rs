//! How scales and zero points lie over a tensor.

use super::super::sizes::{same_shape, same_size};
use crate::import::call::axis;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Shape, show_shape};

/// One parameter for the whole tensor, for each place of an axis, or for each block of places along it: which, the
/// parameter's shape says.
pub struct Granularity {
    axis: i64,
    block: i64,
}

impl Granularity {
    /// By the attributes `axis` and `block_size`.
    pub fn of(c: &Call<'_>) -> Result<Self> {
        let block = c.int("block_size", 0)?;
        if block < 0 {
            return Err(c.invalid(format!("block_size = {block}, expected at least 0")));
        }
        Ok(Self { axis: c.int("axis", 1)?, block })
    }

    /// The parameter as a tensor that broadcasts to `shape`.
    pub fn spread(&self, cx: &mut Cx<'_>, v: ValueId, shape: &[Ix]) -> Result<ValueId> {
        let own = cx.b.shape(v)?;
        if own.iter().all(|n| n.is(1)) {
            return cx.b.reshape(v, vec![]);
        }
        let at = axis(self.axis, shape.len())?;
        if self.block > 0 {
            return self.blocks(cx, v, shape, at);
        }
        let [n] = &own[..] else {
            let shown = show_shape(&own);
            return Err(Diagnostic::shape(format!("parameters of shape {shown} need a block_size")));
        };
        same_size(n, &shape[at], "parameters and places of the axis")?;
        let mut spread = own.clone();
        spread.resize(shape.len() - at, Ix::konst(1));
        cx.b.reshape(v, spread)
    }

    fn blocks(&self, cx: &mut Cx<'_>, v: ValueId, shape: &[Ix], at: usize) -> Result<ValueId> {
        let mut expected: Shape = shape.to_vec();
        expected[at] = shape[at].ceil_div(&Ix::konst(self.block));
        same_shape(&cx.b.shape(v)?, &expected, "parameters and blocks")?;
        repeat(cx, v, at, self.block, &shape[at])
    }
}

/// Each place of an axis `times` over, cut to `size` places in all, of which there are more than `times` unless the
/// axis has one place.
pub fn repeat(cx: &mut Cx<'_>, v: ValueId, axis: usize, times: i64, size: &Ix) -> Result<ValueId> {
    let own = cx.b.shape(v)?;
    if own[axis].is(1) || times == 1 {
        return Ok(v);
    }
    let mut split = own.clone();
    split.insert(axis + 1, Ix::konst(1));
    let places = cx.b.reshape(v, split.clone())?;
    split[axis + 1] = Ix::konst(times);
    let repeated = cx.b.broadcast(places, split)?;
    let mut joined = own;
    joined[axis] = &joined[axis] * times;
    let all = cx.b.reshape(repeated, joined.clone())?;
    match joined[axis] == *size {
        true => Ok(all),
        false => cx.b.slice(all, axis, 0, size.clone()),
    }
}
