//! Random numbers: a pure function of seed and place.
//!
//! Element `i` of a result takes its bits from Philox with the seed's bits as key and counter `i * draws + draw`. A
//! node without the attribute `seed` is keyed by the name of its first output, so that nodes differ and runs agree.

use super::super::elementwise::is_real;
use super::super::statistics::wide;
use crate::Node;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::ops::Iota;
use tilewright_graph::{Combiner, Func, Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Shape, volume};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("RandomNormal", 0..=0, &["dtype", "mean", "scale", "seed", "shape"], |cx, c| {
        let (shape, dtype) = declared(c)?;
        normal(cx, c, &shape, dtype)
    }),
    Row::new("RandomNormalLike", 1..=1, &["dtype", "mean", "scale", "seed"], |cx, c| {
        let (shape, dtype) = alike(cx, c)?;
        normal(cx, c, &shape, dtype)
    }),
    Row::new("RandomUniform", 0..=0, &["dtype", "high", "low", "seed", "shape"], |cx, c| {
        let (shape, dtype) = declared(c)?;
        uniform(cx, c, &shape, dtype)
    }),
    Row::new("RandomUniformLike", 1..=1, &["dtype", "high", "low", "seed"], |cx, c| {
        let (shape, dtype) = alike(cx, c)?;
        uniform(cx, c, &shape, dtype)
    }),
    Row::new("Bernoulli", 1..=1, &["dtype", "seed"], bernoulli).since(15),
    Row::new("Multinomial", 1..=1, &["dtype", "sample_size", "seed"], multinomial).since(7),
];

/// The key of a node's random numbers: the seed's bits, or the name of the first output.
fn key(c: &Call<'_>) -> Result<i64> {
    if let Some(seed) = c.node.attr_float("seed")? {
        return Ok(i64::from(seed.to_bits()));
    }
    Ok(named_key(c))
}

/// A key made of the name of a node's first output (FNV-1a).
pub fn named_key(c: &Call<'_>) -> i64 {
    let name = c.node.output(0).unwrap_or_default();
    name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)) as i64
}

/// Which of the numbers that each place draws.
#[derive(Clone, Copy)]
pub struct Draw {
    /// The key.
    pub key: i64,
    /// Numbers that each place draws.
    pub draws: i64,
    /// Which one.
    pub draw: i64,
}

impl Draw {
    /// The only number of each place.
    pub fn only(key: i64) -> Self {
        Self { key, draws: 1, draw: 0 }
    }

    /// An expression of 32 random bits at every place.
    pub fn map(self, cx: &mut Cx<'_>, name: &str, shape: &[Ix], f: impl FnOnce(&Scalar) -> Scalar) -> Result<ValueId> {
        let places = cx.b.apply(&Iota { shape: vec![volume(shape)], axis: 0 }, &[])?;
        let long = |x: i64| Scalar::int(DType::I64, x);
        let drawn = cx.b.map_named(name, &[places], |a| {
            let counter = &a[0] * &long(self.draws) + long(self.draw);
            f(&Scalar::call(Func::Philox, vec![long(self.key), counter]))
        })?;
        cx.b.reshape(drawn, shape)
    }
}

/// Random bits as a number in `[0, 1)`: 24 of them in f32, all in f64.
pub fn unit(bits: &Scalar, dtype: DType) -> Scalar {
    if dtype == DType::F64 {
        return bits.cast(dtype) * 0.5f64.powi(32);
    }
    let upper = Scalar::call(Func::Shr, vec![bits.clone(), bits.lit(8.0)]);
    upper.cast(DType::F32) * 0.5f64.powi(24)
}

/// Random bits as a number above 0 and, in f64, below 1; rounding makes some 1 in f32.
fn positive_unit(bits: &Scalar, dtype: DType) -> Scalar {
    (bits.cast(dtype) + 0.5) * 0.5f64.powi(32)
}

/// Shape and dtype by attributes.
fn declared(c: &Call<'_>) -> Result<(Shape, DType)> {
    let shape = c.node.required("shape", Node::attr_ints)?;
    if let Some(n) = shape.iter().find(|n| **n < 0) {
        return Err(c.invalid(format!("attribute \"shape\" holds {n}")));
    }
    let dtype = c.dtype("dtype")?.unwrap_or(DType::F32);
    Ok((shape.iter().map(|n| Ix::konst(*n)).collect(), float(c, dtype)?))
}

