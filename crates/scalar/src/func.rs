//! The closed list of scalar functions: meaning, dtype rule and derivative, each written once.
//!
//! Meanings are over *lanes*: every float dtype is computed in `f64` and rounded to its dtype after
//! each function; every integer dtype, bool and string (as an id) is an `i64`, wrapped to its width
//! after each function, with `u64` held as its bits. So f32 results are within half an ulp of the
//! real function's value for all functions whose f64 form is (almost) exact.
//!
//! NaN: arithmetic and `min`/`max` propagate it; comparisons with it are false, `ne` is true.
//! Integers: arithmetic wraps; division truncates toward zero; division by zero gives zero, and
//! the smallest integer divided by -1 wraps to itself.

use crate::expr::Scalar;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::{DType, convert};

/// What a float-to-float conversion does with finite values beyond the target's range, and how
/// `f8e8m0` rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Overflow {
    /// To the largest finite value, for float8 and float4 dtypes (ONNX `saturate = 1`).
    Saturate,
    /// To infinity, or NaN where the dtype has no infinity (ONNX `saturate = 0`).
    Special,
}

/// Which argument dtypes a function takes and what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Numbers of one dtype, giving that dtype.
    Num,
    /// Floats of one dtype, giving that dtype.
    Float,
    /// Integers or bools of one dtype, giving that dtype.
    Bits,
    /// Two values of one dtype, giving bool.
    Compare,
    /// A float, giving bool.
    Test,
    /// A bool and two values of one dtype, giving that dtype.
    Select,
    /// Two i64 (key and counter), giving u32.
    Random,
    /// Any numeric dtype, giving the function's own.
    Convert,
}

/// A row of the list.
pub struct Row {
    /// The function.
    pub func: Func,
    /// Its name in printed expressions.
    pub name: &'static str,
    /// Its dtypes.
    pub rule: Rule,
    /// Number of arguments.
    pub arity: usize,
    /// What it computes.
    pub doc: &'static str,
}

/// The values of one expression over a strip of points.
#[derive(Clone, Debug, PartialEq)]
pub enum Lanes {
    /// Of a float dtype.
    F(Vec<f64>),
    /// Of an integer dtype, bool, or string ids.
    I(Vec<i64>),
}

impl Lanes {
    /// `n` zero lanes for values of `dtype`.
    pub fn zeros(dtype: DType, n: usize) -> Self {
        if dtype.is_float() { Self::F(vec![0.0; n]) } else { Self::I(vec![0; n]) }
    }

    /// The float lanes; empty if these are integers.
    pub fn f(&self) -> &[f64] {
        match self {
            Self::F(v) => v,
            Self::I(_) => &[],
        }
    }

    /// The integer lanes; empty if these are floats.
    pub fn i(&self) -> &[i64] {
        match self {
            Self::I(v) => v,
            Self::F(_) => &[],
        }
    }
}

/// Runs `$body` for every lane, with each argument name bound to that lane's value.
macro_rules! each_lane {
    ($args:ident, $out:ident, ($($x:ident),+), $body:expr) => {{
        let mut rest = $args.iter();
        $(let $x = rest.next().copied().unwrap_or_default();)+
        for n in 0..$out.len() {
            $(let $x = $x[n];)+
            $out[n] = $body;
        }
    }};
}

/// The number of names in a list.
macro_rules! count {
    ($($x:ident),+) => { [$(stringify!($x)),+].len() };
}

