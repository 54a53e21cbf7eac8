//! What looks on while a model runs: a trace, kernels that are saved, a limit of machine code, names for `perf`.

use crate::failure::Failure;
use crate::files;
use clap::Args;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tilewright::debug::{Observed, Observer, Replay, Trace};
use tilewright::kernels::{ProfileOptions, profile};
use tilewright::{Diagnostic, Options, Result};

const DEBUGGING: &str = "Debugging";

/// The longest part of a kernel's name in the name of its file.
const LONGEST: usize = 60;

/// What looks on.
#[derive(Args, Debug)]
pub struct WatchArgs {
    /// Write what runs when, in which thread, to FILE: for chrome://tracing or ui.perfetto.dev
    #[arg(long, value_name = "FILE", help_heading = DEBUGGING)]
    pub trace: Option<PathBuf>,

    /// Run only the first N kernels as machine code: halve N until the kernel that breaks a model is found
    ///
    /// The others are interpreted, which takes much longer and gives the same bits. `tilewright bisect` does the search.
    #[arg(long, value_name = "N", help_heading = DEBUGGING)]
    pub jit_fuel: Option<u64>,

    /// Write each kernel with its operands to a file in DIR, for `tilewright replay`
    #[arg(long, value_name = "DIR", help_heading = DEBUGGING)]
    pub save_kernels: Option<PathBuf>,

    /// Tell `perf` the names of kernels (Linux)
    #[arg(long, help_heading = DEBUGGING)]
    pub perf_map: bool,
}

impl WatchArgs {
    /// Adds them to some options.
    ///
    /// # Errors
    /// Where a folder cannot be made, or the system has no such profiles.
    pub fn add(&self, mut options: Options) -> Result<Options> {
        let any = self.trace.is_some() || self.jit_fuel.is_some() || self.save_kernels.is_some() || self.perf_map;
        if any && options.backend == tilewright::Backend::Interp {
            let message = "--trace, --jit-fuel, --save-kernels and --perf-map look at kernels, of which there are none";
            return Err(Diagnostic::usage(message).help("leave out --backend interp"));
        }
        if self.perf_map {
            profile(&ProfileOptions { perf_map: true, ..ProfileOptions::default() })?;
        }
        options.jit_fuel = self.jit_fuel;
        options.trace = self.trace.as_ref().map(|_| Arc::new(Trace::default()));
        if let Some(dir) = &self.save_kernels {
            files::make_dir(dir)?;
            options.observer = Some(saving(dir.clone()));
        }
        Ok(options)
    }

    /// Does something with some options, then writes the trace: also of what failed.
    ///
    /// # Errors
    /// What is done fails, or the trace cannot be written.
    pub fn traced<T>(&self, options: &Options, run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let done = run();
        let written = match (&self.trace, &options.trace) {
            (Some(file), Some(trace)) => files::write(file, trace.to_json().as_bytes()),
            _ => Ok(()),
        };
        let done = done?;
        written?;
        Ok(done)
    }
}

/// Saves each kernel when it runs for the first time.
fn saving(dir: PathBuf) -> Observer {
    let seen = Mutex::new(HashSet::new());
    Observer::new(move |observed| {
        let new = seen.lock().unwrap_or_else(PoisonError::into_inner).insert((observed.plan, observed.step));
        if new { save(&dir.join(file_name(observed)), &Replay::of(observed)?) } else { Ok(()) }
    })
}

/// Writes a kernel.
///
/// # Errors
/// `Io`, naming the file.
pub fn save(file: &Path, replay: &Replay) -> Result<()> {
    files::write(file, &replay.to_bytes())
}

fn file_name(observed: &Observed<'_>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = observed.kernel.name.chars().take(LONGEST).map(plain).collect();
    format!("{:03}_{:04}_{name}.kernel", observed.plan, observed.step)
}
