//! Evaluates a scalar expression over a strip of positions, a vector of lanes a node.

use super::index::{Element, IxCode, Positions, Site, StripIx};
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::{Func, Lanes};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// A compiled scalar expression.
#[derive(Clone, Debug)]
pub struct Code {
    /// The dtype of the value.
    pub dtype: DType,
    /// The node.
    pub kind: CodeKind,
}

/// What a node of compiled code does.
#[derive(Clone, Debug)]
pub enum CodeKind {
    /// A constant, as [`Kind::Const`] holds it.
    Const(u64),
    /// An index as a value.
    Index(IxCode),
    /// An element.
    Read(Element),
    /// A function.
    Call(Func, Vec<DType>, Vec<Code>),
    /// A guard.
    Where(Vec<(Pred, IxCode)>, Box<Code>, Box<Code>),
}

impl Code {
    /// Compiles an expression without symbols.
    pub fn new(scalar: &Scalar, shapes: &[Vec<usize>], extents: &[Ix]) -> Result<Self> {
        let code = |s: &Scalar| Self::new(s, shapes, extents);
        let kind = match scalar.kind() {
            Kind::Const(bits) => CodeKind::Const(*bits),
            Kind::Index(e) => CodeKind::Index(IxCode::new(e, shapes, extents)?),
            Kind::Read(o, index) => CodeKind::Read(Element::new(*o as usize, index, shapes, extents)?),
            Kind::Call(f, args) => {
                let dtypes = args.iter().map(Scalar::dtype).collect();
                CodeKind::Call(*f, dtypes, args.iter().map(code).collect::<Result<_>>()?)
            }
            Kind::Where(preds, t, f) => {
                let preds = preds
                    .iter()
                    .map(|p| Ok((p.clone(), IxCode::new(p.ix(), shapes, extents)?)))
                    .collect::<Result<Vec<_>>>()?;
                let mut then = code(t)?;
                then.trust(&preds);
                CodeKind::Where(preds, Box::new(then), Box::new(code(f)?))
            }
        };
        Ok(Self { dtype: scalar.dtype(), kind })
    }

    /// Drops bounds checks that the guard around the expression already makes.
    fn trust(&mut self, preds: &[(Pred, IxCode)]) {
        let ge0 = |konst: i64, coefficients: &[i64]| {
            preds.iter().any(|(p, c)| {
                matches!(p, Pred::Ge0(_)) && c.is_affine() && c.konst <= konst && c.coefficients == coefficients
            })
        };
        match &mut self.kind {
            CodeKind::Read(e) => e.checks.retain(|(ix, dim)| {
                let negated: Vec<i64> = ix.coefficients.iter().map(|c| -c).collect();
                let proved = ix.is_affine() && ge0(ix.konst, &ix.coefficients) && ge0(dim - 1 - ix.konst, &negated);
                !proved
            }),
            CodeKind::Call(_, _, args) => args.iter_mut().for_each(|a| a.trust(preds)),
            CodeKind::Where(_, t, f) => {
                t.trust(preds);
                f.trust(preds);
            }
            CodeKind::Const(_) | CodeKind::Index(_) => {}
        }
    }

    /// Leaves the product that a sum is over unrounded: it is formed as wide as it is summed.
    pub fn widen(&mut self) {
        match &mut self.kind {
            CodeKind::Call(Func::Mul, ..) if self.dtype.is_float() => self.dtype = DType::F64,
            CodeKind::Where(_, t, _) if self.dtype.is_float() => {
                t.widen();
                self.dtype = t.dtype;
            }
            _ => {}
        }
    }

    /// Visits every compiled index.
    pub fn visit_ix<'a>(&'a self, f: &mut dyn FnMut(&'a IxCode)) {
        match &self.kind {
            CodeKind::Const(_) => {}
            CodeKind::Index(e) => f(e),
            CodeKind::Read(e) => {
                f(&e.offset);
                e.checks.iter().for_each(|(ix, _)| f(ix));
            }
            CodeKind::Call(_, _, args) => args.iter().for_each(|a| a.visit_ix(f)),
            CodeKind::Where(preds, t, e) => {
                preds.iter().for_each(|(_, ix)| f(ix));
                t.visit_ix(f);
                e.visit_ix(f);
            }
        }
    }

    /// The values over a strip.
    pub fn eval(&self, site: &Site<'_>) -> Result<Lanes> {
        let len = site.positions.len();
        Ok(match &self.kind {
            CodeKind::Const(bits) if self.dtype.is_float() => Lanes::F(vec![f64::from_bits(*bits); len]),
            CodeKind::Const(bits) => Lanes::I(vec![*bits as i64; len]),
            CodeKind::Index(e) => Lanes::I(e.eval(site)?.values(len)),
            CodeKind::Read(e) => read(self.dtype, &site.operands[e.operand], e.locate(site)?, len),
            CodeKind::Call(f, dtypes, args) => {
                let args = args.iter().map(|a| a.eval(site)).collect::<Result<Vec<_>>>()?;
                f.eval(self.dtype, dtypes, &args.iter().collect::<Vec<_>>(), len)
            }
            CodeKind::Where(preds, t, f) => self.choose(preds, t, f, site)?,
        })
    }

