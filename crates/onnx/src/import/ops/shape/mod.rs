//! The same elements under other dims, and pieces of them: views, joins, slices, padding.

mod join;
mod mask;
mod pad;
mod permute;
mod repeat;
mod reshape;
mod slice;

pub use join::ROWS as JOIN;
pub use mask::ROWS as MASK;
pub use pad::ROWS as PAD;
pub use permute::ROWS as PERMUTE;
pub use repeat::ROWS as REPEAT;
pub use reshape::ROWS as RESHAPE;
pub use slice::ROWS as SLICE;
