//! Tensors whose elements lie in a file beside the model.
//!
//! A location is relative to the model's folder and stays inside it: no absolute path, no `..`, no symbolic link that
//! leads out, not even of a folder on the way. Only regular files are opened, and only the bytes a tensor needs are read,
//! after their range was compared with the file's size.
use crate::outline::LARGE;
use crate::problems::clip;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::proto::StringStringEntryProto;
use tilewright_tensor::{DType, Tensor, TensorFile, element_count};

/// Tensors may share bytes of a file, but together they may ask for no more than so many times its size.
const SHARING: u64 = 4;

/// Files of one model that stay open. Tensors in others are read at once.
const MOST_OPEN: usize = 32;

/// The external files of one model.
#[derive(Debug)]
pub(crate) struct External<'a> {
    base_dir: Option<&'a Path>,
    /// Bytes that tensors took so far, by the real path of the file.
    taken: HashMap<PathBuf, u64>,
    /// Files that stay open for tensors whose elements stay in them.
    files: HashMap<PathBuf, Arc<TensorFile>>,
}

/// Where a tensor lies.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    location: String,
    offset: u64,
    length: Option<u64>,
}

impl<'a> External<'a> {
    /// The files below `base_dir`; none when a model comes from bytes alone.
    pub fn new(base_dir: Option<&'a Path>) -> Self {
        Self { base_dir, taken: HashMap::new(), files: HashMap::new() }
    }

    /// The tensor at the place that `entries` name.
    ///
    /// # Errors
    /// Invalid for a place outside the folder or the file, or of another size than the tensor; Io when the file cannot be
    /// read; Usage without a folder; Limit when tensors overlap so much that they take many times the file.
    pub fn tensor(&mut self, entries: &[StringStringEntryProto], dtype: DType, shape: &[usize]) -> Result<Tensor> {
        let place = Place::parse(entries)?;
        if dtype == DType::String {
            return Err(Diagnostic::invalid("a tensor of strings cannot lie in an external file"));
        }
        let needed = dtype.byte_len(element_count(dtype, shape)?).unwrap_or(usize::MAX) as u64;
        if place.length.is_some_and(|length| length != needed) {
            let found = place.length.unwrap_or(0);
            let text = format!("{dtype} of shape {shape:?} takes {needed} bytes, but its external length is {found}");
            return Err(Diagnostic::invalid(text));
        }
        let path = self.locate(&place.location)?;
        let unreadable = |error| unreadable(&place.location, &error);
        // A pipe or device would block or never end: look before opening.
        if !fs::metadata(&path).map_err(unreadable)?.is_file() {
            let text = format!("external location \"{}\" is not a regular file", clip(&place.location));
            return Err(Diagnostic::invalid(text));
        }
        let (file, keeps) = self.open(&path).map_err(unreadable)?;
        let taken = self.taken.entry(path).or_default();
        *taken = taken.saturating_add(needed);
        place.check(needed, *taken, file.bytes())?;
        if needed >= LARGE
            && keeps
            && let Ok(stored) = Tensor::stored(dtype, shape, &file, place.offset)
        {
            return Ok(stored);
        }
        file.tensor(dtype, shape, place.offset)
    }

    /// A file, and whether it stays open.
    fn open(&mut self, path: &Path) -> io::Result<(Arc<TensorFile>, bool)> {
        if let Some(file) = self.files.get(path) {
            return Ok((file.clone(), true));
        }
        let (file, keeps) = (Arc::new(TensorFile::open(path)?), self.files.len() < MOST_OPEN);
        if keeps {
            self.files.insert(path.to_owned(), file.clone());
        }
        Ok((file, keeps))
    }

    fn locate(&self, location: &str) -> Result<PathBuf> {
        let Some(base_dir) = self.base_dir else {
            let location = clip(location);
            let text =
                format!("elements lie in the external file \"{location}\", but a model from bytes has no folder");
            let help = "load the model from its path, or name the folder of its external files";
            return Err(Diagnostic::usage(text).help(help));
        };
        confine(base_dir, location)
    }
}

impl Place {
    fn parse(entries: &[StringStringEntryProto]) -> Result<Self> {
        let entry = |key: &str| {
            let found = entries.iter().find(|entry| entry.key.as_deref() == Some(key));
            found.and_then(|entry| entry.value.as_deref()).filter(|value| !value.is_empty())
        };
        let number = |key: &str| -> Result<Option<u64>> {
            let parse = |text: &str| {
                text.parse().map_err(|_| Diagnostic::invalid(format!("external {key} \"{}\" is no size", clip(text))))
            };
            entry(key).map(parse).transpose()
        };
        let missing = "the tensor's elements are external, but no location is given";
        let location = entry("location").ok_or_else(|| Diagnostic::invalid(missing))?.to_owned();
        Ok(Self { location, offset: number("offset")?.unwrap_or(0), length: number("length")? })
    }

    /// The `needed` bytes lie in a file of `size` bytes, of which tensors have taken `taken` in all.
    fn check(&self, needed: u64, taken: u64, size: u64) -> Result<()> {
        let (location, offset) = (clip(&self.location), self.offset);
        if offset.checked_add(needed).is_none_or(|end| end > size) {
            let text =
                format!("external file \"{location}\" has {size} bytes, too few for {needed} at offset {offset}");
            return Err(Diagnostic::invalid(text).help("the file is cut off or belongs to another model"));
        }
        if taken > size.saturating_mul(SHARING) {
            let text = format!("tensors in the external file \"{location}\" take more than {SHARING} times its size");
            return Err(Diagnostic::limit(text));
        }
        Ok(())
    }
}

/// The real path of a location inside the folder.
fn confine(base_dir: &Path, location: &str) -> Result<PathBuf> {
    let outside = |why: &str| {
        let text = format!("external location \"{}\" {why}", clip(location));
        Diagnostic::invalid(text).help("external files must lie in the model's folder or below it")
    };
    let relative = Path::new(location);
    // A drive letter or backslash is a path on Windows and a mere name here: refuse both everywhere alike.
    if location.starts_with('\\') || location.as_bytes().get(1) == Some(&b':') {
        return Err(outside("is absolute"));
    }
    for component in relative.components() {
        match component {
            Component::Normal(_) | Component::CurDir => {}
            Component::ParentDir => return Err(outside("contains `..`")),
            Component::RootDir | Component::Prefix(_) => return Err(outside("is absolute")),
        }
    }
    if location.split('\\').any(|part| part == "..") {
        return Err(outside("contains `..`"));
    }
    let base = base_dir.canonicalize().map_err(|error| unreadable(&base_dir.display().to_string(), &error))?;
    let path = base.join(relative).canonicalize().map_err(|error| unreadable(location, &error))?;
    if path.starts_with(&base) { Ok(path) } else { Err(outside("leads out of the model's folder through a link")) }
}

fn unreadable(location: &str, error: &std::io::Error) -> Box<Diagnostic> {
    Diagnostic::io(format!("external file \"{}\": {error}", clip(location)))
}
