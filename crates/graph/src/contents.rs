//! What is known of a value's elements before a graph runs: sizes as expressions of symbols.
//!
//! Shape arithmetic (`Shape`, `Gather`, `Mul`, `Concat`, … over small integer tensors) folds away
//! here, by evaluating the same comprehensions over [`Ix`] instead of numbers.

use crate::comp::{Combiner, Comp};
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::Func;
use std::collections::HashMap;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix};

/// Values with more elements are not followed.
pub const LIMIT: i64 = 128;

/// Elements in row-major order, with the dims they stand in.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The dims.
    pub shape: Vec<i64>,
    /// The elements.
    pub elements: Vec<Ix>,
}

/// The elements of an integer or bool comprehension, where all follow from those of its operands.
pub fn of_comp(comp: &Comp, operands: &[Option<&Contents>]) -> Option<Contents> {
    if comp.dtype().is_float() || comp.dtype() == DType::String || comp.scan_axis().is_some() {
        return None;
    }
    let extents: Vec<i64> = comp.axes.iter().map(|a| a.extent.as_const()).collect::<Option<_>>()?;
    let total = extents.iter().try_fold(1i64, |n, e| n.checked_mul(*e))?;
    if !(0..=LIMIT).contains(&total) || comp.checks.iter().any(|c| c.left != c.right) {
        return None;
    }
    let rank = comp.rank();
    let shape = extents[..rank].to_vec();
    let count = shape.iter().product::<i64>();
    let points = if count > 0 { total / count } else { 0 };
    let mut elements = Vec::with_capacity(count as usize);
    for n in 0..count {
        let terms = (0..points).map(|k| {
            let at = point(&extents, n * points + k);
            element(&comp.body, &at, operands, &mut Known::new())
        });
        elements.push(combine(comp.combiner, terms.collect::<Option<Vec<_>>>()?)?);
    }
    let followed = elements.iter().all(|e| !e.is_intricate());
    followed.then_some(Contents { shape, elements })
}

fn point(extents: &[i64], at: i64) -> Vec<Ix> {
    let mut rest = at;
    let mut out: Vec<Ix> = extents
        .iter()
        .rev()
        .map(|e| {
            let place = rest % e;
            rest /= e;
            Ix::konst(place)
        })
        .collect();
    out.reverse();
    out
}

fn combine(combiner: Combiner, terms: Vec<Ix>) -> Option<Ix> {
    match combiner {
        Combiner::Map => terms.into_iter().next(),
        Combiner::Sum => Some(terms.iter().fold(Ix::zero(), |a, b| &a + b)),
        Combiner::Prod => Some(terms.iter().fold(Ix::konst(1), |a, b| &a * b)),
        Combiner::Max => terms.into_iter().reduce(|a, b| a.max_with(&b)),
        Combiner::Min => terms.into_iter().reduce(|a, b| a.min_with(&b)),
        _ => None,
    }
}

fn index(ix: &Ix, point: &[Ix], operands: &[Option<&Contents>]) -> Option<Ix> {
    let mut missing = false;
    ix.visit(&mut |a| {
        if let Atom::Load(o, at) = a {
            let at: Option<Vec<Ix>> = at.iter().map(|i| index(i, point, operands)).collect();
            missing |= at.and_then(|at| lookup(*o, &at, operands)).is_none();
        }
    });
    if missing {
        return None;
    }
    Some(ix.subst(&|a| match a {
        Atom::Axis(i) => point.get(*i as usize).cloned(),
        Atom::Load(o, at) => {
            let at: Option<Vec<Ix>> = at.iter().map(|i| index(i, point, operands)).collect();
            lookup(*o, &at?, operands)
        }
        _ => None,
    }))
}

fn lookup(operand: u32, at: &[Ix], operands: &[Option<&Contents>]) -> Option<Ix> {
    let c = operands.get(operand as usize).copied().flatten()?;
    let mut flat = 0;
    for (ix, dim) in at.iter().zip(&c.shape) {
        let i = ix.as_const().filter(|i| (0..*dim).contains(i))?;
        flat = flat * dim + i;
    }
    c.elements.get(flat as usize).cloned()
}

/// What nodes of a body are at a point.
type Known = HashMap<*const Kind, Option<Ix>>;

