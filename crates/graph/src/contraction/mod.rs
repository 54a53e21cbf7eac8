//! Comprehensions that matrix kernels can compute: which ones they are, and how strided ones become
//! such.
//!
//! ```text
//! comp ── phases ──> affine comps on sub-grids ── recognise ──> classes of axes, strides, sides
//! ```

mod phase;
mod recognise;

pub use phase::{Phase, phases};
pub use recognise::{Access, Class, Contraction, Guard, NoMatch, Side, Strided, recognise};
