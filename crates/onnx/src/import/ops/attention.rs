//! Scaled dot-product attention and rotary embeddings.

use super::rotary::rotary;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::decl::Window;
use tilewright_graph::ops::{Iota, Pad};
use tilewright_graph::{Combiner, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new(
        "Attention",
        3..=7,
        &[
            "is_causal",
            "kv_num_heads",
            "left_window_size",
            "q_num_heads",
            "qk_matmul_output_mode",
            "right_window_size",
            "scale",
            "softcap",
            "softmax_precision",
        ],
        attention,
    )
    .since(23)
    .outputs(1..=4),
    Row::new("RotaryEmbedding", 3..=4, &["interleaved", "num_heads", "rotary_embedding_dim"], rotary).since(23),
];

/// `[B, S, H*D]` as `[B, H, S, D]`; four dims stay.
fn split_heads(cx: &mut Cx<'_>, v: ValueId, heads: Option<i64>) -> Result<ValueId> {
    let shape = cx.b.shape(v)?;
    match (shape.len(), heads) {
        (4, _) => Ok(v),
        (3, Some(h)) if h > 0 => {
            let (h, d) = (Ix::konst(h), shape[2].floor_div(&Ix::konst(h)));
            let split = cx.b.reshape(v, vec![shape[0].clone(), shape[1].clone(), h, d])?;
            cx.b.permute(split, &[0, 2, 1, 3])
        }
        (3, _) => Err(Diagnostic::invalid("operands of rank 3 need q_num_heads and kv_num_heads")),
        (rank, _) => Err(Diagnostic::shape(format!("operands of attention have rank 3 or 4, found {rank}"))),
    }
}

fn attention(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (q_heads, kv_heads) = (call.node.attr_int("q_num_heads")?, call.node.attr_int("kv_num_heads")?);
    let folded = cx.b.rank(call.x(0)?)? == 3;
    let q = split_heads(cx, call.x(0)?, q_heads)?;
    let k = split_heads(cx, call.x(1)?, kv_heads)?;
    let v = split_heads(cx, call.x(2)?, kv_heads)?;
    let (past_k, past_v, valid) = (call.opt(4), call.opt(5), call.opt(6));
    if past_k.is_some() != past_v.is_some() || (past_k.is_some() && valid.is_some()) {
        return Err(call.invalid("past_key and past_value come together, and not with nonpad_kv_seqlen"));
    }
    let join = |cx: &mut Cx<'_>, past: Option<ValueId>, new| match past {
        Some(p) => cx.b.concat(&[p, new], 2),
        None => Ok(new),
    };
    let (all_k, all_v) = (join(cx, past_k, k)?, join(cx, past_v, v)?);
    let offset = past_k.map(|p| cx.b.shape(p)).transpose()?.map_or_else(Ix::zero, |s| s[2].clone());
    let scores = scores(cx, call, q, all_k)?;
    let capped = softcap(cx, scores, call.float("softcap", 0.0)?)?;
    let bias = bias(cx, call, capped, &offset)?;
    let biased = match bias {
        Some(bias) => cx.b.map(&[capped, bias], |a| &a[0] + &a[1])?,
        None => capped,
    };
    let dtype = cx.b.dtype(q)?;
    let precision = call.dtype("softmax_precision")?.unwrap_or(dtype);
    let weights = probabilities(cx, biased, bias, precision)?;
    let weights = cx.b.cast(weights, dtype)?;
    let output = weighted_sum(cx, weights, all_v)?;
    let output = if folded { merge_heads(cx, output)? } else { output };
    let shown = match call.int("qk_matmul_output_mode", 0)? {
        0 => scores,
        1 => capped,
        2 => biased,
        3 => weights,
        other => return Err(call.invalid(format!("qk_matmul_output_mode {other} is not 0 to 3"))),
    };
    Ok(vec![output, all_k, all_v, shown])
}

