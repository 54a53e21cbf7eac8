//! The families of operators.

mod activation;
mod conv;
mod einsum;
mod elementwise;
mod flow;
mod index;
mod linear;
mod pool;
mod recurrent;
mod recurrent_cell;
mod resize;
mod sample;
mod shape;
mod sizes;
mod statistics;
mod windows;

use super::table::Row;

/// Every operator's row.
pub const FAMILIES: &[&[Row]] =
    &[conv::ROWS, einsum::ROWS, elementwise::ROWS, flow::ROWS, linear::ROWS, pool::ROWS, recurrent::ROWS, index::GATHER, index::ONE_HOT, index::SCATTER, index::SELECT, resize::ROWS, sample::ROWS, shape::JOIN, shape::MASK, shape::PAD, shape::PERMUTE, shape::REPEAT, shape::RESHAPE, shape::SLICE];
