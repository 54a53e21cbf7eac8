//! Float arithmetic.

use crate::block::{Block, Val};
use crate::prim::{Prim, Rounding};
use tilewright_scalar::Func;

/// Functions whose results need no rounding to the dtype of their arguments.
pub(super) fn exact(block: &mut Block, func: Func, args: &[Val]) -> Option<Val> {
    let a = args[0];
    Some(match func {
        Func::Neg => {
            let sign = block.sign_bit(block.lane(a));
            block.xor(sign, a)
        }
        Func::Abs => block.magnitude(a),
        Func::Sign => sign(block, a),
        Func::Floor => block.prim(Prim::Round(Rounding::Floor), &[a]),
        Func::Ceil => block.prim(Prim::Round(Rounding::Ceil), &[a]),
        Func::Trunc => block.prim(Prim::Round(Rounding::Trunc), &[a]),
        Func::RoundEven => block.even(a),
        Func::Min => extreme(block, Prim::Min, a, args[1]),
        Func::Max => extreme(block, Prim::Max, a, args[1]),
        _ => return None,
    })
}

/// Arithmetic that rounds. Rounding f32 results again to f16 or bf16 is the same as rounding once: 24 bits are at least
/// twice theirs and two more.
pub(super) fn rounded(block: &mut Block, func: Func, args: &[Val]) -> Option<Val> {
    Some(match func {
        Func::Add => block.add(args[0], args[1]),
        Func::Sub => block.sub(args[0], args[1]),
        Func::Mul => block.mul(args[0], args[1]),
        Func::Div => block.div(args[0], args[1]),
        Func::Sqrt => block.sqrt(args[0]),
        _ => return None,
    })
}

/// -1, 0 or 1; zeros and NaN stay.
fn sign(block: &mut Block, a: Val) -> Val {
    let (zero, one) = (block.lit(a, 0.0), block.lit(a, 1.0));
    let size = block.magnitude(a);
    let some = block.lt(zero, size);
    let unit = block.with_sign(one, a);
    block.select(some, unit, a)
}

/// The smaller or larger, NaN if either is. The primitives give their second argument on NaN and on a tie of zeros.
fn extreme(block: &mut Block, prim: Prim, a: Val, b: Val) -> Val {
    let known = block.constant(b).map(|bits| {
        if block.lane(b).bits() == 64 { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
    });
    match known {
        Some(c) if c != 0.0 && !c.is_nan() => block.prim(prim, &[b, a]),
        // Adding 0 makes a tie of zeros the constant's.
        Some(0.0) if block.constant(b) == Some(0) => {
            let result = block.prim(prim, &[b, a]);
            block.add(result, b)
        }
        _ => {
            let result = block.prim(prim, &[a, b]);
            let nan = block.unordered(a, a);
            block.select(nan, a, result)
        }
    }
}
