//! Executable memory: kernels are published into arenas and leave them when their last holder does.

use super::{
    mapping::{ALIGN, Mapping},
    profile::{Profile, ProfileOptions, Shown},
    spans::Spans,
};
use crate::global::Release;
use std::{
    fmt, io,
    ops::Range,
    ptr::NonNull,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tilewright_support::{Diagnostic, Result};

/// Size of an arena, unless one kernel needs more.
const ARENA: usize = 1 << 20;

/// The longest kernel that is taken.
const LONGEST: usize = 64 << 20;

/// Memory that holds kernels.
#[derive(Default)]
pub struct CodeMemory {
    arenas: Arc<Arenas>,
    profile: Profile,
}

/// What a [`CodeMemory`] holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeUsage {
    /// Bytes of the kernels that are alive, rounded up to what they occupy.
    pub live: usize,
    /// Bytes taken from the operating system.
    pub reserved: usize,
    /// Number of kernels that are alive.
    pub kernels: usize,
}

/// Published machine code: callable for as long as someone holds it.
///
/// All kernels have one signature, `extern "sysv64" fn(*const u64)`: the address of a block of arguments, of which
/// each is a number or an address in 64 bits.
pub struct Kernel {
    name: Box<str>,
    code: NonNull<u8>,
    len: usize,
    entry: usize,
    place: Place,
    arenas: Arc<Arenas>,
    shown: Shown,
}

// SAFETY: the code is written before the kernel exists and stays as it is until the kernel is dropped.
unsafe impl Send for Kernel {}
// SAFETY: as above: shared access only reads and executes.
unsafe impl Sync for Kernel {}

/// Where a kernel lies.
struct Place {
    arena: usize,
    span: Range<usize>,
}

#[derive(Default)]
struct Arenas {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The places of those that were given back are taken by new ones.
    arenas: Vec<Option<Arena>>,
    usage: CodeUsage,
}

struct Arena {
    mapping: Mapping,
    spans: Spans,
    kernels: usize,
    /// Whether nothing is written here any more: after a fork two processes run the code in the same pages.
    sealed: bool,
}

impl CodeMemory {
    /// Empty memory. Pages are taken when the first kernel is published.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows the kernels that are published from now on to profilers and debuggers.
    ///
    /// # Errors
    /// When a file cannot be opened, or for what the system or the build lacks.
    pub fn profile(&self, options: &ProfileOptions) -> Result<()> {
        self.profile.open(options)
    }

    /// Places machine code where it can be executed, at a multiple of 64 bytes; `entry` is the offset of its first
    /// instruction. The code may not depend on where it lies.
    ///
    /// # Errors
    /// On processors other than x86-64, when the entry lies outside, when the kernel is longer than 64 MiB, and when
    /// the operating system refuses memory.
    pub fn publish(&self, name: &str, bytes: &[u8], entry: usize) -> Result<Arc<Kernel>> {
        if !cfg!(target_arch = "x86_64") {
            return Err(Diagnostic::unsupported("machine code on a processor other than x86-64"));
        }
        if entry >= bytes.len() {
            let message = format!("kernel `{name}`: entry {entry} in {} bytes of code", bytes.len());
            return Err(Diagnostic::internal(message));
        }
        if bytes.len() > LONGEST {
            let message = format!("kernel `{name}` has {} bytes of code, more than {LONGEST}", bytes.len());
            return Err(Diagnostic::limit(message));
        }
        let (place, code) = self.arenas.place(bytes).map_err(|error| {
            Diagnostic::limit(format!("kernel `{name}`: no executable memory for {} bytes: {error}", bytes.len()))
        })?;
        let (arenas, shown) = (Arc::clone(&self.arenas), Shown::default());
        let mut kernel = Kernel { name: name.into(), code, len: bytes.len(), entry, place, arenas, shown };
        kernel.shown = self.profile.show(name, kernel.code());
        Ok(Arc::new(kernel))
    }

    /// What is held now.
    pub fn usage(&self) -> CodeUsage {
        self.arenas.lock().usage
    }

    /// Keeps everything as it is over a fork, after which neither process writes where there is code of both.
    pub(super) fn hold(&'static self) -> Release {
        let mut state = self.arenas.lock();
        state.arenas.iter_mut().flatten().for_each(|arena| arena.sealed = true);
        let profile = self.profile.hold();
        Box::new(move |side| {
            profile(side);
            drop(state);
        })
    }
}

impl fmt::Debug for CodeMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.usage().fmt(f)
    }
}

