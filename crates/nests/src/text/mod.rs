//! The text form of kernels: what printing gives, [`Kernel::parse`] reads back exactly, but for steps of 0 at the end of a
//! list.
//!
//! ```text
//! kernel twice over i: 3 {
//!   read x: f32 280
//!   scratch kept: f32 112
//!   write y: f32 280
//!   map (4 of 10 @ i, 7) {
//!     $0: f32 rows unit = x[112*i] by 28, 0
//!     $1: f32 rows unit = kept[0] by 28, 0
//!     pass {
//!       $1 = $0[row, column] * 2.0:f32
//!     }
//!   }
//!   reduce k: 5 {
//!     block f32 dense add (4, 7, 9) kept[36*k] by 28, 0 times x[0] by 28, 0 to y[112*i] by 28, 0
//!   }
//! }
//! ```
//!
//! - A kernel names the loops that threads share, its buffers with role, dtype and bytes, and its body. Loops in it are
//!   `parallel`, `sequential`, `reduce` or `scan`. Names are made unique; the name itself follows as a string where they
//!   differ: `i_1 "i": 4`.
//! - A size is a number or what is left for the iteration of a loop: `4 of 10 @ i`.
//! - An operand is `buffer[offset in bytes] by row, column`, and where its rows are found through others `through` these.
//! - A map has flags (`columns`, `narrow`), operands (dtype; `one`, `rows`, `flat` or the width of its indices; `zero`,
//!   `unit`, `general` or `bits`), places (`place0 = 3*i`) and passes. A reduction of a pass is `max $0[row, column]`, and
//!   its value an operand after those of the map. Expressions are as in [`tilewright_scalar::text`].
//! - A move is `move 4 transpose (3, 4) x[0] by 16, 0 to y[0] by 12, 0`.

mod parse;
mod print;
mod words;

use crate::kernel::Kernel;
use std::fmt;
use tilewright_support::Result;

impl Kernel {
    /// Reads the text form and verifies the kernel.
    ///
    /// # Errors
    /// Invalid, with line and column, or with what is wrong of the kernel.
    pub fn parse(text: &str) -> Result<Self> {
        parse::document(text)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::document(self))
    }
}
