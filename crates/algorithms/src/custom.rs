//! Operations that the user brings along.

use super::Algorithm;
use super::attribute::{Attr, Attrs, find};
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Value;
use tilewright_tensor::ix::{Ix, Sym};
use tilewright_tensor::types::Type;

/// An algorithm written by a user; see [`Algorithm`] for what the methods give.
pub trait CustomAlgorithm: Send + Sync {
    /// How many inputs it takes.
    fn inputs(&self) -> RangeInclusive<usize>;

    /// The types of the outputs.
    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>>;

    /// The outputs.
    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>>;
}

/// A user's operation. Two are equal when they are the same object; it prints as its name, but cannot be read back.
#[derive(Clone)]
pub struct Custom {
    /// The name in messages and printed graphs.
    pub name: Arc<str>,
    /// What it does.
    pub algorithm: Arc<dyn CustomAlgorithm>,
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.algorithm, &other.algorithm)
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custom").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Custom {
    fn named<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|e| e.note(format!("in the custom operation `{}`", self.name)))
    }
}

impl Algorithm for Custom {
    const NAME: &'static str = "custom";
    const DOC: &'static str = "An operation that the user brings along.";

    fn attributes(&self) -> Attrs {
        vec![("name".into(), Attr::Text(self.name.clone()))]
    }

    fn from_attributes(attrs: &Attrs) -> Result<Self> {
        let name: Arc<str> = find(attrs, "name")?;
        Err(Diagnostic::unsupported(format!("the custom operation `{name}` cannot be read from text: it is code")))
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        self.algorithm.inputs()
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        self.named(self.algorithm.infer(inputs, fresh))
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        self.named(self.algorithm.eval(inputs))
    }

    fn syms(&self) -> Vec<Sym> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Opaque;
    use crate::operand::numbers;
    use crate::testing::ints;

    /// Counts the elements of all inputs.
    struct Count;

    impl CustomAlgorithm for Count {
        fn inputs(&self) -> RangeInclusive<usize> {
            1..=2
        }

        fn infer(&self, _: &[Type], _: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
            Ok(vec![Type::of(&ints(&[], &[0]))])
        }

        fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
            let counts = (0..inputs.len()).map(|n| numbers(inputs, n).map(|x| x.len() as i64));
            Ok(vec![Value::Tensor(ints(&[], &[counts.sum::<Result<i64>>()?]))])
        }
    }

    #[test]
    fn a_users_algorithm_runs_and_is_named_in_errors() {
        let op = Opaque::from(Custom { name: "count".into(), algorithm: Arc::new(Count) });
        let x = Value::Tensor(ints(&[2], &[1, 2]));
        assert_eq!(op.eval(&[x.clone(), x.clone()]).unwrap(), [Value::Tensor(ints(&[], &[4]))]);
        assert_eq!(op.eval(&[]).unwrap_err().message, "custom takes 1 to 2 inputs, not 0");
        let error = op.eval(&[Value::Optional(None)]).unwrap_err();
        assert_eq!(error.notes, ["in the custom operation `count`"]);
        assert_eq!(op, op.clone());
        assert_ne!(op, Opaque::from(Custom { name: "count".into(), algorithm: Arc::new(Count) }));
        let read = Opaque::from_attributes(op.name(), &op.attributes()).unwrap_err();
        assert_eq!(read.message, "the custom operation `count` cannot be read from text: it is code");
        assert_eq!(op.map_sizes(&|e| e.clone()), Ok(op));
    }
}
