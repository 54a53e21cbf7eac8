//! Shows published kernels to outside tools: `perf` and `gdb` see names instead of bare addresses.
//!
//! ```text
//! perf_map  perf record PROGRAM; perf report
//! jitdump   perf record -k 1 PROGRAM; perf inject --jit -i perf.data -o jit.data; perf annotate -i jit.data
//! gdb       gdb PROGRAM; break, backtrace and disassemble by the names of kernels
//! ```

#[cfg(any(test, feature = "gdb"))]
mod elf;
#[cfg(any(test, feature = "gdb"))]
mod gdb;
#[cfg(target_os = "linux")]
mod perf;

use crate::global::Release;
use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tilewright_support::{Diagnostic, Result};

/// What is told about kernels, and to whom. By default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileOptions {
    /// Append names and addresses to the file in which `perf report` looks for those of this process (Linux).
    pub perf_map: bool,
    /// Write names, addresses and code to `jit-PID.dump` in this folder, for `perf inject --jit` (Linux).
    pub jitdump: Option<PathBuf>,
    /// Register each kernel with `gdb` (needs the crate feature `gdb`).
    pub gdb: bool,
}

/// Published code, as tools see it.
#[cfg_attr(not(any(target_os = "linux", feature = "gdb")), allow(dead_code))]
#[derive(Clone, Copy)]
struct Published<'a> {
    name: &'a str,
    /// Where the code is executed.
    address: u64,
    code: &'a [u8],
}

/// Those who are told.
#[derive(Default)]
pub(super) struct Profile(Mutex<Ends>);

/// The open ends of [`ProfileOptions`].
#[derive(Default)]
struct Ends {
    options: ProfileOptions,
    #[cfg(target_os = "linux")]
    files: Files,
}

/// Files of one process: their names have its number.
#[cfg(target_os = "linux")]
#[derive(Default)]
struct Files {
    map: Option<perf::Map>,
    dump: Option<perf::Dump>,
    owner: u32,
}

/// What has to go before a kernel's code does.
#[derive(Default)]
pub(super) struct Shown {
    #[cfg(any(test, feature = "gdb"))]
    _gdb: Option<gdb::Registration>,
}

impl Profile {
    /// Opens the files that the options ask for, in place of those that are open.
    pub fn open(&self, options: &ProfileOptions) -> Result<()> {
        if options.gdb && !cfg!(any(test, feature = "gdb")) {
            return Err(Diagnostic::unsupported("registration with gdb in a build without the feature `gdb`"));
        }
        if !cfg!(target_os = "linux") && (options.perf_map || options.jitdump.is_some()) {
            return Err(Diagnostic::unsupported("files for perf on a system other than Linux"));
        }
        *self.lock() = Ends {
            options: options.clone(),
            #[cfg(target_os = "linux")]
            files: Files::open(options)?,
        };
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Ends> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of a kernel. What cannot be written is left out: a profile is no reason to fail.
    pub fn show(&self, name: &str, code: &[u8]) -> Shown {
        let published = Published { name, address: code.as_ptr().addr() as u64, code };
        let mut ends = self.lock();
        #[cfg(target_os = "linux")]
        ends.write(published);
        ends.register(published)
    }

    /// Keeps the files and the debugger's list whole over a fork.
    pub fn hold(&'static self) -> Release {
        let ends = self.lock();
        #[cfg(any(test, feature = "gdb"))]
        let list = gdb::lock();
        Box::new(move |_| {
            #[cfg(any(test, feature = "gdb"))]
            drop(list);
            drop(ends);
        })
    }
}

#[cfg(target_os = "linux")]
impl Files {
    fn open(options: &ProfileOptions) -> Result<Self> {
        let map = options.perf_map.then(perf::Map::open).transpose()?;
        let dump = options.jitdump.as_deref().map(perf::Dump::create).transpose()?;
        Ok(Self { map, dump, owner: std::process::id() })
    }
}

impl Ends {
    /// Writes to the files; the child of a fork has its own.
    #[cfg(target_os = "linux")]
    fn write(&mut self, published: Published<'_>) {
        if self.files.map.is_none() && self.files.dump.is_none() {
            return;
        }
        if self.files.owner != std::process::id() {
            self.files = Files::open(&self.options).unwrap_or_default();
        }
        if let Some(map) = &mut self.files.map {
            map.add(published);
        }
        if let Some(dump) = &mut self.files.dump {
            dump.add(published);
        }
    }

    #[cfg(any(test, feature = "gdb"))]
    fn register(&self, published: Published<'_>) -> Shown {
        Shown { _gdb: self.options.gdb.then(|| gdb::Registration::new(elf::symbol_file(published))) }
    }

    #[cfg(not(any(test, feature = "gdb")))]
    fn register(&mut self, _published: Published<'_>) -> Shown {
        Shown {}
    }
}

#[cfg(all(test, not(loom), target_os = "linux", target_arch = "x86_64"))]
mod tests;
