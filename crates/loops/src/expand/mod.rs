//! How each scalar function is computed from primitive operations, for each dtype.
//!
//! A value of f16 and bf16 is an f32 lane, rounded to the dtype after every function; integers narrower than 32 bits
//! stay wrapped to their dtype in a 32-bit lane; u32 and u64 are their bits. Transcendental functions err by at most 2 ulp
//! over the whole range, `docs/numerics.md` has the measured bounds; the rest is what [`Func::eval`] gives, bit for bit.

mod arithmetic;
mod circular;
mod compare;
mod convert;
mod divide;
mod erf;
mod exp;
mod integer;
mod log;
mod ops;
mod pair;
mod philox;
mod power;
mod remainder;
#[cfg(test)]
mod tests;
mod trig;

pub use convert::{loaded, stored};
pub(crate) use divide::floor;

use crate::block::{Block, Val};
use crate::prim::Lane;
use std::collections::HashMap;
use tilewright_scalar::func::Rule;
use tilewright_scalar::{Func, Kind, Pred, Scalar};
use tilewright_tensor::DType;

/// The lane that holds a value of a dtype; `None` for dtypes that kernels do not compute in.
pub fn lane(dtype: DType) -> Option<Lane> {
    Some(match dtype {
        DType::F32 | DType::F16 | DType::BF16 => Lane::F32,
        DType::F64 => Lane::F64,
        DType::Bool => Lane::Mask,
        DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 | DType::U32 => Lane::I32,
        DType::I64 | DType::U64 => Lane::I64,
        _ => return None,
    })
}

/// A function of values of dtypes `from`, giving one of `to`; `None` where it is not supported: for dtypes without a
/// [`lane`], and for a function of a dtype that it does not take.
pub fn call(block: &mut Block, func: Func, from: &[DType], to: DType, args: &[Val]) -> Option<Val> {
    let first = *from.first()?;
    if from.iter().any(|d| lane(*d).is_none()) {
        return None;
    }
    lane(to)?;
    match func.rule() {
        Rule::Convert => convert::convert(block, func, first, args[0]),
        Rule::Random => Some(philox::philox(block, args[0], args[1])),
        Rule::Select => Some(compare::select(block, args)),
        Rule::Compare | Rule::Test => compare::compare(block, func, first, args),
        _ if first == DType::Bool => compare::logic(block, func, args),
        _ if !first.is_float() => integer::call(block, func, first, args),
        _ => float(block, func, to, args),
    }
}

/// A function of floats, rounded to their dtype.
fn float(block: &mut Block, func: Func, dtype: DType, args: &[Val]) -> Option<Val> {
    if let Some(exact) = arithmetic::exact(block, func, args) {
        return Some(exact);
    }
    if let Some(rest) = remainder::call(block, func, dtype, args) {
        return Some(rest);
    }
    let value = match func {
        Func::Pow => power::power(block, dtype, args[0], args[1]),
        _ => arithmetic::rounded(block, func, args).or_else(|| function(block, func, args[0]))?,
    };
    Some(convert::round_to(block, dtype, value))
}

/// A transcendental function of a float lane.
fn function(block: &mut Block, func: Func, x: Val) -> Option<Val> {
    let direct = exp::call(block, func, x).or_else(|| log::call(block, func, x));
    let direct = direct.or_else(|| erf::call(block, func, x)).or_else(|| trig::call(block, func, x));
    if direct.is_some() || block.lane(x) == Lane::F64 {
        return direct;
    }
    // What is rarely used is computed in f64.
    let wide = block.extend(x);
    let value = function(block, func, wide)?;
    Some(block.narrow(value))
}

/// What computes the parts of expressions that are neither constants nor calls.
pub trait Leaves {
    /// Whether a node, apart from the nodes below it, reads memory only where the guards around it hold.
    fn is_guarded(&self, node: &Scalar) -> bool;

    /// A read or an index. `mask` is where the guards around it hold, if it is guarded and there are any.
    fn leaf(&mut self, block: &mut Block, node: &Scalar, mask: Option<Val>) -> Option<Val>;