/// `q k^T`, both scaled by the root of the scale, as `[B, Hq, Sq, Sk]`. Query head `h*g + i` meets
/// key head `h`.
fn scores(cx: &mut Cx<'_>, call: &Call<'_>, q: ValueId, k: ValueId) -> Result<ValueId> {
    let scale = match call.node.attr_float("scale")? {
        Some(s) => f64::from(s),
        None => {
            let size = cx.need_static(&[q])?[0][3];
            1.0 / (size as f64).sqrt()
        }
    };
    let scaled = |cx: &mut Cx<'_>, v| cx.b.map(&[v], |a| &a[0] * scale.sqrt());
    let (q, k) = (scaled(cx, q)?, scaled(cx, k)?);
    let (shape, grouped) = group(cx, q, k)?;
    let product = cx.b.einsum("bhgqd,bhkd->bhgqk", &[grouped, k])?;
    let keys = cx.b.shape(k)?[2].clone();
    cx.b.reshape(product, vec![shape[0].clone(), shape[1].clone(), shape[2].clone(), keys])
}

/// `[B, Hq, S, X]` as `[B, Hkv, Hq/Hkv, S, X]`, with the shape it had.
fn group(cx: &mut Cx<'_>, q: ValueId, kv: ValueId) -> Result<(Vec<Ix>, ValueId)> {
    let (shape, heads) = (cx.b.shape(q)?, cx.b.shape(kv)?[1].clone());
    if heads.is(0) || shape[1].modulo(&heads).as_const().is_some_and(|r| r != 0) {
        return Err(Diagnostic::shape(format!("{} query heads are no multiple of {heads} key heads", shape[1])));
    }
    let each = shape[1].floor_div(&heads);
    let split = vec![shape[0].clone(), heads, each, shape[2].clone(), shape[3].clone()];
    let grouped = cx.b.reshape(q, split)?;
    Ok((shape, grouped))
}

fn weighted_sum(cx: &mut Cx<'_>, weights: ValueId, v: ValueId) -> Result<ValueId> {
    let (shape, grouped) = group(cx, weights, v)?;
    let sum = cx.b.einsum("bhgqk,bhkd->bhgqd", &[grouped, v])?;
    let size = cx.b.shape(v)?[3].clone();
    cx.b.reshape(sum, vec![shape[0].clone(), shape[1].clone(), shape[2].clone(), size])
}

fn merge_heads(cx: &mut Cx<'_>, v: ValueId) -> Result<ValueId> {
    let moved = cx.b.permute(v, &[0, 2, 1, 3])?;
    let s = cx.b.shape(moved)?;
    cx.b.reshape(moved, vec![s[0].clone(), s[1].clone(), &s[2] * &s[3]])
}

fn softcap(cx: &mut Cx<'_>, x: ValueId, cap: f64) -> Result<ValueId> {
    match cap > 0.0 {
        true => cx.b.map_named("softcap", &[x], |a| (a[0].clone() / cap).tanh() * cap),
        false => Ok(x),
    }
}

