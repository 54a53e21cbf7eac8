//! What flows back into each read of a body: reverse mode over one scalar expression.

use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::Func;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// A read of a body, and the derivative of `seed * body` by it.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The operand read.
    pub operand: u32,
    /// Where it is read.
    pub index: Vec<Ix>,
    /// The derivative, over the axes of the body.
    pub adjoint: Scalar,
}

/// The flows into all float reads of `body`, one for each operand and index. `result` is the value
/// of `body` where it can be read instead of computed again. Fails for functions that have no
/// derivative.
pub fn flows(body: &Scalar, seed: Scalar, result: Option<&Scalar>) -> Result<Vec<Flow>> {
    let mut out = Vec::new();
    walk(body, seed, result, &mut out)?;
    Ok(out)
}

fn walk(s: &Scalar, adjoint: Scalar, result: Option<&Scalar>, out: &mut Vec<Flow>) -> Result<()> {
    if !s.dtype().is_float() {
        return Ok(());
    }
    match s.kind() {
        Kind::Const(_) | Kind::Index(_) => {}
        Kind::Read(operand, index) => {
            match out.iter_mut().find(|f| f.operand == *operand && f.index == *index) {
                Some(f) => f.adjoint = sum(&f.adjoint, &adjoint),
                None => out.push(Flow { operand: *operand, index: index.clone(), adjoint }),
            };
        }
        Kind::Where(preds, then, otherwise) => {
            let zero = adjoint.lit(0.0);
            walk(then, Scalar::guarded(preds.clone(), assume(&adjoint, preds), zero.clone()), None, out)?;
            let negated = match preds.as_slice() {
                [Pred::Ge0(e)] => Scalar::guarded(vec![Pred::Ge0(Ix::konst(-1) - e)], adjoint, zero),
                _ => Scalar::guarded(preds.clone(), zero, adjoint),
            };
            walk(otherwise, negated, None, out)?;
        }
        Kind::Call(Func::Bitcast(_), args) if args[0].dtype().is_float() => {
            return Err(Diagnostic::unsupported("not differentiable because bitcast reads the bits of a float"));
        }
        Kind::Call(func, args) => {
            for (arg, partial) in args.iter().zip(func.partials(args, result.unwrap_or(s))) {
                let Some(partial) = partial else { continue };
                let scaled = under_guard(&adjoint, &|a| scale(a, &partial).cast(arg.dtype()));
                walk(arg, scaled, None, out)?;
            }
        }
    }
    Ok(())
}

/// The guard of an expression that is 0 elsewhere, and what it guards.
pub fn guard(s: &Scalar) -> (Vec<Pred>, Scalar) {
    match s.kind() {
        Kind::Where(preds, value, zero) if zero.is(0.0) => (preds.clone(), value.clone()),
        _ => (Vec::new(), s.clone()),
    }
}

/// Applies a linear function inside `Where(p, a, 0)`.
pub(super) fn under_guard(s: &Scalar, f: &dyn Fn(&Scalar) -> Scalar) -> Scalar {
    let (preds, value) = guard(s);
    let value = if preds.is_empty() { f(&value) } else { under_guard(&value, f) };
    let zero = value.lit(0.0);
    Scalar::guarded(preds, value, zero)
}

/// `adjoint * partial`, where a partial of 0 means that nothing flows, not that it is multiplied.
fn scale(adjoint: &Scalar, partial: &Scalar) -> Scalar {
    match partial.kind() {
        Kind::Const(_) if partial.is(0.0) => adjoint.lit(0.0),
        Kind::Const(_) if partial.is(1.0) => adjoint.clone(),
        Kind::Const(_) if partial.is(-1.0) => -adjoint.clone(),
        Kind::Call(Func::Select, args) => args[0].select(&scale(adjoint, &args[1]), &scale(adjoint, &args[2])),
        _ => adjoint * partial,
    }
}

/// `a + b`, inside the guard that both have.
fn sum(a: &Scalar, b: &Scalar) -> Scalar {
    match (a.kind(), b.kind()) {
        (Kind::Where(p, x, zero), Kind::Where(q, y, none)) if p == q && zero.is(0.0) && none.is(0.0) => {
            Scalar::guarded(p.clone(), sum(x, y), zero.clone())
        }
        _ => a + b,
    }
}

/// The expression where `known` holds.
fn assume(s: &Scalar, known: &[Pred]) -> Scalar {
    match s.kind() {
        Kind::Where(preds, then, otherwise) => {
            let open = preds.iter().filter(|p| !known.contains(p)).cloned().collect();
            Scalar::guarded(open, assume(then, known), assume(otherwise, known))
        }
        Kind::Call(func, args) => Scalar::call(*func, args.iter().map(|a| assume(a, known)).collect()),
        _ => s.clone(),
    }
}
