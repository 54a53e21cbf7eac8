//! The two files that `perf` reads: the map of names and the dump of code.

use super::Published;
use crate::pages;
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::{fd::AsRawFd, unix::fs::OpenOptionsExt},
    path::{Path, PathBuf},
    process, ptr,
};
use tilewright_support::{Diagnostic, Result};

/// The folder in which `perf` looks for maps.
const MAPS: &str = "/tmp";

/// `JiTD` in the byte order of the machine that wrote it.
const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
const HEADER: u32 = 40;

/// The record of a piece of code that was loaded, and the size of its fixed part.
const CODE_LOAD: u32 = 0;
const CODE_LOAD_HEADER: usize = 56;

/// The machine's number in ELF files.
pub(super) const MACHINE: u32 = if cfg!(target_arch = "x86_64") { 62 } else { 183 };

/// Names and addresses of kernels, one a line.
pub(super) struct Map(File);

impl Map {
    /// Opens the map of this process. Other compilers in the process may write to it as well.
    pub fn open() -> Result<Self> {
        Self::open_at(&Path::new(MAPS).join(format!("perf-{}.map", process::id())))
    }

    fn open_at(path: &Path) -> Result<Self> {
        // Anyone may write to that folder: links are not followed.
        let file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW).open(path);
        file.map(Self).map_err(|error| cannot_write(path, &error))
    }

    pub fn add(&mut self, Published { name, address, code }: Published<'_>) {
        let line = format!("{address:x} {:x} {}\n", code.len(), name.replace(char::is_whitespace, "_"));
        // One write, so that lines of other writers stay whole; a full disk must not stop a model.
        let _ = self.0.write_all(line.as_bytes());
    }
}

/// Code with names, addresses and times.
pub(super) struct Dump {
    file: File,
    records: u64,
    _marker: Marker,
}

impl Dump {
    /// Creates the dump of this process in a folder.
    pub fn create(folder: &Path) -> Result<Self> {
        let path: PathBuf = folder.join(format!("jit-{}.dump", process::id()));
        let create = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
            let mut file = options.open(&path)?;
            let words = [MAGIC, VERSION, HEADER, MACHINE, 0, process::id()].map(u32::to_ne_bytes).concat();
            let flags = 0_u64;
            file.write_all(&[words, now().to_ne_bytes().to_vec(), flags.to_ne_bytes().to_vec()].concat())?;
            let _marker = Marker::new(&file)?;
            Ok(Self { file, records: 0, _marker })
        };
        create().map_err(|error| cannot_write(&path, &error))
    }

    pub fn add(&mut self, Published { name, address, code }: Published<'_>) {
        let name = name.replace('\0', "_");
        let size = CODE_LOAD_HEADER + name.len() + 1 + code.len();
        let Ok(size) = u32::try_from(size) else { return };
        // SAFETY: asks for a number and has no preconditions.
        let thread = unsafe { libc::gettid() } as u32;
        let mut record = [CODE_LOAD, size].map(u32::to_ne_bytes).concat();
        record.extend(now().to_ne_bytes());
        record.extend([process::id(), thread].map(u32::to_ne_bytes).concat());
        record.extend([address, address, code.len() as u64, self.records].map(u64::to_ne_bytes).concat());
        record.extend(name.bytes().chain([0]));
        record.extend(code);
        self.records += 1;
        // As for the map.
        let _ = self.file.write_all(&record);
    }
}

/// A page of the dump that is mapped as if to be executed: by this event `perf record` learns of the file.
struct Marker {
    start: ptr::NonNull<u8>,
    len: usize,
}

// SAFETY: nobody reads the page; its owner only gives it back.
unsafe impl Send for Marker {}

impl Marker {
    fn new(file: &File) -> io::Result<Self> {
        let len = pages::page_size();
        Ok(Self { start: pages::map_file(file.as_raw_fd(), len)?, len })
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping made by `new`, and nobody uses it.
        unsafe { pages::release(self.start, self.len) };
    }
}

/// The clock by which `perf record -k 1` stamps its samples, in nanoseconds.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is ours to write.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn cannot_write(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    Diagnostic::io(format!("cannot write {}: {error}", path.display()))
}