    /// Where some predicates hold, at least one; `mask` as above.
    fn holds(&mut self, block: &mut Block, preds: &[Pred], mask: Option<Val>) -> Option<Val>;
}

/// The most values of nodes: what is guarded has one for each set of guards around it.
const MOST: usize = 1 << 16;

/// A whole expression: constants and calls here, everything else by `leaves`, once each however often they are shared;
/// what is guarded once for each set of guards. `None` where something is not supported, or takes too many steps.
pub fn scalar(block: &mut Block, expr: &Scalar, leaves: &mut dyn Leaves) -> Option<Val> {
    Expansion { block, leaves, seen: HashMap::new(), guarded: HashMap::new() }.node(expr, None)
}

struct Expansion<'a> {
    block: &'a mut Block,
    leaves: &'a mut dyn Leaves,
    /// Values of the nodes already seen, by their addresses, and by where their guards hold if they are guarded.
    seen: HashMap<(*const Kind, Option<Val>), Val>,
    /// Whether nodes or any below them are guarded.
    guarded: HashMap<*const Kind, bool>,
}

impl Expansion<'_> {
    fn node(&mut self, expr: &Scalar, mask: Option<Val>) -> Option<Val> {
        let mask = mask.filter(|_| self.is_guarded(expr));
        let key = (std::ptr::from_ref(expr.kind()), mask);
        if let Some(val) = self.seen.get(&key) {
            return Some(*val);
        }
        if self.seen.len() >= MOST {
            return None;
        }
        let val = match expr.kind() {
            Kind::Const(bits) => constant(self.block, expr.dtype(), *bits)?,
            Kind::Call(func, args) => {
                let vals = args.iter().map(|a| self.node(a, mask)).collect::<Option<Vec<_>>>()?;
                let from: Vec<DType> = args.iter().map(Scalar::dtype).collect();
                call(self.block, *func, &from, expr.dtype(), &vals)?
            }
            Kind::Where(preds, then, _) if preds.is_empty() => self.node(then, mask)?,
            Kind::Where(preds, then, otherwise) => self.choice(preds, [then, otherwise], mask)?,
            Kind::Read(..) | Kind::Index(_) => self.leaves.leaf(self.block, expr, mask)?,
        };
        self.seen.insert(key, val);
        Some(val)
    }

    fn choice(&mut self, preds: &[Pred], sides: [&Scalar; 2], mask: Option<Val>) -> Option<Val> {
        let holds = self.leaves.holds(self.block, preds, mask)?;
        let mut vals = [holds; 2];
        for (at, side) in sides.into_iter().enumerate() {
            let inner = self.is_guarded(side).then(|| {
                let own = if at == 0 { holds } else { self.block.not(holds) };
                mask.map_or(own, |outer| self.block.both(outer, own))
            });
            vals[at] = self.node(side, inner)?;
        }
        Some(choose(self.block, holds, vals))
    }

    fn is_guarded(&mut self, expr: &Scalar) -> bool {
        let key = std::ptr::from_ref(expr.kind());
        if let Some(known) = self.guarded.get(&key) {
            return *known;
        }
        let mut found = self.leaves.is_guarded(expr);
        for child in expr.kind().children() {
            found |= self.is_guarded(child);
        }
        self.guarded.insert(key, found);
        found
    }
}

fn choose(block: &mut Block, mask: Val, [then, otherwise]: [Val; 2]) -> Val {
    if block.lane(then) != Lane::Mask {
        return block.select(mask, then, otherwise);
    }
    let yes = block.both(mask, then);
    let not = block.not(mask);
    let no = block.both(not, otherwise);
    block.either(yes, no)
}

/// A constant, its bits as [`Kind::Const`] holds them.
fn constant(block: &mut Block, dtype: DType, bits: u64) -> Option<Val> {
    Some(match lane(dtype)? {
        lane @ (Lane::F32 | Lane::F64) => block.number(lane, f64::from_bits(bits)),
        Lane::I32 => block.i32(bits as i32),
        Lane::I64 => block.i64(bits as i64),
        Lane::Mask => block.number(Lane::Mask, f64::from(u8::from(bits != 0))),
    })
}
