//! The one fast path: sums of guarded products of two float reads, as dot and axpy on slices.

use super::index::{Element, IxCode, Site, StripIx};
use super::lines::{Line, Lines};
use super::strip::{Code, CodeKind, Holding, Node, holding};
use crate::comp::Combiner;
use crate::scalar::Pred;
use crate::scalars::Func;
use tilewright_support::Result;
use tilewright_tensor::{DType, Tensor};

/// A sum of products of two reads, under a guard.
pub struct Product<'a> {
    preds: &'a [(Pred, IxCode)],
    left: (&'a Element, Floats<'a>),
    right: (&'a Element, Floats<'a>),
}

/// The elements of an operand.
#[derive(Clone, Copy)]
pub enum Floats<'a> {
    /// Of dtype f32.
    F32(&'a [f32]),
    /// Of dtype f64.
    F64(&'a [f64]),
}

/// A factor over a strip.
struct Factor<'a> {
    floats: Floats<'a>,
    places: StripIx,
}

impl<'a> Product<'a> {
    /// Recognises the form.
    pub fn new(combiner: Combiner, code: &'a Code, operands: &'a [Tensor]) -> Option<Self> {
        let root = code.root();
        let (preds, body) = match &root.kind {
            CodeKind::Where(preds, t, f) => match code.node(*f).kind {
                CodeKind::Const(0) => (preds.as_slice(), code.node(*t)),
                _ => return None,
            },
            _ => (&[][..], root),
        };
        let CodeKind::Call(Func::Mul, _, args) = &body.kind else { return None };
        let &[a, b] = args.as_slice() else { return None };
        let [a, b] = [a, b].map(|at| code.node(at));
        if combiner != Combiner::Sum {
            return None;
        }
        Some(Self { preds, left: factor(a, operands)?, right: factor(b, operands)? })
    }

    /// The form in which all reduction points of a strip are summed at once; every index must be
    /// affine and proved in bounds. The reduction coordinates of `point` are zero.
    pub fn lines(&self, point: &[i64], axis: usize, inner: &[usize]) -> Option<Lines<'a>> {
        let line = |ix: &IxCode| Line::new(ix, point, axis, inner);
        let factor = |(e, floats): (&Element, Floats<'a>)| {
            if e.checks.is_empty() { Some((floats, line(&e.offset)?)) } else { None }
        };
        let preds = self.preds.iter().map(|(p, ix)| Some((p, line(ix)?))).collect::<Option<_>>()?;
        Some(Lines { preds, left: factor(self.left)?, right: factor(self.right)? })
    }

    /// Both factors over a strip on which the guard holds.
    fn factors(&self, site: &Site<'_>) -> Result<(Factor<'a>, Factor<'a>)> {
        let at = |(e, floats): (&Element, Floats<'a>)| -> Result<Factor<'a>> {
            Ok(Factor { floats, places: e.locate(site)? })
        };
        Ok((at(self.left)?, at(self.right)?))
    }

    /// Adds the products over a strip to one sum a position.
    pub fn add_to(&self, sums: &mut [f64], site: &Site<'_>) -> Result<()> {
        match holding(self.preds, site)? {
            Holding::Range(from, to) if from == to => {}
            Holding::Range(from, to) => {
                let part = site.positions.part(from, to);
                let (a, b) = self.factors(&Site { positions: &part, ..*site })?;
                match (&a.places, &b.places) {
                    (StripIx::Affine { start: p, step: s }, StripIx::Affine { start: q, step: t }) => {
                        add_products(&mut sums[from..to], (a.floats, (*p, *s)), (b.floats, (*q, *t)));
                    }
                    _ => sums[from..to].iter_mut().enumerate().for_each(|(i, s)| *s += a.get(i) * b.get(i)),
                }
            }
            Holding::Mask(mask) => {
                let held: Vec<usize> = (0..mask.len()).filter(|i| mask[*i]).collect();
                let part = site.positions.choose(&held);
                let (a, b) = self.factors(&Site { positions: &part, ..*site })?;
                held.iter().enumerate().for_each(|(i, at)| sums[*at] += a.get(i) * b.get(i));
            }
        }
        Ok(())
    }

    /// Adds the products over a strip to one sum.
    pub fn fold_into(&self, sum: &mut f64, site: &Site<'_>) -> Result<()> {
        let (part, n) = match holding(self.preds, site)? {
            Holding::Range(from, to) => (site.positions.part(from, to), to - from),
            Holding::Mask(mask) => {
                let held: Vec<usize> = (0..mask.len()).filter(|i| mask[*i]).collect();
                (site.positions.choose(&held), held.len())
            }
        };
        if n > 0 {
            let (a, b) = self.factors(&Site { positions: &part, ..*site })?;
            *sum += dot(&a, &b, n);
        }
        Ok(())
    }
}

fn factor<'a>(node: &'a Node, operands: &'a [Tensor]) -> Option<(&'a Element, Floats<'a>)> {
    let CodeKind::Read(e) = &node.kind else { return None };
    let t = &operands[e.operand];
    match t.dtype() {
        DType::F32 => Some((e, Floats::F32(t.as_slice()?))),
        DType::F64 => Some((e, Floats::F64(t.as_slice()?))),
        _ => None,
    }
}

impl Factor<'_> {
    #[inline]
    fn get(&self, i: usize) -> f64 {
        let at = match &self.places {
            StripIx::Affine { start, step } => (start + step * i as i64) as usize,
            StripIx::Lanes(v) => v[i] as usize,
        };
        match self.floats {
            Floats::F32(v) => f64::from(v[at]),
            Floats::F64(v) => v[at],
        }
    }

    /// The `n` elements, if they are f32 in a row.
    fn row(&self, n: usize) -> Option<&[f32]> {
        match (self.floats, &self.places) {
            (Floats::F32(v), StripIx::Affine { start, step: 1 }) => v.get(*start as usize..*start as usize + n),
            _ => None,
        }
    }
}

/// Elements with the place of the first and the distance to the next.
type Row<'a> = (Floats<'a>, (i64, i64));

/// `sums += a * b`, element by element.
pub fn add_products(sums: &mut [f64], a: Row<'_>, b: Row<'_>) {
    let (a, b) = if a.1.1 == 0 { (a, b) } else { (b, a) };
    let n = sums.len();
    match (a.1.1, b) {
        (0, (Floats::F32(v), (start, 1))) => {
            let (scale, row) = (get(a, 0), &v[start as usize..start as usize + n]);
            sums.iter_mut().zip(row).for_each(|(s, x)| *s += scale * f64::from(*x));
        }
        (0, _) => {
            let scale = get(a, 0);
            sums.iter_mut().enumerate().for_each(|(i, s)| *s += scale * get(b, i));
        }
        _ => sums.iter_mut().enumerate().for_each(|(i, s)| *s += get(a, i) * get(b, i)),
    }
}

#[inline]
fn get((floats, (start, step)): Row<'_>, i: usize) -> f64 {
    let at = (start + step * i as i64) as usize;
    match floats {
        Floats::F32(v) => f64::from(v[at]),
        Floats::F64(v) => v[at],
    }
}

/// The sum of `n` products, in rising order.
fn dot(a: &Factor<'_>, b: &Factor<'_>, n: usize) -> f64 {
    match (a.row(n), b.row(n)) {
        (Some(x), Some(y)) => x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum(),
        _ => (0..n).map(|i| a.get(i) * b.get(i)).sum(),
    }
}
