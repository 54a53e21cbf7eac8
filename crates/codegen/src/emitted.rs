//! What emission gives: a named piece of machine code.

use crate::allocate::Allocated;
use crate::x86::{Code64, encode, listing};
use tilewright_support::Result;
use tilewright_support::target::Level;

/// Machine code that is not yet in executable memory. Its only argument is the address of a block of 64-bit arguments.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The name in profiles.
    pub name: String,
    /// Constants and instructions.
    pub code: Code64,
    /// Values that did not fit the registers.
    pub spilled: usize,
}

impl Emitted {
    /// Encodes a function whose registers are known.
    pub(crate) fn of(name: String, function: Allocated, level: Level) -> Result<Self> {
        let code = encode(&function, level == Level::Avx512)?;
        Ok(Self { name, code, spilled: function.spilled })
    }

    /// The instructions as text.
    pub fn listing(&self) -> String {
        listing(&self.code)
    }
}
