//! The meaning of a Move, element by element.

use super::{Move, Order};
use tilewright_support::{Diagnostic, Result};

/// Bytes and distances that a Move works on; see [`Arg`](super::Arg).
#[derive(Debug)]
pub struct Operands<'a> {
    /// What is read.
    pub from: &'a [u8],
    /// What is written.
    pub to: &'a mut [u8],
    /// From a row of `from` to the next.
    pub from_row: usize,
    /// From a row of `to` to the next.
    pub to_row: usize,
    /// The rows.
    pub rows: usize,
    /// The columns.
    pub columns: usize,
    /// The columns of a row of `to` with those that become zero.
    pub padded: usize,
    /// The rows of a Gather or Scatter.
    pub indices: &'a [usize],
}

/// Runs a Move.
///
/// # Errors
/// Internal, where an operand is too short.
pub fn interpret(movement: &Move, operands: &mut Operands<'_>) -> Result<()> {
    let size = movement.element.into();
    let (rows, columns) = written(movement, operands);
    for row in 0..rows {
        for column in 0..columns {
            let from = source(movement, operands, row, column);
            place(movement, operands, row, column)
                .and_then(|to| element(operands, from, to, size))
                .ok_or_else(|| Diagnostic::internal("an operand is too short"))?;
        }
    }
    Ok(())
}

/// Rows and columns that are written, those of zeros included.
fn written(movement: &Move, o: &Operands<'_>) -> (usize, usize) {
    match movement.order {
        Order::Copy { .. } | Order::Gather(_) | Order::Scatter(_) => (o.rows, o.columns.max(o.padded)),
        Order::Transpose | Order::Separate { .. } => (o.rows, o.columns),
        Order::Panel { rows } => (rows.into(), o.columns),
        Order::Interleave { group } => (o.rows.next_multiple_of(group.into()), o.columns),
    }
}

/// Where an element is read: `None` if it is zero.
fn source(movement: &Move, o: &Operands<'_>, row: usize, column: usize) -> Option<Option<usize>> {
    let size = usize::from(movement.element);
    let plain = |row: usize| row.checked_mul(o.from_row)?.checked_add(column * size);
    match movement.order {
        Order::Copy { .. } | Order::Gather(_) | Order::Scatter(_) if column >= o.columns => None,
        Order::Interleave { .. } if row >= o.rows => None,
        Order::Gather(_) => Some(o.indices.get(row).and_then(|row| plain(*row))),
        Order::Separate { group } => Some(grouped(row, column, group.into(), o.from_row, size)),
        _ => Some(plain(row)),
    }
}

/// Where an element is written.
fn place(movement: &Move, o: &Operands<'_>, row: usize, column: usize) -> Option<usize> {
    let size = usize::from(movement.element);
    let plain = |row: usize, column: usize, stride: usize| row.checked_mul(stride)?.checked_add(column * size);
    match movement.order {
        Order::Copy { .. } | Order::Gather(_) | Order::Separate { .. } => plain(row, column, o.to_row),
        Order::Scatter(_) => plain(*o.indices.get(row)?, column, o.to_row),
        Order::Transpose => plain(column, row, o.to_row),
        Order::Panel { rows } => plain(column, row, usize::from(rows) * size),
        Order::Interleave { group } => grouped(row, column, group.into(), o.to_row, size),
    }
}

/// Where an element stands among groups of rows.
fn grouped(row: usize, column: usize, group: usize, stride: usize, size: usize) -> Option<usize> {
    (row / group).checked_mul(stride)?.checked_add((column * group + row % group) * size)
}

fn element(o: &mut Operands<'_>, from: Option<Option<usize>>, to: usize, size: usize) -> Option<()> {
    let to = o.to.get_mut(to..to.checked_add(size)?)?;
    match from {
        None => to.fill(0),
        Some(at) => {
            let at = at?;
            to.copy_from_slice(o.from.get(at..at.checked_add(size)?)?);
        }
    }
    Some(())
}
