//! Memory that several threads write to, each its own part.

/// The start of such memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared(pub *mut u8);

// SAFETY: the address alone does nothing; whoever writes through it takes a part that nobody else uses meanwhile.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// The address so many bytes after the start.
    pub(crate) fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}
