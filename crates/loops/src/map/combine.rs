//! What a combiner does to accumulators, as primitives.

use super::Combiner;
use crate::block::{Block, Step, Val};
use crate::expand;
use crate::prim::{Lane, Prim};
use tilewright_scalar::Func;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, convert};

/// A combiner over one dtype. Its leaves are [`Step::OfRow`]: first the accumulators, then what comes in.
#[derive(Clone, Debug)]
pub struct Combine {
    /// The lanes of the accumulators: a value, perhaps with its position or with what tells whether a NaN came.
    pub lanes: Vec<Lane>,
    /// Their bits before anything came.
    pub identity: Vec<u64>,
    /// The steps.
    pub block: Block,
    /// The new accumulators.
    pub results: Vec<Val>,
    /// Steps from the accumulators to the value of the row, and that value.
    pub finish: (Block, Val),
}

impl Combine {
    /// A combiner of values of a dtype.
    ///
    /// # Errors
    /// Unsupported, for truth values and dtypes without a lane.
    pub fn new(combiner: Combiner, dtype: DType) -> Result<Self> {
        let lane = expand::lane(dtype).filter(|l| *l != Lane::Mask);
        let lane = lane.ok_or_else(|| unsupported(combiner, dtype))?;
        match combiner {
            Combiner::ArgMax { last } => Self::position(combiner, dtype, lane, (Func::Gt, last)),
            Combiner::ArgMin { last } => Self::position(combiner, dtype, lane, (Func::Lt, last)),
            Combiner::Max | Combiner::Min if lane.is_float() => Ok(Self::extreme(combiner, lane)),
            _ => Self::single(combiner, combiner.result(dtype), lane),
        }
    }

    fn single(combiner: Combiner, dtype: DType, lane: Lane) -> Result<Self> {
        let func = match combiner {
            Combiner::Sum => Func::Add,
            Combiner::Prod => Func::Mul,
            Combiner::Min => Func::Min,
            _ => Func::Max,
        };
        let mut block = Block::new();
        let (acc, x) = (block.step(Step::OfRow(0), lane), block.step(Step::OfRow(1), lane));
        let result = expand::call(&mut block, func, &[dtype, dtype], dtype, &[acc, x]);
        let results = vec![result.ok_or_else(|| unsupported(combiner, dtype))?];
        let mut finish = Block::new();
        let value = finish.step(Step::OfRow(0), lane);
        Ok(Self {
            lanes: vec![lane],
            identity: vec![identity(combiner, dtype)],
            block,
            results,
            finish: (finish, value),
        })
    }

    /// The best number, and the largest of all values' bits without their signs: beyond those of infinity there was a
    /// NaN. Neither waits for the other.
    fn extreme(combiner: Combiner, lane: Lane) -> Self {
        let prim = if combiner == Combiner::Max { Prim::Max } else { Prim::Min };
        let lanes = vec![lane, lane.as_int()];
        let mut block = Block::new();
        let leaves: Vec<Val> = (0..4u32).map(|n| block.step(Step::OfRow(n), lanes[n as usize % 2])).collect();
        // A NaN that comes in is passed over.
        let best = block.prim(prim, &[leaves[2], leaves[0]]);
        let size = block.prim(Prim::IMax, &[leaves[1], leaves[3]]);
        let mut finish = Block::new();
        let (value, bits) = (finish.step(Step::OfRow(0), lane), finish.step(Step::OfRow(1), lanes[1]));
        let (infinity, nan) = (finish.number(lane, f64::INFINITY), finish.number(lane, f64::NAN));
        let infinity = finish.prim(Prim::Bits, &[infinity]);
        let is_nan = finish.prim(Prim::IGt, &[bits, infinity]);
        let value = finish.prim(Prim::Select, &[is_nan, nan, value]);
        let dtype = if lane == Lane::F64 { DType::F64 } else { DType::F32 };
        let identity = vec![identity(combiner, dtype), 0];
        Self { lanes, identity, block, results: vec![best, size], finish: (finish, value) }
    }

