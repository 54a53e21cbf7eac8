//! Primitive operations: what one or two instructions of a vector machine do, exactly.
//!
//! Every function of the closed list is expanded into these before it is interpreted or emitted, so the interpreter and
//! every kind of machine code round alike. A value is a *lane*: 32 or 64 bits read as a float or an integer, or a truth
//! value. Floats follow IEEE 754, round to nearest even, and keep denormals.

/// What the bits of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// An IEEE single.
    F32,
    /// An IEEE double.
    F64,
    /// 32 bits of an integer.
    I32,
    /// 64 bits of an integer.
    I64,
    /// A truth value.
    Mask,
}

impl Lane {
    /// Bits of a lane; a truth value has one.
    pub fn bits(self) -> u32 {
        match self {
            Self::F32 | Self::I32 => 32,
            Self::F64 | Self::I64 => 64,
            Self::Mask => 1,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The integer of the same width.
    pub fn as_int(self) -> Self {
        if self.bits() == 64 { Self::I64 } else { Self::I32 }
    }
}

/// A direction of rounding to a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounding {
    /// To the nearest, ties to even.
    Even,
    /// Down.
    Floor,
    /// Up.
    Ceil,
    /// Toward zero.
    Trunc,
}

/// A comparison of floats; all are false for NaN but [`Cmp::Unordered`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cmp {
    /// `a < b`.
    Lt,
    /// `a <= b`.
    Le,
    /// `a == b`.
    Eq,
    /// Either is NaN.
    Unordered,
}

/// The bits of 16 f32.
pub type Table = [u32; 16];

/// A table of these values.
pub const fn table(values: [f32; 16]) -> Table {
    let mut bits = [0; 16];
    let mut at = 0;
    while at < 16 {
        bits[at] = values[at].to_bits();
        at += 1;
    }
    bits
}

/// A primitive operation. Arguments are of the result's lane unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prim {
    /// Float `a + b`.
    Add,
    /// Float `a - b`.
    Sub,
    /// Float `a * b`.
    Mul,
    /// Float `a / b`.
    Div,
    /// Float root.
    Sqrt,
    /// Float `a * b + c`, rounded once.
    Fma,
    /// Float `if a < b { a } else { b }`: `b` where either is NaN or both are zeros.
    Min,
    /// Float `if a > b { a } else { b }`.
    Max,
    /// Float `a * 2^b`, rounded once: `b` a whole number within ±2000, `a` a special value or in `2^-8..2^8`.
    Scale,
    /// Float, rounded to a whole number.
    Round(Rounding),
    /// Compares floats; gives a mask.
    Cmp(Cmp),
    /// Integer `a + b`, wrapping.
    IAdd,
    /// Integer `a - b`, wrapping.
    ISub,
    /// Integer `a * b`, wrapping.
    IMul,
    /// The high half of the unsigned product of 32-bit integers.
    IMulHigh,
    /// The smaller of signed integers.
    IMin,
    /// The larger of signed integers.
    IMax,
    /// Whether integers are equal; gives a mask.
    IEq,
    /// Signed `a > b`; gives a mask.
    IGt,
    /// Bitwise and, of any lanes but masks.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Bitwise `!a & b`.
    AndNot,
    /// Integer shifted to higher bits, by less than the width.
    Shl(u8),
    /// Integer shifted to lower bits, zeros follow.
    Shr(u8),
    /// Integer shifted to lower bits, sign bits follow.
    Sar(u8),
    /// [`Prim::Shl`] by an unsigned `b`; 0 from the width on.
    ShlBy,
    /// [`Prim::Shr`] by an unsigned `b`; 0 from the width on.
    ShrBy,
    /// [`Prim::Sar`] by an unsigned `b`; sign bits from the width on.
    SarBy,
    /// `a && b` of masks.
    MaskAnd,
    /// `a || b` of masks.
    MaskOr,
    /// `a != b` of masks.
    MaskXor,
    /// `!a` of a mask.
    MaskNot,
    /// `if a { b } else { c }`: a mask and two values that are no masks.
    Select,
    /// A signed integer as a float of the same width.
    IntToFloat,
    /// A float as a signed integer of the same width, to nearest even; the least integer where that does not fit.
    FloatToInt,
    /// The same, toward zero.
    FloatToIntTrunc,
    /// 32 bits as 64: a float exactly, an integer with its sign.
    Extend,
    /// A 32-bit integer as 64 bits, zeros in front.
    ExtendUnsigned,
    /// 64 bits as 32: a float rounded, the low bits of an integer.
    Narrow,
    /// The same bits as a float or an integer.
    Bits,
    /// A half float in the low bits of a 32-bit integer as f32.
    HalfToFloat,
    /// An f32 rounded to a half float, in the low bits of a 32-bit integer.
    FloatToHalf,
    /// The entry of a table, by the low four bits of a 32-bit integer.
    Lookup(&'static Table),
}

