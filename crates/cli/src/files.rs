//! Reads files whole, and writes them so that none is ever half-written.

use std::fs::{self, File};
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
        io::stdin().lock().read_to_end(&mut bytes).map(|_| Bytes::from(bytes))
    } else {
        read_aligned(path)
    };
    bytes.map_err(|e| Diagnostic::io(format!("cannot read {}: {e}", shown(path))))
}

/// The bytes of a file from the start of a line of the cache on, where an array of numbers is read fastest: it starts at
/// a multiple of 64 bytes of an `.npy`.
fn read_aligned(path: &Path) -> io::Result<Bytes> {
    const LINE: usize = 64;
    let mut file = File::open(path)?;
    let len = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    let mut bytes: Vec<u8> = Vec::new();
    bytes.try_reserve_exact(len.saturating_add(LINE)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let start = bytes.as_ptr().align_offset(LINE).min(LINE);
    bytes.resize(start, 0);
    file.read_to_end(&mut bytes)?;
    Ok(Bytes::from(bytes).slice(start..))
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
    fn files_start_at_a_line_of_the_cache() {
        let dir = tempfile::tempdir().unwrap();
        for len in [0, 1, 63, 64, 4097, 1 << 17] {
            let path = dir.path().join("a");
            let written: Vec<u8> = (0..len).map(|n| n as u8).collect();
            write(&path, &written).unwrap();
            let found = read(&path).unwrap();
            assert_eq!(found, written);
            assert!(len < 64 || found.as_ptr().addr().is_multiple_of(64));
        }
    }

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