/// Shape, and unless given dtype, of the operand.
fn alike(cx: &Cx<'_>, c: &Call<'_>) -> Result<(Shape, DType)> {
    let x = cx.b.tensor(c.x(0)?)?;
    let dtype = c.dtype("dtype")?.unwrap_or(x.dtype);
    Ok((x.shape, float(c, dtype)?))
}

fn float(c: &Call<'_>, dtype: DType) -> Result<DType> {
    match is_real(dtype) {
        true => Ok(dtype),
        false => Err(Diagnostic::dtype(format!("{} does not give {dtype}", c.node.op_type))),
    }
}

fn uniform(cx: &mut Cx<'_>, c: &Call<'_>, shape: &[Ix], dtype: DType) -> Result<Vec<ValueId>> {
    let (low, high) = (c.float("low", 0.0)?, c.float("high", 1.0)?);
    let draw = Draw::only(key(c)?);
    let y = draw.map(cx, &c.node.op_type, shape, |bits| (unit(bits, wide(dtype)) * (high - low) + low).cast(dtype))?;
    Ok(vec![y])
}

/// By Box and Muller's transform of two uniform numbers.
fn normal(cx: &mut Cx<'_>, c: &Call<'_>, shape: &[Ix], dtype: DType) -> Result<Vec<ValueId>> {
    let (mean, scale, key) = (c.float("mean", 0.0)?, c.float("scale", 1.0)?, key(c)?);
    let draw = |draw| Draw { key, draws: 2, draw };
    let radius = draw(0).map(cx, "radius", shape, |bits| (positive_unit(bits, wide(dtype)).ln() * -2.0).sqrt())?;
    let cosine = draw(1).map(cx, "cosine", shape, |bits| {
        Scalar::call(Func::Cos, vec![unit(bits, wide(dtype)) * std::f64::consts::TAU])
    })?;
    let combined = |a: &[Scalar]| (&a[0] * &a[1] * a[0].lit(scale) + mean).cast(dtype);
    Ok(vec![cx.b.map_named(&c.node.op_type, &[radius, cosine], combined)?])
}

/// ONNX `Bernoulli`: 1 with the probability that each element states.
fn bernoulli(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let p = c.x(0)?;
    let (x, key) = (cx.b.tensor(p)?, key(c)?);
    float(c, x.dtype)?;
    let to = c.dtype("dtype")?.unwrap_or(x.dtype);
    let drawn = Draw::only(key).map(cx, "uniform", &x.shape, |bits| unit(bits, wide(x.dtype)))?;
    let y = cx.b.map_named("Bernoulli", &[drawn, p], |a| a[0].lt(&a[1].cast(a[0].dtype())).cast(to))?;
    Ok(vec![y])
}

/// ONNX `Multinomial`: classes drawn by their unnormalized log-probabilities, as the largest of those with Gumbel noise
/// added.
fn multinomial(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = cx.b.tensor(c.x(0)?)?;
    let [batch, classes] = &x.shape[..] else {
        return Err(Diagnostic::shape(format!("Multinomial takes a matrix, found {x}")));
    };
    float(c, x.dtype)?;
    let to = c.dtype("dtype")?.unwrap_or(DType::I32);
    if !matches!(to, DType::I32 | DType::I64) {
        return Err(c.invalid(format!("Multinomial does not give {to}")));
    }
    let samples = c.int("sample_size", 1)?;
    if samples < 1 {
        return Err(c.invalid(format!("sample_size = {samples}, expected at least 1")));
    }
    let noise = Draw::only(key(c)?).map(cx, "gumbel", &[batch.clone(), samples.into(), classes.clone()], |bits| {
        -(-positive_unit(bits, DType::F64).ln()).ln()
    })?;
    let scores = cx.b.reshape(c.x(0)?, vec![batch.clone(), Ix::konst(1), classes.clone()])?;
    let scores = cx.b.map_named("scores", &[scores, noise], |a| a[0].cast(a[1].dtype()) + a[1].clone())?;
    let best = cx.b.reduce(scores, Combiner::ArgMax { last: false }, &[2], false)?;
    Ok(vec![cx.b.cast(best, to)?])
}
