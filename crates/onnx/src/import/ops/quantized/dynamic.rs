//! Quantization by the range of values that a tensor turns out to have.

use super::scalar;
use crate::import::table::Row;
use tilewright_graph::{Builder, Combiner, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

/// The rows of this family.
pub const ROWS: &[Row] = &[Row::new("DynamicQuantizeLinear", 1..=1, &[], |cx, c| {
    let (y, scale, zero) = quantize(&mut cx.b, c.x(0)?)?;
    Ok(vec![y, scale, zero])
})
.outputs(3..=3)
.since(11)];

/// The largest u8.
const MOST: f64 = 255.0;

/// ONNX `DynamicQuantizeLinear`: an f32 tensor as u8, its scale and zero point. The range includes zero; a tensor of
/// nothing but zeros has the scale 1, as in ONNX Runtime.
pub fn quantize(b: &mut Builder, x: ValueId) -> Result<(ValueId, ValueId, ValueId)> {
    let ty = b.tensor(x)?;
    if ty.dtype != DType::F32 {
        return Err(Diagnostic::dtype(format!("dynamic quantization takes f32, found {}", ty.dtype)));
    }
    let axes: Vec<usize> = (0..ty.rank()).collect();
    let (mut least, mut most) = (x, x);
    if !axes.is_empty() {
        least = b.reduce(x, Combiner::Min, &axes, false)?;
        most = b.reduce(x, Combiner::Max, &axes, false)?;
    }
    let scale = b.map_named("scale", &[least, most], |a| {
        let (zero, one) = (a[0].lit(0.0), a[0].lit(1.0));
        let range = a[1].maximum(&zero) - a[0].minimum(&zero);
        range.equals(&zero).select(&one, &(range / MOST))
    })?;
    let zero = b.map_named("zero_point", &[least, scale], |a| {
        let zero = a[0].lit(0.0);
        scalar::quantized(&(&zero - &(a[0].minimum(&zero) / a[1].clone())), None, DType::U8)
    })?;
    let y = b.map_named("DynamicQuantizeLinear", &[x, scale, zero], |a| {
        scalar::quantized(&(&a[0] / &a[1]), Some(&a[2]), DType::U8)
    })?;
    Ok((y, scale, zero))
}

/// An f32 tensor rounded to the 256 values that dynamic quantization gives it.
pub fn coarse(b: &mut Builder, x: ValueId) -> Result<ValueId> {
    let (y, scale, zero) = quantize(b, x)?;
    b.map_named("dequantize", &[y, scale, zero], |a| scalar::dequantized(&a[0], &a[1], Some(&a[2])))
}
