//! Operations that are not comprehensions, which graphs hold as opaque nodes: at most twelve, each with its own shape and evaluation.
//!
//! They are plain algorithms on host values, neutral of any framework: versions, defaults and absent inputs are made
//! explicit by whoever builds the node. `eval` never panics, whatever the values are.
#![forbid(unsafe_code)]

pub mod attribute;
mod custom;
mod fft;
mod image;
mod linalg;
mod lookup;
mod nms;
mod nonzero;
mod operand;
mod order;
mod strings;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tfidf;
mod topk;
mod transform;
mod trees;
mod unique;

pub use custom::{Custom, CustomAlgorithm};
pub use fft::Fft;
pub use image::{ImageDecode, PixelFormat};
pub use linalg::{LinAlg, MatrixFunction};
pub use lookup::Lookup;
pub use nms::NonMaxSuppression;
pub use nonzero::NonZero;
pub use strings::{Case, Normalize, StringFunction, Strings};
pub use tfidf::{NGrams, Pool, TfIdf, Weighting};
pub use topk::TopK;
pub use trees::{Aggregate, Ensemble, Next, Pair, Post, Test, Trees};
pub use unique::Unique;

use attribute::{Attrs, attributes};
use std::ops::RangeInclusive;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Value;
use tilewright_tensor::ix::{Ix, Sym};
use tilewright_tensor::types::Type;

/// What an opaque operation provides.
pub trait Algorithm: Sized {
    /// The name in messages and printed graphs.
    const NAME: &'static str;
    /// What it computes.
    const DOC: &'static str;

    /// How many inputs it takes; those at the end may be optional.
    fn inputs(&self) -> RangeInclusive<usize>;

    /// The types of the outputs. `fresh` makes a symbol for a size that is known only afterwards.
    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>>;

    /// The outputs.
    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>>;

    /// The attributes, by `attributes!`.
    fn attributes(&self) -> Attrs;

    /// The operation of given attributes, by `attributes!`.
    fn from_attributes(attrs: &Attrs) -> Result<Self>;

    /// The symbols that the attributes mention. Operations of many attributes and no sizes say so at once.
    fn syms(&self) -> Vec<Sym> {
        self.attributes().iter().flat_map(|(_, a)| a.syms()).collect()
    }
}

macro_rules! opaques {
    ($($op:ident),* $(,)?) => {
        /// An operation that is not a comprehension.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Opaque {
            $(#[doc = "See the struct of this name."] $op($op)),*
        }

        /// Names and docs of every opaque operation.
        pub const OPAQUE: &[(&str, &str)] = &[$(($op::NAME, $op::DOC)),*];

        impl Opaque {
            /// The name in messages and printed graphs.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$op(_) => $op::NAME),* }
            }

            /// How many inputs it takes; those at the end may be optional.
            pub fn inputs(&self) -> RangeInclusive<usize> {
                match self { $(Self::$op(o) => o.inputs()),* }
            }

            /// The types of the outputs.
            pub fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
                self.check_arity(inputs.len())?;
                match self { $(Self::$op(o) => o.infer(inputs, fresh)),* }
            }

            /// The outputs.
            pub fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
                self.check_arity(inputs.len())?;
                match self { $(Self::$op(o) => o.eval(inputs)),* }
            }

            /// The symbols that the attributes mention.
            pub fn syms(&self) -> Vec<Sym> {
                match self { $(Self::$op(o) => o.syms()),* }
            }

            /// The attributes.
            pub fn attributes(&self) -> Attrs {
                match self { $(Self::$op(o) => o.attributes()),* }
            }

            /// The operation called `name` with given attributes.
            pub fn from_attributes(name: &str, attrs: &Attrs) -> Result<Self> {
                match name {
                    $($op::NAME => $op::from_attributes(attrs).map(Self::$op),)*
                    _ => Err(Diagnostic::invalid(format!("no operation is called `{name}`"))),
                }
            }
        }

        $(impl From<$op> for Opaque {
            fn from(op: $op) -> Self {
                Self::$op(op)
            }
        })*
    };
}

impl Opaque {
    fn check_arity(&self, found: usize) -> Result<()> {
        let takes = self.inputs();
        if takes.contains(&found) {
            return Ok(());
        }
        let (least, most) = (takes.start(), takes.end());
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        Err(Diagnostic::invalid(format!("{} takes {wanted} inputs, not {found}", self.name())))
    }

    /// The same with the sizes among the attributes rewritten.
    pub fn map_sizes(&self, f: &dyn Fn(&Ix) -> Ix) -> Result<Self> {
        if self.syms().is_empty() {
            return Ok(self.clone());
        }
        let attrs = self.attributes().into_iter().map(|(name, a)| (name, a.map_sizes(f))).collect();
        Self::from_attributes(self.name(), &attrs)
    }
}

opaques! { Custom, Fft, ImageDecode, LinAlg, Lookup, NonMaxSuppression, NonZero, Strings, TfIdf, TopK, Trees, Unique }
