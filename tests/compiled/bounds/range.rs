//! What a value may be: all numbers between two, and perhaps NaN.

use tilewright_graph::scalars::Lanes;
use tilewright_tensor::DType;

/// A set of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Floats from the first to the second, -0 below 0; none if the first is above. The third says whether NaN is one.
    Float(f64, f64, bool),
    /// Integers from the first to the second.
    Int(i64, i64),
}

use Range::{Float, Int};

impl Range {
    pub const NAN: Self = Float(f64::INFINITY, f64::NEG_INFINITY, true);
    pub const ANY: Self = Float(f64::NEG_INFINITY, f64::INFINITY, true);

    /// Every value of a dtype.
    pub fn any(dtype: DType) -> Self {
        match dtype {
            d if d.is_float() => Self::ANY,
            DType::Bool => Int(0, 1),
            _ => Int(i64::MIN, i64::MAX),
        }
    }

    pub fn float(x: f64) -> Self {
        if x.is_nan() { Self::NAN } else { Float(x, x, false) }
    }

    /// Both signs of zero where one is an end.
    pub fn without_sign(self) -> Self {
        match self {
            Float(low, high, nan) => {
                Float(if low == 0.0 { -0.0 } else { low }, if high == 0.0 { 0.0 } else { high }, nan)
            }
            ints => ints,
        }
    }

    /// The only value, if there is one.
    pub fn point(self) -> Option<Lanes> {
        match self {
            Self::NAN => Some(Lanes::F(vec![f64::NAN])),
            Float(low, high, false) if low.to_bits() == high.to_bits() => Some(Lanes::F(vec![low])),
            Int(low, high) if low == high => Some(Lanes::I(vec![low])),
            _ => None,
        }
    }

    /// Values of either.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Float(a, b, n), Float(c, d, m)) => {
                let low = if c.total_cmp(&a).is_lt() { c } else { a };
                let high = if d.total_cmp(&b).is_gt() { d } else { b };
                Float(low, high, n | m)
            }
            (Int(a, b), Int(c, d)) => Int(a.min(c), b.max(d)),
            (any, _) => any,
        }
    }

    /// Whether a float is among them.
    pub fn admits(self, x: f64) -> bool {
        match self {
            Float(_, _, nan) if x.is_nan() => nan,
            Float(low, high, _) => low.total_cmp(&x).is_le() && x.total_cmp(&high).is_le(),
            Int(..) => false,
        }
    }

    /// Whether an integer is among them.
    pub fn admits_int(self, x: i64) -> bool {
        matches!(self, Int(low, high) if (low..=high).contains(&x))
    }

    /// Whether it says nothing of what a value is.
    pub fn is_any(self) -> bool {
        matches!(self, Float(f64::NEG_INFINITY, f64::INFINITY, _) | Int(i64::MIN, i64::MAX))
    }
}

impl From<Lanes> for Range {
    fn from(lanes: Lanes) -> Self {
        match lanes {
            Lanes::F(v) => Self::float(v[0]),
            Lanes::I(v) => Int(v[0], v[0]),
        }
    }
}
