//! Models named on the command line.

use crate::args::ExecutionArgs;
use crate::failure::Failure;
use crate::files;
use std::path::Path;
use tilewright::{Model, Options, Session};

/// A loaded model and what to call it in messages.
#[derive(Debug)]
pub struct Named {
    /// The model.
    pub model: Model,
    /// Its file as the user wrote it.
    pub name: String,
}

impl Named {
    /// Loads a file, or standard input for `-`.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let name = files::shown(path);
        let loaded =
            if files::is_stdin(path) { files::read(path).and_then(Model::from_bytes) } else { Model::load(path) };
        loaded.map(|model| Self { model, name: name.clone() }).map_err(|e| Failure::of_model(e, &name))
    }

    /// Compiles it.
    pub fn compile(&self, execution: &ExecutionArgs) -> Result<Session, Failure> {
        let mut options = Options::default();
        options.threads = execution.threads.map(usize::from);
        self.model.compile(&options).map_err(|e| Failure::of_model(e, &self.name))
    }
}
