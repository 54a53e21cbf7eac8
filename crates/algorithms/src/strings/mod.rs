//! Functions of strings.

mod concat;
mod normalize;
mod pattern;
mod split;

pub use normalize::{Case, Normalize};

use super::attribute::{Attr, Attribute};
use super::operand::{expect_dtype, tensor};
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use std::sync::Arc;
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::types::broadcast_shape;
use tilewright_tensor::{DType, Value, convert};

/// A function of tensors of strings.
#[derive(Clone, Debug, PartialEq)]
pub struct Strings {
    /// Which one.
    pub function: StringFunction,
}

/// What [`Strings`] can compute.
#[derive(Clone, Debug, PartialEq)]
pub enum StringFunction {
    /// ONNX `StringConcat`: joins two tensors elementwise; they broadcast.
    Concat,
    /// ONNX `StringSplit`: the parts of each string in a new last dim, filled up with empty strings, and how many parts
    /// each has (i64). As in Python, an empty string has no part at white space and one at a delimiter.
    Split {
        /// What separates; when empty, any run of white space, which is also cut from both ends.
        delimiter: Arc<str>,
        /// The most splits, from the left; the rest stays one part.
        most: Option<usize>,
    },
    /// ONNX `RegexFullMatch`: does a pattern in RE2's syntax match the whole string? Patterns that would mean something
    /// else here are refused.
    FullMatch {
        /// The pattern.
        pattern: Arc<str>,
    },
    /// ONNX `StringNormalizer`.
    Normalize(Normalize),
    /// ONNX `Cast` to strings: numbers written out, as [`convert::cast_with`] says.
    Show,
    /// ONNX `Cast` from strings: numbers read.
    Parse {
        /// What they are read as.
        to: DType,
    },
}

impl Attribute for StringFunction {
    fn to_attr(&self) -> Attr {
        let word = |w: &str| Attr::Text(w.into());
        Attr::List(match self {
            Self::Concat => vec![word("concat")],
            Self::Split { delimiter, most } => vec![word("split"), delimiter.to_attr(), most.to_attr()],
            Self::FullMatch { pattern } => vec![word("full_match"), pattern.to_attr()],
            Self::Show => vec![word("show")],
            Self::Parse { to } => vec![word("parse"), to.to_attr()],
            Self::Normalize(n) => {
                let fields = [n.stopwords.to_attr(), n.case_sensitive.to_attr(), n.case.to_attr(), n.locale.to_attr()];
                [vec![word("normalize")], fields.to_vec()].concat()
            }
        })
    }

    fn from_attr(attr: &Attr) -> Option<Self> {
        let Attr::List(parts) = attr else { return None };
        let [Attr::Text(word), parts @ ..] = parts.as_slice() else { return None };
        Some(match (&**word, parts) {
            ("concat", []) => Self::Concat,
            ("split", [d, most]) => Self::Split { delimiter: Arc::from_attr(d)?, most: Option::from_attr(most)? },
            ("full_match", [pattern]) => Self::FullMatch { pattern: Arc::from_attr(pattern)? },
            ("show", []) => Self::Show,
            ("parse", [to]) => Self::Parse { to: DType::from_attr(to)? },
            ("normalize", [stopwords, case_sensitive, case, locale]) => Self::Normalize(Normalize {
                stopwords: Vec::from_attr(stopwords)?,
                case_sensitive: bool::from_attr(case_sensitive)?,
                case: Case::from_attr(case)?,
                locale: Arc::from_attr(locale)?,
            }),
            _ => return None,
        })
    }
}

impl Algorithm for Strings {
    const NAME: &'static str = "string";
    const DOC: &'static str =
        "A function of strings: concat, split, full_match of a pattern, normalize, show numbers or parse them.";

    attributes!(function);

    fn inputs(&self) -> RangeInclusive<usize> {
        match self.function {
            StringFunction::Concat => 2..=2,
            _ => 1..=1,
        }
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let typed = |ty| match self.function {
            StringFunction::Show => Type::as_tensor(ty),
            _ => expect_dtype(ty, &[DType::String], "the input"),
        };
        let shape_of = |ty| typed(ty).map(|t| t.shape.as_slice());
        let shapes = inputs.iter().map(shape_of).collect::<Result<Vec<_>>>()?;
        let shape = shapes[0];
        Ok(match &self.function {
            StringFunction::Concat => vec![Type::tensor(DType::String, broadcast_shape(&shapes)?)],
            StringFunction::Split { .. } => {
                let parts = [shape, &[fresh()]].concat();
                vec![Type::tensor(DType::String, parts), Type::tensor(DType::I64, shape)]
            }
            StringFunction::FullMatch { pattern } => {
                pattern::Pattern::new(pattern)?;
                vec![Type::tensor(DType::Bool, shape)]
            }
            StringFunction::Normalize(n) => vec![Type::tensor(DType::String, n.infer(shape, fresh)?)],
            StringFunction::Show => vec![Type::tensor(DType::String, shape)],
            StringFunction::Parse { to } => vec![Type::tensor(*to, shape)],
        })
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let x = tensor(inputs, 0)?;
        let outputs = match &self.function {
            StringFunction::Concat => vec![concat::concat(x, tensor(inputs, 1)?)?],
            StringFunction::Split { delimiter, most } => split::split(x, delimiter, *most)?,
            StringFunction::FullMatch { pattern } => vec![pattern::Pattern::new(pattern)?.matches(x)?],
            StringFunction::Normalize(n) => vec![n.eval(x)?],
            StringFunction::Show => vec![convert::cast(x, DType::String, true)?],
            StringFunction::Parse { to } => vec![convert::cast(x, *to, true)?],
        };
        Ok(outputs.into_iter().map(Value::Tensor).collect())
    }
}
