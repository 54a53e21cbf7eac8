//! Runs that show mistakes: for tests.

/// What is different about runs that are tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Memory is full of bytes 0xff before kernels write it.
    pub poison: bool,
    /// All threads share every kernel, one iteration after the other.
    pub share: bool,
}
