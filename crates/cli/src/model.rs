//! Models named on the command line.

use crate::failure::Failure;
use crate::files;
use std::path::Path;
use tilewright::{Diagnostic, Model, Options, Session};

/// A loaded model and what to call it in messages.
#[derive(Debug)]
pub struct Named {
    /// The model.
    pub model: Model,
    /// Its file as the user wrote it.
    pub name: String,
    /// Whether it was read from standard input.
    pub from_stdin: bool,
}

impl Named {
    /// Loads a file, or standard input for `-`.
    ///
    /// # Errors
    /// Every problem that keeps it from loading.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let name = files::shown(path);
        match open(path) {
            Ok(model) => Ok(Self { model, name, from_stdin: files::is_stdin(path) }),
            Err(problems) => Err(Failure::of_model(problems, &name)),
        }
    }

    /// Compiles it.
    ///
    /// # Errors
    /// Every problem found in it.
    pub fn compile(&self, options: &Options) -> Result<Session, Failure> {
        self.model.compile(options).map_err(|e| Failure::of_model(found_or(self.model.problems(), *e), &self.name))
    }
}

fn open(path: &Path) -> Result<Model, Vec<Diagnostic>> {
    if files::is_stdin(path) {
        let bytes = files::read(path).map_err(|e| vec![*e])?;
        return Model::from_bytes(bytes.clone()).map_err(|e| found_or(Model::check_bytes(bytes), *e));
    }
    Model::load(path).map_err(|e| found_or(Model::check(path), *e))
}

/// Every problem of a model; there is at least the error.
fn found_or(problems: Vec<Diagnostic>, error: Diagnostic) -> Vec<Diagnostic> {
    if problems.is_empty() { vec![error] } else { problems }
}

/// Every problem and every warning of a model file, or of standard input for `-`.
pub fn check(path: &Path) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    match open(path) {
        Ok(model) => (model.problems(), model.warnings()),
        Err(problems) => (problems, Vec::new()),
    }
}
