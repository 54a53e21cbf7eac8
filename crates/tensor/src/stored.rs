//! Elements that stay in their file until somebody needs them.
//!
//! A model's weights are mostly read once, to be packed for kernels. Mapping the file would do that too, but a mapped file
//! that shrinks kills the process; one that is read and has changed is an error.
use crate::tensor::{Storage, Tensor, element_count};
use crate::{DType, TensorMut};
use bytes::Bytes;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
use tilewright_support::{Diagnostic, Result};

/// A file that tensors lie in. It stays open, so that another one may take its name meanwhile.
#[derive(Debug)]
pub struct TensorFile {
    file: File,
    name: String,
    stamp: Stamp,
}

/// What changes when a file is written, and not when it gets another name or none.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok() }
    }
}

impl TensorFile {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// As the system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let stamp = Stamp::of(&file.metadata()?);
        Ok(Self { file, name: path.display().to_string(), stamp })
    }

    /// Bytes that it had when it was opened.
    pub fn bytes(&self) -> u64 {
        self.stamp.bytes
    }

    /// Fills `out` with the bytes from `at` on.
    ///
    /// # Errors
    /// Io, when they cannot be read, or the file was written since it was opened: later than the system's clock of files can
    /// tell apart, which is some milliseconds.
    pub fn read(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let read = read_exact_at(&self.file, at, out).and_then(|()| self.file.metadata());
        let name = &self.name;
        match read.map(|metadata| Stamp::of(&metadata)) {
            Ok(stamp) if stamp == self.stamp => Ok(()),
            Err(e) if e.kind() != io::ErrorKind::UnexpectedEof => {
                Err(Diagnostic::io(format!("cannot read {name}: {e}")))
            }
            _ => Err(Diagnostic::io(format!("{name} was written after it was loaded"))
                .help("load the model again; to replace a file that is in use, rename a new one to its name")),
        }
    }

    /// Reads a tensor whose elements lie from byte `at` on.
    ///
    /// # Errors
    /// As [`Self::read`]; Limit, without memory.
    pub fn tensor(&self, dtype: DType, shape: &[usize], at: u64) -> Result<Tensor> {
        let mut tensor = TensorMut::any(dtype, shape)?;
        self.read(at, tensor.bytes_mut())?;
        Ok(tensor.finish())
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, at: u64, out: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, at)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, at: u64, out: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    static ONE_READER: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _position = ONE_READER.lock();
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(out)
}

/// A part of a file, and its bytes once they are kept.
#[derive(Debug)]
pub(crate) struct Stored {
    file: Arc<TensorFile>,
    at: u64,
    kept: OnceLock<Bytes>,
}

impl Stored {
    /// The bytes that are kept.
    pub fn kept(&self) -> Option<&Bytes> {
        self.kept.get()
    }

    /// Keeps what was read.
    pub fn keep(&self, bytes: Bytes) -> &Bytes {
        self.kept.get_or_init(|| bytes)
    }

    /// Is it the same part of the same file?
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file) && self.at == other.at
    }

    /// A part of `bytes` bytes.
    ///
    /// # Errors
    /// Invalid, when the file is shorter.
    pub fn new(file: &Arc<TensorFile>, at: u64, bytes: usize) -> Result<Self> {
        if at.checked_add(bytes as u64).is_none_or(|end| end > file.bytes()) {
            let (name, found) = (&file.name, file.bytes());
            return Err(Diagnostic::invalid(format!("{name} has {found} bytes, too few for {bytes} at {at}")));
        }
        Ok(Self { file: file.clone(), at, kept: OnceLock::new() })
    }
}

impl Tensor {
    /// The tensor whose elements lie in a file from byte `at` on, at any alignment. They stay there: [`Self::fetch`] reads
    /// them into memory for as long as its result is used, [`Self::keep`] for good.
    ///
    /// # Errors
    /// Dtype, when not every pattern of bits is a value; Invalid, when the file is too short.
    pub fn stored(dtype: DType, shape: &[usize], file: &Arc<TensorFile>, at: u64) -> Result<Self> {
        if matches!(dtype, DType::String | DType::Bool) || dtype.is_packed() {
            return Err(Diagnostic::dtype(format!("elements of {dtype} are not used as they lie in a file")));
        }
        let bytes = dtype.byte_len(element_count(dtype, shape)?).unwrap_or(usize::MAX);
        Self::from_stored(dtype, shape, Stored::new(file, at, bytes)?)
    }