    fn choose(&self, preds: &[(Pred, IxCode)], then: &Code, otherwise: &Code, site: &Site<'_>) -> Result<Lanes> {
        let len = site.positions.len();
        let on = |code: &Code, positions: &Positions| code.eval(&Site { positions, ..*site });
        match holding(preds, site)? {
            Holding::Range(0, 0) => otherwise.eval(site),
            Holding::Range(0, to) if to == len => then.eval(site),
            Holding::Range(from, to) => {
                let mut out = on(otherwise, &site.positions.part(0, from))?;
                append(&mut out, on(then, &site.positions.part(from, to))?);
                append(&mut out, on(otherwise, &site.positions.part(to, len))?);
                Ok(out)
            }
            Holding::Mask(mask) => {
                let (yes, no): (Vec<usize>, Vec<usize>) = (0..len).partition(|i| mask[*i]);
                let mut out = Lanes::zeros(self.dtype, len);
                place(&mut out, &yes, &on(then, &site.positions.choose(&yes))?);
                place(&mut out, &no, &on(otherwise, &site.positions.choose(&no))?);
                Ok(out)
            }
        }
    }
}

/// Which positions of a strip satisfy a guard.
pub enum Holding {
    /// Those numbered `from..to`.
    Range(usize, usize),
    /// Those marked.
    Mask(Vec<bool>),
}

/// Evaluates a conjunction over a strip. Later predicates are evaluated only where the earlier
/// ones hold: they may read elements that only those make legal.
pub fn holding(preds: &[(Pred, IxCode)], site: &Site<'_>) -> Result<Holding> {
    let len = site.positions.len();
    let (mut from, mut to) = (0usize, len);
    for (n, (pred, code)) in preds.iter().enumerate() {
        if from >= to {
            return Ok(Holding::Range(0, 0));
        }
        let part = site.positions.part(from, to);
        match code.eval(&Site { positions: &part, ..*site })? {
            StripIx::Affine { start, step } => {
                let (a, b) = affine_range(pred, start, step, to - from);
                (from, to) = (from + a, from + b);
            }
            StripIx::Lanes(values) => {
                let held: Vec<usize> = (0..values.len()).filter(|i| pred.holds(values[*i])).collect();
                let inner = part.choose(&held);
                let rest = holding(&preds[n + 1..], &Site { positions: &inner, ..*site })?;
                let mut mask = vec![false; len];
                for (i, at) in held.iter().enumerate() {
                    mask[from + at] = match &rest {
                        Holding::Range(a, b) => (*a..*b).contains(&i),
                        Holding::Mask(m) => m[i],
                    };
                }
                return Ok(Holding::Mask(mask));
            }
        }
    }
    Ok(if from >= to { Holding::Range(0, 0) } else { Holding::Range(from, to) })
}

/// The numbers `i in 0..len` for which the predicate holds of `start + step*i`: always a range.
pub fn affine_range(pred: &Pred, start: i64, step: i64, len: usize) -> (usize, usize) {
    let n = len as i64;
    let (from, to) = match (pred, step) {
        (_, 0) => (0, if pred.holds(start) { n } else { 0 }),
        (Pred::Ge0(_), 1) => ((-start).clamp(0, n), n),
        (Pred::Ge0(_), -1) => (0, (start + 1).clamp(0, n)),
        (Pred::Ge0(_), s) if s > 0 => ((-start + s - 1).div_euclid(s).clamp(0, n), n),
        (Pred::Ge0(_), s) => (0, (start.div_euclid(-s) + 1).clamp(0, n)),
        (Pred::Eq0(_), s) if start % s == 0 && (0..n).contains(&(-start / s)) => (-start / s, -start / s + 1),
        (Pred::Eq0(_), _) => (0, 0),
    };
    (from as usize, to as usize)
}

fn read(dtype: DType, source: &Tensor, places: StripIx, len: usize) -> Lanes {
    let mut out = Lanes::zeros(dtype, len);
    match (&mut out, places) {
        _ if len == 0 => {}
        (Lanes::F(out), StripIx::Affine { start, step }) => source.read_f64(start as usize, step as isize, out),
        (Lanes::I(out), StripIx::Affine { start, step }) => source.read_i64(start as usize, step as isize, out),
        (Lanes::F(out), StripIx::Lanes(v)) => source.gather_f64(&v, out),
        (Lanes::I(out), StripIx::Lanes(v)) => source.gather_i64(&v, out),
    }
    out
}

fn append(to: &mut Lanes, more: Lanes) {
    match (to, more) {
        (Lanes::F(a), Lanes::F(b)) => a.extend(b),
        (Lanes::I(a), Lanes::I(b)) => a.extend(b),
        _ => {}
    }
}

fn place(to: &mut Lanes, at: &[usize], values: &Lanes) {
    match (to, values) {
        (Lanes::F(a), Lanes::F(b)) => at.iter().zip(b).for_each(|(i, x)| a[*i] = *x),
        (Lanes::I(a), Lanes::I(b)) => at.iter().zip(b).for_each(|(i, x)| a[*i] = *x),
        _ => {}
    }
}
