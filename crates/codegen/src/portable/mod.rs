//! The leaf forms as loops in Rust: what runs where there is no machine code, and a second opinion where there is.
//!
//! They read the same blocks of arguments as machine code, and give the same bits. The meaning of a step is that of the
//! interpreters ([`Prim::eval`](tilewright_loops::prim::Prim::eval), [`Product::step`](tilewright_loops::contract::Product::step)), inlined into loops over lanes.
//! On x86-64 the loops exist twice: the second time with fused multiply-adds as instructions instead of calls.

mod contract;
mod map;
mod movement;
mod prims;
mod strip;
#[cfg(test)]
mod tests;

pub use contract::{contract, fused};
pub use map::map;
pub use movement::movement;

use crate::contract::lanes;
use crate::supports::{self, CONTRACT};
use tilewright_loops::contract::Contract;
use tilewright_loops::map::{Map, Program};
use tilewright_loops::movement::Move;
use tilewright_support::Result;
use tilewright_support::target::Level;

/// A form that is ready to be called.
#[derive(Clone, Debug)]
pub enum Portable {
    /// A Contract, and the columns of a vector of its tile.
    Contract(Contract, usize),
    /// A map and its program.
    Map(Map, Program),
    /// A Contract whose sums go through a map.
    Fused(Contract, usize, Map, Program),
    /// A Move.
    Move(Move),
}

impl Portable {
    /// A Contract; the vectors of its tile are those of a level.
    ///
    /// # Errors
    /// `Unsupported` for a tile without rows or columns.
    pub fn contract(form: &Contract, level: Level) -> Result<Self> {
        check(form)?;
        Ok(Self::Contract(*form, lanes(form.product, level)))
    }

    /// A map, with the expansions of a level.
    ///
    /// # Errors
    /// As [`Program::for_level`].
    pub fn map(form: &Map, level: Level) -> Result<Self> {
        Ok(Self::Map(form.clone(), Program::for_level(form, level)?))
    }

    /// A Contract whose sums go through a map.
    ///
    /// # Errors
    /// As [`Portable::contract`] and [`Portable::map`], and `Unsupported` for what
    /// [`emit_fused`](crate::contract::emit_fused) refuses at every level.
    pub fn fused(form: &Contract, map: &Map, level: Level) -> Result<Self> {
        check(form)?;
        let program = Program::for_level(map, level)?;
        crate::map::fits(map, &program, 8 * form.product.c_bytes())?;
        Ok(Self::Fused(*form, lanes(form.product, level), map.clone(), program))
    }

    /// A Move.
    ///
    /// # Errors
    /// `Unsupported` for a Move without meaning.
    pub fn movement(form: &Move) -> Result<Self> {
        crate::movement::check(form)?;
        Ok(Self::Move(*form))
    }

    /// The name in profiles, as that of the machine code.
    pub fn name(&self) -> String {
        match self {
            Self::Contract(form, lanes) => form.name(*lanes),
            Self::Map(form, _) => form.name(),
            Self::Fused(form, lanes, map, _) => map.name_after(&form.name(*lanes)),
            Self::Move(form) => form.name(),
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
                Self::Contract(form, lanes) => contract(form, *lanes, args),
                Self::Map(form, program) => map(form, program, args),
                Self::Fused(form, lanes, then, program) => fused(form, *lanes, then, program, args),
                Self::Move(form) => movement(form, args),
            }
        }
    }
}

fn check(form: &Contract) -> Result<()> {
    supports::check(CONTRACT, |broken| broken(form), || format!("a Contract of {}", form.product.name()))
}

/// Whether the loops with fused multiply-adds as instructions may run.
fn has_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