macro_rules! scalars {
    ($( $(#[doc = $doc:literal])+ $Name:ident $text:literal $args:tt $rule:ident
        $(f $f:block)? $(p $p:block)? $(i($it:ident) $i:block)? $(q($qt:ident) $q:block)?
        d($dx:pat, $dy:pat) $d:block )*) => {
        /// A scalar function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Func {
            $( $(#[doc = $doc])+ $Name, )*
            /// Element chosen by a bool; both sides are evaluated.
            Select,
            /// 32 random bits of a key and a counter (Philox 4x32-10, first word).
            Philox,
            /// Conversion to a dtype, as ONNX `Cast`.
            Cast(DType, Overflow),
            /// The same bits read as another dtype of equal width.
            Bitcast(DType),
        }

        /// The list, without the two conversions, which are families over dtypes.
        pub const TABLE: &[Row] = &[
            $( Row {
                func: Func::$Name, name: $text, rule: Rule::$rule,
                arity: count!$args, doc: concat!($($doc),+),
            }, )*
            Row { func: Func::Select, name: "select", rule: Rule::Select, arity: 3,
                doc: "Element chosen by a bool; both sides are evaluated." },
            Row { func: Func::Philox, name: "philox", rule: Rule::Random, arity: 2,
                doc: "32 random bits of a key and a counter (Philox 4x32-10, first word)." },
        ];

        impl Func {
            fn float_to_float(self, args: &[&[f64]], out: &mut [f64]) {
                match self {
                    $($( Self::$Name => each_lane!(args, out, $args, $f), )?)*
                    _ => out.fill(f64::NAN),
                }
            }

            fn float_to_bool(self, args: &[&[f64]], out: &mut [i64]) {
                match self {
                    $($( Self::$Name => each_lane!(args, out, $args, $p as i64), )?)*
                    _ => out.fill(0),
                }
            }

            fn int_to_int(self, dtype: DType, args: &[&[i64]], out: &mut [i64]) {
                match self {
                    $($( Self::$Name => { let $it = dtype; let _ = $it; each_lane!(args, out, $args, $i) } )?)*
                    _ => out.fill(0),
                }
            }

            fn int_to_bool(self, dtype: DType, args: &[&[i64]], out: &mut [i64]) {
                match self {
                    $($( Self::$Name => { let $qt = dtype; let _ = $qt; each_lane!(args, out, $args, $q as i64) } )?)*
                    _ => out.fill(0),
                }
            }

            /// The partial derivative by each argument, from the arguments and the result; `None`
            /// is zero (almost) everywhere.
            pub fn partials(self, x: &[Scalar], y: &Scalar) -> Vec<Option<Scalar>> {
                match self {
                    $( Self::$Name => { let ($dx, $dy) = (x, y); $d } )*
                    Self::Select => {
                        let (one, zero) = (y.lit(1.0), y.lit(0.0));
                        vec![None, Some(x[0].select(&one, &zero)), Some(x[0].select(&zero, &one))]
                    }
                    Self::Cast(to, _) if to.is_float() && x[0].dtype().is_float() => vec![Some(y.lit(1.0))],
                    Self::Cast(..) | Self::Bitcast(_) | Self::Philox => vec![None; x.len()],
                }
            }
        }
    };
}

/// Whether integers of this dtype compare and divide unsigned in 64 bits.
fn wide_unsigned(t: DType) -> bool {
    t == DType::U64
}

fn truncated_div(t: DType, a: i64, b: i64) -> i64 {
    match (b, wide_unsigned(t)) {
        (0, _) => 0,
        (_, true) => (a as u64 / b as u64) as i64,
        _ => a.wrapping_div(b),
    }
}

fn truncated_rem(t: DType, a: i64, b: i64) -> i64 {
    match (b, wide_unsigned(t)) {
        (0, _) => 0,
        (_, true) => (a as u64 % b as u64) as i64,
        _ => a.wrapping_rem(b),
    }
}

fn floored_mod(t: DType, a: i64, b: i64) -> i64 {
    let r = truncated_rem(t, a, b);
    if r != 0 && !wide_unsigned(t) && (r < 0) != (b < 0) { r.wrapping_add(b) } else { r }
}

fn floored_fmod(a: f64, b: f64) -> f64 {
    let r = libm::fmod(a, b);
    if r == 0.0 {
        return libm::copysign(0.0, b);
    }
    if (r < 0.0) != (b < 0.0) { r + b } else { r }
}

fn int_pow(t: DType, base: i64, exponent: i64) -> i64 {
    if exponent < 0 && !wide_unsigned(t) {
        return match base {
            1 => 1,
            -1 => 1 - 2 * (exponent & 1),
            _ => 0,
        };
    }
    let (mut result, mut square, mut left) = (1i64, base, exponent as u64);
    while left > 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        left >>= 1;
    }
    result
}

fn less(t: DType, a: i64, b: i64) -> bool {
    if wide_unsigned(t) { (a as u64) < b as u64 } else { a < b }
}

fn shift_left(t: DType, a: i64, by: i64) -> i64 {
    if (0..t.bits() as i64).contains(&by) { a.wrapping_shl(by as u32) } else { 0 }
}

fn shift_right(t: DType, a: i64, by: i64) -> i64 {
    match (0..t.bits() as i64).contains(&by) {
        true if wide_unsigned(t) => ((a as u64) >> by) as i64,
        true => a >> by,
        false => -i64::from(a < 0 && t.is_signed()),
    }
}

fn float_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a > b {
        a
    } else {
        b
    }
}

