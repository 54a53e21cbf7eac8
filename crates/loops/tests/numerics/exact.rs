//! References for f64: numbers in two parts, some 100 bits.

use std::f64::consts::LN_2;
use tilewright_scalar::Func;

/// `(high + low) 2^scale`.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    pub high: f64,
    pub low: f64,
    pub scale: i32,
}

impl From<f64> for Exact {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0, scale: 0 }
    }
}

/// A sum of two floats that do not overlap.
#[derive(Clone, Copy, Debug)]
struct Pair(f64, f64);

const LN2: Pair = Pair(LN_2, 2.319_046_813_846_299_6e-17);

impl From<f64> for Pair {
    fn from(x: f64) -> Self {
        Self(x, 0.0)
    }
}

impl From<Pair> for Exact {
    fn from(Pair(high, low): Pair) -> Self {
        Self { high, low, scale: 0 }
    }
}

impl Pair {
    fn of_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let from_b = high - a;
        Self(high, (a - (high - from_b)) + (b - from_b))
    }

    fn sqrt(self) -> Self {
        let root = self.0.sqrt();
        if root == 0.0 {
            return root.into();
        }
        let rest = self - Self::from(root) * root;
        Self::of_sum(root, rest.0 / (2.0 * root))
    }

    fn ldexp(self, by: i32) -> Self {
        Self(libm::ldexp(self.0, by), libm::ldexp(self.1, by))
    }
}

impl std::ops::Neg for Pair {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<T: Into<Self>> std::ops::Add<T> for Pair {
    type Output = Self;

    fn add(self, other: T) -> Self {
        let other = other.into();
        let (sum, low) = (Self::of_sum(self.0, other.0), Self::of_sum(self.1, other.1));
        let sum = Self::of_sum(sum.0, sum.1 + low.0);
        Self::of_sum(sum.0, sum.1 + low.1)
    }
}

impl<T: Into<Self>> std::ops::Sub<T> for Pair {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        self + -other.into()
    }
}

impl<T: Into<Self>> std::ops::Mul<T> for Pair {
    type Output = Self;

    fn mul(self, other: T) -> Self {
        let other = other.into();
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high);
        Self::of_sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }
}

impl<T: Into<Self>> std::ops::Div<T> for Pair {
    type Output = Self;

    fn div(self, other: T) -> Self {
        let other = other.into();
        let first = self.0 / other.0;
        let rest = self - other * first;
        let second = rest.0 / other.0;
        let rest = rest - other * second;
        Self::of_sum(first, second) + rest.0 / other.0
    }
}

/// `exp(r) - 1` for `|r| <= 0.35`: a series for `r / 256`, doubled eight times.
fn expm1_near(r: Pair) -> Pair {
    let part = r.ldexp(-8);
    let mut sum = Pair::from(1.0);
    for n in (2..12).rev() {
        sum = sum * part / f64::from(n) + 1.0;
    }
    (0..8).fold(part * sum, |e, _| e * e + e + e)
}

/// `x = k ln 2 + r`.
fn reduced(x: Pair) -> (i32, Pair) {
    let k = (x.0 / LN_2).round_ties_even();
    (k as i32, x - LN2 * k)
}

fn expm1_of(x: Pair) -> Pair {
    let (k, r) = reduced(x);
    let rest = expm1_near(r);
    if k == 0 { rest } else { rest.ldexp(k) + (Pair::from(libm::ldexp(1.0, k)) - 1.0) }
}

fn exp_of(x: Pair) -> Exact {
    let (scale, r) = reduced(x);
    let Pair(high, low) = expm1_near(r) + 1.0;
    Exact { high, low, scale }
}

/// A step of Newton's rule from what f64 gives.
fn log1p_of(x: Pair) -> Pair {
    let near = libm::log1p(x.0);
    let power = expm1_of(near.into());
    (x - power) / (power + 1.0) + near
}

fn log_of(x: Pair) -> Pair {
    let k = libm::ilogb(x.0 * std::f64::consts::FRAC_1_SQRT_2) + 1;
    LN2 * f64::from(k) + log1p_of(x.ldexp(-k) - 1.0)
}

/// What `f64` says where that is special or not beyond `limit`, else the value in two parts.
fn unless_special(near: f64, x: f64, limit: f64, value: impl Fn(Pair) -> Exact) -> Exact {
    let plain = near.is_finite() && near != 0.0 && x.abs() > limit;
    if plain { value(x.into()) } else { near.into() }
}

/// Below, odd functions are their argument to the last bit.
const TINY: f64 = 1e-100;

fn exp(x: f64) -> Exact {
    if x.is_finite() && x.abs() < 1e4 { exp_of(x.into()) } else { libm::exp(x).into() }
}

fn expm1(x: f64) -> Exact {
    if x > 700.0 {
        return exp(x);
    }
    unless_special(libm::expm1(x), x.max(-100.0), TINY, |x| expm1_of(x).into())
}

fn sigmoid(x: f64) -> Exact {
    if x.is_nan() || x > 700.0 {
        return (x.clamp(1.0, 1.0)).into();
    }
    if x < -700.0 {
        return exp(x);
    }
    let power = expm1_of(Pair::from(x)) + 1.0;
    (power / (power + 1.0)).into()
}

fn tanh(x: f64) -> Exact {
    unless_special(libm::tanh(x), x.clamp(-100.0, 100.0), TINY, |x| {
        let power = expm1_of(x + x);
        (power / (power + 2.0)).into()
    })
}

