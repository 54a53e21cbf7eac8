//! Operators that sort or search: opaque algorithms with ONNX's attributes made explicit.

use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::opaque::{LinAlg, MatrixFunction, NonMaxSuppression, TopK, Unique};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("TopK", 1..=2, &["axis", "k", "largest", "sorted"], topk).outputs(0..=2),
    Row::new("Unique", 1..=1, &["axis", "sorted"], unique).since(11).outputs(0..=4),
    Row::new("NonMaxSuppression", 2..=5, &["center_point_box"], suppress).since(10),
    Row::new("Det", 1..=1, &[], |cx, c| {
        let op = LinAlg { function: MatrixFunction::Det };
        cx.b.opaque(op.into(), &[c.x(0)?])
    })
    .since(11),
];

fn topk(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let at = axis(call.int("axis", -1)?, cx.b.rank(x)?).map_err(|e| e.at(&call.node.loc()))?;
    let (count, k) = match call.version {
        ..10 => {
            let k = call.node.required("k", crate::Node::attr_int)?;
            (cx.b.constant(Tensor::scalar(k)), Ix::konst(k))
        }
        _ => {
            let given = cx.b.cast(call.x(1)?, DType::I64)?;
            match cx.sizes(given)?.as_slice() {
                [k] => (given, k.clone()),
                many => return Err(call.invalid(format!("K must be one number, found {}", many.len()))),
            }
        }
    };
    let op = TopK { axis: at, largest: call.flag("largest", true)?, k: Some(k) };
    cx.b.opaque(op.into(), &[x, count])
}

fn unique(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = call.x(0)?;
    let rank = cx.b.rank(x)?;
    let at = call.node.attr_int("axis")?.map(|a| axis(a, rank)).transpose().map_err(|e| e.at(&call.node.loc()))?;
    cx.b.opaque(Unique { axis: at, sorted: call.flag("sorted", true)? }.into(), &[x])
}

/// Without a count nothing is selected; without a score threshold nothing is filtered.
fn suppress(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let center_point_box = match call.int("center_point_box", 0)? {
        0 => false,
        1 => true,
        other => return Err(call.invalid(format!("center_point_box {other} is neither 0 nor 1"))),
    };
    let most = call.opt(2).unwrap_or_else(|| cx.b.constant(Tensor::scalar(0i64)));
    let overlap = call.opt(3).unwrap_or_else(|| cx.b.constant(Tensor::scalar(0f32)));
    let mut inputs = vec![call.x(0)?, call.x(1)?, most, overlap];
    inputs.extend(call.opt(4));
    cx.b.opaque(NonMaxSuppression { center_point_box }.into(), &inputs)
}
