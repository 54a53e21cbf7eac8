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

    /// Maps `len` bytes with one access: zeros of this process alone, or the start of a shared file.
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

    /// Takes `len` bytes of zeros seen at two addresses: the first may be written, the second executed.
    #[cfg(target_os = "linux")]
    pub fn reserve_twice(len: usize) -> io::Result<(NonNull<u8>, NonNull<u8>)> {
        use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
        // SAFETY: the name is a C string; a failure is a negative number.
        let file = unsafe { libc::memfd_create(c"tilewright-code".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open and nobody else has it.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let size = libc::off_t::try_from(len).map_err(io::Error::other)?;
        // SAFETY: the descriptor is open; the call touches no memory of ours.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let write = map(len, Access::Write, libc::MAP_SHARED, file.as_raw_fd())?;
        match map(len, Access::Run, libc::MAP_SHARED, file.as_raw_fd()) {
            Ok(run) => Ok((write, run)),
            Err(error) => {
                // SAFETY: the mapping was made above and nobody has seen it.
                unsafe { release(write, len) };
                Err(error)
            }
        }
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
    /// The range lies in one mapping of [`reserve`], and nobody relies on the access it loses.
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
    /// The range lies in one mapping of [`reserve`], and nobody relies on the access it loses.
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