fn element(s: &Scalar, point: &[Ix], operands: &[Option<&Contents>], known: &mut Known) -> Option<Ix> {
    if s.dtype().is_float() || s.dtype() == DType::String {
        return None;
    }
    let key = std::ptr::from_ref(s.kind());
    if let Some(found) = known.get(&key) {
        return found.clone();
    }
    let found = node(s, point, operands, known);
    known.insert(key, found.clone());
    found
}

fn node(s: &Scalar, point: &[Ix], operands: &[Option<&Contents>], known: &mut Known) -> Option<Ix> {
    match s.kind() {
        Kind::Const(bits) => Some(Ix::konst(*bits as i64)),
        Kind::Index(e) => index(e, point, operands),
        Kind::Read(o, at) => {
            let at: Option<Vec<Ix>> = at.iter().map(|i| index(i, point, operands)).collect();
            lookup(*o, &at?, operands)
        }
        Kind::Where(preds, t, f) => match decide(preds, point, operands)? {
            true => element(t, point, operands, known),
            false => element(f, point, operands, known),
        },
        Kind::Call(Func::Select, args) => match element(&args[0], point, operands, known)?.as_const()? {
            0 => element(&args[2], point, operands, known),
            _ => element(&args[1], point, operands, known),
        },
        Kind::Call(f, args) => {
            let args: Option<Vec<Ix>> = args.iter().map(|a| element(a, point, operands, known)).collect();
            apply(*f, s, &args?)
        }
    }
}

fn decide(preds: &[Pred], point: &[Ix], operands: &[Option<&Contents>]) -> Option<bool> {
    for p in preds {
        if !p.holds(index(p.ix(), point, operands)?.as_const()?) {
            return Some(false);
        }
    }
    Some(true)
}

fn apply(f: Func, s: &Scalar, args: &[Ix]) -> Option<Ix> {
    let wide = matches!(s.dtype(), DType::I64 | DType::I32);
    let flag = |b: bool| Ix::konst(b as i64);
    Some(match (f, args) {
        (Func::Cast(DType::Bool, _), [a]) => flag(a.as_const()? != 0),
        (Func::Cast(..), [a]) if wide => a.clone(),
        (Func::Add, [a, b]) if wide => a + b,
        (Func::Sub, [a, b]) if wide => a - b,
        (Func::Mul, [a, b]) if wide => a * b,
        (Func::Neg, [a]) if wide => -a.clone(),
        (Func::Div, [a, b]) if wide && a.is_size() && b.as_const()? > 0 => a.floor_div(b),
        (Func::Mod, [a, b]) if wide && b.as_const()? > 0 => a.modulo(b),
        (Func::Min, [a, b]) if wide => a.min_with(b),
        (Func::Max, [a, b]) if wide => a.max_with(b),
        (Func::Eq, [a, b]) => flag(difference(a, b)? == 0),
        (Func::Ne, [a, b]) => flag(difference(a, b)? != 0),
        (Func::Lt, [a, b]) => flag(difference(a, b)? < 0),
        (Func::Le, [a, b]) => flag(difference(a, b)? <= 0),
        (Func::Gt, [a, b]) => flag(difference(a, b)? > 0),
        (Func::Ge, [a, b]) => flag(difference(a, b)? >= 0),
        (Func::And, [a, b]) if s.dtype() == DType::Bool => flag(a.as_const()? != 0 && b.as_const()? != 0),
        (Func::Or, [a, b]) if s.dtype() == DType::Bool => flag(a.as_const()? != 0 || b.as_const()? != 0),
        (Func::Not, [a]) if s.dtype() == DType::Bool => flag(a.as_const()? == 0),
        _ => return None,
    })
}

/// `a - b` as far as its sign is known: sizes are at least zero, so `-1` differs from all of them.
fn difference(a: &Ix, b: &Ix) -> Option<i64> {
    let d = a - b;
    if let Some(c) = d.as_const() {
        return Some(c);
    }
    let below = (&Ix::konst(-1) - &d).is_size();
    let above = (&d - &Ix::konst(1)).is_size();
    match (below, above) {
        (true, _) => Some(-1),
        (_, true) => Some(1),
        _ => None,
    }
}
