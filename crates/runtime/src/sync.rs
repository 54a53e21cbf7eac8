//! The primitives that concurrent parts are built from: those of the standard library, or of `loom` in a model check.

#[cfg(not(all(test, loom)))]
pub(crate) use std::{
    hint::spin_loop as pause,
    sync::{
        Arc, Condvar, Mutex, RwLock,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
    thread,
};

#[cfg(all(test, loom))]
pub(crate) use loom::{
    cell::UnsafeCell,
    sync::{
        Arc, Condvar, Mutex, RwLock,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
    thread,
    thread::yield_now as pause,
};

/// A cell that is reached through closures, so that a model check sees each access.
#[cfg(not(all(test, loom)))]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(all(test, loom)))]
impl<T> UnsafeCell<T> {
    pub fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}
