//! Inputs of opaque operations: reading them, checking their types, moving elements of any dtype.

use std::ops::Range;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::types::{TensorType, Type};
use tilewright_tensor::{DType, Tensor, Value};

/// Elements that an operation makes at most where its inputs do not bound them.
pub(super) const MOST: usize = 1 << 24;

/// Input `n`, which is a tensor.
pub(super) fn tensor(inputs: &[Value], n: usize) -> Result<&Tensor> {
    match inputs.get(n) {
        Some(Value::Tensor(t)) => Ok(t),
        Some(other) => Err(Diagnostic::invalid(format!("input {n} is a {}, not a tensor", other.kind()))),
        None => Err(Diagnostic::internal(format!("input {n} is missing"))),
    }
}

/// Input `n`, which is a tensor of numbers.
pub(super) fn numbers(inputs: &[Value], n: usize) -> Result<&Tensor> {
    let t = tensor(inputs, n)?;
    expect_numbers(t.dtype()).map(|()| t)
}

/// The elements of a tensor of strings.
pub(super) fn strings(x: &Tensor) -> Result<&[String]> {
    x.strings().ok_or_else(|| Diagnostic::dtype(format!("the elements must be strings, not {}", x.dtype())))
}

/// Refuses strings.
pub(super) fn expect_numbers(dtype: DType) -> Result<()> {
    match dtype {
        DType::String => Err(Diagnostic::dtype("the elements must be numbers, not strings")),
        _ => Ok(()),
    }
}

/// Refuses all but floats.
pub(super) fn expect_floats(dtype: DType) -> Result<()> {
    match dtype.is_float() {
        true => Ok(()),
        false => Err(Diagnostic::dtype(format!("the elements must be floats, not {dtype}"))),
    }
}

/// The one element of input `n`, called `name`.
fn single<'a>(inputs: &'a [Value], n: usize, name: &str) -> Result<&'a Tensor> {
    let t = tensor(inputs, n)?;
    if t.len() == 1 && t.dtype() != DType::String {
        return Ok(t);
    }
    Err(Diagnostic::shape(format!("{name} is {}{:?}, not one number", t.dtype(), t.shape())))
}

/// The one integer of input `n`, called `name`.
pub(super) fn int(inputs: &[Value], n: usize, name: &str) -> Result<i64> {
    single(inputs, n, name).map(|t| t.get_i64(0))
}

/// The one float of input `n`, called `name`.
pub(super) fn float(inputs: &[Value], n: usize, name: &str) -> Result<f64> {
    single(inputs, n, name).map(|t| t.get_f64(0))
}

/// Checks that `ty` is a tensor of `dtype` that can have one element.
pub(super) fn expect_single(ty: &Type, dtype: DType, name: &str) -> Result<()> {
    let t = expect_dtype(ty, &[dtype], name)?;
    match t.shape.iter().all(|d| d.as_const().is_none_or(|d| d == 1)) {
        true => Ok(()),
        false => Err(Diagnostic::shape(format!("{name} is {t}, not one number"))),
    }
}

/// Checks that `ty` is a tensor of one of `dtypes`.
pub(super) fn expect_dtype<'a>(ty: &'a Type, dtypes: &[DType], name: &str) -> Result<&'a TensorType> {
    let t = ty.as_tensor()?;
    if dtypes.contains(&t.dtype) {
        return Ok(t);
    }
    let wanted: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
    Err(Diagnostic::dtype(format!("{name} is {t}; its dtype must be {}", wanted.join(" or "))))
}

/// A tensor seen as `[outer, len, inner]`, with one axis in the middle.
pub(super) struct Lanes {
    pub(super) outer: usize,
    pub(super) len: usize,
    pub(super) inner: usize,
}

impl Lanes {
    /// The lanes of `shape` along `axis`.
    pub(super) fn of(shape: &[usize], axis: usize) -> Result<Self> {
        let Some(len) = shape.get(axis) else { return Err(no_axis(axis, shape.len())) };
        let (outer, inner) = (shape[..axis].iter().product(), shape[axis + 1..].iter().product());
        Ok(Self { outer, len: *len, inner })
    }

    /// The elements of place `at` of the middle axis that lie together in slice `outer`.
    pub(super) fn run(&self, outer: usize, at: usize) -> Range<usize> {
        let start = (outer * self.len + at) * self.inner;
        start..start + self.inner
    }

    /// Where each lane starts, when lanes are `len` long; its elements lie `inner` apart.
    pub(super) fn starts(&self, len: usize) -> impl Iterator<Item = usize> {
        let inner = self.inner;
        (0..self.outer).flat_map(move |o| (0..inner).map(move |i| o * len * inner + i))
    }
}

/// The error of an axis that a rank does not have.
pub(super) fn no_axis(axis: usize, rank: usize) -> Box<Diagnostic> {
    Diagnostic::shape(format!("axis {axis} of a tensor of rank {rank}"))
}

/// The elements of linear indices `index`, as a tensor of `shape`. Fails when they are too many bytes of strings.
pub(super) fn take(x: &Tensor, index: &[i64], shape: &[usize]) -> Result<Tensor> {
    if let Some(strings) = x.strings() {
        let bytes: usize = index.iter().map(|i| strings[*i as usize].len()).fold(0, usize::saturating_add);
        if bytes > 64 * MOST {
            return Err(Diagnostic::limit(format!("strings of shape {shape:?} are more than a gigabyte")));
        }
        let taken: Vec<String> = index.iter().map(|i| strings[*i as usize].clone()).collect();
        return Tensor::from_strings(shape, taken);
    }
    if x.dtype().is_float() {
        let mut taken = vec![0.0; index.len()];
        x.gather_f64(index, &mut taken);
        return Tensor::from_f64(x.dtype(), shape, &taken);
    }
    let mut taken = vec![0; index.len()];
    x.gather_i64(index, &mut taken);
    Tensor::from_i64(x.dtype(), shape, &taken)
}
