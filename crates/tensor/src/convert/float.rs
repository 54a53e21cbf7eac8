//! Floats narrower than f64: their grids, bits and special values.
//!
//! A format is described by its mantissa bits, least exponent and kind of special values; the rest follows. Rounding to
//! its grid adds some 2^52 quanta, so that f64's own rounding to nearest even does the work.
use crate::DType;

/// Which bit patterns stand for infinity and NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// The largest exponent: mantissa 0 is infinity, others NaN.
    Ieee,
    /// All ones are NaN; no infinity.
    OnesAreNan,
    /// The pattern of -0 is NaN; no infinity, no -0.
    MinusZeroIsNan,
    /// Neither NaN nor infinity.
    None,
}

/// A sign-exponent-mantissa format of at most 16 bits.
#[derive(Clone, Copy)]
struct Format {
    bits: u32,
    mantissa: u32,
    /// Exponent of the least normal number.
    min_exponent: i32,
    special: Special,
    /// The largest value.
    max: f64,
}

const F16: Format = Format::new(16, 10, -14, Special::Ieee);
const BF16: Format = Format::new(16, 7, -126, Special::Ieee);
const F8E4M3FN: Format = Format::new(8, 3, -6, Special::OnesAreNan);
const F8E4M3FNUZ: Format = Format::new(8, 3, -7, Special::MinusZeroIsNan);
const F8E5M2: Format = Format::new(8, 2, -14, Special::Ieee);
const F8E5M2FNUZ: Format = Format::new(8, 2, -15, Special::MinusZeroIsNan);
const F4E2M1: Format = Format::new(4, 1, 0, Special::None);

/// The format of a dtype, but for f32, f64 and f8e8m0.
const fn format_of(dtype: DType) -> Option<Format> {
    Some(match dtype {
        DType::F16 => F16,
        DType::BF16 => BF16,
        DType::F8E4M3FN => F8E4M3FN,
        DType::F8E4M3FNUZ => F8E4M3FNUZ,
        DType::F8E5M2 => F8E5M2,
        DType::F8E5M2FNUZ => F8E5M2FNUZ,
        DType::F4E2M1 => F4E2M1,
        _ => return None,
    })
}

