//! Arguments of a Contract's kernel that every driver writes alike.

use tilewright_loops::contract::{Arg, Contract};

/// The table of offsets of a product that is no batch.
static ALONE: [[u64; 2]; 1] = [[0; 2]];

/// Writes the distances from row to row of A and of C.
#[inline]
pub(crate) fn rows(args: &mut [u64], [a_row, c_row]: [usize; 2]) {
    let group = usize::from(Contract::GROUP);
    let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
    set(Arg::ARow, a_row);
    set(Arg::CRow, c_row);
    // A single row may be followed by any distance.
    set(Arg::AGroup, a_row.wrapping_mul(group));
    set(Arg::CGroup, c_row.wrapping_mul(group));
}

/// Writes that there is one product of so many steps.
#[inline]
pub(crate) fn alone(args: &mut [u64], steps: usize) {
    let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
    set(Arg::Steps, steps);
    set(Arg::Batch, 1);
    set(Arg::Offsets, ALONE.as_ptr() as usize);
}
