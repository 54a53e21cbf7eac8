//! Comparisons, tests, choices, and logic of truth values.

use super::integer;
use crate::block::{Block, Val};
use crate::prim::{Lane, Prim};
use tilewright_scalar::Func;
use tilewright_tensor::DType;

/// The second value where the first, a mask, is true, else the third.
pub(super) fn select(block: &mut Block, args: &[Val]) -> Val {
    if block.lane(args[1]) != Lane::Mask {
        return block.select(args[0], args[1], args[2]);
    }
    let taken = block.both(args[0], args[1]);
    let not = block.not(args[0]);
    let other = block.both(not, args[2]);
    block.either(taken, other)
}

/// A comparison of two values or a test of one.
pub(super) fn compare(block: &mut Block, func: Func, dtype: DType, args: &[Val]) -> Option<Val> {
    match func {
        Func::IsNan => return Some(block.unordered(args[0], args[0])),
        Func::IsInf => {
            let size = block.magnitude(args[0]);
            let inf = block.lit(size, f64::INFINITY);
            return Some(block.eq(size, inf));
        }
        _ => {}
    }
    let (a, b) = (args[0], args[1]);
    Some(match block.lane(a) {
        Lane::F32 | Lane::F64 => floats(block, func, a, b)?,
        Lane::Mask => masks(block, func, a, b)?,
        _ => {
            let (a, b) = (integer::ordered(block, dtype, a), integer::ordered(block, dtype, b));
            integers(block, func, a, b)?
        }
    })
}

fn floats(block: &mut Block, func: Func, a: Val, b: Val) -> Option<Val> {
    Some(match func {
        Func::Lt => block.lt(a, b),
        Func::Le => block.le(a, b),
        Func::Gt => block.lt(b, a),
        Func::Ge => block.le(b, a),
        Func::Eq => block.eq(a, b),
        Func::Ne => {
            let equal = block.eq(a, b);
            block.not(equal)
        }
        _ => return None,
    })
}

fn integers(block: &mut Block, func: Func, a: Val, b: Val) -> Option<Val> {
    let (plain, turned) = match func {
        Func::Gt => (block.igt(a, b), false),
        Func::Le => (block.igt(a, b), true),
        Func::Lt => (block.igt(b, a), false),
        Func::Ge => (block.igt(b, a), true),
        Func::Eq => (block.ieq(a, b), false),
        Func::Ne => (block.ieq(a, b), true),
        _ => return None,
    };
    Some(if turned { block.not(plain) } else { plain })
}

fn masks(block: &mut Block, func: Func, a: Val, b: Val) -> Option<Val> {
    let (not_a, not_b) = (block.not(a), block.not(b));
    Some(match func {
        Func::Lt => block.both(not_a, b),
        Func::Le => block.either(not_a, b),
        Func::Gt => block.both(a, not_b),
        Func::Ge => block.either(a, not_b),
        Func::Ne => block.prim(Prim::MaskXor, &[a, b]),
        Func::Eq => block.prim(Prim::MaskXor, &[a, not_b]),
        _ => return None,
    })
}

/// Bit functions of bools.
pub(super) fn logic(block: &mut Block, func: Func, args: &[Val]) -> Option<Val> {
    Some(match func {
        Func::And => block.both(args[0], args[1]),
        Func::Or => block.either(args[0], args[1]),
        Func::Xor => block.prim(Prim::MaskXor, args),
        Func::Not => block.not(args[0]),
        // A bool shifted to higher bits is as true as before.
        Func::Shl => args[0],
        Func::Shr => {
            let stays = block.not(args[1]);
            block.both(args[0], stays)
        }
        _ => return None,
    })
}
