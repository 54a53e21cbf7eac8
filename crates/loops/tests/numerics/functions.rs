//! The functions that approximate, each with a reference.

use tilewright_scalar::Func;

/// A function of one argument.
pub struct Row {
    /// The function.
    pub func: Func,
    /// What it should be, in f64, to about one unit of its last place.
    pub reference: fn(f64) -> f64,
    /// The largest error in f32, in units of the last place, if all arguments were tried.
    pub worst: Option<f64>,
}

/// A row.
pub const fn row(func: Func, reference: fn(f64) -> f64, worst: Option<f64>) -> Row {
    Row { func, reference, worst }
}

/// The functions in the order of the table.
pub const FUNCTIONS: [Row; 18] = [
    row(Func::Exp, libm::exp, Some(0.92)),
    row(Func::Expm1, libm::expm1, Some(1.59)),
    row(Func::Log, libm::log, Some(1.2)),
    row(Func::Log1p, libm::log1p, Some(1.76)),
    row(Func::Sigmoid, sigmoid, Some(2.0)),
    row(Func::Tanh, libm::tanh, Some(1.93)),
    row(Func::Erf, libm::erf, Some(1.88)),
    row(Func::Sinh, libm::sinh, Some(0.5)),
    row(Func::Cosh, libm::cosh, Some(0.5)),
    row(Func::Asinh, libm::asinh, Some(0.5)),
    row(Func::Acosh, acosh, Some(0.5)),
    row(Func::Atanh, libm::atanh, Some(0.5)),
    row(Func::Sin, libm::sin, Some(0.5)),
    row(Func::Cos, libm::cos, Some(0.5)),
    row(Func::Tan, libm::tan, Some(0.5)),
    row(Func::Asin, libm::asin, Some(0.5)),
    row(Func::Acos, libm::acos, Some(0.5)),
    row(Func::Atan, libm::atan, Some(0.5)),
];

fn sigmoid(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// `libm` is wrong for some values far below 1.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}
