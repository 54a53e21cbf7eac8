//! The list of symbol files that `gdb` reads from a running process, under the names that its manual gives it.
//!
//! The debugger stops at `__jit_debug_register_code` and looks at `__jit_debug_descriptor` to see what has changed. A
//! program has one of each; other compilers linked into it bring their own, hence the crate feature.

use std::{
    hint::black_box,
    ptr,
    sync::{Mutex, MutexGuard, PoisonError},
};

#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    file: *const u8,
    size: u64,
}

#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

/// What the debugger is told.
const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

/// Read by the debugger; written under [`LIST`].
#[unsafe(no_mangle)]
static mut __jit_debug_descriptor: Descriptor =
    Descriptor { version: 1, action: 0, relevant: ptr::null_mut(), first: ptr::null_mut() };

/// Where the debugger stops.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __jit_debug_register_code() {
    black_box(&raw const __jit_debug_descriptor);
}

static LIST: Mutex<()> = Mutex::new(());

/// Keeps others from the list.
pub(super) fn lock() -> MutexGuard<'static, ()> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A symbol file that the debugger knows until this is dropped.
pub(super) struct Registration {
    entry: *mut Entry,
    file: *mut [u8],
}

// SAFETY: the entry is reached only under the list's lock.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Registration {
    /// Registers a symbol file.
    pub fn new(file: Vec<u8>) -> Self {
        let file = Box::into_raw(file.into_boxed_slice());
        let _list = lock();
        let descriptor = &raw mut __jit_debug_descriptor;
        // SAFETY: the lock is held, and the entries of the list are alive until they are unlinked.
        unsafe {
            let next = (*descriptor).first;
            let entry = Entry { next, previous: ptr::null_mut(), file: file.cast(), size: file.len() as u64 };
            let entry = Box::into_raw(Box::new(entry));
            if !next.is_null() {
                (*next).previous = entry;
            }
            (*descriptor).first = entry;
            announce(REGISTER, entry);
            Self { entry, file }
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _list = lock();
        let descriptor = &raw mut __jit_debug_descriptor;
        // SAFETY: the lock is held, the entry is in the list, and its neighbours are alive; once unlinked and
        // announced, entry and file belong to nobody else.
        unsafe {
            let Entry { next, previous, .. } = *self.entry;
            if !next.is_null() {
                (*next).previous = previous;
            }
            if previous.is_null() {
                (*descriptor).first = next;
            } else {
                (*previous).next = next;
            }
            announce(UNREGISTER, self.entry);
            drop(Box::from_raw(self.entry));
            drop(Box::from_raw(self.file));
        }
    }
}

/// Shows the debugger what has changed.
///
/// # Safety
/// The list's lock is held.
unsafe fn announce(action: u32, entry: *mut Entry) {
    let descriptor = &raw mut __jit_debug_descriptor;
    // SAFETY: the caller holds the lock.
    unsafe {
        (*descriptor).action = action;
        (*descriptor).relevant = entry;
    }
    __jit_debug_register_code();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the files in the list that are above `least`, first to last.
    fn sizes(least: u64) -> Vec<u64> {
        let _list = lock();
        let mut sizes = Vec::new();
        let descriptor = &raw const __jit_debug_descriptor;
        // SAFETY: the lock is held, so that the entries stay.
        unsafe {
            let mut entry = (*descriptor).first;
            while !entry.is_null() {
                sizes.push((*entry).size);
                entry = (*entry).next;
            }
        }
        sizes.retain(|size| *size > least);
        sizes
    }

    #[test]
    fn files_come_first_and_leave_from_anywhere() {
        let register = |size: usize| Registration::new(vec![0; size]);
        let (first, middle, last) = (register(100_001), register(100_002), register(100_003));
        assert_eq!(sizes(100_000), [100_003, 100_002, 100_001]);
        drop(middle);
        assert_eq!(sizes(100_000), [100_003, 100_001]);
        drop(last);
        assert_eq!(sizes(100_000), [100_001]);
        drop(first);
        assert_eq!(sizes(100_000), [0; 0]);
    }
}
