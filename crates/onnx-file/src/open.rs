//! Ways to load a [`Model`].
use crate::decode::Decoder;
use crate::functions::check_calls;
use crate::limits::Limits;
use crate::model::Model;
use crate::outline::{LARGE, LeftOut, outline};
use crate::problems::merge;
use crate::validate::validate;
use bytes::Bytes;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use tilewright_support::{Code, Diagnostic, Loc, Result};
use tilewright_tensor::TensorFile;

/// A model and what is wrong with it.
#[derive(Debug)]
pub struct Checked {
    /// The model, when every problem is of code `Unsupported`: it is valid, and more problems of that code may be found in
    /// it.
    pub model: Option<Model>,
    /// All problems, in the order found.
    pub problems: Vec<Diagnostic>,
}

impl Checked {
    /// The model if it has no problem, else one error that names every problem.
    ///
    /// # Errors
    /// Of the code of the first problem that is not `Unsupported`, else `Unsupported`.
    pub fn into_model(self) -> Result<Model> {
        match (merge(self.problems), self.model) {
            (None, Some(model)) => Ok(model),
            (Some(error), _) => Err(error),
            (None, None) => Err(Diagnostic::internal("a model was lost without a problem")),
        }
    }
}

impl Model {
    /// Loads a model file with its external tensors.
    ///
    /// The elements of large initializers stay in the file, which stays open, and are read when they are needed
    /// ([`Tensor::fetch`](tilewright_tensor::Tensor::fetch)): a file that was written meanwhile is an error then. The file is
    /// not mapped: a mapping of a file that another process cuts off would kill this one. A caller who vouches for the file
    /// passes a mapping to [`Model::from_bytes`] as `Bytes::from_owner`.
    ///
    /// # Errors
    /// Io when the file cannot be read, otherwise as [`Model::from_bytes`].
    pub fn open(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        let path = path.as_ref();
        Self::check_file(path, limits).into_model().map_err(|e| e.at(&Loc::file(path.display().to_string())))
    }

    /// [`Model::check`] of a file with its external tensors.
    pub fn check_file(path: &Path, limits: &Limits) -> Checked {
        // Whatever is wrong with a file, or not supported, is found in the whole of it, so that positions are right.
        if let Some(checked) = check_outline(path, limits).filter(|checked| checked.problems.is_empty()) {
            return checked;
        }
        match read(path, limits) {
            Ok(bytes) => Self::check(bytes, Some(base_dir(path)), limits),
            Err(error) => Checked { model: None, problems: vec![*error] },
        }
    }

    /// Loads a model from the bytes of its file. Its tensors are slices of `bytes` wherever alignment allows.
    ///
    /// External tensors are read from files below `base_dir`; without it a model that has them is refused.
    ///
    /// # Errors
    /// Invalid, Unsupported, Limit, Io or Usage: one error that names every problem found.
    pub fn from_bytes(bytes: Bytes, base_dir: Option<&Path>, limits: &Limits) -> Result<Self> {
        Self::check(bytes, base_dir, limits).into_model()
    }

    /// The same, with every problem by itself, and the model too if it is valid but not supported.
    pub fn check(bytes: Bytes, base_dir: Option<&Path>, limits: &Limits) -> Checked {
        checked(bytes, base_dir, (None, limits))
    }
}

/// [`Model::check_file`] without the elements of large initializers; nothing for what is not a file or cannot be outlined.
fn check_outline(path: &Path, limits: &Limits) -> Option<Checked> {
    // A pipe would block, and what is read of it is gone.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = TensorFile::open(path).ok().filter(|file| (LARGE..=limits.file_bytes).contains(&file.bytes()))?;
    let (bytes, left_out) = outline(Arc::new(file)).ok()??;
    Some(checked(bytes.into(), Some(base_dir(path)), (Some(left_out), limits)))
}

fn checked(bytes: Bytes, base_dir: Option<&Path>, (left_out, limits): (Option<LeftOut>, &Limits)) -> Checked {
    let decoded = Decoder::new(&bytes, base_dir, limits).and_then(|d| decode(d, (bytes, left_out), limits));
    match decoded {
        Err(error) => Checked { model: None, problems: vec![*error] },
        Ok((model, problems)) => {
            let valid = problems.iter().all(|problem| problem.code == Code::Unsupported);
            Checked { model: valid.then_some(model), problems }
        }
    }
}

fn decode(
    mut decoder: Decoder<'_>,
    (bytes, left_out): (Bytes, Option<LeftOut>),
    limits: &Limits,
) -> Result<(Model, Vec<Diagnostic>)> {
    let model = decoder.model(bytes, left_out.as_ref())?;
    let Decoder { mut problems, mut budget, lost, .. } = decoder;
    validate(&model, &lost, &mut problems);
    problems.keep(check_calls(&model, limits, &mut budget));
    Ok((model, problems.finish()))
}

/// The folder that holds a file.
fn base_dir(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Bytes of a pipe or device at the most: as many as a protobuf message has. Some never end.
const LONGEST_STREAM: u64 = 2 << 30;

fn read_stream(stream: File, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = stream.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| Diagnostic::io(format!("cannot read the model: {error}")))?;
    if bytes.len() as u64 > most {
        return Err(
            Diagnostic::limit(format!("what is read has more than {most} bytes")).help("load the model from a file")
        );
    }
    Ok(bytes)
}

fn read(path: &Path, limits: &Limits) -> Result<Bytes> {
    let failed = |error: std::io::Error| Diagnostic::io(format!("cannot read the model: {error}"));
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return read_stream(file, limits.file_bytes.min(LONGEST_STREAM)).map(Bytes::from);
    }
    let size = metadata.len();
    if size > limits.file_bytes {
        return Err(Diagnostic::limit(format!(
            "the file has {size} bytes, more than the limit of {}",
            limits.file_bytes
        )));
    }
    let mut bytes = Vec::new();
    let reserved = usize::try_from(size).map(|size| bytes.try_reserve_exact(size));
    if !matches!(reserved, Ok(Ok(()))) {
        return Err(Diagnostic::limit(format!("no memory for a file of {size} bytes")));
    }
    // The file may grow while it is read; not more than was measured is taken.
    file.take(size).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Bytes::from(bytes))
}
