//! Buffers between pages that nobody may touch.

use std::ptr::null_mut;

/// Bytes that end right before a forbidden page, or start right after one.
pub struct Guarded {
    map: *mut u8,
    map_len: usize,
    start: *mut u8,
    len: usize,
}

const PAGE: usize = 4096;

impl Guarded {
    /// A copy of `bytes` next to the page after it if `at_end`, else next to the page before it.
    pub fn new(bytes: &[u8], at_end: bool) -> Self {
        let inner = bytes.len().next_multiple_of(PAGE).max(PAGE);
        let map_len = inner + 2 * PAGE;
        // SAFETY: a new anonymous mapping; the pages in the middle are made accessible before they are used.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let map = libc::mmap(null_mut(), map_len, libc::PROT_NONE, flags, -1, 0).cast::<u8>();
            assert_ne!(map.cast(), libc::MAP_FAILED);
            let page = map.add(PAGE);
            assert_eq!(libc::mprotect(page.cast(), inner, libc::PROT_READ | libc::PROT_WRITE), 0);
            let start = if at_end { page.add(inner - bytes.len()) } else { page };
            start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Self { map, map_len, start, len: bytes.len() }
        }
    }

    /// Its address.
    pub fn address(&self) -> u64 {
        self.start as u64
    }

    /// What it holds now.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `start` and the `len` bytes after it lie in the mapping, which lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, whole.
        unsafe { libc::munmap(self.map.cast(), self.map_len) };
    }
}
