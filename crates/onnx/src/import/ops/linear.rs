//! Matrix products.

use super::activation::Activation;
use super::sizes::{broadcasts_to, same_size};
use super::statistics::wide;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ValueId;
use tilewright_graph::builder::broadcast_shape;
use tilewright_graph::ops::Contract;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("MatMul", 2..=2, &[], |cx, c| {
        let y = matmul_wide(cx, c.x(0)?, c.x(1)?)?;
        Ok(vec![y])
    }),
    Row::new("Gemm", 2..=3, &["alpha", "beta", "transA", "transB", "broadcast"], |cx, c| gemm(cx, c, None)),
    Row::new(
        "FusedGemm",
        2..=3,
        &["alpha", "beta", "transA", "transB", "activation", "activation_alpha", "activation_beta", "activation_gamma"],
        |cx, c| gemm(cx, c, gemm_activation(c)?),
    )
    .domain("com.microsoft"),
    Row::new("FusedMatMul", 2..=2, &["alpha", "transA", "transB", "transBatchA", "transBatchB"], fused_matmul)
        .domain("com.microsoft"),
];

/// A product in the operands' dtype, formed in f32 where that is narrower.
fn matmul_wide(cx: &mut Cx<'_>, a: ValueId, b: ValueId) -> Result<ValueId> {
    let dtype = cx.b.dtype(a)?;
    let y = matmul(cx, a, b, accumulator(dtype))?;
    cx.b.cast(y, dtype)
}

/// What products of a dtype are accumulated in, if not in the dtype itself.
pub fn accumulator(dtype: DType) -> Option<DType> {
    (wide(dtype) != dtype).then_some(wide(dtype))
}

/// NumPy's `matmul`: batch dims broadcast; a vector is a row on the left, a column on the right.
pub fn matmul(cx: &mut Cx<'_>, a: ValueId, b: ValueId, accumulate: Option<DType>) -> Result<ValueId> {
    let (sa, sb) = (cx.b.shape(a)?, cx.b.shape(b)?);
    let (ra, rb) = (sa.len(), sb.len());
    if ra == 0 || rb == 0 {
        return Err(Diagnostic::shape("a matrix product does not take scalars"));
    }
    same_size(&sa[ra - 1], &sb[rb.saturating_sub(2)], "inner dims of a matrix product")?;
    broadcast_shape(&[&sa[..ra.saturating_sub(2)], &sb[..rb.saturating_sub(2)]])?;
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

/// ONNX `Gemm`: `alpha * A * B + beta * C` over matrices, with `C` broadcast to the product.
fn gemm(cx: &mut Cx<'_>, c: &Call<'_>, activation: Option<Activation>) -> Result<Vec<ValueId>> {
    let (a, b) = (c.x(0)?, c.x(1)?);
    let dtype = cx.b.dtype(a)?;
    let (alpha, beta) = (c.float("alpha", 1.0)?, c.float("beta", 1.0)?);
    if !dtype.is_float() && (alpha.fract() != 0.0 || beta.fract() != 0.0) {
        return Err(c.unsupported(format!("Gemm over {dtype} with alpha {alpha} and beta {beta} is not supported")));
    }
    let (sa, sb) = (cx.b.shape(a)?, cx.b.shape(b)?);
    if sa.len() != 2 || sb.len() != 2 {
        return Err(Diagnostic::shape(format!("Gemm takes matrices, found ranks {} and {}", sa.len(), sb.len())));
    }
    let (ta, tb) = (c.flag("transA", false)?, c.flag("transB", false)?);
    let inner = |t: bool, plain: usize| if t { 1 - plain } else { plain };
    same_size(&sa[inner(ta, 1)], &sb[inner(tb, 0)], "inner dims of a matrix product")?;
    let pair = |t: bool, x: char, y: char| if t { vec![y, x] } else { vec![x, y] };
    let inputs = vec![pair(ta, 'i', 'k'), pair(tb, 'k', 'j')];
    let product = Contract { inputs, output: vec!['i', 'j'], accumulate: accumulator(dtype) };
    let mut operands = vec![cx.b.apply(&product, &[a, b])?];
    let shape = cx.b.shape(operands[0])?;
    if let Some(bias) = c.opt(2) {
        if c.version < 7 && c.node.domain.is_empty() && !c.flag("broadcast", false)? {
            super::sizes::same_shape(&cx.b.shape(bias)?, &shape, "C of a Gemm that does not broadcast")?;
        }
        broadcasts_to(cx, bias, &shape, "C of Gemm and the product")?;
        operands.push(cx.b.cast(bias, wide(dtype))?);
    }
    let y = cx.b.map_named(&c.node.op_type, &operands, |x| {
        let scaled = &x[0] * &x[0].lit(alpha);
        let sum = x.get(1).map_or(scaled.clone(), |bias| scaled + bias * &bias.lit(beta));
        activation.map_or(sum.clone(), |f| f.apply(&sum)).cast(dtype)
    })?;
    Ok(vec![y])
}

fn gemm_activation(c: &Call<'_>) -> Result<Option<Activation>> {
    let parameters: Vec<f64> = ["activation_alpha", "activation_beta", "activation_gamma"]
        .iter()
        .filter(|name| c.node.attr(name).is_some())
        .map(|name| c.float(name, 0.0))
        .collect::<Result<_>>()?;
    Activation::of(c, &parameters)
}

/// ONNX Runtime's `FusedMatMul`: `alpha * A * B`; `transA` swaps the last two dims, `transBatchA`
/// moves the first dim to the place before the last.
fn fused_matmul(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let a = rearranged(cx, c.x(0)?, c.flag("transA", false)?, c.flag("transBatchA", false)?)?;
    let b = rearranged(cx, c.x(1)?, c.flag("transB", false)?, c.flag("transBatchB", false)?)?;
    let (dtype, alpha) = (cx.b.dtype(a)?, c.float("alpha", 1.0)?);
    let y = matmul(cx, a, b, accumulator(dtype))?;
    Ok(vec![cx.b.map_named("FusedMatMul", &[y], |x| (&x[0] * &x[0].lit(alpha)).cast(dtype))?])
}

fn rearranged(cx: &mut Cx<'_>, x: ValueId, swap: bool, batch: bool) -> Result<ValueId> {
    let rank = cx.b.rank(x)?;
    let mut order: Vec<usize> = (0..rank).collect();
    if batch && rank > 2 {
        order[..rank - 1].rotate_left(1);
    }
    if swap && rank > 1 {
        order.swap(rank - 2, rank - 1);
    }
    cx.b.permute(x, &order)
}
