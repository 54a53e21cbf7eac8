//! The families of operators.

mod activation;
mod attention;
mod conv;
mod deform;
mod einsum;
mod elementwise;
mod flow;
mod index;
mod linear;
mod pool;
mod recurrent;
mod recurrent_cell;
mod resize;
mod rotary;
mod roi;
mod sample;
mod sequence;
mod shape;
mod sizes;
mod source;
mod statistics;
mod unpool;
mod windows;

use super::table::Row;

/// Every operator's row.
pub const FAMILIES: &[&[Row]] =
    &[attention::ROWS, conv::ROWS, deform::ROWS, einsum::ROWS, elementwise::ACTIVATIONS, elementwise::ARITHMETIC, elementwise::CAST, elementwise::FUNCTIONS, elementwise::LOGIC, source::CONSTANT, source::DROPOUT, source::RANDOM, source::RANGE, source::SHAPE, flow::ROWS, linear::ROWS, pool::ROWS, roi::ROWS, unpool::ROWS, recurrent::ROWS, index::GATHER, index::ONE_HOT, index::SCATTER, index::SELECT, resize::ROWS, sample::ROWS, sequence::ROWS, shape::JOIN, shape::MASK, shape::PAD, shape::PERMUTE, shape::REPEAT, shape::RESHAPE, shape::SLICE];
