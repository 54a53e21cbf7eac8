//! Values that flow between a model and its caller: tensors, and ONNX's containers of them.
use crate::Tensor;

/// A value of a model's input or output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A list of values of one kind.
    Sequence(Vec<Value>),
    /// A value that may be absent.
    Optional(Option<Box<Value>>),
    /// A map.
    Map(Map),
}

/// A map from integers or strings to values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The keys, of rank 1.
    pub keys: Tensor,
    /// A value for each key.
    pub values: Vec<Value>,
}

impl Value {
    /// The tensor, when it is one.
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The word for its kind in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tensor(_) => "tensor",
            Self::Sequence(_) => "sequence",
            Self::Optional(_) => "optional",
            Self::Map(_) => "map",
        }
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(tensor)
    }
}
