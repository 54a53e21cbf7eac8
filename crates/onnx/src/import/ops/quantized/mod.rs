//! Quantized tensors: integers or narrow floats that stand for `(x - zero) * scale`.

mod conv;
mod dynamic;
mod fused;
mod granularity;
mod linear;
mod lstm;
mod matmul;
mod nbits;
mod scalar;

pub use conv::ROWS as CONV;
pub use dynamic::{ROWS as DYNAMIC, coarse};
pub use fused::ROWS as FUSED;
pub use linear::ROWS as LINEAR;
pub use lstm::ROWS as LSTM;
pub use matmul::ROWS as MATMUL;
pub use nbits::ROWS as NBITS;

use crate::import::{Call, Cx};
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, Tensor};

/// A quantized tensor, or the parameters of one.
#[derive(Clone, Copy)]
struct Quantized {
    x: ValueId,
    scale: ValueId,
    zero: Option<ValueId>,
}

impl Quantized {
    /// Operands `at`, `at + 1` and, if present, `at + 2`: quantized as a whole.
    fn whole(cx: &mut Cx<'_>, c: &Call<'_>, at: usize) -> Result<Self> {
        let scale = single(cx, c.x(at + 1)?, "the scale")?;
        let zero = c.opt(at + 2).map(|z| single(cx, z, "the zero point")).transpose()?;
        let q = Self { x: c.x(at)?, scale, zero };
        q.check(cx)?;
        Ok(q)
    }

    /// Checks dtypes.
    fn check(&self, cx: &Cx<'_>) -> Result<()> {
        let (x, scale) = (cx.b.dtype(self.x)?, cx.b.dtype(self.scale)?);
        if !(is_quantized(x) || x == DType::I32) || !scale.is_float() {
            return Err(Diagnostic::dtype(format!("{x} with a scale of {scale} is no quantized tensor")));
        }
        match self.zero.map(|z| cx.b.dtype(z)).transpose()? {
            Some(zero) if zero != x => Err(Diagnostic::dtype(format!("the zero point of {x} is {zero}"))),
            _ => Ok(()),
        }
    }

    /// What it stands for, as a tensor of floats. Scale and zero point broadcast over the tensor.
    fn dequantize(&self, cx: &mut Cx<'_>, to: DType) -> Result<ValueId> {
        let mut operands = vec![self.x, self.scale];
        operands.extend(self.zero);
        cx.b.map_named("dequantize", &operands, |a| scalar::dequantized(&a[0], &a[1], a.get(2)).cast(to))
    }

    /// `x - zero` in i32; `x` itself without a zero point, or with one of nothing but zeros.
    fn center(&self, cx: &mut Cx<'_>) -> Result<ValueId> {
        let zeros = |t: Tensor| t.to_vec_f64().iter().all(|x| *x == 0.0);
        match self.zero.filter(|z| !cx.known(*z).is_some_and(zeros)) {
            Some(zero) => cx.b.map_named("center", &[self.x, zero], |a| scalar::centered(&a[0], Some(&a[1]))),
            None => Ok(self.x),
        }
    }
}

/// Scale and zero point of a result, each one for the whole tensor.
#[derive(Clone, Copy)]
struct Target {
    scale: ValueId,
    zero: Option<ValueId>,
    dtype: DType,
}

impl Target {
    /// Operands `at` and, if present, `at + 1`; the dtype is the zero point's, or `default`.
    fn of(cx: &mut Cx<'_>, c: &Call<'_>, at: usize, default: DType) -> Result<Self> {
        let scale = single(cx, c.x(at)?, "the scale of the result")?;
        let zero = c.opt(at + 1).map(|z| single(cx, z, "the zero point of the result")).transpose()?;
        let dtype = zero.map_or(Ok(default), |z| cx.b.dtype(z))?;
        match is_quantized(dtype) && cx.b.dtype(scale)?.is_float() {
            true => Ok(Self { scale, zero, dtype }),
            false => Err(Diagnostic::dtype(format!("a result is not quantized to {dtype}"))),
        }
    }

    fn operands(&self) -> impl Iterator<Item = ValueId> {
        [self.scale].into_iter().chain(self.zero)
    }

    /// `x / scale + zero`, rounded and saturated; `parameters` are those of [`Target::operands`].
    fn quantized(&self, x: &Scalar, parameters: &[Scalar]) -> Scalar {
        scalar::quantized(&(x / &parameters[0].cast(x.dtype())), parameters.get(1), self.dtype)
    }

    /// Quantizes a tensor of floats.
    fn quantize(&self, cx: &mut Cx<'_>, name: &str, y: ValueId) -> Result<ValueId> {
        let operands: Vec<ValueId> = [y].into_iter().chain(self.operands()).collect();
        cx.b.map_named(name, &operands, |a| self.quantized(&a[0], &a[1..]))
    }
}

/// What tensors are quantized to.
fn is_quantized(dtype: DType) -> bool {
    (dtype.is_int() && dtype.bits() <= 16) || (dtype.is_float() && dtype.bits() <= 8 && dtype != DType::F8E8M0)
}

/// A tensor of one element, as a scalar.
fn single(cx: &mut Cx<'_>, v: ValueId, name: &str) -> Result<ValueId> {
    match cx.b.shape(v)?.iter().all(|n| n.is(1)) {
        true => cx.b.reshape(v, vec![]),
        false => Err(Diagnostic::shape(format!("{name} is {}, expected a scalar", cx.b.ty(v)))),
    }
}