fn float_min(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a < b {
        a
    } else {
        b
    }
}

fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

/// 1 where `first` wins, 1/2 on a tie, 0 where it loses: the even split of `min` and `max`.
fn share(wins: Scalar, ties: Scalar, like: &Scalar) -> Option<Scalar> {
    let on_tie = ties.select(&like.lit(0.5), &like.lit(0.0));
    Some(wins.select(&like.lit(1.0), &on_tie))
}

fn none(x: &[Scalar]) -> Vec<Option<Scalar>> {
    vec![None; x.len()]
}

scalars! {
    /// Sum.
    Add "add" (a, b) Num f { a + b } i(t) { a.wrapping_add(b) }
        d(_, y) { vec![Some(y.lit(1.0)), Some(y.lit(1.0))] }
    /// Difference.
    Sub "sub" (a, b) Num f { a - b } i(t) { a.wrapping_sub(b) }
        d(_, y) { vec![Some(y.lit(1.0)), Some(y.lit(-1.0))] }
    /// Product.
    Mul "mul" (a, b) Num f { a * b } i(t) { a.wrapping_mul(b) }
        d(x, _) { vec![Some(x[1].clone()), Some(x[0].clone())] }
    /// Quotient; integers truncate toward zero.
    Div "div" (a, b) Num f { a / b } i(t) { truncated_div(t, a, b) }
        d(x, y) { vec![Some(y.lit(1.0) / x[1].clone()), Some(-(y.clone() / x[1].clone()))] }
    /// Remainder with the divisor's sign.
    Mod "modulo" (a, b) Num f { floored_fmod(a, b) } i(t) { floored_mod(t, a, b) }
        d(x, y) { vec![Some(y.lit(1.0)), Some(-(x[0].clone() / x[1].clone()).floor())] }
    /// Remainder with the dividend's sign.
    Rem "rem" (a, b) Num f { libm::fmod(a, b) } i(t) { truncated_rem(t, a, b) }
        d(x, y) { vec![Some(y.lit(1.0)), Some(-Scalar::call(Func::Trunc, vec![x[0].clone() / x[1].clone()]))] }
    /// Power.
    Pow "pow" (a, b) Num f { libm::pow(a, b) } i(t) { int_pow(t, a, b) }
        d(x, y) {
            let by_base = x[1].clone() * x[0].pow(&(x[1].clone() - 1.0));
            vec![Some(by_base), Some(y.clone() * x[0].ln())]
        }
    /// The smaller; NaN if either is.
    Min "min" (a, b) Num f { float_min(a, b) } i(t) { if less(t, b, a) { b } else { a } }
        d(x, y) { vec![share(x[0].lt(&x[1]), x[0].equals(&x[1]), y), share(x[1].lt(&x[0]), x[0].equals(&x[1]), y)] }
    /// The larger; NaN if either is.
    Max "max" (a, b) Num f { float_max(a, b) } i(t) { if less(t, a, b) { b } else { a } }
        d(x, y) { vec![share(x[0].gt(&x[1]), x[0].equals(&x[1]), y), share(x[1].gt(&x[0]), x[0].equals(&x[1]), y)] }
    /// Negation.
    Neg "neg" (a) Num f { -a } i(t) { a.wrapping_neg() }
        d(_, y) { vec![Some(y.lit(-1.0))] }
    /// Absolute value.
    Abs "abs" (a) Num f { a.abs() } i(t) { if wide_unsigned(t) { a } else { a.wrapping_abs() } }
        d(x, _) { vec![Some(Scalar::call(Func::Sign, vec![x[0].clone()]))] }
    /// -1, 0 or 1; NaN for NaN.
    Sign "sign" (a) Num f { if a == 0.0 || a.is_nan() { a } else { libm::copysign(1.0, a) } }
        i(t) { if wide_unsigned(t) { (a != 0) as i64 } else { a.signum() } }
        d(x, _) { none(x) }
    /// Rounds down.
    Floor "floor" (a) Float f { a.floor() } d(x, _) { none(x) }
    /// Rounds up.
    Ceil "ceil" (a) Float f { a.ceil() } d(x, _) { none(x) }
    /// Rounds toward zero.
    Trunc "trunc" (a) Float f { a.trunc() } d(x, _) { none(x) }
    /// Rounds to the nearest integer, ties to even.
    RoundEven "round_even" (a) Float f { a.round_ties_even() } d(x, _) { none(x) }
    /// Square root.
    Sqrt "sqrt" (a) Float f { a.sqrt() }
        d(_, y) { vec![Some(y.lit(0.5) / y.clone())] }
    /// Natural exponential.
    Exp "exp" (a) Float f { libm::exp(a) } d(_, y) { vec![Some(y.clone())] }
    /// `exp(a) - 1`, accurate near zero.
    Expm1 "expm1" (a) Float f { libm::expm1(a) } d(_, y) { vec![Some(y.clone() + 1.0)] }
    /// Natural logarithm.
    Log "log" (a) Float f { libm::log(a) } d(x, y) { vec![Some(y.lit(1.0) / x[0].clone())] }
    /// `log(1 + a)`, accurate near zero.
    Log1p "log1p" (a) Float f { libm::log1p(a) } d(x, y) { vec![Some(y.lit(1.0) / (x[0].clone() + 1.0))] }
    /// Sine.
    Sin "sin" (a) Float f { libm::sin(a) }
        d(x, _) { vec![Some(Scalar::call(Func::Cos, x.to_vec()))] }
    /// Cosine.
    Cos "cos" (a) Float f { libm::cos(a) }
        d(x, _) { vec![Some(-Scalar::call(Func::Sin, x.to_vec()))] }
    /// Tangent.
    Tan "tan" (a) Float f { libm::tan(a) } d(_, y) { vec![Some(y.clone() * y.clone() + 1.0)] }
    /// Inverse sine.
    Asin "asin" (a) Float f { libm::asin(a) }
        d(x, y) { vec![Some(y.lit(1.0) / (y.lit(1.0) - x[0].clone() * x[0].clone()).sqrt())] }
    /// Inverse cosine.
    Acos "acos" (a) Float f { libm::acos(a) }
        d(x, y) { vec![Some(y.lit(-1.0) / (y.lit(1.0) - x[0].clone() * x[0].clone()).sqrt())] }
    /// Inverse tangent.
    Atan "atan" (a) Float f { libm::atan(a) }
        d(x, y) { vec![Some(y.lit(1.0) / (x[0].clone() * x[0].clone() + 1.0))] }
    /// Hyperbolic sine.
    Sinh "sinh" (a) Float f { libm::sinh(a) }
        d(x, _) { vec![Some(Scalar::call(Func::Cosh, x.to_vec()))] }
    /// Hyperbolic cosine.
    Cosh "cosh" (a) Float f { libm::cosh(a) }
        d(x, _) { vec![Some(Scalar::call(Func::Sinh, x.to_vec()))] }
    /// Hyperbolic tangent.
    Tanh "tanh" (a) Float f { libm::tanh(a) }
        d(_, y) { vec![Some(y.lit(1.0) - y.clone() * y.clone())] }
    /// Inverse hyperbolic sine.
    Asinh "asinh" (a) Float f { libm::asinh(a) }
        d(x, y) { vec![Some(y.lit(1.0) / (x[0].clone() * x[0].clone() + 1.0).sqrt())] }
    /// Inverse hyperbolic cosine.
    Acosh "acosh" (a) Float f { if a < 1.0 { f64::NAN } else { libm::acosh(a) } }
        d(x, y) { vec![Some(y.lit(1.0) / (x[0].clone() * x[0].clone() - 1.0).sqrt())] }
    /// Inverse hyperbolic tangent.
    Atanh "atanh" (a) Float f { libm::atanh(a) }
        d(x, y) { vec![Some(y.lit(1.0) / (y.lit(1.0) - x[0].clone() * x[0].clone()))] }
    /// Error function.
    Erf "erf" (a) Float f { libm::erf(a) }
        d(x, y) { vec![Some((-(x[0].clone() * x[0].clone())).exp() * y.lit(std::f64::consts::FRAC_2_SQRT_PI))] }
    /// Logistic function `1 / (1 + exp(-a))`.
    Sigmoid "sigmoid" (a) Float f { sigmoid(a) }
        d(_, y) { vec![Some(y.clone() * (y.lit(1.0) - y.clone()))] }
    /// Logical and bitwise and.
    And "and" (a, b) Bits i(t) { a & b } d(x, _) { none(x) }
    /// Logical and bitwise or.
    Or "or" (a, b) Bits i(t) { a | b } d(x, _) { none(x) }
    /// Logical and bitwise exclusive or.
    Xor "xor" (a, b) Bits i(t) { a ^ b } d(x, _) { none(x) }
    /// Logical and bitwise not.
    Not "not" (a) Bits i(t) { if t == DType::Bool { 1 - a } else { !a } } d(x, _) { none(x) }
    /// Shift to higher bits; zero from the width on.
    Shl "shl" (a, b) Bits i(t) { shift_left(t, a, b) } d(x, _) { none(x) }
    /// Shift to lower bits, arithmetic for signed dtypes; nothing but sign bits from the width on.
    Shr "shr" (a, b) Bits i(t) { shift_right(t, a, b) } d(x, _) { none(x) }
    /// `a < b`.
    Lt "lt" (a, b) Compare p { a < b } q(t) { less(t, a, b) } d(x, _) { none(x) }
    /// `a <= b`.
    Le "le" (a, b) Compare p { a <= b } q(t) { !less(t, b, a) } d(x, _) { none(x) }
    /// `a > b`.
    Gt "gt" (a, b) Compare p { a > b } q(t) { less(t, b, a) } d(x, _) { none(x) }
    /// `a >= b`.
    Ge "ge" (a, b) Compare p { a >= b } q(t) { !less(t, a, b) } d(x, _) { none(x) }
    /// `a == b`.
    Eq "eq" (a, b) Compare p { a == b } q(t) { a == b } d(x, _) { none(x) }
    /// `a != b`.
    Ne "ne" (a, b) Compare p { a != b } q(t) { a != b } d(x, _) { none(x) }
    /// Whether the value is NaN.
    IsNan "is_nan" (a) Test p { a.is_nan() } d(x, _) { none(x) }
    /// Whether the value is infinite.
    IsInf "is_inf" (a) Test p { a.is_infinite() } d(x, _) { none(x) }
}

