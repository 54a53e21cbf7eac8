//! The families of operators.

mod elementwise;
mod flow;
mod linear;

use super::table::Row;

/// Every operator's row.
pub const FAMILIES: &[&[Row]] = &[elementwise::ROWS, flow::ROWS, linear::ROWS];
