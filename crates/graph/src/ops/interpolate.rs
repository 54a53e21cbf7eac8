//! Products of elements at computed places: interpolation through tables.

use super::{Body, Structured, f32s, tensor};
use crate::comp::Combiner;
use crate::decl::Decl;
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Where a dim of a factor is read.
#[derive(Clone)]
pub enum Place {
    /// At the point of a label.
    Label(char),
    /// At the place that an integer operand holds at the points of some labels.
    Table(usize, Vec<char>),
}

/// `out[output labels] = combination over the other labels of the product of the factors`.
pub struct Interpolate {
    /// How.
    pub combiner: Combiner,
    /// The first operands, dim by dim; the tables are operands behind them.
    pub factors: Vec<Vec<Place>>,
    /// The labels of the result.
    pub output: Vec<char>,
}

impl Interpolate {
    /// Every label, those of the result first.
    fn labels(&self) -> Vec<char> {
        let mut labels = self.output.clone();
        for at in self.factors.iter().flatten() {
            let own = match at {
                Place::Label(l) => std::slice::from_ref(l),
                Place::Table(_, ls) => ls,
            };
            for l in own {
                if !labels.contains(l) {
                    labels.push(*l);
                }
            }
        }
        labels
    }
}

impl Structured for Interpolate {
    const NAME: &'static str = "interpolate";
    const DOC: &'static str = "Combines products over labelled axes, as `contract` does, of factors that may be read at \
        places which tables hold: weighted neighbours of computed coordinates. A place outside is an error.";
    const OPERANDS: &'static [&'static str] = &["x"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let axis = |l: &char| match self.output.contains(l) {
            true => (*l, d.par(&l.to_string())),
            false => (*l, d.reduce(&l.to_string())),
        };
        let axes: Vec<(char, Ix)> = self.labels().iter().map(axis).collect();
        let place = |l: &char| axes.iter().find(|(own, _)| own == l).map_or_else(Ix::zero, |(_, a)| a.clone());
        let mut product = None;
        for (i, factor) in self.factors.iter().enumerate() {
            let mut index = Vec::with_capacity(factor.len());
            for at in factor {
                index.push(match at {
                    Place::Label(l) => place(l),
                    Place::Table(o, ls) => d.operand(*o)?.load(&ls.iter().map(place).collect::<Vec<_>>()),
                });
            }
            let read = d.operand(i)?.at(&index);
            product = Some(product.map_or(read.clone(), |p| p * read));
        }
        product.map(|p| (self.combiner, p)).ok_or_else(|| Diagnostic::internal("a product without factors"))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let labels = |ls: &str| ls.chars().map(Place::Label).collect::<Vec<_>>();
        let table = |o: usize, ls: &str| Place::Table(o, ls.chars().collect());
        let rows = |combiner| Self {
            combiner,
            factors: vec![vec![Place::Label('c'), table(2, "ik")], labels("ik")],
            output: vec!['c', 'i'],
        };
        let operands = || vec![f32s(&[2, 5]), f32s(&[3, 2]), tensor(DType::I64, &[3, 2])];
        vec![(rows(Combiner::Sum), operands()), (rows(Combiner::Max), operands())]
    }
}