    /// Do its elements lie in a file? They may be in memory too.
    pub fn is_in_file(&self) -> bool {
        matches!(&self.storage, Storage::Stored(_))
    }

    /// Are its elements in a file, and not kept in memory?
    pub fn is_stored(&self) -> bool {
        matches!(&self.storage, Storage::Stored(stored) if stored.kept().is_none())
    }

    /// This tensor with its elements in memory.
    ///
    /// # Errors
    /// Io or Limit, when they lie in a file and cannot be read.
    pub fn fetch(&self) -> Result<Self> {
        let Storage::Stored(stored) = &self.storage else { return Ok(self.clone()) };
        match stored.kept() {
            None => stored.file.tensor(self.dtype(), self.shape(), stored.at),
            Some(kept) => {
                let mut tensor = self.clone();
                tensor.storage = Storage::Bytes(kept.clone());
                Ok(tensor)
            }
        }
    }

    /// Keeps its elements in memory, and those of its clones.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub fn keep(&self) -> Result<()> {
        if let (Storage::Stored(stored), true) = (&self.storage, self.is_stored()) {
            stored.keep(self.fetch()?.shared_bytes());
        }
        Ok(())
    }

    /// What no tensor with other elements has while this one is there.
    pub fn identity(&self) -> (usize, u64, usize) {
        let (address, at) = match &self.storage {
            Storage::Bytes(bytes) => (bytes.as_ptr().addr(), 0),
            Storage::Strings(strings) => (strings.as_ptr().addr(), 0),
            Storage::Stored(stored) => (Arc::as_ptr(&stored.file).addr(), stored.at),
        };
        (address, at, self.byte_len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_support::Code;

    fn file(name: &str, bytes: &[u8]) -> (std::path::PathBuf, Arc<TensorFile>) {
        let path = std::env::temp_dir().join(format!("tilewright-stored-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let file = Arc::new(TensorFile::open(&path).unwrap());
        (path, file)
    }

    #[test]
    fn a_stored_tensor_is_as_one_in_memory_at_any_offset() {
        let (path, file) = file("offset", &[9, 1, 0, 2, 0, 3, 0]);
        let stored = || Tensor::stored(DType::I16, &[3], &file, 1).unwrap();
        let (first, second) = (stored(), stored());
        assert_eq!((first.byte_len(), first.identity()), (6, second.identity()));
        assert_eq!(first, second);
        let fetched = first.fetch().unwrap();
        assert!(first.is_stored() && !fetched.is_stored());
        assert_eq!(fetched.to_vec_i64(), [1, 2, 3]);
        first.keep().unwrap();
        assert!(first.is_in_file() && !first.is_stored() && second.is_stored());
        assert_eq!((first.reshape(&[1, 3]).unwrap().to_vec_i64(), &first), (vec![1, 2, 3], &fetched));
        assert_eq!(format!("{second:?} {first:?}"), "i16[3] {stored} i16[3] {1, 2, 3}");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn another_file_may_take_the_name() {
        let (path, file) = file("name", &[1, 2, 3, 4]);
        let stored = || Tensor::stored(DType::U8, &[4], &file, 0).unwrap();
        let other = path.with_extension("other");
        std::fs::write(&other, [0; 4]).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(stored().fetch().unwrap().to_vec_i64(), [1, 2, 3, 4]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(stored().fetch().unwrap().to_vec_i64(), [1, 2, 3, 4]);
    }

    #[test]
    fn what_the_file_does_not_hold_is_refused() {
        let (path, file) = file("short", &[0; 8]);
        for (dtype, at, code) in
            [(DType::F32, 1, Code::Invalid), (DType::F32, u64::MAX, Code::Invalid), (DType::Bool, 0, Code::Dtype)]
        {
            assert_eq!(Tensor::stored(dtype, &[2], &file, at).unwrap_err().code, code);
        }
        let tensor = Tensor::stored(DType::F32, &[2], &file, 0).unwrap();
        for bytes in [&[1u8; 8][..], &[1; 4]] {
            std::fs::write(&path, bytes).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
            let error = tensor.fetch().unwrap_err();
            assert!(error.code == Code::Io && error.message.contains("was written"), "{error}");
            assert!(tensor.keep().is_err() && tensor.is_stored());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
