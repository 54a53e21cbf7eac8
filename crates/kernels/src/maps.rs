//! Maps of the report: those that follow a product, and those over rows.

use tilewright_loops::contract::Product;
use tilewright_loops::map::{Map, Operand, Sink};
use tilewright_loops::normalize;
use tilewright_scalar::{Func, Overflow, Scalar};
use tilewright_tensor::DType;

/// Maps that follow a product: the product, the name and the map of each.
pub fn epilogues() -> [(Product, &'static str, Map); 3] {
    [
        (Product::F32, "bias + residual + relu", bias_residual_relu()),
        (Product::U8S8, "dequantize + clamp + quantize", requantize()),
        (Product::F32, "bias + gelu", bias_gelu()),
    ]
}

/// Maps over rows: the name and the map of each.
pub fn rows() -> [(&'static str, Map); 6] {
    let (tile, row) = (Operand::tile(DType::F32), Operand::row(DType::F32));
    [
        (ADD_RELU, add_relu()),
        ("ten operations", ten_operations()),
        ("bias + gelu", bias_gelu()),
        ("softmax", normalize::softmax(tile, tile, DType::F32)),
        ("layer norm", normalize::layer_norm([tile, row, row, tile], 1e-5, DType::F32)),
        ("dequantize + gelu + quantize", quantized_gelu()),
    ]
}

/// The map that does next to nothing but read and write.
pub const ADD_RELU: &str = "add + relu";

/// Alternating multiplications and additions of constants.
pub fn ten_operations() -> Map {
    map(vec![Operand::tile(DType::F32); 2], |m| {
        let constant = |x: &Scalar, at: usize| x.lit(1.0 + at as f64 / 8.0);
        (0..5).fold(m.read(0), |x, at| &(&x * &constant(&x, at)) + &constant(&x, at + 5))
    })
}

fn add_relu() -> Map {
    let tile = Operand::tile(DType::F32);
    map(vec![tile; 3], |m| {
        let sum = m.read(0) + m.read(1);
        Scalar::call(Func::Max, vec![sum.clone(), sum.lit(0.0)])
    })
}

fn quantized_gelu() -> Map {
    let tile = Operand::tile(DType::I8);
    map(vec![tile; 2], |m| {
        let x = m.read(0).cast(DType::F32);
        let scaled = gelu(&(&x * &x.lit(0.05)));
        quantize(&(&scaled * &scaled.lit(1.0 / 0.03)))
    })
}

fn map(operands: Vec<Operand>, value: impl Fn(&Map) -> Scalar) -> Map {
    let map = Map { operands, ..Map::default() };
    let (operand, value) = (map.operands.len() as u32 - 1, value(&map));
    map.stage([Sink::Store { operand, value }])
}

fn bias_residual_relu() -> Map {
    let (tile, row) = (Operand::tile(DType::F32), Operand::row(DType::F32));
    map(vec![tile, row, tile, tile], |m| {
        let sum = m.read(0) + m.read(1) + m.read(2);
        Scalar::call(Func::Max, vec![sum.clone(), sum.lit(0.0)])
    })
}

/// Each column has a scale; the result has 8 bits.
fn requantize() -> Map {
    let operands = vec![Operand::tile(DType::I32), Operand::row(DType::F32), Operand::tile(DType::I8)];
    map(operands, |m| quantize(&(m.read(0).cast(DType::F32) * m.read(1))))
}

/// To the nearest of -128 to 127.
fn quantize(x: &Scalar) -> Scalar {
    let low = Scalar::call(Func::Max, vec![x.clone(), x.lit(-128.0)]);
    let clamped = Scalar::call(Func::Min, vec![low.clone(), low.lit(127.0)]);
    let whole = Scalar::call(Func::RoundEven, vec![clamped]);
    Scalar::call(Func::Cast(DType::I8, Overflow::Saturate), vec![whole])
}

/// `x * (0.5 + 0.5 erf(x / sqrt 2))`.
fn gelu(x: &Scalar) -> Scalar {
    let erf = Scalar::call(Func::Erf, vec![x * &x.lit(std::f64::consts::FRAC_1_SQRT_2)]);
    let half = x * &x.lit(0.5);
    &half * &erf + half
}

fn bias_gelu() -> Map {
    let (tile, row) = (Operand::tile(DType::F32), Operand::row(DType::F32));
    map(vec![tile, row, tile], |m| gelu(&(m.read(0) + m.read(1))))
}
