//! The meaning of a comprehension, point by point and nothing else. Tests compare the interpreter
//! with it, and evaluate over other [`Values`] than numbers.

use crate::comp::{Combiner, Comp, Role};
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::{Func, Lanes};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Atom, Ix};
use tilewright_tensor::{DType, Tensor, TensorMut, convert};

/// What bodies are evaluated over: numbers, or sets of numbers.
pub trait Values {
    /// The value of an expression at a point.
    type Value;
    /// A constant, from its bits as [`Kind::Const`] holds them.
    fn konst(&self, dtype: DType, bits: u64) -> Self::Value;
    /// An index as an i64 value.
    fn index(&self, index: i64) -> Self::Value;
    /// An element of an operand.
    fn element(&self, operand: &Tensor, place: usize) -> Self::Value;
    /// A function of arguments of some dtypes, which gives dtype `to`.
    fn call(&self, func: Func, to: DType, dtypes: &[DType], args: &[Self::Value]) -> Self::Value;
    /// The product of floats that a sum is over: as wide as it is summed.
    fn product(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// The result of a comprehension from the bodies at the points that it combines, in order.
    fn combine(&self, comp: &Comp, values: &[Self::Value]) -> Self::Value;
}

/// Single lanes, as the functions compute with them.
pub struct Numbers;

impl Values for Numbers {
    type Value = Lanes;

    fn konst(&self, dtype: DType, bits: u64) -> Lanes {
        if dtype.is_float() { Lanes::F(vec![f64::from_bits(bits)]) } else { Lanes::I(vec![bits as i64]) }
    }

    fn index(&self, index: i64) -> Lanes {
        Lanes::I(vec![index])
    }

    fn element(&self, t: &Tensor, place: usize) -> Lanes {
        if t.dtype().is_float() { Lanes::F(vec![t.get_f64(place)]) } else { Lanes::I(vec![t.get_i64(place)]) }
    }

    fn call(&self, func: Func, to: DType, dtypes: &[DType], args: &[Lanes]) -> Lanes {
        func.eval(to, dtypes, &args.iter().collect::<Vec<_>>(), 1)
    }

    fn product(&self, a: &Lanes, b: &Lanes) -> Lanes {
        Lanes::F(vec![a.f()[0] * b.f()[0]])
    }

