//! What a caller runs: machine code, or loops where there is none.

use std::sync::Arc;
use tilewright_codegen::portable::Portable;
use tilewright_runtime::code::{Kernel, Shared};

/// A leaf form that is ready to be called.
#[derive(Clone, Debug)]
pub enum Callable {
    /// Machine code.
    Code(Arc<Kernel>),
    /// Loops in Rust.
    Portable(Arc<Portable>),
}

impl Callable {
    /// The name in profiles.
    pub fn name(&self) -> String {
        match self {
            Self::Code(kernel) => kernel.name().to_owned(),
            Self::Portable(form) => form.name(),
        }
    }

    /// The address of machine code.
    pub fn address(&self) -> Option<*const u8> {
        match self {
            Self::Code(kernel) => Some(kernel.address()),
            Self::Portable(_) => None,
        }
    }

    /// Runs it.
    ///
    /// # Safety
    /// `args` is the address of the form's block of arguments, and what these describe is there.
    pub unsafe fn call(&self, args: *const u64) {
        // SAFETY: as the caller promises.
        unsafe {
            match self {
                Self::Code(kernel) => kernel.call(args),
                Self::Portable(form) => form.call(args),
            }
        }
    }
}

impl Shared for Callable {
    /// Loops take no code memory.
    fn bytes(&self) -> usize {
        match self {
            Self::Code(kernel) => kernel.bytes(),
            Self::Portable(form) => size_of_val(&**form),
        }
    }

    fn alone(&self) -> bool {
        match self {
            Self::Code(kernel) => kernel.alone(),
            Self::Portable(form) => Arc::strong_count(form) == 1,
        }
    }
}