/// 2^e for e in -1022..=1023.
const fn pow2(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

impl Format {
    const fn new(bits: u32, mantissa: u32, min_exponent: i32, special: Special) -> Self {
        let format = Self { bits, mantissa, min_exponent, special, max: 0.0 };
        Self { max: format.finite(format.max_bits()), ..format }
    }

    const fn sign_bit(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// The pattern of infinity (IEEE formats).
    const fn infinity_bits(self) -> u64 {
        let magnitude_bits = self.bits - 1 - self.mantissa;
        ((1 << magnitude_bits) - 1) << self.mantissa
    }

    /// The pattern of the largest value.
    const fn max_bits(self) -> u64 {
        match self.special {
            Special::Ieee => self.infinity_bits() - 1,
            Special::OnesAreNan => self.sign_bit() - 2,
            Special::MinusZeroIsNan | Special::None => self.sign_bit() - 1,
        }
    }

    const fn decode(self, bits: u64) -> f64 {
        let magnitude = bits & (self.sign_bit() - 1);
        let negative = bits & self.sign_bit() != 0;
        let value = match self.special {
            Special::Ieee if magnitude > self.infinity_bits() => f64::NAN,
            Special::Ieee if magnitude == self.infinity_bits() => f64::INFINITY,
            Special::OnesAreNan if magnitude == self.sign_bit() - 1 => f64::NAN,
            Special::MinusZeroIsNan if negative && magnitude == 0 => return f64::NAN,
            _ => self.finite(magnitude),
        };
        if negative { -value } else { value }
    }

    const fn finite(self, magnitude: u64) -> f64 {
        let exponent = (magnitude >> self.mantissa) as i32;
        let fraction = magnitude & ((1 << self.mantissa) - 1);
        let (significand, exponent) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << self.mantissa, exponent - 1) };
        significand as f64 * pow2(self.min_exponent + exponent - self.mantissa as i32)
    }

    /// The exponent that decides the quantum at `x`. Beyond 2^900 every format has overflowed, and powers of two that
    /// are made of the exponent would too.
    #[inline(always)]
    fn exponent(self, x: f64) -> i32 {
        let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        exponent.clamp(self.min_exponent, 900)
    }

    /// The nearest point of the grid, ties to even, as if exponents had no end.
    #[inline(always)]
    fn nearest(self, x: f64) -> f64 {
        let shift = 1.5 * pow2(self.exponent(x) - self.mantissa as i32 + 52);
        ((x + shift) - shift).copysign(x)
    }

    /// The pattern of the nearest point of the grid, without sign, as if exponents had no end.
    #[inline(always)]
    fn nearest_bits(self, x: f64) -> u64 {
        let exponent = self.exponent(x);
        // In the sum the quantum is the last bit; what it has beyond the shift counts quanta.
        let shift = pow2(exponent - self.mantissa as i32 + 52);
        let quanta = (x.abs() + shift).to_bits().wrapping_sub(shift.to_bits());
        (((exponent - self.min_exponent) as u64) << self.mantissa).wrapping_add(quanta)
    }

    /// See [`round_to`].
    #[inline(always)]
    fn round(self, x: f64, saturate: bool) -> f64 {
        let nearest = self.nearest(x);
        let rounded = if nearest.abs() <= self.max { nearest } else { self.beyond(x, saturate) };
        if self.special == Special::MinusZeroIsNan && rounded == 0.0 { 0.0 } else { rounded }
    }

    /// What a NaN, an infinity or an overflow becomes.
    #[cold]
    fn beyond(self, x: f64, saturate: bool) -> f64 {
        if self.special == Special::None {
            // Without a NaN, the pattern of -0 stands for it, as in ml_dtypes.
            return if x.is_nan() { -0.0 } else { self.max.copysign(x) };
        }
        if x.is_nan() {
            return if self.special == Special::MinusZeroIsNan { f64::NAN } else { x };
        }
        match (saturate, self.special) {
            (true, _) => self.max.copysign(x),
            (false, Special::Ieee) => f64::INFINITY.copysign(x),
            (false, Special::MinusZeroIsNan) => f64::NAN,
            (false, _) => f64::NAN.copysign(x),
        }
    }

    /// The bits of `x`, rounded as [`round_to`] says.
    #[inline(always)]
    fn encode(self, x: f64, saturate: bool) -> u64 {
        let nearest = self.nearest_bits(x);
        if !x.is_finite() || nearest > self.max_bits() {
            return self.special_bits(self.beyond(x, saturate));
        }
        let sign = (x.to_bits() >> 63) << (self.bits - 1);
        if self.special == Special::MinusZeroIsNan && nearest == 0 { 0 } else { sign | nearest }
    }

    /// The bits of what [`Self::beyond`] gives.
    #[cold]
    fn special_bits(self, x: f64) -> u64 {
        let magnitude = match self.special {
            Special::None if x == 0.0 => 0,
            _ if x.is_finite() => self.max_bits(),
            Special::Ieee if x.is_infinite() => self.infinity_bits(),
            Special::Ieee => self.infinity_bits() | 1 << (self.mantissa - 1),
            Special::OnesAreNan => self.sign_bit() - 1,
            Special::MinusZeroIsNan | Special::None => return self.sign_bit(),
        };
        if x.is_sign_negative() { self.sign_bit() | magnitude } else { magnitude }
    }
}

/// The value of f16 bits.
#[inline]
pub(crate) fn decode_f16(bits: u16) -> f64 {
    // Moving the fields into an f64 leaves only the exponent's bias to mend, subnormals included.
    let magnitude = u64::from(bits & 0x7fff) << 42;
    let value = if magnitude >= 0x7c00 << 42 {
        f64::from_bits(magnitude | 0x7ff << 52)
    } else {
        f64::from_bits(magnitude) * pow2(1023 - 15)
    };
    if bits >> 15 == 1 { -value } else { value }
}

/// The value of bf16 bits.
#[inline]
pub(crate) fn decode_bf16(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

const fn tabulate(format: Format) -> [f64; 256] {
    let mut table = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = format.decode(code as u64 & ((1 << format.bits) - 1));
        code += 1;
    }
    table
}

const fn tabulate_scales() -> [f64; 256] {
    let mut table = [f64::NAN; 256];
    let mut code = 0;
    while code < 255 {
        table[code] = pow2(code as i32 - 127);
        code += 1;
    }
    table
}

