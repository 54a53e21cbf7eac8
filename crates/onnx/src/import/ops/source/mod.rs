//! Operators that make tensors of attributes, shapes and random numbers.

mod constant;
mod dropout;
mod random;
mod range;
mod shape;

pub use constant::ROWS as CONSTANT;
pub use dropout::ROWS as DROPOUT;
pub use random::ROWS as RANDOM;
pub use range::ROWS as RANGE;
pub use shape::ROWS as SHAPE;
