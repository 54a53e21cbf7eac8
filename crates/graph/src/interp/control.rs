//! Runs loops, whoever runs their bodies.

use super::{Bindings, eval_dim};
use crate::op::Loop;
use crate::types::Type;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{Tensor, TensorMut, Value};

/// What a bool scalar (or a tensor of one element) says.
///
/// # Errors
/// Value, for anything else.
pub fn truth(value: &Value) -> Result<bool> {
    match value {
        Value::Tensor(t) if t.len() == 1 && !t.dtype().is_float() => Ok(t.get_i64(0) != 0),
        _ => Err(Diagnostic::value("a condition must be a bool tensor with one element")),
    }
}

/// Runs a loop, each iteration by `run`. `types` are those of its outputs.
///
/// # Errors
/// What an iteration refuses; value or shape, for a condition, trip count or slices that do not fit.
pub fn repeat(
    l: &Loop,
    inputs: &[Value],
    (bindings, types): (&Bindings, &[Type]),
    run: &mut dyn FnMut(&[Value]) -> Result<Vec<Value>>,
) -> Result<Vec<Value>> {
    let mut rest = inputs.iter().cloned();
    let mut limit = match l.counted.then(|| rest.next()).flatten() {
        Some(Value::Tensor(t)) if t.len() == 1 => Some(t.get_i64(0).max(0)),
        Some(_) => return Err(Diagnostic::value("a trip count must be one i64")),
        None => None,
    };
    let mut go = match l.conditional.then(|| rest.next()).flatten() {
        Some(c) => truth(&c)?,
        None => true,
    };
    let mut carried: Vec<Value> = rest.by_ref().take(l.carried).collect();
    let scanned: Vec<Tensor> = super::tensors(&rest.by_ref().take(l.scanned).collect::<Vec<_>>())?;
    let captured: Vec<Value> = rest.collect();
    if let Some(first) = scanned.first() {
        let n = first.shape().first().copied().unwrap_or(0);
        if scanned.iter().any(|s| s.shape().first() != Some(&n)) {
            return Err(Diagnostic::shape("the scanned inputs differ in length"));
        }
        limit = Some(limit.unwrap_or(i64::MAX).min(n as i64));
    }
    let mut stacks: Vec<Vec<Tensor>> = vec![Vec::new(); l.stacked];
    let mut iteration = 0i64;
    while go && limit.is_none_or(|n| iteration < n) {
        let mut args = vec![Value::Tensor(Tensor::scalar(iteration))];
        args.append(&mut carried);
        for s in &scanned {
            args.push(Value::Tensor(slice(s, iteration as usize)?));
        }
        args.extend(captured.iter().cloned());
        let mut results = run(&args)?.into_iter();
        if l.conditional {
            go = results.next().map(|c| truth(&c)).transpose()?.unwrap_or(false);
        }
        carried = results.by_ref().take(l.carried).collect();
        for (stack, value) in stacks.iter_mut().zip(results) {
            stack.extend(super::tensors(&[value])?);
        }
        iteration += 1;
    }
    let mut out = carried;
    for (stack, ty) in stacks.iter().zip(&types[l.carried..]) {
        out.push(Value::Tensor(stack_up(stack, ty, bindings)?));
    }
    Ok(out)
}

/// Slice `i` along the first dim.
fn slice(t: &Tensor, i: usize) -> Result<Tensor> {
    let shape = &t.shape()[1..];
    let n: usize = shape.iter().product();
    if let Some(strings) = t.strings() {
        return Tensor::from_strings(shape, strings[i * n..(i + 1) * n].to_vec());
    }
    if let Some(size) = t.dtype().bits().is_multiple_of(8).then_some(t.dtype().bits() / 8) {
        return Tensor::from_shared(t.dtype(), shape, t.shared_bytes().slice(i * n * size..(i + 1) * n * size));
    }
    let mut out = TensorMut::new(t.dtype(), shape)?;
    copy(t, i * n, &mut out, 0, n);
    Ok(out.finish())
}

/// Copies `n` elements, in strips.
pub fn copy(from: &Tensor, start: usize, to: &mut TensorMut, at: usize, n: usize) {
    let whole_bytes = from.dtype().bits().is_multiple_of(8);
    if whole_bytes {
        let size = from.dtype().bits() / 8;
        to.bytes_mut()[at * size..(at + n) * size].copy_from_slice(&from.bytes()[start * size..(start + n) * size]);
    } else if from.dtype().is_float() {
        (0..n).for_each(|i| to.set_f64(at + i, from.get_f64(start + i)));
    } else {
        (0..n).for_each(|i| to.set_i64(at + i, from.get_i64(start + i)));
    }
}

/// Tensors of one shape under a new first dim; over nothing, the dims come from the type.
fn stack_up(parts: &[Tensor], ty: &Type, bindings: &Bindings) -> Result<Tensor> {
    let Some(first) = parts.first() else {
        let ty = ty.as_tensor()?;
        let size = |d| eval_dim(d, bindings).map_or(0, |n| n.max(0) as usize);
        let shape: Vec<usize> = std::iter::once(0).chain(ty.shape.iter().skip(1).map(size)).collect();
        return Tensor::zeros(ty.dtype, &shape);
    };
    if parts.iter().any(|p| p.shape() != first.shape()) {
        return Err(Diagnostic::shape("the slices of a stacked output differ in shape"));
    }
    let shape: Vec<usize> = std::iter::once(parts.len()).chain(first.shape().iter().copied()).collect();
    if first.strings().is_some() {
        let all: Vec<String> = parts.iter().flat_map(|p| p.strings().unwrap_or_default()).cloned().collect();
        return Tensor::from_strings(&shape, all);
    }
    let mut out = TensorMut::new(first.dtype(), &shape)?;
    for (i, p) in parts.iter().enumerate() {
        copy(p, 0, &mut out, i * first.len(), first.len());
    }
    Ok(out.finish())
}
