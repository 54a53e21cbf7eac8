//! What blocks mean.

use crate::kernel::{Access, Block};
use tilewright_loops::contract::Steps;
use tilewright_support::{Diagnostic, Result};

impl Block {
    /// Bytes from a step of a row of A to the next.
    pub fn step(&self, a: &Access) -> i64 {
        if self.steps == Steps::Dense { self.product.step_bytes() as i64 } else { a.column }
    }
}

/// Bytes, where in them the first element is, and the distances from row to row, of A also from step to step.
pub(crate) struct Operands<'a> {
    pub(crate) a: (&'a [u8], i64, i64, i64),
    pub(crate) b: (&'a [u8], i64, i64),
    pub(crate) c: (&'a mut [u8], i64, i64),
}

/// Runs a block of so many rows, columns and steps.
///
/// # Errors
/// Internal, where an operand is too short.
pub(crate) fn interpret(form: Block, operands: &mut Operands<'_>, [m, n, k]: [usize; 3]) -> Result<()> {
    for (i, j) in (0..m as i64).flat_map(|i| (0..n as i64).map(move |j| (i, j))) {
        element(form, operands, [i, j], k).ok_or_else(|| Diagnostic::internal("an operand is too short"))?;
    }
    Ok(())
}

fn element(form: Block, o: &mut Operands<'_>, [i, j]: [i64; 2], k: usize) -> Option<()> {
    let (product, step, c_size) = (form.product, form.product.step_bytes(), form.product.c_bytes());
    let factor = |bytes: &[u8], at: i64| Some(product.factor(bits(bytes.get(at as usize..at as usize + step)?)));
    let to = (o.c.1 + i * o.c.2 + j * c_size as i64) as usize;
    let c = o.c.0.get_mut(to..to + c_size)?;
    let mut sum = if form.accumulate { bits(c) } else { 0 };
    for s in 0..k as i64 {
        let left = factor(o.a.0, o.a.1 + i * o.a.2 + s * o.a.3)?;
        sum = product.step(sum, left, factor(o.b.0, o.b.1 + s * o.b.2 + j * step as i64)?);
    }
    c.copy_from_slice(&sum.to_le_bytes()[..c_size]);
    Some(())
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}
