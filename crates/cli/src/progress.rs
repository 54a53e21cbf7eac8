//! A line on standard error that says how far a command is, on a terminal only.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// The line; it vanishes when this is dropped.
#[derive(Debug)]
pub struct Progress {
    shown: bool,
    last: Option<Instant>,
}

const PAUSE: Duration = Duration::from_millis(100);

impl Progress {
    /// No line yet.
    pub fn new() -> Self {
        Self { shown: stderr().is_terminal(), last: None }
    }

    /// Shows a text, unless the last one is very recent.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if self.shown && self.last.is_none_or(|t| t.elapsed() >= PAUSE) {
            self.last = Some(Instant::now());
            // A terminal that is gone needs no progress.
            let _ = write!(stderr(), "\r\x1b[2K{}", text());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last.is_some() {
            let _ = write!(stderr(), "\r\x1b[2K");
        }
    }
}