    /// What comes in with a value, for the second accumulator: its place along the pass, or its bits without the sign.
    pub(super) fn second(&self, block: &mut Block, value: Val, place: Step) -> Option<Val> {
        let lane = block.lane(value);
        match self.finish.0.lane(self.finish.1) == lane && lane.is_float() {
            _ if self.lanes.len() < 2 => None,
            true => {
                let sign = block.number(lane, -0.0);
                let size = block.prim(Prim::AndNot, &[sign, value]);
                Some(block.prim(Prim::Bits, &[size]))
            }
            false => Some(block.step(place, Lane::I32)),
        }
    }

    /// The best value and its position: `beats` says which is better, `last` which of equal ones.
    fn position(combiner: Combiner, dtype: DType, lane: Lane, (beats, last): (Func, bool)) -> Result<Self> {
        let mut block = Block::new();
        let lanes = vec![lane, Lane::I32];
        let leaves: Vec<Val> = (0..4u32).map(|n| block.step(Step::OfRow(n), lanes[n as usize % 2])).collect();
        let (acc, at, x, x_at) = (leaves[0], leaves[1], leaves[2], leaves[3]);
        let compare = |block: &mut Block, func| {
            expand::call(block, func, &[dtype, dtype], DType::Bool, &[x, acc])
                .ok_or_else(|| unsupported(combiner, dtype))
        };
        let mut better = compare(&mut block, beats)?;
        let mut ties = compare(&mut block, Func::Eq)?;
        if lane.is_float() {
            let nan = |block: &mut Block, v| block.prim(Prim::Cmp(crate::prim::Cmp::Unordered), &[v, v]);
            let (old, new) = (nan(&mut block, acc), nan(&mut block, x));
            let number = block.prim(Prim::MaskNot, &[old]);
            let any = block.prim(Prim::MaskOr, &[better, new]);
            better = block.prim(Prim::MaskAnd, &[any, number]);
            let both = block.prim(Prim::MaskAnd, &[old, new]);
            ties = block.prim(Prim::MaskOr, &[ties, both]);
        }
        let order = if last { [x_at, at] } else { [at, x_at] };
        let preferred = block.prim(Prim::IGt, &order);
        let tie = block.prim(Prim::MaskAnd, &[ties, preferred]);
        let take = block.prim(Prim::MaskOr, &[better, tie]);
        let results = vec![block.prim(Prim::Select, &[take, x, acc]), block.prim(Prim::Select, &[take, x_at, at])];
        let nowhere = if last { -1 } else { i32::MAX };
        let mut finish = Block::new();
        let at = finish.step(Step::OfRow(1), Lane::I32);
        let (none, zero) = (finish.i32(nowhere), finish.i32(0));
        let nothing = finish.prim(Prim::IEq, &[at, none]);
        let value = finish.prim(Prim::Select, &[nothing, zero, at]);
        let identity = vec![identity(combiner, dtype), u64::from(nowhere as u32)];
        Ok(Self { lanes, identity, block, results, finish: (finish, value) })
    }
}

fn unsupported(combiner: Combiner, dtype: DType) -> Box<Diagnostic> {
    Diagnostic::unsupported(format!("{combiner:?} of {}", dtype.name()))
}

/// The bits of what changes nothing.
fn identity(combiner: Combiner, dtype: DType) -> u64 {
    let (low, high) = convert::int_bounds(dtype);
    let (float, int) = match combiner {
        Combiner::Sum => (0.0, 0),
        Combiner::Prod => (1.0, 1),
        Combiner::Max | Combiner::ArgMax { .. } => (f64::NEG_INFINITY, low),
        Combiner::Min | Combiner::ArgMin { .. } => (f64::INFINITY, high),
    };
    match expand::lane(dtype) {
        Some(Lane::F64) => float.to_bits(),
        Some(Lane::F32) => u64::from((float as f32).to_bits()),
        Some(Lane::I64) => int as u64,
        _ => u64::from(int as u32),
    }
}