impl Prim {
    /// The number of arguments.
    pub fn arity(self) -> usize {
        use Prim::*;
        match self {
            Fma | Select => 3,
            Sqrt | Round(_) | Shl(_) | Shr(_) | Sar(_) | MaskNot => 1,
            IntToFloat | FloatToInt | FloatToIntTrunc | Extend | ExtendUnsigned | Narrow | Bits => 1,
            HalfToFloat | FloatToHalf | Lookup(_) => 1,
            _ => 2,
        }
    }

    /// The lane of the result, given that of the last argument.
    pub fn result(self, arg: Lane) -> Lane {
        use Prim::*;
        match (self, arg) {
            (Cmp(_) | IEq | IGt, _) => Lane::Mask,
            (IntToFloat, Lane::I64) | (Extend, Lane::F32) => Lane::F64,
            (IntToFloat | HalfToFloat | Lookup(_), _) | (Narrow, Lane::F64) => Lane::F32,
            (FloatToInt | FloatToIntTrunc, Lane::F64) | (Extend | ExtendUnsigned, _) => Lane::I64,
            (FloatToInt | FloatToIntTrunc | FloatToHalf | Narrow, _) => Lane::I32,
            (Bits, Lane::F32) => Lane::I32,
            (Bits, Lane::I32) => Lane::F32,
            (Bits, Lane::F64) => Lane::I64,
            (Bits, Lane::I64) => Lane::F64,
            (_, lane) => lane,
        }
    }

    /// Whether the arguments may be of these lanes.
    pub fn takes(self, args: &[Lane]) -> bool {
        use Prim::*;
        let all = |ok: fn(Lane) -> bool| args.iter().all(|l| ok(*l)) && args.windows(2).all(|w| w[0] == w[1]);
        let int = |l: Lane| matches!(l, Lane::I32 | Lane::I64);
        args.len() == self.arity()
            && match self {
                Add | Sub | Mul | Div | Sqrt | Fma | Min | Max | Scale | Round(_) | Cmp(_) => all(Lane::is_float),
                FloatToInt | FloatToIntTrunc => all(Lane::is_float),
                IAdd | ISub | IMul | IMin | IMax | IEq | IGt | ShlBy | ShrBy | SarBy | IntToFloat => all(int),
                Shl(by) | Shr(by) | Sar(by) => all(int) && u32::from(by) < args[0].bits(),
                And | Or | Xor | AndNot | Bits => all(|l| l != Lane::Mask),
                MaskAnd | MaskOr | MaskXor | MaskNot => all(|l| l == Lane::Mask),
                Select => args[0] == Lane::Mask && args[1] == args[2] && args[1] != Lane::Mask,
                IMulHigh | ExtendUnsigned | HalfToFloat | Lookup(_) => all(|l| l == Lane::I32),
                FloatToHalf => all(|l| l == Lane::F32),
                Extend => all(|l| l == Lane::F32) || all(|l| l == Lane::I32),
                Narrow => all(|l| l == Lane::F64) || all(|l| l == Lane::I64),
            }
    }

    /// The value of one lane. `lane` is that of the last argument; bits stand low in the `u64`s, a mask is 0 or 1.
    #[inline(always)]
    pub fn eval(self, lane: Lane, args: [u64; 3]) -> u64 {
        match (self, lane) {
            (Self::Select, _) => {
                if args[0] != 0 {
                    args[1]
                } else {
                    args[2]
                }
            }
            (_, Lane::F32) => float32(self, args.map(|a| f32::from_bits(a as u32))),
            (_, Lane::F64) => float64(self, args.map(f64::from_bits)),
            (_, Lane::I32) => int32(self, args.map(|a| a as u32 as i32)),
            (_, Lane::I64) => int64(self, args.map(|a| a as i64)),
            (_, Lane::Mask) => mask(self, args),
        }
    }
}

