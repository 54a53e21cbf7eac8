//! Sizes that must agree.

use crate::import::Cx;
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Ix, Shape, show_shape};

/// Requires two sizes to be equal. Sizes that cannot be compared before the run are an error of
/// code `Dynamic`, so that the translation waits for them.
pub fn same_size(a: &Ix, b: &Ix, about: &str) -> Result<()> {
    match (a - b).as_const() {
        Some(0) => Ok(()),
        Some(_) => Err(Diagnostic::shape(format!("{about}: {a} vs {b}"))),
        None => Err(Diagnostic::dynamic(format!("{about}: whether {a} equals {b} is known only at run time"))),
    }
}

/// Requires two shapes to be equal.
pub fn same_shape(a: &[Ix], b: &[Ix], about: &str) -> Result<()> {
    if a.len() != b.len() {
        return Err(Diagnostic::shape(format!("{about}: {} vs {}", show_shape(a), show_shape(b))));
    }
    a.iter().zip(b).try_for_each(|(a, b)| same_size(a, b, about))
}

/// Requires `x` to broadcast to `shape` without changing it (ONNX's unidirectional broadcasting).
pub fn broadcasts_to(cx: &Cx<'_>, x: ValueId, shape: &[Ix], about: &str) -> Result<()> {
    let own = cx.b.shape(x)?;
    let both = tilewright_graph::builder::broadcast_shape(&[&own, shape])?;
    same_shape(&both, shape, about)
}

/// A vector with one element a channel, as a tensor that broadcasts over `[N, C, …]` of a rank.
pub fn per_channel(cx: &mut Cx<'_>, x: ValueId, channels: &Ix, rank: usize, about: &str) -> Result<ValueId> {
    same_shape(&cx.b.shape(x)?, std::slice::from_ref(channels), about)?;
    let mut shape: Shape = vec![channels.clone()];
    shape.resize(rank.saturating_sub(1).max(1), Ix::konst(1));
    cx.b.reshape(x, shape)
}
