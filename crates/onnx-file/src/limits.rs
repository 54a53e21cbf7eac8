//! What a file may ask for. Limits are checked before the memory is taken or the time is spent.
use tilewright_support::{Diagnostic, Result};

/// Limits on a model file. The defaults are far above any real model; what they stop is an accident or an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the model file itself, without external tensors.
    pub file_bytes: u64,
    /// Nodes of all graphs, bodies and functions together.
    pub nodes: usize,
    /// Nodes after every call of a model function is replaced by the function's body.
    pub expanded_nodes: u64,
    /// How deep bodies of If, Loop and Scan may nest.
    pub depth: usize,
    /// How deep model functions may call each other.
    pub call_depth: usize,
    /// Operands of one node or function, and likewise results.
    pub operands: usize,
    /// Attributes of one node or function.
    pub attributes: usize,
    /// Axes of a tensor.
    pub rank: usize,
    /// Bytes of decoded structures that one byte of the file may justify, beside [`Limits::memory_base`].
    pub memory_factor: u64,
    /// Bytes of decoded structures that any file may take.
    pub memory_base: u64,
    /// Problems that are reported; further ones are only counted.
    pub problems: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 30,
            nodes: 1_000_000,
            expanded_nodes: 1_000_000,
            depth: 32,
            call_depth: 64,
            operands: 1 << 16,
            attributes: 1 << 10,
            rank: 64,
            memory_factor: 8,
            memory_base: 48 << 20,
            problems: 50,
        }
    }
}

/// The memory that a file may still take.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    total: u64,
}

impl Budget {
    /// What a file of so many bytes justifies.
    pub fn new(file_bytes: usize, limits: &Limits) -> Self {
        let total = (file_bytes as u64).saturating_mul(limits.memory_factor).saturating_add(limits.memory_base);
        Self { left: total, total }
    }

    /// Bytes that may still be taken.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Takes `bytes` for `what`.
    ///
    /// # Errors
    /// Limit, when the file has no more to give.
    pub fn charge(&mut self, bytes: u64, what: &str) -> Result<()> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let text = format!(
                "{what} would take more memory than the file justifies: the model may take {} bytes",
                self.total
            );
            Diagnostic::limit(text).help("raise `Limits::memory_base` if the file can be trusted")
        })?;
        Ok(())
    }
}
