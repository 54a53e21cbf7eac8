//! Products: matrices, convolutions.

use crate::import::Cx;
use crate::import::table::Row;
use tilewright_graph::ValueId;
use tilewright_graph::ops::Contract;
use tilewright_support::{Diagnostic, Result};

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new("MatMul", 2..=2, &[], |cx, c| {
    let (a, b) = (c.x(0)?, c.x(1)?);
    Ok(vec![matmul(cx, a, b, None)?])
})];

/// NumPy's `matmul`: batch dims broadcast; a vector is a row on the left, a column on the right.
pub fn matmul(
    cx: &mut Cx<'_>,
    a: ValueId,
    b: ValueId,
    accumulate: Option<tilewright_tensor::DType>,
) -> Result<ValueId> {
    let (ra, rb) = (cx.b.rank(a)?, cx.b.rank(b)?);
    if ra == 0 || rb == 0 {
        return Err(Diagnostic::shape("MatMul does not take scalars"));
    }
    let batch = ra.max(rb).saturating_sub(2);
    let label = |i: usize| char::from_u32('A' as u32 + i as u32).unwrap_or('?');
    let labels = |rank: usize, last: [char; 2], vector: char| -> Vec<char> {
        match rank {
            1 => vec![vector],
            _ => (batch + 2 - rank..batch).map(label).chain(last).collect(),
        }
    };
    let mut output: Vec<char> = (0..batch).map(label).collect();
    output.extend((ra > 1).then_some('i'));
    output.extend((rb > 1).then_some('j'));
    let inputs = vec![labels(ra, ['i', 'k'], 'k'), labels(rb, ['k', 'j'], 'k')];
    cx.b.apply(&Contract { inputs, output, accumulate }, &[a, b])
}
