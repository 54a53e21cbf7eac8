//! Owned bytes on a 64-byte boundary: a cache line, and the widest vector register.
use bytemuck::{Pod, Zeroable};
use memmap2::{MmapMut, MmapOptions};
use std::sync::Mutex;
use tilewright_support::{Diagnostic, Result};

/// Alignment in bytes of every buffer that the library allocates.
pub const ALIGNMENT: usize = 64;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

/// A run of bytes, aligned to [`ALIGNMENT`].
#[derive(Debug)]
pub(crate) struct Aligned {
    memory: Memory,
    len: usize,
}

/// The memory of one buffer.
#[derive(Debug)]
enum Memory {
    Lines(Vec<Line>),
    /// Pages of its own, which are zero when first touched.
    Pages(MmapMut),
}

/// Buffers from this many bytes on are kept when they are dropped: the system gives large ones page by page, which takes
/// longer than to write them.
const LARGE: usize = 64 << 10;

/// Buffers from this many bytes on have pages of their own: the system gives them zeroed, nobody has to write them first.
const PAGES: usize = 1 << 20;

/// Larger ones are given page by page, so that what is never written takes no memory.
const TOGETHER: usize = 64 << 20;

/// Bytes of all buffers that are kept, and how many these are, at the most.
const KEPT: (usize, usize) = (64 << 20, 16);

/// Nobody waits for it: who finds it locked, perhaps by a thread that a fork left behind, does without.
static SPARE: Mutex<Vec<Memory>> = Mutex::new(Vec::new());

impl Drop for Aligned {
    fn drop(&mut self) {
        if self.memory.bytes().len() < LARGE {
            return;
        }
        if let Ok(mut spare) = SPARE.try_lock() {
            spare.push(std::mem::replace(&mut self.memory, Memory::Lines(Vec::new())));
            while spare.len() > KEPT.1 || spare.iter().map(|s| s.bytes().len()).sum::<usize>() > KEPT.0 {
                spare.remove(0);
            }
        }
    }
}

impl Memory {
    /// At least `len` zero bytes. Those that are `filled` at once are better given all together than page by page.
    fn zeroed(len: usize, filled: bool) -> Result<Self> {
        let none = || Diagnostic::limit(format!("no memory for a tensor of {len} bytes"));
        if len < PAGES {
            let lines = bytemuck::allocation::try_zeroed_vec(len.div_ceil(ALIGNMENT));
            return lines.map(Self::Lines).map_err(|()| none());
        }
        let mut options = MmapOptions::new();
        options.len(len);
        if filled && len <= TOGETHER {
            options.populate();
        }
        options.map_anon().map(Self::Pages).map_err(|_| none())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Lines(lines) => bytemuck::cast_slice(lines),
            Self::Pages(pages) => pages,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Lines(lines) => bytemuck::cast_slice_mut(lines),
            Self::Pages(pages) => pages,
        }
    }
}

impl Aligned {
    /// `len` bytes of any contents, all of which will be written.
    pub(crate) fn any(len: usize) -> Result<Self> {
        let spare = if len < LARGE { None } else { SPARE.try_lock().ok() };
        let found = spare.and_then(|mut spare| {
            let fits = |s: &Memory| (len..=len.saturating_add(len / 4)).contains(&s.bytes().len());
            let at = spare.iter().rposition(fits)?;
            Some(spare.remove(at))
        });
        Ok(Self { memory: found.map_or_else(|| Memory::zeroed(len, true), Ok)?, len })
    }

    /// `len` zero bytes. Fails with a limit diagnostic when there is no memory for them.
    pub(crate) fn zeroed(len: usize) -> Result<Self> {
        Ok(Self { memory: Memory::zeroed(len, false)?, len })
    }

    /// A copy of `bytes`.
    pub(crate) fn copy_of(bytes: &[u8]) -> Result<Self> {
        let mut copy = Self::any(bytes.len())?;
        copy.as_mut().copy_from_slice(bytes);
        Ok(copy)
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &self.memory.bytes()[..self.len]
    }
}

impl AsMut<[u8]> for Aligned {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.memory.bytes_mut()[..self.len]
    }
}
