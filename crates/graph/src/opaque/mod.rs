//! Operations that are not comprehensions: at most twelve, each with its own shape and evaluation.

mod nonzero;

pub use nonzero::NonZero;

use crate::types::Type;
use tilewright_support::Result;
use tilewright_tensor::Value;
use tilewright_tensor::ix::{Ix, Sym};

/// What an opaque operation provides.
pub trait Algorithm {
    /// The name in messages and printed graphs.
    const NAME: &'static str;
    /// What it computes.
    const DOC: &'static str;

    /// The types of the outputs. `fresh` makes a symbol for a size that is known only afterwards.
    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>>;

    /// The outputs.
    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>>;

    /// The symbols that the attributes mention.
    fn syms(&self) -> Vec<Sym> {
        Vec::new()
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

            /// The types of the outputs.
            pub fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
                match self { $(Self::$op(o) => o.infer(inputs, fresh)),* }
            }

            /// The outputs.
            pub fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
                match self { $(Self::$op(o) => o.eval(inputs)),* }
            }

            /// The symbols that the attributes mention.
            pub fn syms(&self) -> Vec<Sym> {
                match self { $(Self::$op(o) => o.syms()),* }
            }
        }

        $(impl From<$op> for Opaque {
            fn from(op: $op) -> Self {
                Self::$op(op)
            }
        })*
    };
}

opaques! { NonZero }
