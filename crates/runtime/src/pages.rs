//! Pages from the operating system, each with one right beside reading: to be written or to be executed, never both.

pub(crate) use os::{page_size, protect, release, reserve};

/// The right that pages have beside reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// May be written.
    Write,
    /// May be executed.
    Run,
}

#[cfg(unix)]
mod os {
    use super::Access;
    use std::{io, ptr::NonNull};

    fn bits(access: Access) -> libc::c_int {
        match access {
            Access::Write => libc::PROT_READ | libc::PROT_WRITE,
            Access::Run => libc::PROT_READ | libc::PROT_EXEC,
        }
    }

    /// The unit of protection.
    pub fn page_size() -> usize {
        // SAFETY: asks for a number and has no preconditions.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(size).unwrap_or(65536)
    }

    /// Maps `len` bytes with one access: zeros, or the start of a file.
    fn map(len: usize, access: Access, flags: libc::c_int, file: libc::c_int) -> io::Result<NonNull<u8>> {
        // SAFETY: without an address hint the mapping is new and replaces nothing; bad arguments are reported.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, bits(access), flags, file, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast()).ok_or_else(|| io::Error::other("a mapping at address zero"))
    }

    /// Takes `len` writable bytes of zeros.
    pub fn reserve(len: usize) -> io::Result<NonNull<u8>> {
        map(len, Access::Write, libc::MAP_PRIVATE | libc::MAP_ANON, -1)
    }

    /// Takes `len` bytes of zeros seen at two addresses: the first may be written, the second executed. `perf` takes
    /// such pages for anonymous ones, unlike those of a `memfd`, and looks for their names.
    #[cfg(target_os = "linux")]
    pub fn reserve_twice(len: usize) -> io::Result<(NonNull<u8>, NonNull<u8>)> {
        let write = map(len, Access::Write, libc::MAP_SHARED | libc::MAP_ANON, -1)?;
        // SAFETY: with an old size of zero the shared pages are mapped once more, at an address of the system's choice.
        let twin = unsafe { libc::mremap(write.as_ptr().cast(), 0, len, libc::MREMAP_MAYMOVE) };
        let run = NonNull::new(twin.cast::<u8>()).filter(|_| twin != libc::MAP_FAILED);
        let Some(run) = run else {
            let error = io::Error::last_os_error();
            // SAFETY: the mapping was made above and nobody has seen it.
            unsafe { release(write, len) };
            return Err(error);
        };
        // SAFETY: the second mapping was made above; it is whole, and nobody has written through it.
        let changed = unsafe { protect(run, len, Access::Run) };
        changed.map(|()| (write, run)).inspect_err(|_| {
            // SAFETY: both mappings were made above and nobody has seen them.
            unsafe {
                release(write, len);
                release(run, len);
            }
        })
    }

    /// Maps the start of an open file of one's own, to be executed.
    #[cfg(target_os = "linux")]
    pub fn map_file(file: std::os::fd::RawFd, len: usize) -> io::Result<NonNull<u8>> {
        map(len, Access::Run, libc::MAP_PRIVATE, file)
    }

    /// Asks for pages of 2 MiB where they fit; the system may have none.
    #[cfg(target_os = "linux")]
    pub fn ask_for_huge(start: NonNull<u8>, len: usize) {
        // SAFETY: the advice changes no contents, and none is taken on what is not mapped.
        unsafe { libc::madvise(start.as_ptr().cast(), len, libc::MADV_HUGEPAGE) };
    }

    /// Sets the access of whole pages.
    ///
    /// # Safety
    /// The range lies in one mapping made here, and nobody relies on the access it loses.
    pub unsafe fn protect(start: NonNull<u8>, len: usize, access: Access) -> io::Result<()> {
        // SAFETY: the caller vouches for the range.
        match unsafe { libc::mprotect(start.as_ptr().cast(), len, bits(access)) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Gives a mapping back.
    ///
    /// # Safety
    /// The range is one whole mapping that is not used any more.
    pub unsafe fn release(start: NonNull<u8>, len: usize) {
        // SAFETY: the caller vouches for the range; a failure leaves it mapped, which is harmless.
        unsafe { libc::munmap(start.as_ptr().cast(), len) };
    }
}

#[cfg(target_os = "linux")]
pub(crate) use os::{ask_for_huge, map_file, reserve_twice};

#[cfg(windows)]
mod os {
    use super::Access;
    use std::{ffi::c_void, io, ptr::NonNull};

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn VirtualAlloc(start: *mut c_void, len: usize, kind: u32, access: u32) -> *mut c_void;
        fn VirtualProtect(start: *mut c_void, len: usize, access: u32, before: *mut u32) -> i32;
        fn VirtualFree(start: *mut c_void, len: usize, kind: u32) -> i32;
    }

    const COMMIT_AND_RESERVE: u32 = 0x3000;
    const RELEASE: u32 = 0x8000;
    const READ_WRITE: u32 = 0x04;
    const EXECUTE_READ: u32 = 0x20;

    /// The unit of protection: the same on all x86-64 and AArch64 systems.
    pub fn page_size() -> usize {
        4096
    }

    /// Takes `len` writable bytes of zeros.
    pub fn reserve(len: usize) -> io::Result<NonNull<u8>> {
        // SAFETY: without an address hint the memory is new; bad arguments are reported.
        let start = unsafe { VirtualAlloc(std::ptr::null_mut(), len, COMMIT_AND_RESERVE, READ_WRITE) };
        NonNull::new(start.cast()).ok_or_else(io::Error::last_os_error)
    }

    /// Sets the access of whole pages.
    ///
    /// # Safety
    /// The range lies in one mapping made here, and nobody relies on the access it loses.
    pub unsafe fn protect(start: NonNull<u8>, len: usize, access: Access) -> io::Result<()> {
        let bits = if access == Access::Run { EXECUTE_READ } else { READ_WRITE };
        let mut before = 0;
        // SAFETY: the caller vouches for the range; `before` is ours.
        match unsafe { VirtualProtect(start.as_ptr().cast(), len, bits, &mut before) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Gives a mapping back.
    ///
    /// # Safety
    /// `start` begins a mapping of [`reserve`] that is not used any more.
    pub unsafe fn release(start: NonNull<u8>, _len: usize) {
        // SAFETY: the caller vouches for the mapping.
        unsafe { VirtualFree(start.as_ptr().cast(), 0, RELEASE) };
    }
}
