//! A node with its operands looked up: what the translation of an operator sees.

use crate::{Graph, Node};
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, Tensor};

/// An operator's node and its operands.
pub struct Call<'a> {
    /// The node.
    pub node: &'a Node,
    /// Its operands; `None` where one is absent.
    pub inputs: Vec<Option<ValueId>>,
    /// Version of the operator set.
    pub version: i64,
}

impl<'a> Call<'a> {
    /// Operand `i`, which must be there.
    pub fn x(&self, i: usize) -> Result<ValueId> {
        self.opt(i).ok_or_else(|| {
            Diagnostic::invalid(format!("input {i} of {} is required but absent", self.node.op_type))
                .at(&self.node.loc())
        })
    }

    /// Operand `i`, if there is one.
    pub fn opt(&self, i: usize) -> Option<ValueId> {
        self.inputs.get(i).copied().flatten()
    }

    /// All operands; none may be absent.
    pub fn all(&self) -> Result<Vec<ValueId>> {
        (0..self.inputs.len()).map(|i| self.x(i)).collect()
    }

    /// Whether result `i` is wanted.
    pub fn wants(&self, i: usize) -> bool {
        self.node.output(i).is_some()
    }

    /// An integer attribute with a default.
    pub fn int(&self, name: &str, default: i64) -> Result<i64> {
        Ok(self.node.attr_int(name)?.unwrap_or(default))
    }

    /// A truth value with a default.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.node.attr_bool(name)?.unwrap_or(default))
    }

    /// A float attribute with a default.
    pub fn float(&self, name: &str, default: f32) -> Result<f64> {
        Ok(f64::from(self.node.attr_float(name)?.unwrap_or(default)))
    }

    /// A text attribute with a default.
    pub fn str(&self, name: &str, default: &'a str) -> Result<&'a str> {
        Ok(self.node.attr_str(name)?.unwrap_or(default))
    }

    /// A list of integers, if given.
    pub fn ints(&self, name: &str) -> Result<Option<&'a [i64]>> {
        self.node.attr_ints(name)
    }

    /// A list of integers of length `n`, each `default` unless given.
    pub fn ints_of(&self, name: &str, n: usize, default: i64) -> Result<Vec<i64>> {
        match self.ints(name)? {
            None => Ok(vec![default; n]),
            Some(list) if list.len() == n => Ok(list.to_vec()),
            Some(list) => Err(self.invalid(format!("attribute \"{name}\" has {} entries, expected {n}", list.len()))),
        }
    }

    /// A tensor attribute, if given.
    pub fn tensor(&self, name: &str) -> Result<Option<&'a Tensor>> {
        self.node.attr_tensor(name)
    }

    /// A body.
    pub fn graph(&self, name: &str) -> Result<&'a Graph> {
        self.node.required(name, Node::attr_graph)
    }

    /// A dtype attribute given by its ONNX number, if it is given.
    pub fn dtype(&self, name: &str) -> Result<Option<DType>> {
        let Some(code) = self.node.attr_int(name)? else { return Ok(None) };
        let known = i32::try_from(code).ok().and_then(DType::from_onnx_code);
        known.map(Some).ok_or_else(|| match code {
            14 | 15 => self.unsupported("complex dtypes are not supported"),
            27 | 28 => self.unsupported("floats of 6 bits are not supported"),
            _ => self.invalid(format!("attribute \"{name}\" = {code} is no dtype")),
        })
    }

    /// An error about a model that breaks the operator's rules.
    pub fn invalid(&self, message: impl Into<String>) -> Box<Diagnostic> {
        Diagnostic::invalid(message).at(&self.node.loc())
    }

    /// An error about a valid use that is not supported.
    pub fn unsupported(&self, message: impl Into<String>) -> Box<Diagnostic> {
        Diagnostic::unsupported(message).at(&self.node.loc())
    }
}

/// An axis counted from the end if negative.
pub fn axis(at: i64, rank: usize) -> Result<usize> {
    let place = if at < 0 { at + rank as i64 } else { at };
    usize::try_from(place).ok().filter(|a| *a < rank).ok_or_else(|| {
        Diagnostic::shape(format!("axis {at} is out of bounds for rank {rank}"))
            .help(format!("axes run from -{rank} to {}", rank.saturating_sub(1)))
    })
}

/// Axes counted from the end if negative; none may occur twice.
pub fn axes(at: &[i64], rank: usize) -> Result<Vec<usize>> {
    let list = at.iter().map(|a| axis(*a, rank)).collect::<Result<Vec<_>>>()?;
    match (1..list.len()).find(|i| list[..*i].contains(&list[*i])) {
        Some(i) => Err(Diagnostic::invalid(format!("axis {} occurs twice", at[i]))),
        None => Ok(list),
    }
}
