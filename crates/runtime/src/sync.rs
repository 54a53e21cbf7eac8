//! The primitives that concurrent parts are built from: those of the standard library, or of `loom` in a model check.

#[cfg(not(all(test, loom)))]
pub(crate) use std::{
    sync::{
        Condvar, Mutex, RwLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

#[cfg(all(test, loom))]
pub(crate) use loom::{
    sync::{
        Condvar, Mutex, RwLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};
