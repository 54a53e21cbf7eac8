//! How a model is compiled and run.

/// Options of [`Model::compile`](crate::Model::compile). `Options::default()` suits most uses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Threads that one run may use; `None` is one for each CPU that the process may use. The
    /// reference interpreter, the only backend so far, runs on the calling thread.
    pub threads: Option<usize>,
    /// Translations kept, for runs that differ in shapes or values that the graph depends on.
    pub plans: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: None, plans: 64 }
    }
}