    fn combine(&self, comp: &Comp, values: &[Lanes]) -> Lanes {
        if comp.combiner == Combiner::Map {
            return values[0].clone();
        }
        let mut acc = super::accumulate::Accumulator::new(comp.combiner, comp.body.dtype(), 1);
        for (i, v) in values.iter().enumerate() {
            acc.add(v, i as i64);
        }
        acc.finish()
    }
}

/// Evaluates a comprehension without symbols over tensors that are not strings.
pub fn eval_comp(comp: &Comp, operands: &[Tensor]) -> Result<Tensor> {
    let extents = extents(comp)?;
    let rank = comp.rank();
    let shape: Vec<usize> = extents[..rank].iter().map(|n| *n as usize).collect();
    let mut out = TensorMut::new(comp.dtype(), &shape)?;
    for (place, point) in points(&extents[..rank]).enumerate() {
        match eval_at(&Numbers, comp, operands, &point)? {
            Lanes::F(v) => out.set_f64(place, convert::round_to(comp.dtype(), v[0], false)),
            Lanes::I(v) => out.set_i64(place, convert::wrap_to(comp.dtype(), v[0])),
        }
    }
    Ok(out.finish())
}

/// The result of a comprehension without symbols at one point of its parallel axes.
///
/// # Errors
/// For an extent that is not bound, and a read that is out of bounds.
pub fn eval_at<V: Values>(values: &V, comp: &Comp, operands: &[Tensor], point: &[i64]) -> Result<V::Value> {
    let terms = domain(comp, &extents(comp)?, point);
    let terms = terms.iter().map(|p| term(values, comp, p, operands)).collect::<Result<Vec<_>>>()?;
    Ok(values.combine(comp, &terms))
}

fn extents(comp: &Comp) -> Result<Vec<i64>> {
    let extents = comp.axes.iter().map(|a| a.extent.as_const()).collect::<Option<_>>();
    extents.ok_or_else(|| Diagnostic::internal("an extent is not bound"))
}

/// All points of a box in row-major order.
fn points(extents: &[i64]) -> impl Iterator<Item = Vec<i64>> {
    let extents = extents.to_vec();
    let total: i64 = extents.iter().product();
    (0..total).map(move |n| {
        let mut rest = n;
        let mut point: Vec<i64> = extents
            .iter()
            .rev()
            .map(|e| {
                let p = rest % e;
                rest /= e;
                p
            })
            .collect();
        point.reverse();
        point
    })
}

/// The points that are combined into the result at `point`, in order.
fn domain(comp: &Comp, extents: &[i64], point: &[i64]) -> Vec<Vec<i64>> {
    let Some(axis) = comp.scan_axis() else {
        return points(&extents[point.len()..]).map(|r| [point, &r].concat()).collect();
    };
    let Role::Scan { reverse, exclusive } = comp.axes[axis].role else { return Vec::new() };
    let at = point[axis];
    let mut along: Vec<i64> = if reverse { (at..extents[axis]).rev().collect() } else { (0..=at).collect() };
    if exclusive {
        along.pop();
    }
    along
        .iter()
        .map(|i| {
            let mut p = point.to_vec();
            p[axis] = *i;
            p
        })
        .collect()
}

/// The body at a point. The product that a sum is over is formed as wide as it is summed.
fn term<V: Values>(values: &V, comp: &Comp, point: &[i64], operands: &[Tensor]) -> Result<V::Value> {
    let mut body = &comp.body;
    while let Kind::Where(preds, t, f) = body.kind() {
        body = if holds(preds, point, operands)? { t } else { f };
    }
    match body.kind() {
        Kind::Call(Func::Mul, args) if comp.combiner == Combiner::Sum && body.dtype().is_float() => {
            let [a, b] = [&args[0], &args[1]].map(|s| scalar(values, s, point, operands));
            Ok(values.product(&a?, &b?))
        }
        _ => scalar(values, body, point, operands),
    }
}

fn index(ix: &Ix, point: &[i64], operands: &[Tensor]) -> Result<i64> {
    let fault = std::cell::RefCell::new(None);
    let value = ix.eval(&|a| match a {
        Atom::Axis(i) => point.get(*i as usize).copied(),
        Atom::Load(o, at) => match place(*o, at, point, operands) {
            Ok(p) => Some(operands[*o as usize].get_i64(p)),
            Err(e) => {
                *fault.borrow_mut() = Some(e);
                None
            }
        },
        _ => None,
    });
    match fault.into_inner() {
        Some(e) => Err(e),
        None => value.ok_or_else(|| Diagnostic::internal(format!("{ix} cannot be evaluated"))),
    }
}

fn place(operand: u32, at: &[Ix], point: &[i64], operands: &[Tensor]) -> Result<usize> {
    let mut flat = 0;
    for (ix, dim) in at.iter().zip(operands[operand as usize].shape()) {
        let i = index(ix, point, operands)?;
        if i < 0 || i >= *dim as i64 {
            return Err(Diagnostic::value(format!("index {i} is out of bounds for a dim of size {dim}")));
        }
        flat = flat * dim + i as usize;
    }
    Ok(flat)
}

fn holds(preds: &[Pred], point: &[i64], operands: &[Tensor]) -> Result<bool> {
    for p in preds {
        if !p.holds(index(p.ix(), point, operands)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn scalar<V: Values>(values: &V, s: &Scalar, point: &[i64], operands: &[Tensor]) -> Result<V::Value> {
    Ok(match s.kind() {
        Kind::Const(bits) => values.konst(s.dtype(), *bits),
        Kind::Index(e) => values.index(index(e, point, operands)?),
        Kind::Read(o, at) => values.element(&operands[*o as usize], place(*o, at, point, operands)?),
        Kind::Call(f, args) => {
            let dtypes: Vec<_> = args.iter().map(Scalar::dtype).collect();
            let args = args.iter().map(|a| scalar(values, a, point, operands)).collect::<Result<Vec<_>>>()?;
            values.call(*f, s.dtype(), &dtypes, &args)
        }
        Kind::Where(preds, t, f) => {
            let side = if holds(preds, point, operands)? { t } else { f };
            scalar(values, side, point, operands)?
        }
    })
}
