//! The meaning of a comprehension, point by point and nothing else. Tests compare the interpreter
//! with it.

use crate::comp::{Combiner, Comp, Role};
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::{Func, Lanes};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Atom, Ix};
use tilewright_tensor::{Tensor, TensorMut, convert};

/// Evaluates a comprehension without symbols over tensors that are not strings.
pub fn eval_comp(comp: &Comp, operands: &[Tensor]) -> Result<Tensor> {
    let bad = || Diagnostic::internal("an extent is not bound");
    let extents: Vec<i64> = comp.axes.iter().map(|a| a.extent.as_const()).collect::<Option<_>>().ok_or_else(bad)?;
    let rank = comp.rank();
    let shape: Vec<usize> = extents[..rank].iter().map(|n| *n as usize).collect();
    let mut out = TensorMut::new(comp.dtype(), &shape)?;
    for (place, point) in points(&extents[..rank]).enumerate() {
        let terms = domain(comp, &extents, &point);
        let values = terms.iter().map(|p| term(comp, p, operands)).collect::<Result<Vec<_>>>()?;
        match combine(comp, &values) {
            Lanes::F(v) => out.set_f64(place, convert::round_to(comp.dtype(), v[0], false)),
            Lanes::I(v) => out.set_i64(place, convert::wrap_to(comp.dtype(), v[0])),
        }
    }
    Ok(out.finish())
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

fn combine(comp: &Comp, values: &[Lanes]) -> Lanes {
    if comp.combiner == Combiner::Map {
        return values[0].clone();
    }
    let mut acc = super::accumulate::Accumulator::new(comp.combiner, comp.body.dtype(), 1);
    for (i, v) in values.iter().enumerate() {
        acc.add(v, i as i64);
    }
    acc.finish()
}

/// The body at a point. The product that a sum is over is formed as wide as it is summed.
fn term(comp: &Comp, point: &[i64], operands: &[Tensor]) -> Result<Lanes> {
    let mut body = &comp.body;
    while let Kind::Where(preds, t, f) = body.kind() {
        body = if holds(preds, point, operands)? { t } else { f };
    }
    match body.kind() {
        Kind::Call(Func::Mul, args) if comp.combiner == Combiner::Sum && body.dtype().is_float() => {
            let [a, b] = [scalar(&args[0], point, operands)?, scalar(&args[1], point, operands)?];
            Ok(Lanes::F(vec![a.f()[0] * b.f()[0]]))
        }
        _ => scalar(body, point, operands),
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

fn scalar(s: &Scalar, point: &[i64], operands: &[Tensor]) -> Result<Lanes> {
    Ok(match s.kind() {
        Kind::Const(bits) if s.dtype().is_float() => Lanes::F(vec![f64::from_bits(*bits)]),
        Kind::Const(bits) => Lanes::I(vec![*bits as i64]),
        Kind::Index(e) => Lanes::I(vec![index(e, point, operands)?]),
        Kind::Read(o, at) => {
            let (t, p) = (&operands[*o as usize], place(*o, at, point, operands)?);
            if t.dtype().is_float() { Lanes::F(vec![t.get_f64(p)]) } else { Lanes::I(vec![t.get_i64(p)]) }
        }
        Kind::Call(f, args) => {
            let dtypes: Vec<_> = args.iter().map(Scalar::dtype).collect();
            let args = args.iter().map(|a| scalar(a, point, operands)).collect::<Result<Vec<_>>>()?;
            f.eval(s.dtype(), &dtypes, &args.iter().collect::<Vec<_>>(), 1)
        }
        Kind::Where(preds, t, f) => {
            let side = if holds(preds, point, operands)? { t } else { f };
            scalar(side, point, operands)?
        }
    })
}