impl Func {
    /// The row of the list; conversions have none.
    pub fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|r| r.func == self)
    }

    /// The function called `name`, conversions excepted.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|r| r.name == name).map(|r| r.func)
    }

    /// The name in printed expressions; conversions also print their dtype.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cast(_, Overflow::Saturate) => "cast",
            Self::Cast(_, Overflow::Special) => "cast_special",
            Self::Bitcast(_) => "bitcast",
            _ => self.row().map_or("?", |r| r.name),
        }
    }

    /// The dtype rule.
    pub fn rule(self) -> Rule {
        self.row().map_or(Rule::Convert, |r| r.rule)
    }

    /// The dtype of the result.
    pub fn result(self, args: &[Scalar]) -> DType {
        match (self, self.rule()) {
            (Self::Cast(to, _) | Self::Bitcast(to), _) => to,
            (_, Rule::Compare | Rule::Test) => DType::Bool,
            (_, Rule::Random) => DType::U32,
            (_, Rule::Select) => args.get(1).map_or(DType::Bool, Scalar::dtype),
            _ => args.first().map_or(DType::Bool, Scalar::dtype),
        }
    }

    /// Checks the number and dtypes of arguments.
    pub fn check(self, args: &[Scalar]) -> Result<()> {
        let dtypes: Vec<DType> = args.iter().map(Scalar::dtype).collect();
        let arity = self.row().map_or(1, |r| r.arity);
        let same = |from: usize| dtypes[from..].windows(2).all(|w| w[0] == w[1]);
        let number = |d: DType| d.is_float() || d.is_int();
        let fits = dtypes.len() == arity
            && match self.rule() {
                Rule::Num => same(0) && number(dtypes[0]),
                Rule::Float => same(0) && dtypes[0].is_float(),
                Rule::Bits => same(0) && !dtypes[0].is_float() && dtypes[0] != DType::String,
                Rule::Compare => same(0),
                Rule::Test => dtypes[0].is_float(),
                Rule::Select => dtypes[0] == DType::Bool && same(1),
                Rule::Random => dtypes.iter().all(|d| *d == DType::I64),
                Rule::Convert => match self {
                    Self::Bitcast(to) => to.bits() == dtypes[0].bits() && dtypes[0] != DType::String,
                    Self::Cast(to, _) => (to == DType::String) == (dtypes[0] == DType::String),
                    _ => true,
                },
            };
        if fits {
            return Ok(());
        }
        let found: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
        Err(Diagnostic::dtype(format!("{} does not take ({})", self.name(), found.join(", "))))
    }

    /// Evaluates over lanes. `dtypes` and `args` are those of the arguments, all of one length `n`;
    /// the result is of dtype `to`.
    pub fn eval(self, to: DType, dtypes: &[DType], args: &[&Lanes], n: usize) -> Lanes {
        let floats: Vec<&[f64]> = args.iter().map(|l| l.f()).collect();
        let ints: Vec<&[i64]> = args.iter().map(|l| l.i()).collect();
        let from = dtypes[0];
        let mut out = Lanes::zeros(to, n);
        match (self, &mut out) {
            (Self::Select, _) => return select(ints[0], args[1], args[2]),
            (Self::Philox, Lanes::I(out)) => each_lane!(ints, out, (key, at), philox(key as u64, at as u64) as i64),
            (Self::Cast(..) | Self::Bitcast(_), _) => return self.convert(from, to, args[0]),
            (_, Lanes::F(out)) => {
                self.float_to_float(&floats, out);
                convert::round_slice(to, out, false);
            }
            (_, Lanes::I(out)) if from.is_float() => self.float_to_bool(&floats, out),
            (_, Lanes::I(out)) if self.rule() == Rule::Compare => self.int_to_bool(from, &ints, out),
            (_, Lanes::I(out)) => {
                self.int_to_int(from, &ints, out);
                convert::wrap_slice(to, out);
            }
        }
        out
    }

    fn convert(self, from: DType, to: DType, arg: &Lanes) -> Lanes {
        if let Self::Bitcast(_) = self {
            let bits: Vec<u64> = match arg {
                Lanes::F(v) => v.iter().map(|x| convert::encode_f64(from, *x, false)).collect(),
                Lanes::I(v) => v.iter().map(|x| *x as u64).collect(),
            };
            return if to.is_float() {
                let width = to.bits();
                let keep = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
                Lanes::F(bits.iter().map(|b| convert::decode_f64(to, b & keep)).collect())
            } else {
                Lanes::I(bits.iter().map(|b| convert::wrap_to(to, *b as i64)).collect())
            };
        }
        let saturate = self == Self::Cast(to, Overflow::Saturate);
        match arg {
            Lanes::F(v) if to.is_float() => Lanes::F(v.iter().map(|x| convert::round_to(to, *x, saturate)).collect()),
            Lanes::F(v) => Lanes::I(v.iter().map(|x| convert::float_to_int(to, *x)).collect()),
            Lanes::I(v) if to.is_float() => {
                Lanes::F(v.iter().map(|x| convert::round_to(to, widen(from, to, *x), saturate)).collect())
            }
            Lanes::I(v) => {
                let mut v = v.clone();
                convert::wrap_slice(to, &mut v);
                Lanes::I(v)
            }
        }
    }
}

