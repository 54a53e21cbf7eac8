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

use crate::block::{Block, Val};
use crate::prim::Lane;
use std::collections::HashMap;
use tilewright_scalar::func::Rule;
use tilewright_scalar::{Func, Kind, Scalar};
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

/// What computes nodes that are neither constants nor calls; it is given the values of the sides of a `Where`.
type Leaf<'a> = dyn FnMut(&mut Block, &Scalar, &[Val]) -> Option<Val> + 'a;

/// A whole expression: constants and calls here, once each however often they are shared, everything else by `leaf`.
pub fn scalar(block: &mut Block, expr: &Scalar, leaf: &mut Leaf<'_>) -> Option<Val> {
    node(block, expr, leaf, &mut HashMap::new())
}

/// Values of the nodes already seen, by their addresses.
type Seen = HashMap<*const Kind, Val>;

fn node(block: &mut Block, expr: &Scalar, leaf: &mut Leaf<'_>, seen: &mut Seen) -> Option<Val> {
    let address = std::ptr::from_ref(expr.kind());
    if let Some(val) = seen.get(&address) {
        return Some(*val);
    }
    let val = match expr.kind() {
        Kind::Const(bits) => constant(block, expr.dtype(), *bits)?,
        kind => {
            let vals = kind.children().map(|a| node(block, a, leaf, seen)).collect::<Option<Vec<_>>>()?;
            match kind {
                Kind::Call(func, args) => {
                    let from: Vec<DType> = args.iter().map(Scalar::dtype).collect();
                    call(block, *func, &from, expr.dtype(), &vals)?
                }
                _ => leaf(block, expr, &vals)?,
            }
        }
    };
    seen.insert(address, val);
    Some(val)
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
