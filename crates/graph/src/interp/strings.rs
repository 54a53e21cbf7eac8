//! Strings as ids, so that moves and comparisons of them are ordinary comprehensions.

use std::collections::HashMap;
use tilewright_support::Result;
use tilewright_tensor::{DType, Tensor};

/// A table of strings; id 0 is the empty one.
pub struct Strings {
    ids: HashMap<String, i64>,
    table: Vec<String>,
}

impl Default for Strings {
    fn default() -> Self {
        Self { ids: HashMap::from([(String::new(), 0)]), table: vec![String::new()] }
    }
}

impl Strings {
    /// A tensor of ids for a string tensor; other tensors as they are.
    pub fn intern(&mut self, t: &Tensor) -> Result<Tensor> {
        let Some(strings) = t.strings() else { return Ok(t.clone()) };
        let ids: Vec<i64> = strings.iter().map(|s| self.id(s)).collect();
        Tensor::from_vec(t.shape(), ids)
    }

    fn id(&mut self, s: &str) -> i64 {
        if let Some(id) = self.ids.get(s) {
            return *id;
        }
        let id = self.table.len() as i64;
        self.table.push(s.to_string());
        self.ids.insert(s.to_string(), id);
        id
    }

    /// The string tensor for a tensor of ids.
    pub fn restore(&self, ids: &Tensor) -> Result<Tensor> {
        debug_assert_eq!(ids.dtype(), DType::I64);
        let strings: Vec<String> = ids.to_vec_i64().iter().map(|id| self.table[*id as usize].clone()).collect();
        Tensor::from_strings(ids.shape(), strings)
    }
}
