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

use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};
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

/// The open ends of [`ProfileOptions`].
#[derive(Default)]
pub(super) struct Profile {
    #[cfg(target_os = "linux")]
    map: Option<Mutex<perf::Map>>,
    #[cfg(target_os = "linux")]
    dump: Option<Mutex<perf::Dump>>,
    #[cfg(any(test, feature = "gdb"))]
    gdb: bool,
}

/// What has to go before a kernel's code does.
#[derive(Default)]
pub(super) struct Shown {
    #[cfg(any(test, feature = "gdb"))]
    _gdb: Option<gdb::Registration>,
}

impl Profile {
    /// Opens the files that the options ask for.
    pub fn open(options: &ProfileOptions) -> Result<Self> {
        if options.gdb && !cfg!(any(test, feature = "gdb")) {
            return Err(Diagnostic::unsupported("registration with gdb in a build without the feature `gdb`"));
        }
        Self::files(options)
    }

    #[cfg(target_os = "linux")]
    fn files(options: &ProfileOptions) -> Result<Self> {
        let map = options.perf_map.then(perf::Map::open).transpose()?.map(Mutex::new);
        let dump = options.jitdump.as_deref().map(perf::Dump::create).transpose()?.map(Mutex::new);
        Ok(Self {
            map,
            dump,
            #[cfg(any(test, feature = "gdb"))]
            gdb: options.gdb,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn files(options: &ProfileOptions) -> Result<Self> {
        if options.perf_map || options.jitdump.is_some() {
            return Err(Diagnostic::unsupported("files for perf on a system other than Linux"));
        }
        Ok(Self {
            #[cfg(any(test, feature = "gdb"))]
            gdb: options.gdb,
        })
    }

    /// Tells of a kernel. What cannot be written is left out: a profile is no reason to fail.
    pub fn show(&self, name: &str, code: &[u8]) -> Shown {
        let published = Published { name, address: code.as_ptr().addr() as u64, code };
        #[cfg(target_os = "linux")]
        {
            if let Some(map) = &self.map {
                map.lock().unwrap_or_else(PoisonError::into_inner).add(published);
            }
            if let Some(dump) = &self.dump {
                dump.lock().unwrap_or_else(PoisonError::into_inner).add(published);
            }
        }
        self.register(published)
    }

    #[cfg(any(test, feature = "gdb"))]
    fn register(&self, published: Published<'_>) -> Shown {
        Shown { _gdb: self.gdb.then(|| gdb::Registration::new(elf::symbol_file(published))) }
    }

    #[cfg(not(any(test, feature = "gdb")))]
    fn register(&self, _published: Published<'_>) -> Shown {
        Shown {}
    }
}

#[cfg(all(test, not(loom), target_os = "linux", target_arch = "x86_64"))]
mod tests;
