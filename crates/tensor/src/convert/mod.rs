//! Conversions between dtypes, written once: what a value becomes on a dtype's grid, and its bits there.
//!
//! Floats compute in f64 lanes and integers (and bools) in i64 lanes, u64 as its bits. The lanes are wide enough to
//! hold every value of every dtype, so a conversion is one rounding or wrapping at the end.
mod cast;
mod float;
mod int;
#[cfg(test)]
mod tests;
mod text;

pub use cast::{CastOptions, cast, cast_with};
pub use float::{ScaleRounding, decode_f64, encode_f64, encode_scale, round_slice, round_to};
pub(crate) use float::{decode_bf16, decode_f16, decode_table};
pub use int::{float_to_int, int_bounds, int_to_float, odd_unless_f64, wrap_slice, wrap_to};
