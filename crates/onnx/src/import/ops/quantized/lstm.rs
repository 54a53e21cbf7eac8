//! LSTM with quantized weights, and operands that are quantized as they come.

use super::super::recurrent::{Operands, run, settings};
use super::super::recurrent_cell::Cell;
use super::{Quantized, coarse};
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new(
    "DynamicQuantizeLSTM",
    12..=12,
    &["activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget"],
    import,
)
.outputs(0..=3)
.domain("com.microsoft")];

/// ONNX Runtime's `DynamicQuantizeLSTM`: the weights are `[directions, inputs, 4*hidden]` in 8 bits. The input as a
/// whole, and the state before each step, are rounded to the 256 values of their range; that and the dequantized
/// weights make the same products as integers and their scales do.
fn import(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = coarse(&mut cx.b, c.x(0)?)?;
    let operands = Operands {
        x,
        w: weights(cx, c, 1, 8)?,
        r: weights(cx, c, 2, 10)?,
        bias: c.opt(3),
        lengths: c.opt(4),
        h: c.opt(5),
        c: c.opt(6),
        p: c.opt(7),
    };
    let mut settings = settings(c, Cell::Lstm)?;
    settings.coarse = true;
    Ok(run(cx, &operands, &settings)?.to_vec())
}

/// The weights of operand `at`, whose scale and zero point are `parameter` and the next, as floats
/// `[directions, 4*hidden, inputs]`.
fn weights(cx: &mut Cx<'_>, c: &Call<'_>, at: usize, parameter: usize) -> Result<ValueId> {
    let x = c.x(at)?;
    if cx.b.rank(x)? != 3 {
        return Err(Diagnostic::shape(format!("weights of rank 3 are expected, found {}", cx.b.ty(x))));
    }
    let scale = spread(cx, c.x(parameter)?)?;
    let zero = c.opt(parameter + 1).map(|z| spread(cx, z)).transpose()?;
    let q = Quantized { x, scale, zero };
    q.check(cx)?;
    let floats = q.dequantize(cx, DType::F32)?;
    cx.b.permute(floats, &[0, 2, 1])
}

/// A parameter `[directions]` or `[directions, 4*hidden]` as one that broadcasts over the weights.
fn spread(cx: &mut Cx<'_>, v: ValueId) -> Result<ValueId> {
    let own = cx.b.shape(v)?;
    let one = Ix::konst(1);
    match &own[..] {
        [d] => cx.b.reshape(v, vec![d.clone(), one.clone(), one]),
        [d, columns] => cx.b.reshape(v, vec![d.clone(), one, columns.clone()]),
        _ => Err(Diagnostic::shape(format!("a parameter of the weights is {}", cx.b.ty(v)))),
    }
}
