//! Expressions as text, and the reader that texts of graphs and kernels share.
//!
//! `$1[i, 2*j + 1]` reads operand 1; literals carry their dtype: `1.5:f32`, `-3:i64`, `true`, or raw as
//! `0x7fc00001:f32`; `index(i + 1)` is an index as a value; a guard is `$0[i] where (0 <= i - 1, 0 == mod(i, 2)) else
//! 0.0:f32`; functions are infix or `name(a, b)`, conversions `cast(f16, a)`.

mod lexer;
mod literal;
mod parse;
mod print;
mod reader;

pub use lexer::Token;
pub use literal::{bits_of, literal, number};
pub use parse::Names;
pub use print::{Scope, Shown, is_word, quoted, symbol};
pub use reader::{MAX_NESTING, Parser};
