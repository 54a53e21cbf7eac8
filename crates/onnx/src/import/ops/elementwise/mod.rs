//! Operators that work element by element, and what they share: which dtypes they take, and how operands broadcast
//! before version 7.

mod activations;
mod arithmetic;
mod cast;
mod functions;
mod logic;

pub use activations::{ROWS as ACTIVATIONS, sigmoid};
pub use arithmetic::ROWS as ARITHMETIC;
pub use cast::ROWS as CAST;
pub use functions::ROWS as FUNCTIONS;
pub use logic::ROWS as LOGIC;

use super::sizes::{broadcasts_to, same_shape};
use super::statistics::wide;
use crate::import::call::axis;
use crate::import::{Call, Cx};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Attributes of versions before 7: how to broadcast, and which operands may be overwritten.
const LEGACY: &[&str] = &["axis", "broadcast", "consumed_inputs"];

/// Those that have no second operand to broadcast, or several.
const CONSUMED: &[&str] = &["consumed_inputs"];

/// The floats that arithmetic is defined for.
pub fn is_real(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
}

/// Integers of at least a byte.
pub fn is_integer(dtype: DType) -> bool {
    dtype.is_int() && !dtype.is_packed()
}

/// What arithmetic is defined for.
pub fn is_number(dtype: DType) -> bool {
    is_real(dtype) || is_integer(dtype)
}

/// Refuses an operand of a dtype that the operator does not take.
pub fn expect(cx: &Cx<'_>, c: &Call<'_>, x: ValueId, fits: fn(DType) -> bool) -> Result<()> {
    let dtype = cx.b.dtype(x)?;
    match fits(dtype) {
        true => Ok(()),
        false => Err(Diagnostic::dtype(format!("{} does not take {dtype}", c.node.op_type))),
    }
}

/// A function of one operand.
fn unary(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    fits: fn(DType) -> bool,
    f: impl FnOnce(&Scalar) -> Scalar,
) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    expect(cx, c, x, fits)?;
    Ok(vec![cx.b.map_named(&c.node.op_type, &[x], |a| f(&a[0]))?])
}

/// A function of floats in several steps, each in f32 where the dtype is narrower.
fn real(cx: &mut Cx<'_>, c: &Call<'_>, f: impl FnOnce(&Scalar) -> Scalar) -> Result<Vec<ValueId>> {
    unary(cx, c, is_real, |x| f(&x.cast(wide(x.dtype()))).cast(x.dtype()))
}

/// A function of two operands of one dtype that broadcast.
fn binary(
    cx: &mut Cx<'_>,
    c: &Call<'_>,
    fits: fn(DType) -> bool,
    f: impl FnOnce(&Scalar, &Scalar) -> Scalar,
) -> Result<Vec<ValueId>> {
    let [a, b] = operands(cx, c)?;
    expect(cx, c, a, fits)?;
    same_dtype(cx, c, &[a, b])?;
    Ok(vec![cx.b.map_named(&c.node.op_type, &[a, b], |x| f(&x[0], &x[1]))?])
}

/// Refuses operands of different dtypes.
fn same_dtype(cx: &Cx<'_>, c: &Call<'_>, operands: &[ValueId]) -> Result<()> {
    let dtypes = operands.iter().map(|v| cx.b.dtype(*v)).collect::<Result<Vec<_>>>()?;
    match dtypes.windows(2).find(|pair| pair[0] != pair[1]) {
        Some(pair) => Err(Diagnostic::dtype(format!("{} of {} and {}", c.node.op_type, pair[0], pair[1]))),
        None => Ok(()),
    }
}

/// Both operands, such that they broadcast as NumPy's do. Before version 7 they are of one shape, or the attribute
/// `broadcast` is set and the dims of the second are among those of the first, from the attribute `axis` on.
fn operands(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<[ValueId; 2]> {
    let (a, b) = (c.x(0)?, c.x(1)?);
    if c.version >= 7 || !c.node.domain.is_empty() {
        return Ok([a, b]);
    }
    let (to, mut shape) = (cx.b.shape(a)?, cx.b.shape(b)?);
    if !c.flag("broadcast", false)? {
        same_shape(&to, &shape, "operands without the attribute \"broadcast\"")?;
        return Ok([a, b]);
    }
    let Some(at) = c.node.attr_int("axis")? else {
        broadcasts_to(cx, b, &to, "the second operand and the first")?;
        return Ok([a, b]);
    };
    let first = axis(at, to.len())?;
    if first + shape.len() > to.len() {
        return Err(c.invalid(format!("{} dims from axis {at} on, of rank {}", shape.len(), to.len())));
    }
    shape.resize(to.len() - first, Ix::konst(1));
    let b = cx.b.reshape(b, shape)?;
    broadcasts_to(cx, b, &to, "the second operand and the first")?;
    Ok([a, b])
}
