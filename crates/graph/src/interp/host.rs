//! Sequences and optionals.

use super::comp;
use crate::op::HostOp;
use crate::ops::{Concat, Slice, Structured};
use crate::types::{TensorType, Type};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{Tensor, Value};

/// Evaluates; `ty` is the type of the output.
pub fn eval(op: &HostOp, inputs: &[Value], ty: &Type) -> Result<Value> {
    Ok(match op {
        HostOp::SequenceConstruct => Value::Sequence(inputs.to_vec()),
        HostOp::SequenceInsert => {
            let mut items = sequence(&inputs[0])?.to_vec();
            let at = position(inputs.get(2), items.len() + 1, items.len())?;
            items.insert(at, inputs[1].clone());
            Value::Sequence(items)
        }
        HostOp::SequenceErase => {
            let mut items = sequence(&inputs[0])?.to_vec();
            let at = position(inputs.get(1), items.len(), items.len())?;
            if at >= items.len() {
                return Err(Diagnostic::value("the sequence is empty"));
            }
            items.remove(at);
            Value::Sequence(items)
        }
        HostOp::SequenceAt => {
            let items = sequence(&inputs[0])?;
            items[position(Some(&inputs[1]), items.len(), items.len())?].clone()
        }
        HostOp::SequenceLength => Value::Tensor(Tensor::scalar(sequence(&inputs[0])?.len() as i64)),
        HostOp::ConcatFromSequence { axis, stack } => {
            let parts = super::tensors(sequence(&inputs[0])?)?;
            Value::Tensor(join(&parts, *axis, *stack)?)
        }
        HostOp::SplitToSequence { axis, keep } => split(inputs, *axis, *keep)?,
        HostOp::Optional => Value::Optional(inputs.first().map(|v| Box::new(v.clone()))),
        HostOp::OptionalHasElement => {
            let has = !matches!(inputs.first(), None | Some(Value::Optional(None)));
            Value::Tensor(Tensor::scalar(has))
        }
        HostOp::OptionalGetElement => match &inputs[0] {
            Value::Optional(Some(v)) => (**v).clone(),
            Value::Optional(None) => return Err(Diagnostic::value(format!("the optional is empty; expected {ty}"))),
            other => other.clone(),
        },
    })
}

fn sequence(v: &Value) -> Result<&[Value]> {
    match v {
        Value::Sequence(items) => Ok(items),
        Value::Optional(Some(inner)) => sequence(inner),
        _ => Err(Diagnostic::value("expected a sequence")),
    }
}

/// One of `places` positions in a sequence of `length`, counted from the end if negative; the last
/// place without a value.
fn position(v: Option<&Value>, places: usize, length: usize) -> Result<usize> {
    let at = match v {
        None => return Ok(places.saturating_sub(1)),
        Some(Value::Tensor(t)) if t.len() == 1 && !t.dtype().is_float() => t.get_i64(0),
        Some(_) => return Err(Diagnostic::value("a position must be one integer")),
    };
    let place = if at < 0 { at + length as i64 } else { at };
    usize::try_from(place)
        .ok()
        .filter(|p| *p < places)
        .ok_or_else(|| Diagnostic::value(format!("position {at} is out of bounds for a sequence of {length}")))
}

fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    let at = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(at)
        .ok()
        .filter(|a| *a < rank)
        .ok_or_else(|| Diagnostic::shape(format!("axis {axis} is out of bounds for rank {rank}")))
}

fn concrete(t: &Tensor) -> TensorType {
    TensorType::new(t.dtype(), t.shape().iter().map(|n| Ix::from(*n)).collect::<Vec<_>>())
}

fn join(parts: &[Tensor], axis: i64, stack: bool) -> Result<Tensor> {
    let first = parts.first().ok_or_else(|| Diagnostic::value("an empty sequence has nothing to concatenate"))?;
    let axis = axis_of(axis, first.rank() + stack as usize)?;
    let parts: Vec<Tensor> = match stack {
        false => parts.to_vec(),
        true => parts
            .iter()
            .map(|p| {
                let mut shape = p.shape().to_vec();
                shape.insert(axis.min(shape.len()), 1);
                p.reshape(&shape)
            })
            .collect::<Result<_>>()?,
    };
    let types: Vec<TensorType> = parts.iter().map(concrete).collect();
    comp::eval(&Concat { axis }.comp(&types)?, &parts, 1)
}

fn split(inputs: &[Value], axis: i64, keep: bool) -> Result<Value> {
    let Value::Tensor(x) = &inputs[0] else { return Err(Diagnostic::value("expected a tensor")) };
    let axis = axis_of(axis, x.rank())?;
    let n = x.shape()[axis] as i64;
    let sizes: Vec<i64> = match inputs.get(1) {
        None => vec![1; n as usize],
        Some(Value::Tensor(t)) if t.rank() == 0 => {
            let part = t.get_i64(0);
            if part < 1 {
                return Err(Diagnostic::value(format!("parts of size {part}")));
            }
            (0..n).step_by(part as usize).map(|at| part.min(n - at)).collect()
        }
        Some(Value::Tensor(t)) => t.to_vec_i64(),
        Some(_) => return Err(Diagnostic::value("sizes must be a tensor")),
    };
    if sizes.iter().any(|s| *s < 0) || sizes.iter().try_fold(0i64, |a, s| a.checked_add(*s)) != Some(n) {
        return Err(Diagnostic::value(format!("the sizes {sizes:?} do not add up to {n}")));
    }
    let (mut start, mut items) = (0, Vec::with_capacity(sizes.len()));
    for size in sizes {
        let part = part(x, axis, start, size)?;
        start += size;
        let squeeze = inputs.len() == 1 && !keep;
        let mut shape = part.shape().to_vec();
        if squeeze {
            shape.remove(axis);
        }
        items.push(Value::Tensor(part.reshape(&shape)?));
    }
    Ok(Value::Sequence(items))
}

fn part(x: &Tensor, axis: usize, start: i64, size: i64) -> Result<Tensor> {
    let ty = concrete(x);
    let mut starts = vec![Ix::zero(); x.rank()];
    let mut sizes = ty.shape.clone();
    (starts[axis], sizes[axis]) = (Ix::konst(start), Ix::konst(size));
    comp::eval(&Slice { starts, steps: vec![1; x.rank()], sizes }.comp(&[ty])?, std::slice::from_ref(x), 1)
}
