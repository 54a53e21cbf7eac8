//! Elements that stay in their file until somebody needs them.
//!
//! A model's weights are mostly read once, to be packed for kernels. Mapping the file would do that too, but a mapped file
//! that shrinks kills the process; one that is read and has changed is an error.
use crate::{DType, Tensor, TensorMut};
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

/// What changes when a file is written.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            (metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = (0, 0);
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), changed }
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
    /// Io, when they cannot be read, or the file was written since it was opened.
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

    /// Reads a tensor of this part.
    pub fn read(&self, dtype: DType, shape: &[usize]) -> Result<Tensor> {
        let mut tensor = TensorMut::any(dtype, shape)?;
        self.file.read(self.at, tensor.bytes_mut())?;
        Ok(tensor.finish())
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
        let stored = Tensor::stored(DType::I16, &[3], &file, 1).unwrap();
        assert!(stored.is_stored() && stored.byte_len() == 6);
        let fetched = stored.fetch().unwrap();
        assert!(!fetched.is_stored() && stored.is_stored());
        assert_eq!(fetched.to_vec_i64(), [1, 2, 3]);
        assert_eq!(stored, fetched);
        let again = Tensor::stored(DType::I16, &[3], &file, 1).unwrap();
        assert_eq!((&again, again.identity() == again.clone().identity()), (&stored, true));
        again.keep().unwrap();
        assert!(!again.is_stored());
        assert_eq!(again.reshape(&[1, 3]).unwrap().to_vec_i64(), [1, 2, 3]);
        // Another file may take the name.
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, [0; 7]).unwrap();
        assert_eq!(stored.to_vec_i64(), [1, 2, 3]);
        std::fs::remove_file(&path).unwrap();
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
            let error = tensor.fetch().unwrap_err();
            assert!(error.code == Code::Io && error.message.contains("was written"), "{error}");
            assert!(tensor.keep().is_err() && tensor.is_stored());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
