//! One stretch of code memory that no single mapping lets anyone write and execute at once.
//!
//! On Linux the same pages are mapped twice, once to be written and once to be executed, so that publishing costs a
//! copy. Where that is not to be had, pages change from writable to executable, so that each kernel needs its own.

use crate::pages::{self, Access};
use std::{io, ptr::NonNull};

/// An instruction that traps: what unused code memory holds.
const TRAP: u8 = 0xcc;

/// Where kernels start, at the least: a cache line.
pub(super) const ALIGN: usize = 64;

/// Pages for code and how they are written.
pub(super) struct Mapping {
    run: NonNull<u8>,
    /// The writable view, where there are two.
    write: Option<NonNull<u8>>,
    len: usize,
}

// SAFETY: a mapping owns its pages; shared access only computes addresses, writing needs it exclusively.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` bytes, a multiple of the page size.
    pub fn new(len: usize) -> io::Result<Self> {
        Self::dual(len).or_else(|_| Self::flip(len))
    }

    #[cfg(target_os = "linux")]
    fn dual(len: usize) -> io::Result<Self> {
        let (write, run) = pages::reserve_twice(len)?;
        Ok(Self { run, write: Some(write), len })
    }

    #[cfg(not(target_os = "linux"))]
    fn dual(_len: usize) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Maps pages that change their access.
    pub fn flip(len: usize) -> io::Result<Self> {
        Ok(Self { run: pages::reserve(len)?, write: None, len })
    }

    /// Spans that are written apart start at multiples of this.
    pub fn granule(&self) -> usize {
        if self.write.is_some() { ALIGN } else { pages::page_size() }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The address at which the byte `offset` is executed.
    pub fn address(&self, offset: usize) -> NonNull<u8> {
        assert!(offset < self.len);
        // SAFETY: the offset was just checked to lie in the mapping.
        unsafe { self.run.add(offset) }
    }

    /// Writes `bytes` at `start` and traps up to `end`, both multiples of the granule.
    ///
    /// # Safety
    /// Nobody executes or reads the span meanwhile.
    pub unsafe fn write(&mut self, start: usize, end: usize, bytes: &[u8]) -> io::Result<()> {
        assert!(start <= end && end <= self.len && bytes.len() <= end - start);
        let (len, rest) = (end - start, end - start - bytes.len());
        // SAFETY: the span lies in the mapping (checked above), in the view that may be written.
        let target = unsafe { self.write.unwrap_or(self.run).add(start) };
        if self.write.is_none() {
            // SAFETY: the span is whole pages of this mapping that the caller keeps others from.
            unsafe { pages::protect(target, len, Access::Write)? };
        }
        // SAFETY: the target has room for both parts (checked above), may be written and is not among `bytes`, since
        // nobody else reads the span.
        unsafe {
            target.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
            target.add(bytes.len()).write_bytes(TRAP, rest);
        }
        if self.write.is_none() {
            // SAFETY: as before; the code is complete.
            unsafe { pages::protect(target, len, Access::Run)? };
        }
        Ok(())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        for view in [Some(self.run), self.write].into_iter().flatten() {
            // SAFETY: the views are whole mappings made by `new`, and their owner goes.
            unsafe { pages::release(view, self.len) };
        }
    }
}