fn sinh(x: f64) -> Exact {
    if x.abs() > 700.0 {
        let Exact { high, low, scale } = exp(x.abs());
        return Exact { high: high.copysign(x), low: low.copysign(low * x.signum()), scale: scale - 1 };
    }
    unless_special(libm::sinh(x), x, TINY, |x| {
        let power = expm1_of(x);
        ((power + power / (power + 1.0)) * 0.5).into()
    })
}

fn cosh(x: f64) -> Exact {
    if x.abs() > 700.0 {
        let value = exp(x.abs());
        return Exact { scale: value.scale - 1, ..value };
    }
    unless_special(libm::cosh(x), x, 0.0, |x| {
        let power = expm1_of(x) + 1.0;
        ((power + Pair::from(1.0) / power) * 0.5).into()
    })
}

fn log(x: f64) -> Exact {
    unless_special(libm::log(x), x, 0.0, |x| log_of(x).into())
}

fn log1p(x: f64) -> Exact {
    unless_special(libm::log1p(x), x, TINY, |x| if x.0 > 1e300 { log_of(x) } else { log1p_of(x) }.into())
}

fn asinh(x: f64) -> Exact {
    unless_special(libm::asinh(x), x, TINY, |x| {
        let size = if x.0 < 0.0 { -x } else { x };
        let value = if size.0 > 1e100 {
            log_of(size) + LN2
        } else {
            let square = size * size;
            log1p_of(size + square / ((square + 1.0).sqrt() + 1.0))
        };
        if x.0 < 0.0 { -value } else { value }.into()
    })
}

fn acosh(x: f64) -> Exact {
    if x < 1.0 {
        return f64::NAN.into();
    }
    unless_special(libm::acosh(x), x, 0.0, |x| {
        if x.0 > 1e100 {
            return (log_of(x) + LN2).into();
        }
        let above = x - 1.0;
        log1p_of(above + (above * (above + 2.0)).sqrt()).into()
    })
}

fn atanh(x: f64) -> Exact {
    unless_special(libm::atanh(x), x, TINY, |x| {
        let (one, size) = (Pair::from(1.0), if x.0 < 0.0 { -x } else { x });
        let value = log1p_of((size + size) / (one - size)) * 0.5;
        if x.0 < 0.0 { -value } else { value }.into()
    })
}

/// Sine and cosine for `|x| <= 2`: series for `x / 32`, doubled five times.
fn sine_cosine(x: f64) -> (Pair, Pair) {
    let part = Pair::from(x / 32.0);
    let square = part * part;
    let (mut sine, mut versine) = (Pair::from(1.0), Pair::from(1.0));
    for n in (1..10).rev().map(f64::from) {
        sine = -square * sine / (2.0 * n * (2.0 * n + 1.0)) + 1.0;
        versine = -square * versine / ((2.0 * n + 1.0) * (2.0 * n + 2.0)) + 1.0;
    }
    // 1 - cos, which keeps its bits.
    let both = (sine * part, versine * square * 0.5);
    let (sine, versine) = (0..5).fold(both, |(s, v), _| {
        let cosine = Pair::from(1.0) - v;
        (s * cosine * 2.0, s * s * 2.0)
    });
    (sine, Pair::from(1.0) - versine)
}

fn atan_of(x: Pair) -> Pair {
    let near = libm::atan(x.0);
    let (sine, cosine) = sine_cosine(near);
    if x.0.abs() > 1.0 {
        let inverse = Pair::from(1.0) / x;
        return (cosine - inverse * sine) / (inverse * cosine + sine) + near;
    }
    (x * cosine - sine) / (cosine + x * sine) + near
}

fn atan(x: f64) -> Exact {
    unless_special(libm::atan(x), x.clamp(-1e200, 1e200), TINY, |x| atan_of(x).into())
}

fn asin(x: f64) -> Exact {
    unless_special(libm::asin(x), x, TINY, |x| {
        let one = Pair::from(1.0);
        let root = ((one - x) * (one + x)).sqrt();
        // Half the angle has a tangent everywhere.
        (atan_of(x / (root + 1.0)) * 2.0).into()
    })
}

fn acos(x: f64) -> Exact {
    unless_special(libm::acos(x), 1.0, 0.0, |one| {
        let (above, below) = (one - x, one + x);
        if below.0 == 0.0 {
            return Exact { high: std::f64::consts::PI, low: 1.224_646_799_147_353_2e-16, scale: 0 };
        }
        (atan_of((above / below).sqrt()) * 2.0).into()
    })
}

pub fn pow(x: f64, y: f64) -> Exact {
    let near = libm::pow(x, y);
    let exponent = y * libm::log(x.abs());
    let plain = x != 0.0 && x.is_finite() && exponent.abs() < 1000.0;
    if near.is_nan() || !plain {
        return near.into();
    }
    let Exact { high, low, scale } = exp_of(log_of(Pair::from(x.abs())) * y);
    if near.is_sign_negative() { Exact { high: -high, low: -low, scale } } else { Exact { high, low, scale } }
}

/// The reference of a function that has one.
pub fn of(func: Func) -> Option<fn(f64) -> Exact> {
    Some(match func {
        Func::Exp => exp,
        Func::Expm1 => expm1,
        Func::Log => log,
        Func::Log1p => log1p,
        Func::Sigmoid => sigmoid,
        Func::Tanh => tanh,
        Func::Sinh => sinh,
        Func::Cosh => cosh,
        Func::Asinh => asinh,
        Func::Acosh => acosh,
        Func::Atanh => atanh,
        Func::Asin => asin,
        Func::Acos => acos,
        Func::Atan => atan,
        _ => return None,
    })
}