/// The values of all codes of a float of at most 8 bits.
pub(crate) fn decode_table(dtype: DType) -> &'static [f64; 256] {
    static E4M3FN: [f64; 256] = tabulate(F8E4M3FN);
    static E4M3FNUZ: [f64; 256] = tabulate(F8E4M3FNUZ);
    static E5M2: [f64; 256] = tabulate(F8E5M2);
    static E5M2FNUZ: [f64; 256] = tabulate(F8E5M2FNUZ);
    static E2M1: [f64; 256] = tabulate(F4E2M1);
    static E8M0: [f64; 256] = tabulate_scales();
    match dtype {
        DType::F8E4M3FN => &E4M3FN,
        DType::F8E4M3FNUZ => &E4M3FNUZ,
        DType::F8E5M2 => &E5M2,
        DType::F8E5M2FNUZ => &E5M2FNUZ,
        DType::F4E2M1 => &E2M1,
        DType::F8E8M0 => &E8M0,
        _ => panic!("{dtype} is no float of at most 8 bits"),
    }
}

/// How a value between two powers of two is rounded to f8e8m0: ONNX Cast's `round_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ScaleRounding {
    /// To the larger one.
    #[default]
    Up,
    /// To the smaller one.
    Down,
    /// To the nearer one, ties to the larger.
    Nearest,
}

/// The f8e8m0 code of `x`, by its magnitude: the sign is dropped.
///
/// Infinity, and what is out of range, becomes the nearest end of the range when `saturate`, NaN otherwise; zero the
/// least code 0 or NaN likewise. A subnormal f64 is below the range.
pub fn encode_scale(x: f64, saturate: bool, rounding: ScaleRounding) -> u8 {
    const NAN: u8 = 0xff;
    if x.is_nan() {
        return NAN;
    }
    let bits = x.to_bits() & !(1 << 63);
    let exponent = (bits >> 52) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    let up = match rounding {
        ScaleRounding::Up => fraction != 0,
        ScaleRounding::Down => false,
        ScaleRounding::Nearest => fraction >= 1 << 51,
    };
    let code = exponent + 127 + i32::from(up);
    match (code, saturate) {
        (0..=254, _) => code as u8,
        (_, false) => NAN,
        (_, true) => code.clamp(0, 254) as u8,
    }
}

/// The value that `bits` stand for; bits above the dtype's width are ignored. Panics when `dtype` is no float.
pub fn decode_f64(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F64 => f64::from_bits(bits),
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F16 => decode_f16(bits as u16),
        DType::BF16 => decode_bf16(bits as u16),
        _ => decode_table(dtype)[bits as usize & 0xff],
    }
}

/// The bits of `x` rounded to `dtype` as [`round_to`] does. Panics when `dtype` is no float.
#[inline(always)]
pub fn encode_f64(dtype: DType, x: f64, saturate: bool) -> u64 {
    match (dtype, format_of(dtype)) {
        (DType::F64, _) => x.to_bits(),
        (DType::F32, _) => u64::from((x as f32).to_bits()),
        (DType::F8E8M0, _) => u64::from(encode_scale(x, saturate, ScaleRounding::Up)),
        (_, Some(format)) => format.encode(x, saturate && !ignores_saturate(dtype)),
        _ => panic!("{dtype} is no float"),
    }
}

/// ONNX Cast's `saturate` concerns float8 only; f16 and bf16 overflow to infinity, f4e2m1 saturates always.
const fn ignores_saturate(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// `x` rounded to the values of `dtype`: to nearest, ties to even; f8e8m0 up. Panics when `dtype` is no float.
///
/// An overflow or infinity becomes infinity in f16, bf16, f32; in float8 it becomes the largest value when `saturate`,
/// else infinity or, where there is none, NaN; in f4e2m1 always the largest value. NaN stays NaN but in f4e2m1, which
/// has none and where it becomes -0. The types that end in `fnuz` have no -0: it becomes 0.
#[inline(always)]
pub fn round_to(dtype: DType, x: f64, saturate: bool) -> f64 {
    match (dtype, format_of(dtype)) {
        (DType::F64, _) => x,
        (DType::F32, _) => f64::from(x as f32),
        (DType::F8E8M0, _) => decode_f64(dtype, encode_f64(dtype, x, saturate)),
        (_, Some(format)) => format.round(x, saturate && !ignores_saturate(dtype)),
        _ => panic!("{dtype} is no float"),
    }
}

/// [`round_to`] of each value. Panics when `dtype` is no float.
pub fn round_slice(dtype: DType, xs: &mut [f64], saturate: bool) {
    match (dtype, format_of(dtype)) {
        (DType::F64, _) => {}
        (DType::F32, _) => xs.iter_mut().for_each(|x| *x = f64::from(*x as f32)),
        (_, Some(format)) => {
            let saturate = saturate && !ignores_saturate(dtype);
            xs.iter_mut().for_each(|x| *x = format.round(*x, saturate));
        }
        _ => xs.iter_mut().for_each(|x| *x = round_to(dtype, *x, saturate)),
    }
}
