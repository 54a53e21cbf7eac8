//! A model as loaded from a file or bytes.

use crate::describe::{Description, ValueSpec};
use crate::options::Options;
use crate::session::Session;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use tilewright_onnx::{Checked, Limits, Model as OnnxModel, import};
use tilewright_support::{Code, Diagnostic, Loc, Result};

/// A decoded and validated model, not yet compiled. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) onnx: Arc<OnnxModel>,
}

impl Model {
    /// Loads an ONNX file; external data must lie in the file's folder.
    ///
    /// Large weights are read when a session needs them, from files that stay open: another file may take their names, but one
    /// that is written in place is [`Code::Io`](crate::Code::Io) for what needs it afterwards. [`Model::from_bytes`] depends
    /// on no file.
    ///
    /// # Errors
    /// [`Code::Io`](crate::Code::Io) if the file cannot be read,
    /// [`Code::Invalid`](crate::Code::Invalid) if it breaks ONNX's rules,
    /// [`Code::Limit`](crate::Code::Limit) beyond [`Limits::default`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, &Limits::default())
    }

    /// [`Model::load`] with other limits.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        Ok(Self { onnx: Arc::new(OnnxModel::open(path, limits)?) })
    }

    /// A model from the bytes of an ONNX file without external data.
    ///
    /// # Errors
    /// As [`Model::load`], but for reading the file.
    pub fn from_bytes(bytes: impl Into<tilewright_tensor::Bytes>) -> Result<Self> {
        Ok(Self { onnx: Arc::new(OnnxModel::from_bytes(bytes.into(), None, &Limits::default())?) })
    }

    /// The inputs that a run must give, in order; those with a default in the model are left out.
    pub fn inputs(&self) -> Vec<ValueSpec> {
        let graph = &self.onnx.graph;
        graph.inputs.iter().filter(|i| !graph.initializers.contains_key(&i.name)).map(ValueSpec::of).collect()
    }

    /// The inputs that have a default in the model, in order; a run may give them.
    pub fn defaults(&self) -> Vec<ValueSpec> {
        let graph = &self.onnx.graph;
        graph.inputs.iter().filter(|i| graph.initializers.contains_key(&i.name)).map(ValueSpec::of).collect()
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> Vec<ValueSpec> {
        self.onnx.graph.outputs.iter().map(ValueSpec::of).collect()
    }

    /// Everything that is not supported or breaks an operator's rules, as far as it shows without
    /// a run. Empty means that the model compiles.
    pub fn problems(&self) -> Vec<Diagnostic> {
        let problems = import::check(&self.onnx);
        if !problems.is_empty() {
            return problems;
        }
        import::import(&self.onnx, &import::Facts::default()).err().map(|e| *e).into_iter().collect()
    }

    /// What breaks ONNX's rules but is accepted, because files in use do so: other runtimes may refuse it.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.onnx.warnings()
    }

    /// Every problem of a model file, one by one: what keeps it from loading, else what
    /// [`Model::problems`] finds. Empty means that it compiles.
    pub fn check(path: impl AsRef<Path>) -> Vec<Diagnostic> {
        Self::check_loaded(OnnxModel::check_file(path.as_ref(), &Limits::default()))
    }

    /// [`Model::check`] of the bytes of an ONNX file without external data.
    pub fn check_bytes(bytes: impl Into<tilewright_tensor::Bytes>) -> Vec<Diagnostic> {
        Self::check_loaded(OnnxModel::check(bytes.into(), None, &Limits::default()))
    }

    fn check_loaded(checked: Checked) -> Vec<Diagnostic> {
        let mut problems = checked.problems;
        if let Some(onnx) = checked.model {
            // An operator that is refused by its domain is not refused again for being in no table.
            let kind = |p: &Diagnostic| match &p.loc {
                Loc::Node { op, .. } if p.code == Code::Unsupported => Some(op.clone()),
                _ => None,
            };
            let told: HashSet<_> = problems.iter().filter_map(kind).collect();
            let more = Self { onnx: Arc::new(onnx) }.problems();
            problems.extend(more.into_iter().filter(|p| kind(p).is_none_or(|op| !told.contains(&op))));
        }
        problems
    }

    /// What the model consists of.
    pub fn describe(&self) -> Description {
        Description::of(self)
    }

    /// Translates the model as far as its declared shapes allow.
    ///
    /// # Errors
    /// [`Code::Unsupported`](crate::Code::Unsupported) with every operator that is not supported,
    /// or what the model breaks.
    pub fn compile(&self, options: &Options) -> Result<Session> {
        Session::new(self.clone(), options.clone())
    }
}
