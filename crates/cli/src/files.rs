//! Reads files whole, and writes them so that none is ever half-written.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use tilewright::{Bytes, Diagnostic, Result, plain};

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path for people.
pub fn shown(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_string() } else { plain(&path.display().to_string()).into_owned() }
}

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// `Io`, naming the file.
pub fn read(path: &Path) -> Result<Bytes> {
    let bytes = if is_stdin(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    bytes.map(Bytes::from).map_err(|e| Diagnostic::io(format!("cannot read {}: {e}", shown(path))))
}

/// Writes a file under another name first and renames it when it is complete.
///
/// # Errors
/// `Io`, naming the file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |e: io::Error| Diagnostic::io(format!("cannot write {}: {e}", path.display()));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = path.with_file_name(format!(".{name}.{}.partial", std::process::id()));
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.map_err(failed)
}

/// Makes a folder and those above it.
///
/// # Errors
/// `Io`, naming the folder.
pub fn make_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|e| Diagnostic::io(format!("cannot make the folder {}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_only_complete_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.npy");
        write(&file, b"one").unwrap();
        write(&file, b"two").unwrap();
        assert_eq!(read(&file).unwrap().as_ref(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        let error = write(&dir.path().join("no/folder.npy"), b"").unwrap_err();
        assert!(error.message.contains("folder.npy"));
    }
}
