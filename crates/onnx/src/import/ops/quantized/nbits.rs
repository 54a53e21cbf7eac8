//! Products with weights of a few bits.

use super::super::linear::matmul;
use super::super::sizes::{broadcasts_to, same_shape};
use super::granularity::repeat;
use super::is_quantized;
use crate::Node;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::{Bounds, Gather};
use tilewright_graph::{Func, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape};

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new(
    "MatMulNBits",
    3..=6,
    &["K", "N", "accuracy_level", "bits", "block_size", "weight_prepacked"],
    matmul_nbits,
)
.domain("com.microsoft")];

/// Sizes of packed weights: `[n, k]`, in blocks of `block` along `k`.
struct Packing {
    n: i64,
    k: i64,
    block: i64,
    bits: i64,
}

impl Packing {
    fn of(c: &Call<'_>) -> Result<Self> {
        let required = |name| c.node.required(name, Node::attr_int);
        let p = Self { n: required("N")?, k: required("K")?, block: required("block_size")?, bits: c.int("bits", 4)? };
        if c.int("weight_prepacked", 0)? != 0 {
            return Err(c.unsupported("weights in a layout of CUDA are not supported"));
        }
        if !matches!(p.bits, 2 | 4 | 8) {
            return Err(c.unsupported(format!("MatMulNBits with {} bits is not supported", p.bits)));
        }
        let block = 16..=1 << 30;
        if p.n < 1 || p.k < 1 || !block.contains(&p.block) || p.block.count_ones() != 1 {
            return Err(c.invalid(format!("N = {}, K = {}, block_size = {}", p.n, p.k, p.block)));
        }
        Ok(p)
    }

    fn blocks(&self) -> i64 {
        (self.k - 1) / self.block + 1
    }

    /// Bytes that `count` elements take.
    fn bytes(&self, count: i64) -> i64 {
        let each = 8 / self.bits;
        (count - 1) / each + 1
    }

    /// A parameter of each block, as `[n, k]` or a tensor that broadcasts to it.
    fn spread(&self, cx: &mut Cx<'_>, v: ValueId, groups: Option<ValueId>) -> Result<ValueId> {
        match groups {
            Some(groups) => cx.b.apply(&Gather { axis: 1, bounds: Bounds::Error }, &[v, groups]),
            None => repeat(cx, v, 1, self.block, &self.k.into()),
        }
    }

    /// A tensor, perhaps flat, as `[n, blocks]`.
    fn per_block(&self, cx: &mut Cx<'_>, v: ValueId) -> Result<ValueId> {
        cx.b.reshape(v, vec![self.n.into(), self.blocks().into()])
    }

    /// Zero points: floats as they are, bytes unpacked.
    fn zeros(&self, cx: &mut Cx<'_>, v: ValueId) -> Result<ValueId> {
        if cx.b.dtype(v)? != DType::U8 {
            return self.per_block(cx, v);
        }
        let packed = cx.b.reshape(v, vec![self.n.into(), self.bytes(self.blocks()).into()])?;
        let all = unpack(cx, packed, self.bits)?;
        cx.b.slice(all, 1, 0, self.blocks())
    }
}

/// Bytes as elements of fewer bits along the last axis, low bits first.
fn unpack(cx: &mut Cx<'_>, v: ValueId, bits: i64) -> Result<ValueId> {
    let own = cx.b.shape(v)?;
    let each = 8 / bits;
    let mut column: Shape = own.clone();
    column.push(Ix::konst(1));
    let mut parts = Vec::new();
    for part in 0..each {
        let low = cx.b.map_named("unpack", &[v], |a| {
            let shifted = Scalar::call(Func::Shr, vec![a[0].clone(), a[0].lit((part * bits) as f64)]);
            shifted.and(&a[0].lit(((1 << bits) - 1) as f64))
        })?;
        parts.push(cx.b.reshape(low, column.clone())?);
    }
    let all = cx.b.concat(&parts, own.len())?;
    let mut joined = own;
    if let Some(last) = joined.last_mut() {
        *last = &*last * each;
    }
    cx.b.reshape(all, joined)
}

/// ONNX Runtime's `MatMulNBits`: `A * ((B - zero) * scale)^T + bias`, with `B` `[N, blocks, bytes]`. Without zero points
/// they are the middle of the range. The weights are dequantized to f32.
fn matmul_nbits(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let (a, packed) = (c.x(0)?, c.x(1)?);
    let (p, dtype) = (Packing::of(c)?, cx.b.dtype(a)?);
    if cx.b.dtype(packed)? != DType::U8 || is_quantized(dtype) {
        return Err(Diagnostic::dtype(format!("MatMulNBits of {dtype} and {}", cx.b.ty(packed))));
    }
    let expected: Shape = [p.n, p.blocks(), p.bytes(p.block)].map(Ix::konst).to_vec();
    same_shape(&cx.b.shape(packed)?, &expected, "packed weights and their attributes")?;
    let quantized = unpack(cx, packed, p.bits)?;
    let quantized = cx.b.reshape(quantized, vec![p.n.into(), (p.blocks() * p.block).into()])?;
    let quantized = cx.b.slice(quantized, 1, 0, p.k)?;
    let groups = c.opt(4).map(|g| cx.b.cast(g, DType::I64)).transpose()?;
    let scale = p.per_block(cx, c.x(2)?)?;
    let mut operands = vec![quantized, p.spread(cx, scale, groups)?];
    if let Some(zeros) = c.opt(3) {
        let zeros = p.zeros(cx, zeros)?;
        operands.push(p.spread(cx, zeros, groups)?);
    }
    let weights = cx.b.map_named("dequantize", &operands, |x| {
        let middle = Scalar::konst(DType::F32, (1 << (p.bits - 1)) as f64);
        let zero = x.get(2).map_or(middle, |z| z.cast(DType::F32));
        (x[0].cast(DType::F32) - zero) * x[1].cast(DType::F32)
    })?;
    let weights = cx.b.permute(weights, &[1, 0])?;
    let mut terms = vec![matmul(cx, a, weights, Some(DType::F32))?];
    if let Some(bias) = c.opt(5) {
        broadcasts_to(cx, bias, &cx.b.shape(terms[0])?, "the bias and the product")?;
        terms.push(bias);
    }
    let y = cx.b.map_named("MatMulNBits", &terms, |x| {
        x.get(1).map_or(x[0].clone(), |bias| x[0].clone() + bias.cast(DType::F32)).cast(dtype)
    })?;
    Ok(vec![y])
}
