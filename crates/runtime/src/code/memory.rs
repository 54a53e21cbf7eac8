//! Executable memory: kernels are published into arenas and leave them when their last holder does.

use super::{
    mapping::{ALIGN, Mapping},
    profile::{Profile, ProfileOptions, Shown},
    spans::Spans,
};
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

/// Memory that holds kernels. Clones are the same memory.
#[derive(Clone, Default)]
pub struct CodeMemory {
    arenas: Arc<Arenas>,
    profile: Arc<Profile>,
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
    arenas: Vec<Arena>,
    usage: CodeUsage,
}

struct Arena {
    mapping: Mapping,
    spans: Spans,
    /// The process that writes here: after a fork both see the same pages, so that the child takes its own.
    owner: u32,
}

impl CodeMemory {
    /// Empty memory. Pages are taken when the first kernel is published.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empty memory whose kernels are shown to profilers and debuggers.
    ///
    /// # Errors
    /// When a file cannot be opened, or for what the system or the build lacks.
    pub fn with_profile(options: &ProfileOptions) -> Result<Self> {
        Ok(Self { profile: Arc::new(Profile::open(options)?), ..Self::default() })
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
        let place = state.take(bytes.len())?;
        let arena = &mut state.arenas[place.arena];
        let Range { start, end } = place.span;
        // SAFETY: the span was free until now, so that no kernel holds it and nobody reads or executes it.
        if let Err(error) = unsafe { arena.mapping.write(start, end, bytes) } {
            arena.spans.give(place.span);
            return Err(error);
        }
        let code = arena.mapping.address(start);
        if arena.spans.reused(&place.span) {
            forget_old_code();
        }
        state.usage.live += end - start;
        state.usage.kernels += 1;
        Ok((place, code))
    }

    /// Frees the span of a kernel that nobody holds any more.
    fn release(&self, place: &Place) {
        let mut state = self.lock();
        state.usage.live -= place.span.len();
        state.usage.kernels -= 1;
        let arena = &mut state.arenas[place.arena];
        if arena.owner != std::process::id() {
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

impl State {
    /// Takes a span for `len` bytes, from a new arena if need be.
    fn take(&mut self, len: usize) -> io::Result<Place> {
        let owner = std::process::id();
        for (index, arena) in self.arenas.iter_mut().enumerate().filter(|(_, arena)| arena.owner == owner) {
            if let Some(span) = arena.spans.take(len.next_multiple_of(arena.mapping.granule())) {
                return Ok(Place { arena: index, span });
            }
        }
        let mapping = Mapping::new(len.next_multiple_of(ARENA))?;
        self.usage.reserved += mapping.len();
        let mut spans = Spans::new(mapping.len());
        let span = spans.take(len.next_multiple_of(mapping.granule()));
        self.arenas.push(Arena { mapping, spans, owner });
        let span = span.ok_or_else(|| io::Error::other("an arena shorter than asked for"))?;
        Ok(Place { arena: self.arenas.len() - 1, span })
    }
}

/// Makes all threads of the process fetch instructions anew, for code at an address where other code was.
fn forget_old_code() {
    #[cfg(target_os = "linux")]
    {
        use std::sync::OnceLock;
        static REGISTERED: OnceLock<bool> = OnceLock::new();
        let call = |command: libc::c_int| {
            // SAFETY: the call takes numbers and touches no memory; a system without it reports so.
            unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
        };
        if *REGISTERED.get_or_init(|| call(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE)) {
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