/// An integer lane as a float that rounds right to `to`.
fn widen(from: DType, to: DType, x: i64) -> f64 {
    if wide_unsigned(from) { convert::odd_unless_f64(to, x as u64) } else { convert::int_to_float(to, x) }
}

fn select(condition: &[i64], then: &Lanes, otherwise: &Lanes) -> Lanes {
    fn pick<T: Copy>(condition: &[i64], then: &[T], otherwise: &[T]) -> Vec<T> {
        condition.iter().zip(then.iter().zip(otherwise)).map(|(c, (t, e))| if *c != 0 { *t } else { *e }).collect()
    }
    match (then, otherwise) {
        (Lanes::F(t), Lanes::F(e)) => Lanes::F(pick(condition, t, e)),
        _ => Lanes::I(pick(condition, then.i(), otherwise.i())),
    }
}

/// First word of Philox 4x32-10 (Salmon et al. 2011) for a 64-bit key and counter.
pub fn philox(key: u64, counter: u64) -> u32 {
    let (mut k0, mut k1) = (key as u32, (key >> 32) as u32);
    let mut x = [counter as u32, (counter >> 32) as u32, 0, 0];
    for _ in 0..10 {
        let a = 0xD251_1F53u64 * x[0] as u64;
        let b = 0xCD9E_8D57u64 * x[2] as u64;
        x = [(b >> 32) as u32 ^ x[1] ^ k0, b as u32, (a >> 32) as u32 ^ x[3] ^ k1, a as u32];
        k0 = k0.wrapping_add(0x9E37_79B9);
        k1 = k1.wrapping_add(0xBB67_AE85);
    }
    x[0]
}
