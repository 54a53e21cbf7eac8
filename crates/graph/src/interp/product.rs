//! The one fast path: sums of guarded products of two float reads, as dot and axpy on slices.

use super::index::{Element, IxCode, Site, StripIx};
use super::strip::{Code, CodeKind, Holding, holding};
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
enum Floats<'a> {
    F32(&'a [f32]),
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
        let (preds, body) = match &code.kind {
            CodeKind::Where(preds, t, f) => match f.kind {
                CodeKind::Const(0) => (preds.as_slice(), &**t),
                _ => return None,
            },
            _ => (&[][..], code),
        };
        let CodeKind::Call(Func::Mul, _, args) = &body.kind else { return None };
        let [a, b] = args.as_slice() else { return None };
        if combiner != Combiner::Sum {
            return None;
        }
        Some(Self { preds, left: factor(a, operands)?, right: factor(b, operands)? })
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
                add_products(&mut sums[from..to], &a, &b);
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

fn factor<'a>(code: &'a Code, operands: &'a [Tensor]) -> Option<(&'a Element, Floats<'a>)> {
    let CodeKind::Read(e) = &code.kind else { return None };
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

    /// The value, if it is the same at every position.
    fn uniform(&self) -> Option<f64> {
        matches!(self.places, StripIx::Affine { step: 0, .. }).then(|| self.get(0))
    }

    /// The `n` elements, if they are f32 in a row.
    fn row(&self, n: usize) -> Option<&[f32]> {
        match (self.floats, &self.places) {
            (Floats::F32(v), StripIx::Affine { start, step: 1 }) => v.get(*start as usize..*start as usize + n),
            _ => None,
        }
    }
}

/// `sums += a * b`.
fn add_products(sums: &mut [f64], a: &Factor<'_>, b: &Factor<'_>) {
    let (a, b) = if a.uniform().is_some() { (a, b) } else { (b, a) };
    match (a.uniform(), b.row(sums.len())) {
        (Some(scale), Some(row)) => sums.iter_mut().zip(row).for_each(|(s, x)| *s += scale * f64::from(*x)),
        (Some(scale), None) => sums.iter_mut().enumerate().for_each(|(i, s)| *s += scale * b.get(i)),
        _ => sums.iter_mut().enumerate().for_each(|(i, s)| *s += a.get(i) * b.get(i)),
    }
}

/// The sum of `n` products, in rising order.
fn dot(a: &Factor<'_>, b: &Factor<'_>, n: usize) -> f64 {
    match (a.row(n), b.row(n)) {
        (Some(x), Some(y)) => x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum(),
        _ => (0..n).map(|i| a.get(i) * b.get(i)).sum(),
    }
}