macro_rules! float {
    ($name:ident, $float:ty, $int:ty, $uint:ty, $other:expr) => {
        #[inline(always)]
        fn $name(prim: Prim, [a, b, c]: [$float; 3]) -> u64 {
            let bits = |x: $float| u64::from(x.to_bits());
            let int = |x: $float| {
                let fits = x >= <$int>::MIN as $float && x < -(<$int>::MIN as $float);
                u64::from((if fits { x as $int } else { <$int>::MIN }) as $uint)
            };
            match prim {
                Prim::Add => bits(a + b),
                Prim::Sub => bits(a - b),
                Prim::Mul => bits(a * b),
                Prim::Div => bits(a / b),
                Prim::Sqrt => bits(a.sqrt()),
                Prim::Fma => bits(a.mul_add(b, c)),
                Prim::Min => bits(if a < b { a } else { b }),
                Prim::Max => bits(if a > b { a } else { b }),
                Prim::Scale => bits(scale(a.into(), b.into()) as $float),
                Prim::Round(Rounding::Even) => bits(a.round_ties_even()),
                Prim::Round(Rounding::Floor) => bits(a.floor()),
                Prim::Round(Rounding::Ceil) => bits(a.ceil()),
                Prim::Round(Rounding::Trunc) => bits(a.trunc()),
                Prim::Cmp(Cmp::Lt) => u64::from(a < b),
                Prim::Cmp(Cmp::Le) => u64::from(a <= b),
                Prim::Cmp(Cmp::Eq) => u64::from(a == b),
                Prim::Cmp(Cmp::Unordered) => u64::from(a.is_nan() || b.is_nan()),
                Prim::FloatToInt => int(a.round_ties_even()),
                Prim::FloatToIntTrunc => int(a),
                Prim::And => u64::from(a.to_bits() & b.to_bits()),
                Prim::Or => u64::from(a.to_bits() | b.to_bits()),
                Prim::Xor => u64::from(a.to_bits() ^ b.to_bits()),
                Prim::AndNot => u64::from(!a.to_bits() & b.to_bits()),
                Prim::Bits => bits(a),
                _ => $other(prim, a),
            }
        }
    };
}

/// `a * 2^b` by two exact factors, but for the last rounding.
#[inline(always)]
fn scale(a: f64, b: f64) -> f64 {
    let half = (b * 0.5).floor();
    a * power(half) * power(b - half)
}

/// 2 to a whole number within ±1000: the sum holds it in its lowest bits, which become the exponent.
#[inline(always)]
fn power(n: f64) -> f64 {
    let bits = (n + 1.5 * (1u64 << 52) as f64).to_bits();
    f64::from_bits(bits.wrapping_add(1023) << 52)
}

float!(float32, f32, i32, u32, |prim, a: f32| match prim {
    Prim::Extend => f64::from(a).to_bits(),
    Prim::FloatToHalf => u64::from(half::f16::from_f32(a).to_bits()),
    _ => 0,
});
float!(float64, f64, i64, u64, |prim, a: f64| match prim {
    Prim::Narrow => u64::from((a as f32).to_bits()),
    _ => 0,
});

macro_rules! int {
    ($name:ident, $int:ty, $uint:ty, $other:expr) => {
        #[inline(always)]
        fn $name(prim: Prim, [a, b, _]: [$int; 3]) -> u64 {
            let bits = |x: $int| u64::from(x as $uint);
            let by = b as $uint;
            let width = <$uint>::BITS as $uint;
            match prim {
                Prim::IAdd => bits(a.wrapping_add(b)),
                Prim::ISub => bits(a.wrapping_sub(b)),
                Prim::IMul => bits(a.wrapping_mul(b)),
                Prim::IMin => bits(a.min(b)),
                Prim::IMax => bits(a.max(b)),
                Prim::IEq => u64::from(a == b),
                Prim::IGt => u64::from(a > b),
                Prim::And => bits(a & b),
                Prim::Or => bits(a | b),
                Prim::Xor => bits(a ^ b),
                Prim::AndNot => bits(!a & b),
                Prim::Shl(n) => bits(a.wrapping_shl(n.into())),
                Prim::Shr(n) => u64::from((a as $uint).wrapping_shr(n.into())),
                Prim::Sar(n) => bits(a.wrapping_shr(n.into())),
                Prim::ShlBy => bits(if by < width { a << by } else { 0 }),
                Prim::ShrBy => u64::from(if by < width { a as $uint >> by } else { 0 }),
                Prim::SarBy => bits(a >> by.min(width - 1)),
                Prim::Bits => bits(a),
                _ => $other(prim, a, b),
            }
        }
    };
}

int!(int32, i32, u32, |prim, a: i32, b: i32| match prim {
    Prim::IMulHigh => (u64::from(a as u32) * u64::from(b as u32)) >> 32,
    Prim::IntToFloat => u64::from((a as f32).to_bits()),
    Prim::Extend => i64::from(a) as u64,
    Prim::ExtendUnsigned => u64::from(a as u32),
    Prim::Lookup(table) => table[a as usize & 15].into(),
    Prim::HalfToFloat => u64::from(half::f16::from_bits(a as u16).to_f32().to_bits()),
    _ => 0,
});
int!(int64, i64, u64, |prim, a: i64, _| match prim {
    Prim::IntToFloat => (a as f64).to_bits(),
    Prim::Narrow => u64::from(a as u32),
    _ => 0,
});

#[inline(always)]
fn mask(prim: Prim, [a, b, _]: [u64; 3]) -> u64 {
    match prim {
        Prim::MaskAnd => a & b,
        Prim::MaskOr => a | b,
        Prim::MaskXor => a ^ b,
        Prim::MaskNot => a ^ 1,
        _ => 0,
    }
}
