//! Elementwise functions.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::{Decl, Operand};
use crate::scalar::Scalar;
use crate::types::{TensorType, is_capped};
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The body is a scalar expression over [`Map::arg`]s. Operands broadcast as in NumPy.
pub struct Map {
    body: Scalar,
}

impl Map {
    /// The element of operand `position` at the point, whatever the rank.
    pub fn arg(position: usize, dtype: DType) -> Scalar {
        Scalar::read(position as u32, dtype, Vec::new())
    }

    /// A map with the body that `f` gives for one [`Map::arg`] an operand.
    pub fn new(dtypes: &[DType], f: impl FnOnce(&[Scalar]) -> Scalar) -> Self {
        let args: Vec<Scalar> = dtypes.iter().enumerate().map(|(i, d)| Self::arg(i, *d)).collect();
        Self { body: f(&args) }
    }
}

impl Structured for Map {
    const NAME: &'static str = "map";
    const DOC: &'static str = "An expression of scalar functions at every point. Operands of any shapes that broadcast \
        (aligned at the last dim, size 1 repeats); the result has the broadcast shape.";
    const OPERANDS: &'static [&'static str] = &["x", "y", "z"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let operands: Vec<_> = (0..d.operands()).map(|i| d.operand(i)).collect::<Result<_>>()?;
        let rank = operands.iter().map(|o| o.rank()).max().unwrap_or(0);
        let axes = (0..rank).map(|i| axis(d, i, &aligned(&operands, rank - 1 - i))).collect::<Result<Vec<Ix>>>()?;
        let reads: Vec<Scalar> = operands
            .iter()
            .map(|o| {
                let own = &axes[rank - o.rank()..];
                let place = |(at, (a, n)): (usize, (&Ix, &Ix))| match n.is(1) {
                    true => Ix::zero(),
                    false if may_repeat(&aligned(&operands, o.rank() - 1 - at), n) => a.min_with(&(n - &Ix::konst(1))),
                    false => a.clone(),
                };
                o.at(&own.iter().zip(o.shape()).enumerate().map(place).collect::<Vec<_>>())
            })
            .collect();
        let body = self.body.rewrite(&|e| e.clone(), &|o, dtype, index| match reads.get(o as usize) {
            Some(r) if r.dtype() == dtype => r.clone(),
            _ => Scalar::read(o, dtype, index),
        });
        Ok((Combiner::Map, body))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let two = [DType::F32, DType::F32];
        let add = || Self::new(&two, |a| &a[0] + &a[1]);
        vec![
            (add(), vec![f32s(&[2, 3]), f32s(&[2, 3])]),
            (add(), vec![f32s(&[4, 1, 3]), f32s(&[2, 1])]),
            (add(), vec![f32s(&[]), f32s(&[5])]),
            (add(), vec![f32s(&[0, 3]), f32s(&[1, 3])]),
            (Self::new(&two[..1], |a| a[0].tanh() * a[0].exp()), vec![f32s(&[300])]),
            (
                Self::new(&two, |a| a[0].maximum(&a[1]) / (a[0].clone() * a[0].clone() + 1.0)),
                vec![f32s(&[7]), f32s(&[7])],
            ),
        ]
    }
}

/// The dims of the operands at a place counted from the last, except those of size 1, each once.
fn aligned(operands: &[Operand<'_>], from_last: usize) -> Vec<Ix> {
    let mut dims: Vec<Ix> = Vec::new();
    for o in operands {
        let dim = (o.rank().checked_sub(1 + from_last)).map(|k| &o.shape()[k]);
        dims.extend(dim.filter(|n| !n.is(1) && !dims.contains(n)).cloned());
    }
    dims
}

/// The dims without those that are capped by a constant, which must equal the others.
fn uncapped(dims: &[Ix]) -> Vec<&Ix> {
    dims.iter().filter(|n| !dims.iter().any(|m| is_capped(n, m))).collect()
}

/// Whether two of the dims can turn out to be different, one of them 1.
fn undecided(dims: &[Ix]) -> bool {
    let dims = uncapped(dims);
    dims.iter().any(|n| n.as_const().is_none()) && dims.len() > 1
}

/// Whether a dim among `dims` can turn out to be 1 while another is not.
fn may_repeat(dims: &[Ix], n: &Ix) -> bool {
    n.as_const().is_none() && undecided(dims)
}

/// The axis over which dims are broadcast. Where they cannot be compared, its extent is `n` for
/// (n, n), (1, n) and (n, 1), and anything else fails when it runs.
fn axis(d: &Decl, i: usize, dims: &[Ix]) -> Result<Ix> {
    let name = format!("i{i}");
    let one = Ix::konst(1);
    if dims.is_empty() {
        return Ok(d.par_of(&name, 1));
    }
    if let [n] = uncapped(dims).as_slice() {
        dims.iter().try_for_each(|m| d.require_equal(n, m, &format!("{n} and {m} broadcast along {name}")))?;
        return Ok(d.par_of(&name, (*n).clone()));
    }
    if !undecided(dims) {
        return Ok(d.par(&name));
    }
    let mut extent = dims[0].clone();
    for n in &dims[1..] {
        let apart = &(&(&extent - n) * &(&extent - &one)) * &(n - &one);
        d.require_equal(&apart, &Ix::zero(), &format!("{extent} and {n} broadcast along {name}"))?;
        extent = (&extent * n).floor_div(&extent.min_with(n).max_with(&one));
    }
    Ok(d.par_of(&name, extent))
}
