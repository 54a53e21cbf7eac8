//! Values of the process that stay whole over a `fork`.
//!
//! A fork doubles the memory but only the thread that calls it: a lock that another thread holds stays held for ever in
//! the child. So all locks are taken before and given back on both sides after; what needs threads is built anew.
//!
//! ```text
//!            prepare: hold all           give back, as it was
//! threads ----------------------- fork ----------------------> parent
//!                                   `------------------------> child
//!                                        give back; forget what only other threads could finish
//! ```

use std::{
    fmt, ptr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicPtr, Ordering},
    },
};

/// The two processes after a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one with all threads.
    Parent,
    /// The one with one thread.
    Child,
}

/// Gives back what was held over a fork.
pub type Release = Box<dyn FnOnce(Side)>;

/// A part of the process that threads share.
pub trait Part: Sync {
    /// Waits until nothing is half done and keeps it so until released. Locks that are taken while others are held are
    /// held in the same order.
    fn hold(&'static self) -> Release;
}

/// A value that is built when it is first asked for and lives as long as the process.
pub struct Global<T: 'static>(AtomicPtr<T>);

impl<T: Part> Global<T> {
    /// A value yet to be built.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The value, if it is built.
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: a pointer that is not null was leaked, complete, before it was stored.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// The value. Threads that ask at the same time may build it several times, of which one is kept: nobody waits for
    /// a thread that a fork might leave behind.
    pub fn get_or_build(&self, build: impl FnOnce() -> T) -> &'static T {
        if let Some(value) = self.get() {
            return value;
        }
        let built = Box::new(build());
        let mut parts = parts();
        if let Some(first) = self.get() {
            return first;
        }
        let built = Box::into_raw(built);
        self.0.store(built, Ordering::Release);
        if parts.is_empty() {
            watch();
        }
        // SAFETY: the value was just leaked.
        let built: &'static T = unsafe { &*built };
        parts.push(built);
        built
    }

    /// Lets the value be built anew. Those who have it keep it.
    pub(crate) fn forget(&self) {
        self.0.store(ptr::null_mut(), Ordering::Release);
    }
}

impl<T> fmt::Debug for Global<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of the process at {:?}", self.0.load(Ordering::Relaxed))
    }
}

/// All that has to be held over a fork.
static PARTS: Mutex<Vec<&'static dyn Part>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<&'static dyn Part>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
thread_local! {
    /// What the thread that forks holds.
    static HELD: std::cell::RefCell<Vec<Release>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Asks the system to tell of forks.
fn watch() {
    #[cfg(unix)]
    {
        // SAFETY: the functions are there as long as the process; without memory for their addresses nothing is watched.
        unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
    }
}

#[cfg(unix)]
extern "C" fn prepare() {
    let parts = parts();
    let mut held: Vec<Release> = parts.iter().map(|part| part.hold()).collect();
    held.push(Box::new(move |_| drop(parts)));
    // A thread that forks while it ends has no place to keep them.
    let _ = HELD.try_with(|place| place.replace(held));
}

#[cfg(unix)]
extern "C" fn parent() {
    release(Side::Parent);
}

#[cfg(unix)]
extern "C" fn child() {
    release(Side::Child);
}

#[cfg(unix)]
fn release(side: Side) {
    let held = HELD.try_with(std::cell::RefCell::take).unwrap_or_default();
    held.into_iter().rev().for_each(|release| release(side));
}
