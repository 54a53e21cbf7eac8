//! Memory of runs: arenas that one run after the other uses, within a bound over all runs at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tilewright_runtime::aligned::Buffer;
use tilewright_runtime::guarded::Guarded;
use tilewright_support::{Diagnostic, Result};

/// Idle arenas kept at the most.
const KEPT: usize = 16;

/// An arena of which nobody needed half for so long is given back to the system.
const PATIENCE: Duration = Duration::from_secs(10);

/// An arena so many times as large as what is needed is left to others.
const LOOSE: usize = 16;

/// The smallest arena: smaller ones are not worth telling apart.
const LEAST: usize = 1 << 12;

/// Arenas that the runs of a session share.
#[derive(Debug)]
pub struct Arenas {
    /// The most bytes that runs may have at one time.
    limit: usize,
    patience: Duration,
    /// Bytes that runs have, idle arenas included.
    used: AtomicUsize,
    idle: Guarded<Vec<Idle>>,
}

#[derive(Debug)]
struct Idle {
    buffer: Buffer,
    /// When half of it was needed last.
    needed: Instant,
}

impl Default for Arenas {
    fn default() -> Self {
        Self::within(usize::MAX)
    }
}

impl Arenas {
    /// Arenas that take no more bytes than `limit`, all runs together.
    pub fn within(limit: usize) -> Self {
        Self { limit, patience: PATIENCE, used: AtomicUsize::new(0), idle: Guarded::default() }
    }

    /// Bytes that are taken from the system now.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// An arena of at least so many bytes, of any contents.
    ///
    /// # Errors
    /// Limit, with the figures, where the bound or the system has no room for it.
    pub fn take(&self, bytes: usize) -> Result<Arena<'_>> {
        let bytes = bytes.max(LEAST);
        let now = Instant::now();
        let found = self.idle.with(|idle| {
            let fits = |i: &&Idle| (bytes..=bytes.saturating_mul(LOOSE)).contains(&i.buffer.len());
            let best = idle.iter().filter(fits).map(|i| i.buffer.len()).min()?;
            let at = idle.iter().rposition(|i| i.buffer.len() == best)?;
            Some(idle.remove(at))
        });
        let idle = match found {
            Some(idle) if idle.buffer.len() / 2 > bytes => idle,
            Some(idle) => Idle { needed: now, ..idle },
            None => {
                self.outgrow(bytes);
                let room = self.reserve(bytes)?;
                let buffer = Buffer::zeroed(bytes)?;
                std::mem::forget(room);
                Idle { buffer, needed: now }
            }
        };
        Ok(Arena { arenas: self, idle: Some(idle) })
    }

    /// Gives the largest idle arena back that is too small for so many bytes: who needs more and more holds one.
    fn outgrow(&self, bytes: usize) {
        let small = self.idle.with(|idle| {
            let small = idle.iter().enumerate().filter(|(_, i)| i.buffer.len() < bytes);
            let at = small.max_by_key(|(_, i)| i.buffer.len())?.0;
            Some(idle.remove(at))
        });
        if let Some(idle) = small {
            self.used.fetch_sub(idle.buffer.len(), Ordering::Relaxed);
        }
    }

    /// Counts bytes that a run takes elsewhere, until the room is dropped.
    ///
    /// # Errors
    /// Limit, with the figures, where the bound has no room for them.
    pub fn reserve(&self, bytes: usize) -> Result<Room<'_>> {
        let add = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        let taken = || self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        if taken().is_err() {
            self.release_idle();
            taken().map_err(|used| {
                let message = format!("a run needs {bytes} bytes for its values");
                let figures = format!("all runs together may take {}, of which {used} are taken", self.limit);
                Diagnostic::limit(format!("{message}; {figures}"))
                    .help("raise max_memory, or let fewer runs go on at once")
            })?;
        }
        Ok(Room { arenas: self, bytes })
    }

    /// Gives idle arenas back to the system.
    pub fn release_idle(&self) {
        let idle = self.idle.with(std::mem::take);
        let bytes = idle.iter().map(|i| i.buffer.len()).sum::<usize>();
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn give_back(&self, idle: Idle) {
        let surplus = self.idle.with(|kept| {
            kept.push(idle);
            let old = kept.iter().position(|i| i.needed.elapsed() > self.patience);
            old.or((kept.len() > KEPT).then_some(0)).map(|at| kept.remove(at))
        });
        if let Some(idle) = surplus {
            self.used.fetch_sub(idle.buffer.len(), Ordering::Relaxed);
        }
    }
}

/// Bytes that are counted.
#[derive(Debug)]
pub struct Room<'a> {
    arenas: &'a Arenas,
    bytes: usize,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.arenas.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// An arena that one run has.
#[derive(Debug)]
pub struct Arena<'a> {
    arenas: &'a Arenas,
    idle: Option<Idle>,
}

impl Arena<'_> {
    /// The start of its bytes, which this run alone uses.
    pub fn start(&mut self) -> *mut u8 {
        self.idle.as_mut().map_or(std::ptr::null_mut(), |i| i.buffer.as_mut_ptr())
    }

    /// Makes all its bytes the same.
    pub fn fill(&mut self, byte: u8) {
        if let Some(idle) = &mut self.idle {
            idle.buffer.bytes_mut().fill(byte);
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        self.idle.as_ref().map_or(&[], |i| i.buffer.bytes())
    }
}

impl Drop for Arena<'_> {
    fn drop(&mut self) {
        if let Some(idle) = self.idle.take() {
            self.arenas.give_back(idle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_support::Code;

    #[test]
    fn arenas_are_used_again() {
        let arenas = Arenas::default();
        let start = arenas.take(10_000).unwrap().start();
        assert_eq!(arenas.take(9_000).unwrap().start(), start);
        let (mut a, mut b) = (arenas.take(5_000).unwrap(), arenas.take(5_000).unwrap());
        assert_ne!(a.start(), b.start());
        drop((a, b));
        assert_eq!(arenas.used(), 15_000);
        arenas.release_idle();
        assert_eq!(arenas.used(), 0);
    }

    #[test]
    fn who_needs_more_and_more_holds_one() {
        let arenas = Arenas::default();
        for bytes in (100_000..200_000).step_by(1_000) {
            drop(arenas.take(bytes).unwrap());
            assert_eq!(arenas.used(), bytes);
        }
    }

    #[test]
    fn the_bound_is_kept_and_explained() {
        let arenas = Arenas::within(100_000);
        drop(arenas.take(60_000).unwrap());
        let held = arenas.take(90_000).unwrap();
        let error = arenas.take(20_000).unwrap_err();
        assert_eq!(error.code, Code::Limit);
        assert!(error.to_string().contains("20000 bytes") && error.to_string().contains("100000"), "{error}");
        drop(held);
        drop(arenas.reserve(30_000).unwrap());
        assert!(arenas.take(100_000).is_ok() && arenas.take(100_001).is_err());
    }

    #[test]
    fn what_nobody_needs_goes_after_a_while() {
        let arenas = Arenas { patience: Duration::from_millis(5), ..Arenas::default() };
        drop(arenas.take(1 << 20).unwrap());
        assert_eq!(arenas.used(), 1 << 20);
        std::thread::sleep(Duration::from_millis(10));
        drop(arenas.take(LEAST).unwrap());
        assert_eq!(arenas.used(), LEAST);
        let arenas = Arenas::default();
        drop((0..2 * KEPT).map(|_| arenas.take(LEAST).unwrap()).collect::<Vec<_>>());
        assert_eq!(arenas.used(), KEPT * LEAST);
    }
}
