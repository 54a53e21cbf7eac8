//! The meaning of a Contract, element by element.

use super::{Contract, Product, Steps};
use tilewright_support::{Diagnostic, Result};

/// Bytes and distances that a Contract works on; see [`Arg`](super::Arg).
#[derive(Debug)]
pub struct Operands<'a> {
    /// A.
    pub a: &'a [u8],
    /// B.
    pub b: &'a [u8],
    /// C.
    pub c: &'a mut [u8],
    /// From a row of A to the next of its group.
    pub a_row: usize,
    /// From a group of rows of A to the next.
    pub a_group: usize,
    /// From a step of A to the next, if they are strided.
    pub a_step: usize,
    /// From a step of B to the next.
    pub b_step: usize,
    /// From a row of C to the next of its group.
    pub c_row: usize,
    /// From a group of rows of C to the next.
    pub c_group: usize,
    /// The number of steps.
    pub steps: usize,
    /// For each product of the batch the distances added to A and B.
    pub offsets: &'a [[usize; 2]],
    /// Columns that there are.
    pub columns: usize,
    /// Whether C is added to.
    pub accumulate: bool,
}

/// Runs a Contract. `columns` of the operands counts all of them.
///
/// # Errors
/// Internal, where an operand is too short.
pub fn interpret(contract: &Contract, operands: &mut Operands<'_>) -> Result<()> {
    for row in 0..contract.rows.into() {
        for column in 0..operands.columns {
            element(contract, operands, row, column).ok_or_else(|| Diagnostic::internal("an operand is too short"))?;
        }
    }
    Ok(())
}

fn element(contract: &Contract, o: &mut Operands<'_>, row: usize, column: usize) -> Option<()> {
    let product = contract.product;
    let (size, c_size) = (product.step_bytes(), product.c_bytes());
    let group = usize::from(contract.group);
    let (outer, inner) = (row / group, row % group);
    let a_step = if contract.a_steps == Steps::Dense { size } else { o.a_step };
    let at = outer * o.c_group + inner * o.c_row + column * c_size;
    let c = o.c.get_mut(at..at + c_size)?;
    let mut sum = if o.accumulate { bits(c) } else { 0 };
    for [a_offset, b_offset] in o.offsets {
        let a_row = a_offset + outer * o.a_group + inner * o.a_row;
        for k in 0..o.steps {
            let a_at = a_row + k * a_step;
            let b_at = b_offset + k * o.b_step + column * size;
            let [a, b] = [o.a.get(a_at..a_at + size)?, o.b.get(b_at..b_at + size)?].map(|x| product.factor(bits(x)));
            sum = product.step(sum, a, b);
        }
    }
    c.copy_from_slice(&sum.to_le_bytes()[..c_size]);
    Some(())
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

impl Product {
    /// The bits of a step of A or B as [`Product::step`] takes them: halves as f32.
    #[inline(always)]
    pub fn factor(self, bits: u64) -> u64 {
        match self {
            Self::F16 => half::f16::from_bits(bits as u16).to_f32().to_bits().into(),
            _ => bits,
        }
    }

    /// One step of a sum, of two [`factor`](Self::factor)s; bits stand low in the `u64`s.
    #[inline(always)]
    pub fn step(self, sum: u64, a: u64, b: u64) -> u64 {
        let [sum4, a4, b4] = [sum, a, b].map(|bits| f32::from_bits(bits as u32));
        let dot = |x: fn(u32) -> i32, y: fn(u32) -> i32| {
            let product = |at: u32| x(a as u32 >> at & 0xff) * y(b as u32 >> at & 0xff);
            let products = [0, 8, 16, 24].map(product);
            u64::from(products.into_iter().fold(sum as u32 as i32, i32::wrapping_add) as u32)
        };
        let signed: fn(u32) -> i32 = |x| (x as u8 as i8).into();
        let unsigned: fn(u32) -> i32 = |x| x as i32;
        match self {
            Self::F32 | Self::F16 => a4.mul_add(b4, sum4).to_bits().into(),
            Self::F64 => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(sum)).to_bits(),
            Self::Bf16 => bf16_step(sum4, a as u32, b as u32).to_bits().into(),
            Self::U8S8 => dot(unsigned, signed),
            Self::S8S8 => dot(signed, signed),
            Self::U8U8 => dot(unsigned, unsigned),
        }
    }
}

/// `vdpbf16ps`: the second products first, then the first ones, each fused; denormal inputs and results count as zero.
#[inline(always)]
fn bf16_step(sum: f32, a: u32, b: u32) -> f32 {
    let high = |x: u32| f32::from_bits(x & 0xffff_0000);
    let low = |x: u32| f32::from_bits(x << 16);
    let sum = flushed_fma(high(a), high(b), sum);
    flushed_fma(low(a), low(b), sum)
}

/// `a * b + c` without denormals. A result counts as one if it is below the smallest normal number when rounded to 24
/// bits at any exponent, which 2^24 times it shows (Intel's manual, volume 1, 4.9.1.5: tininess after rounding).
#[inline(always)]
fn flushed_fma(a: f32, b: f32, c: f32) -> f32 {
    const SCALE: f32 = 16_777_216.0;
    let [a, b, c] = [a, b, c].map(|x| if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x });
    let sum = a.mul_add(b, c);
    let scaled = (a * SCALE).mul_add(b, c * SCALE);
    if scaled.abs() < f32::MIN_POSITIVE * SCALE { 0f32.copysign(sum) } else { sum }
}
