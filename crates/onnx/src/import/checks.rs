//! What a model's sizes and values must satisfy, checked now where they are known and by an
//! assertion of the graph where they are not.

use super::cx::Cx;
use tilewright_graph::ops::{Dims, Structured};
use tilewright_graph::{Check, Mark, Op, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// An index into a dim of some size that counts from 0. One that is out of bounds stays as it is, so that the error
/// shows what stands in the operand.
pub(super) fn from_start(index: &Scalar, size: &Scalar) -> Scalar {
    let counted = index + size;
    let zero = index.lit(0.0);
    index.lt(&zero).select(&counted.lt(&zero).select(index, &counted), index)
}

impl Cx<'_> {
    /// `v`, once `left` and `right` are equal.
    pub(super) fn check_equal(&mut self, v: ValueId, left: &Ix, right: &Ix, about: &str) -> Result<ValueId> {
        let difference = left - right;
        if difference.is(0) {
            return Ok(v);
        }
        if difference.as_const().is_some() {
            return Err(Diagnostic::shape(format!("{about}: {left} vs {right}")));
        }
        // The check of a comprehension shows the sizes of the run, where an assertion has one text for all.
        let mut equal = Dims { dims: vec![Ix::konst(1)] }.comp(&[])?;
        equal.checks.push(Check { left: left.clone(), right: right.clone(), about: about.into() });
        let equal = self.b.comp(equal, &[]);
        let ok = self.b.cast(equal, DType::Bool)?;
        self.check(v, ok, about)
    }

    /// `v`, once the only element of `ok` is true.
    pub(super) fn check(&mut self, v: ValueId, ok: ValueId, message: &str) -> Result<ValueId> {
        let ok = self.b.reshape(ok, vec![])?;
        match self.known(ok) {
            Some(t) if t.get_i64(0) != 0 => return Ok(v),
            Some(_) => return Err(Diagnostic::value(message)),
            None => {}
        }
        let ty = self.b.ty(v).clone();
        Ok(self.b.node1(Op::Mark(Mark::Assert(message.into())), &[v, ok], ty))
    }

    /// A tensor of a shape that is known to hold nothing; `None` for other shapes. A table for one of
    /// its dims could still be long.
    pub(super) fn empty(&mut self, dtype: DType, shape: &[Ix]) -> Result<Option<ValueId>> {
        if !shape.iter().any(|n| n.is(0)) {
            return Ok(None);
        }
        let zero = self.b.constant(Tensor::zeros(dtype, &[])?);
        self.b.broadcast(zero, shape).map(Some)
    }

    /// `size` as the dim of an operand that indices address: those that count from the end become
    /// indices that count from 0.
    pub(super) fn count_from_start(&mut self, indices: ValueId, size: &Ix) -> Result<ValueId> {
        let dtype = self.b.dtype(indices)?;
        if !matches!(dtype, DType::I32 | DType::I64) {
            return Err(Diagnostic::dtype(format!("indices must be i32 or i64, found {}", dtype.name())));
        }
        let i = self.b.cast(indices, DType::I64)?;
        if self.known(indices).is_some_and(|t| t.to_vec_i64().iter().all(|i| *i >= 0)) {
            return Ok(i);
        }
        let size = Scalar::index(size.clone());
        self.b.map_named("from_start", &[i], |a| from_start(&a[0], &size))
    }
}
