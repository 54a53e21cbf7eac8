//! Files mapped into memory, for callers who vouch that nobody changes them meanwhile.
//!
//! Reading a file copies it, and is safe always. Mapping shares its pages between processes and loads them on first
//! use; but a mapped file that shrinks kills the process, and one that is written changes tensors under their readers.
use bytes::Bytes;
use std::fs::File;
use std::path::Path;
use tilewright_support::{Diagnostic, Result};

/// The bytes of a file that stays as it is while they, or tensors made of them, are in use: the caller vouches for it.
/// Fails when the file cannot be opened or mapped.
#[allow(unsafe_code)]
pub fn map_unchanging_file(path: &Path) -> Result<Bytes> {
    let failed = |e: std::io::Error| Diagnostic::io(format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(failed)?;
    // SAFETY: the bytes are read-only here, and the caller vouches that nobody else writes to or truncates the file.
    let mapping = unsafe { memmap2::Mmap::map(&file) }.map_err(failed)?;
    Ok(Bytes::from_owner(mapping))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Tensor};

    #[test]
    fn tensors_lie_in_the_mapping() {
        let path = std::env::temp_dir().join(format!("tilewright-map-{}", std::process::id()));
        std::fs::write(&path, [1, 0, 2, 0]).unwrap();
        let bytes = map_unchanging_file(&path).unwrap();
        let tensor = Tensor::from_shared(DType::I16, &[2], bytes.clone()).unwrap();
        assert_eq!((tensor.to_vec_i64(), tensor.bytes().as_ptr()), (vec![1, 2], bytes.as_ptr()));
        std::fs::remove_file(&path).unwrap();
        assert!(map_unchanging_file(&path).is_err());
    }
}
