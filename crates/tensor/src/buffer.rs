//! Owned bytes on a 64-byte boundary: a cache line, and the widest vector register.
use bytemuck::{Pod, Zeroable};
use std::sync::Mutex;
use tilewright_support::{Diagnostic, Result};

/// Alignment in bytes of every buffer that the library allocates.
pub const ALIGNMENT: usize = 64;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

/// A run of bytes, aligned to [`ALIGNMENT`].
#[derive(Clone)]
pub(crate) struct Aligned {
    lines: Vec<Line>,
    len: usize,
}

/// Buffers from this many lines on are kept when they are dropped: the system gives large ones page by page, which takes
/// longer than to write them.
const LARGE: usize = (64 << 10) / ALIGNMENT;

/// Lines of all buffers that are kept, and how many these are, at the most.
const KEPT: (usize, usize) = ((64 << 20) / ALIGNMENT, 16);

/// Nobody waits for it: who finds it locked, perhaps by a thread that a fork left behind, does without.
static SPARE: Mutex<Vec<Vec<Line>>> = Mutex::new(Vec::new());

impl Drop for Aligned {
    fn drop(&mut self) {
        if self.lines.len() < LARGE {
            return;
        }
        if let Ok(mut spare) = SPARE.try_lock() {
            spare.push(std::mem::take(&mut self.lines));
            while spare.len() > KEPT.1 || spare.iter().map(Vec::len).sum::<usize>() > KEPT.0 {
                spare.remove(0);
            }
        }
    }
}

impl Aligned {
    /// `len` bytes of any contents.
    pub(crate) fn any(len: usize) -> Result<Self> {
        let lines = len.div_ceil(ALIGNMENT);
        let spare = if lines < LARGE { None } else { SPARE.try_lock().ok() };
        let found = spare.and_then(|mut spare| {
            let at = spare.iter().rposition(|s| (lines..=lines.saturating_add(lines / 4)).contains(&s.len()))?;
            Some(spare.remove(at))
        });
        let Some(mut found) = found else { return Self::zeroed(len) };
        found.truncate(lines);
        Ok(Self { lines: found, len })
    }

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