impl Arenas {
    /// Poisoning is of no account: no step that can panic leaves the state half changed.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies code to a free span and gives the address at which it is executed.
    fn place(&self, bytes: &[u8]) -> io::Result<(Place, NonNull<u8>)> {
        let mut state = self.lock();
        let State { arenas, usage } = &mut *state;
        let (at, span) = take(arenas, usage, bytes.len())?;
        let arena = arenas[at].as_mut().ok_or_else(|| io::Error::other("an arena that is gone"))?;
        let Range { start, end } = span;
        // SAFETY: the span was free until now, so that no kernel holds it and nobody reads or executes it.
        if let Err(error) = unsafe { arena.mapping.write(start, end, bytes) } {
            arena.spans.give(span);
            return Err(error);
        }
        let code = arena.mapping.address(start);
        if arena.spans.reused(&span) {
            forget_old_code();
        }
        arena.kernels += 1;
        usage.live += end - start;
        usage.kernels += 1;
        Ok((Place { arena: at, span }, code))
    }

    /// Frees the span of a kernel that nobody holds any more, or all of a sealed arena after its last kernel.
    fn release(&self, place: &Place) {
        let mut state = self.lock();
        let State { arenas, usage } = &mut *state;
        usage.live -= place.span.len();
        usage.kernels -= 1;
        let Some(arena) = &mut arenas[place.arena] else { return };
        arena.kernels -= 1;
        if arena.sealed {
            if arena.kernels == 0 {
                usage.reserved -= arena.mapping.len();
                arenas[place.arena] = None;
            }
            return;
        }
        let Range { start, end } = place.span;
        // SAFETY: the kernel's last holder is gone, and a call needs a holder. Pages that cannot be written to are not
        // used again.
        if unsafe { arena.mapping.write(start, end, &[]) }.is_ok() {
            arena.spans.give(place.span.clone());
        }
    }
}

/// Takes a span for `len` bytes, from a new arena if need be.
fn take(arenas: &mut Vec<Option<Arena>>, usage: &mut CodeUsage, len: usize) -> io::Result<(usize, Range<usize>)> {
    let open = |arena: &mut Option<Arena>| arena.as_mut().filter(|arena| !arena.sealed)?.take(len);
    if let Some(found) = arenas.iter_mut().enumerate().find_map(|(at, arena)| Some((at, open(arena)?))) {
        return Ok(found);
    }
    let mapping = Mapping::new(len.next_multiple_of(ARENA))?;
    let spans = Spans::new(mapping.len());
    let mut arena = Arena { mapping, spans, kernels: 0, sealed: false };
    let span = arena.take(len).ok_or_else(|| io::Error::other("an arena shorter than asked for"))?;
    usage.reserved += arena.mapping.len();
    let at = arenas.iter().position(Option::is_none).unwrap_or(arenas.len());
    arenas.resize_with(arenas.len().max(at + 1), || None);
    arenas[at] = Some(arena);
    Ok((at, span))
}

impl Arena {
    fn take(&mut self, len: usize) -> Option<Range<usize>> {
        self.spans.take(len.next_multiple_of(self.mapping.granule()))
    }
}

/// Makes all threads of the process fetch instructions anew, for code at an address where other code was.
fn forget_old_code() {
    #[cfg(target_os = "linux")]
    {
        let call = |command: libc::c_int| {
            // SAFETY: the call takes numbers and touches no memory; a system without it reports so.
            unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
        };
        // Registering again costs little and is nothing that one thread could wait for another in.
        if call(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) {
            call(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
        }
    }
}

impl Kernel {
    /// The name that listings and profilers show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The machine code.
    pub fn code(&self) -> &[u8] {
        // SAFETY: the bytes lie in a mapping that the kernel keeps, may be read and do not change while it lives.
        unsafe { std::slice::from_raw_parts(self.code.as_ptr(), self.len) }
    }

    /// Bytes of code memory that are taken from others.
    pub fn occupied(&self) -> usize {
        self.place.span.len()
    }

    /// Address of the first instruction.
    pub fn address(&self) -> *const u8 {
        // SAFETY: the entry lies within the code, as `publish` checked.
        unsafe { self.code.as_ptr().add(self.entry) }
    }

    /// Runs the kernel on the block of arguments at `args`.
    ///
    /// # Safety
    /// The code obeys the System V calling convention, the processor has the instructions, and the arguments are what
    /// the kernel expects: addresses in them are valid for what it reads and writes there.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub unsafe fn call(&self, args: *const u64) {
        // SAFETY: the address is the first instruction of code that the caller knows to be a function of this type.
        let function: unsafe extern "sysv64" fn(*const u64) = unsafe { std::mem::transmute(self.address()) };
        // SAFETY: the caller vouches for the arguments.
        unsafe { function(args) }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?} ({} bytes)", self.name, self.address(), self.len)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.shown = Shown::default();
        self.arenas.release(&self.place);
    }
}

const _: () = assert!(ARENA.is_multiple_of(ALIGN));

#[cfg(all(test, not(loom), target_arch = "x86_64"))]
mod tests;
