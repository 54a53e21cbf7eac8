//! Tensor processing primitives by name ("Tensor Processing Primitives", Georganas et al. 2021, table 1, and later
//! additions): tables of expressions, constructors of maps from their rows, and what each published name is here.
//!
//! Values are read in any dtype, computed in one and rounded once to the output's. Truth values are operands of bools,
//! a byte each or packed ([`Operand::bits`](crate::map::Operand::bits)).

mod elementwise;
mod list;
mod reduction;
mod rows;
#[cfg(test)]
mod tests;

pub use elementwise::{Elementwise, Numbers, Type, function};
pub use list::{Here, LIST, Named};
pub use reduction::Reduction;
pub use rows::{ELEMENTWISE, REDUCTIONS};

/// The elementwise primitive of a name.
pub fn elementwise(name: &str) -> Option<&'static Elementwise> {
    ELEMENTWISE.iter().find(|t| t.name == name)
}

/// The reduction of a name.
pub fn reduction(name: &str) -> Option<&'static Reduction> {
    REDUCTIONS.iter().find(|t| t.name == name)
}