/// What is added to the scores: the mask, and -inf where a key may not be attended.
fn bias(cx: &mut Cx<'_>, call: &Call<'_>, scores: ValueId, offset: &Ix) -> Result<Option<ValueId>> {
    let causal = call.flag("is_causal", false)?;
    let (left, right) = (call.int("left_window_size", -1)?, call.int("right_window_size", -1)?);
    if left < -1 || right < -1 {
        return Err(call.invalid("window sizes are -1 or not negative"));
    }
    let (mask, valid) = (call.opt(3), call.opt(6));
    if !causal && left < 0 && right < 0 && mask.is_none() && valid.is_none() {
        return Ok(None);
    }
    let shape = cx.b.shape(scores)?;
    let (queries, keys) = (shape[2].clone(), shape[3].clone());
    let i = cx.b.apply(&Iota { shape: vec![queries.clone(), Ix::konst(1)], axis: 0 }, &[])?;
    let j = cx.b.apply(&Iota { shape: vec![Ix::konst(1), keys.clone()], axis: 1 }, &[])?;
    let mut operands = vec![i, j];
    if let Some(n) = valid {
        let batch = cx.b.shape(n)?;
        let one = Ix::konst(1);
        operands.push(cx.b.reshape(n, vec![batch[0].clone(), one.clone(), one.clone(), one])?);
    }
    if let Some(m) = mask {
        operands.push(padded_mask(cx, m, &keys)?);
    }
    let dtype = cx.b.dtype(scores)?;
    let bool_mask = mask.map(|m| cx.b.dtype(m)).transpose()? == Some(DType::Bool);
    let bias = cx.b.map_named("attention_bias", &operands, |a| {
        let (i, j) = (&a[0], &a[1]);
        let n = valid.map(|_| a[2].clone());
        let position = match &n {
            Some(n) => i.clone() + (n.clone() - Scalar::index(queries.clone())),
            None => i.clone() + Scalar::index(offset.clone()),
        };
        let mut allowed = vec![];
        allowed.extend(causal.then(|| j.le(&position)));
        allowed.extend((left >= 0).then(|| (position.clone() - j.clone()).le(&i.lit(left as f64))));
        allowed.extend((right >= 0).then(|| (j.clone() - position.clone()).le(&i.lit(right as f64))));
        allowed.extend(n.map(|n| j.lt(&n)));
        let mask = mask.map(|_| a[a.len() - 1].clone());
        allowed.extend(mask.clone().filter(|_| bool_mask));
        let allowed = allowed.into_iter().reduce(|a, b| a.and(&b)).unwrap_or_else(|| Scalar::bool(true));
        let (zero, never) = (Scalar::konst(dtype, 0.0), Scalar::konst(dtype, f64::NEG_INFINITY));
        let hard = allowed.select(&zero, &never);
        match mask.filter(|_| !bool_mask) {
            Some(m) => m.cast(dtype) + hard,
            None => hard,
        }
    })?;
    Ok(Some(bias))
}

/// A mask whose last dim is shorter than the keys forbids the rest.
fn padded_mask(cx: &mut Cx<'_>, mask: ValueId, keys: &Ix) -> Result<ValueId> {
    let shape = cx.b.shape(mask)?;
    let Some(last) = shape.last() else { return Ok(mask) };
    if last == keys {
        return Ok(mask);
    }
    let dtype = cx.b.dtype(mask)?;
    let fill = cx.b.scalar(dtype, if dtype == DType::Bool { 0.0 } else { f64::NEG_INFINITY })?;
    let mut windows = vec![Window::pad(0, 0); shape.len() - 1];
    windows.push(Window::pad(0, keys - last));
    cx.b.apply(&Pad { windows }, &[mask, fill])
}

/// Softmax over the keys; a row whose bias forbids every key is zero.
fn probabilities(cx: &mut Cx<'_>, x: ValueId, bias: Option<ValueId>, precision: DType) -> Result<ValueId> {
    let x = cx.b.cast(x, precision)?;
    let max = cx.b.reduce(x, Combiner::Max, &[3], true)?;
    let e = cx.b.map(&[x, max], |a| {
        let never = a[1].lit(f64::NEG_INFINITY);
        (a[0].clone() - a[1].equals(&never).select(&a[1].lit(0.0), &a[1])).exp()
    })?;
    let sum = cx.b.reduce(e, Combiner::Sum, &[3], true)?;
    let weights = cx.b.map(&[e, sum], |a| {
        let total = a[1].equals(&a[1].lit(0.0)).select(&a[1].lit(1.0), &a[1]);
        a[0].clone() / total
    })?;
    let Some(bias) = bias else { return Ok(weights) };
    let last = cx.b.rank(bias)? - 1;
    let best = cx.b.reduce(bias, Combiner::Max, &[last], true)?;
    cx.b.map(&[best, weights], |a| a[0].equals(&a[0].lit(f64::NEG_INFINITY)).select(&a[1].lit(0.0), &a[1]))
}
