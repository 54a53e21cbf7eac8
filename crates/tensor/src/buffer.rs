//! Owned bytes on a 64-byte boundary: a cache line, and the widest vector register.
use bytemuck::{Pod, Zeroable};
use tilewright_support::{Diagnostic, Result};

/// Alignment in bytes of every buffer that the library allocates.
pub const ALIGNMENT: usize = 64;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

/// A zeroed run of bytes, aligned to [`ALIGNMENT`].
#[derive(Clone)]
pub(crate) struct Aligned {
    lines: Vec<Line>,
    len: usize,
}

impl Aligned {
    /// `len` zero bytes. Fails with a limit diagnostic when there is no memory for them.
    pub(crate) fn zeroed(len: usize) -> Result<Self> {
        let lines = bytemuck::allocation::try_zeroed_vec(len.div_ceil(ALIGNMENT))
            .map_err(|()| Diagnostic::limit(format!("no memory for a tensor of {len} bytes")))?;
        Ok(Self { lines, len })
    }

    /// A copy of `bytes`.
    pub(crate) fn copy_of(bytes: &[u8]) -> Result<Self> {
        let mut copy = Self::zeroed(bytes.len())?;
        copy.as_mut().copy_from_slice(bytes);
        Ok(copy)
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl AsMut<[u8]> for Aligned {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
