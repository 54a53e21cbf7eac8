//! Elementwise functions.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::scalar::{Kind, Scalar};
use crate::types::TensorType;
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The body is a scalar expression over [`Map::arg`]s. Operands broadcast as in NumPy.
pub struct Map {
    body: Scalar,
    name: Option<&'static str>,
}

impl Map {
    /// The element of operand `position` at the point, whatever the rank.
    pub fn arg(position: usize, dtype: DType) -> Scalar {
        Scalar::read(position as u32, dtype, Vec::new())
    }

    /// A map with the body that `f` gives for one [`Map::arg`] an operand.
    pub fn new(dtypes: &[DType], f: impl FnOnce(&[Scalar]) -> Scalar) -> Self {
        let args: Vec<Scalar> = dtypes.iter().enumerate().map(|(i, d)| Self::arg(i, *d)).collect();
        Self { body: f(&args), name: None }
    }

    /// The same, labelled.
    pub fn named(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
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
        let unit =
            |i: usize| operands.iter().all(|o| (i + o.rank()).checked_sub(rank).is_none_or(|k| o.shape()[k].is(1)));
        let axes: Vec<Ix> =
            (0..rank).map(|i| if unit(i) { d.par_of(&format!("i{i}"), 1) } else { d.par(&format!("i{i}")) }).collect();
        let reads: Vec<Scalar> = operands
            .iter()
            .map(|o| {
                let own = &axes[rank - o.rank()..];
                let index = own.iter().zip(o.shape()).map(|(a, n)| if n.is(1) { Ix::zero() } else { a.clone() });
                o.at(&index.collect::<Vec<_>>())
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

impl Map {
    /// The label, if one was given.
    pub fn label(&self) -> Option<&'static str> {
        self.name
    }

    /// Whether the body is a constant.
    pub fn is_constant(&self) -> bool {
        matches!(self.body.kind(), Kind::Const(_))
    }
}
