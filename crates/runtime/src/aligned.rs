//! Byte buffers that start at a cache line: arenas and packed constants.

use bytemuck::Pod;
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    fmt, io,
    ptr::NonNull,
    slice,
};
use tilewright_support::{Diagnostic, Result};

/// Where buffers start, at the least: a cache line, and the width of the widest vector.
pub const ALIGN: usize = 64;

/// From this size on a buffer starts at a multiple of it, and the system is asked for pages of this size.
#[cfg(target_os = "linux")]
const HUGE: usize = 2 << 20;

/// Bytes of its own, zeros at first, that start at a multiple of 64.
pub struct Buffer {
    start: NonNull<u8>,
    len: usize,
    source: Source,
}

/// Where the bytes come from, and what gives them back.
enum Source {
    Heap(Layout),
    #[cfg(target_os = "linux")]
    Pages(NonNull<u8>, usize),
}

// SAFETY: a buffer owns its bytes.
unsafe impl Send for Buffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of `len` zeros.
    ///
    /// # Errors
    /// When the system has no room for it.
    pub fn zeroed(len: usize) -> Result<Self> {
        Self::take(len).map_err(|error| Diagnostic::limit(format!("no memory for a buffer of {len} bytes: {error}")))
    }

    #[cfg(target_os = "linux")]
    fn take(len: usize) -> io::Result<Self> {
        use crate::pages;
        if len < HUGE {
            return Self::heap(len);
        }
        // One huge page more than needed, so that a multiple of its size lies in the first of them.
        let reserved = len.checked_next_multiple_of(HUGE).and_then(|len| len.checked_add(HUGE));
        let reserved = reserved.ok_or(io::ErrorKind::OutOfMemory)?;
        let base = pages::reserve(reserved)?;
        let offset = base.as_ptr().align_offset(HUGE);
        // SAFETY: the offset is below `HUGE`, which is less than what was reserved.
        let start = unsafe { base.add(offset) };
        pages::ask_for_huge(start, reserved - offset);
        Ok(Self { start, len, source: Source::Pages(base, reserved) })
    }

    #[cfg(not(target_os = "linux"))]
    fn take(len: usize) -> io::Result<Self> {
        Self::heap(len)
    }

    fn heap(len: usize) -> io::Result<Self> {
        let layout = Layout::from_size_align(len.max(1), ALIGN).map_err(io::Error::other)?;
        // SAFETY: the layout has a size above zero.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, len, source: Source::Heap(layout) })
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first byte.
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// Address of the first byte, for writing.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the buffer owns `len` initialised bytes.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes, for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the buffer owns `len` initialised bytes and is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// The elements of one type that fit; bytes after the last whole element are left out.
    pub fn elements<T: Pod>(&self) -> &[T] {
        let whole = whole_elements::<T>(self.len);
        bytemuck::cast_slice(&self.bytes()[..whole])
    }

    /// The elements of one type that fit, for writing.
    pub fn elements_mut<T: Pod>(&mut self) -> &mut [T] {
        let whole = whole_elements::<T>(self.len);
        bytemuck::cast_slice_mut(&mut self.bytes_mut()[..whole])
    }
}

/// Bytes of the whole elements in `len` bytes.
fn whole_elements<T>(len: usize) -> usize {
    const { assert!(align_of::<T>() <= ALIGN && size_of::<T>() > 0) };
    len - len % size_of::<T>()
}

impl Drop for Buffer {
    fn drop(&mut self) {
        match self.source {
            // SAFETY: the bytes were allocated with this layout.
            Source::Heap(layout) => unsafe { dealloc(self.start.as_ptr(), layout) },
            #[cfg(target_os = "linux")]
            // SAFETY: these are the whole mapping that the buffer took.
            Source::Pages(base, reserved) => unsafe { crate::pages::release(base, reserved) },
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {:?}", self.len, self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_support::Code;

    #[test]
    fn buffers_are_aligned_zero_and_writable() {
        for len in [0, 1, 63, 64, 1000, (2 << 20) - 1, 2 << 20, (4 << 20) + 5] {
            let mut buffer = Buffer::zeroed(len).unwrap();
            let align = if cfg!(target_os = "linux") && len >= 2 << 20 { 2 << 20 } else { ALIGN };
            assert_eq!((buffer.as_ptr().addr() % align, buffer.len(), buffer.is_empty()), (0, len, len == 0));
            assert!(buffer.bytes().iter().all(|byte| *byte == 0));
            buffer.bytes_mut().fill(7);
            assert_eq!(buffer.as_mut_ptr().cast_const(), buffer.as_ptr());
            assert!(std::thread::scope(|scope| {
                scope.spawn(|| buffer.bytes().iter().all(|byte| *byte == 7)).join().unwrap()
            }));
        }
    }

    #[test]
    fn elements_are_the_whole_ones() {
        let mut buffer = Buffer::zeroed(19).unwrap();
        buffer.elements_mut::<f32>().copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(buffer.elements::<f32>().len(), 4);
        assert_eq!(buffer.elements::<u64>(), [0x4000_0000_3f80_0000, 0x4080_0000_4040_0000]);
        assert_eq!(buffer.elements::<[u8; 7]>().len(), 2);
    }

    #[test]
    fn too_large_a_buffer_is_an_error() {
        for len in [usize::MAX, isize::MAX as usize, 1 << 60] {
            assert_eq!(Buffer::zeroed(len).unwrap_err().code, Code::Limit);
        }
    }
}
