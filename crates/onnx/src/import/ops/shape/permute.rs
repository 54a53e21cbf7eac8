//! Transpose, and the two rearrangements between depth and space that are reshapes around one.

use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Transpose", 1..=1, &["perm"], transpose),
    Row::new("SpaceToDepth", 1..=1, &["blocksize", "mode"], space_to_depth),
    Row::new("DepthToSpace", 1..=1, &["blocksize", "mode"], depth_to_space),
];

fn transpose(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let rank = cx.b.rank(x)?;
    let order: Vec<usize> = match call.ints("perm")? {
        None => (0..rank).rev().collect(),
        Some(perm) => perm
            .iter()
            .map(|p| usize::try_from(*p).ok())
            .collect::<Option<_>>()
            .ok_or_else(|| call.invalid(format!("perm {perm:?} holds a negative number")))?,
    };
    Ok(vec![cx.b.permute(x, &order)?])
}

/// Blocks of `size x size` places, over `[N, C, H, W]`.
struct Blocks {
    size: Ix,
    dims: [Ix; 4],
    /// Whether depth comes before the place in a block (CRD), or behind it (DCR).
    depth_first: bool,
}

/// The attributes of both operators; each has its mode from another version on.
fn blocks(cx: &mut Cx<'_>, call: &Call<'_>, mode_since: i64) -> Result<Blocks> {
    let size = call.node.required("blocksize", crate::Node::attr_int)?;
    if size < 1 {
        return Err(call.invalid(format!("blocksize must be positive, found {size}")));
    }
    let mode = if call.version < mode_since { "DCR" } else { call.str("mode", "DCR")? };
    let depth_first = match mode {
        "DCR" => false,
        "CRD" => true,
        other => return Err(call.invalid(format!("mode \"{other}\" of {}", call.node.op_type))),
    };
    let dims = cx.b.shape(call.x(0)?)?;
    let rank = dims.len();
    let dims = dims.try_into().map_err(|_| Diagnostic::shape(format!("expected rank 4 (NCHW), found rank {rank}")))?;
    Ok(Blocks { size: Ix::konst(size), dims, depth_first })
}

fn space_to_depth(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let Blocks { size: b, dims: [n, c, h, w], depth_first } = blocks(cx, call, 28)?;
    let (rows, columns) = (h.floor_div(&b), w.floor_div(&b));
    let split = vec![n.clone(), c.clone(), rows.clone(), b.clone(), columns.clone(), b.clone()];
    let x = cx.b.reshape(call.x(0)?, split)?;
    let order = if depth_first { [0, 1, 3, 5, 2, 4] } else { [0, 3, 5, 1, 2, 4] };
    let x = cx.b.permute(x, &order)?;
    Ok(vec![cx.b.reshape(x, vec![n, &(&c * &b) * &b, rows, columns])?])
}

fn depth_to_space(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let Blocks { size: b, dims: [n, c, h, w], depth_first } = blocks(cx, call, 11)?;
    let depth = c.floor_div(&(&b * &b));
    let mut split = vec![n.clone(), b.clone(), b.clone(), h.clone(), w.clone()];
    split.insert(if depth_first { 1 } else { 3 }, depth.clone());
    let order = if depth_first { [0, 1, 4, 2, 5, 3] } else { [0, 3, 4, 1, 5, 2] };
    let x = cx.b.reshape(call.x(0)?, split)?;
    let x = cx.b.permute(x, &order)?;
    Ok(vec![cx.b.reshape(x, vec![n, depth, &h * &b, &w * &b])?])
}
