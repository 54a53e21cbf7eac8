//! Sums of products over labelled axes: matrix products, einsum.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::scalar::Scalar;
use crate::types::TensorType;
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// `out[output labels] = sum over the other labels of the product of the operands`.
pub struct Contract {
    /// One label a dim, for each operand. A label that repeats within an operand takes its diagonal.
    pub inputs: Vec<Vec<char>>,
    /// The labels of the result.
    pub output: Vec<char>,
    /// The dtype in which products are formed and summed, where it is not the operands' own.
    pub accumulate: Option<DType>,
}

impl Contract {
    /// From einsum notation with single letters, such as `bik,bkj->bij`.
    pub fn parse(notation: &str) -> Self {
        let (left, right) = notation.split_once("->").unwrap_or((notation, ""));
        let inputs = left.split(',').map(|labels| labels.chars().collect()).collect();
        Self { inputs, output: right.chars().collect(), accumulate: None }
    }
}

impl Structured for Contract {
    const NAME: &'static str = "contract";
    const DOC: &'static str = "Sum of products over labelled axes. A dim of size 1 stands for any size of its label.";
    const OPERANDS: &'static [&'static str] = &["a", "b", "c"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let operands: Vec<_> = (0..d.operands()).map(|i| d.operand(i)).collect::<Result<_>>()?;
        let mut labels = self.output.clone();
        labels.extend(self.inputs.iter().flatten());
        let mut axes: Vec<(char, Ix)> = Vec::new();
        for l in labels {
            if axes.iter().any(|(known, _)| *known == l) {
                continue;
            }
            let mut dims = operands.iter().zip(&self.inputs).flat_map(|(o, ls)| ls.iter().zip(o.shape()));
            let unit = dims.all(|(own, n)| *own != l || n.is(1));
            let axis = match (self.output.contains(&l), unit) {
                (true, true) => d.par_of(&l.to_string(), 1),
                (true, false) => d.par(&l.to_string()),
                (false, true) => d.reduce_of(&l.to_string(), 1),
                (false, false) => d.reduce(&l.to_string()),
            };
            axes.push((l, axis));
        }
        let axis = |l: &char, n: &Ix| match axes.iter().find(|(known, _)| known == l) {
            Some((_, a)) if !n.is(1) => a.clone(),
            _ => Ix::zero(),
        };
        let factors = operands.iter().zip(&self.inputs).map(|(o, ls)| {
            let index: Vec<Ix> = ls.iter().zip(o.shape()).map(|(l, n)| axis(l, n)).collect();
            let read = o.at(&index);
            self.accumulate.map_or(read.clone(), |t| read.cast(t))
        });
        let product = factors.reduce(|a, b| a * b).unwrap_or_else(|| Scalar::konst(DType::F32, 1.0));
        let summed = axes.len() > self.output.len();
        Ok((if summed { Combiner::Sum } else { Combiner::Map }, product))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        vec![
            (Self::parse("ik,kj->ij"), vec![f32s(&[3, 4]), f32s(&[4, 5])]),
            (Self::parse("bik,bkj->bij"), vec![f32s(&[2, 3, 4]), f32s(&[1, 4, 2])]),
            (Self::parse("ij->ji"), vec![f32s(&[3, 2])]),
            (Self::parse("ii->i"), vec![f32s(&[3, 3])]),
            (Self::parse("ij,jk,kl->il"), vec![f32s(&[2, 3]), f32s(&[3, 2]), f32s(&[2, 4])]),
            (Self::parse("k,k->"), vec![f32s(&[300]), f32s(&[300])]),
            (Self::parse("ik,kj->ij"), vec![f32s(&[2, 0]), f32s(&[0, 3])]),
        ]
    }
}
