//! Short names of primitives, so that expansions read as formulas.

use crate::block::{Block, Step, Val};
use crate::prim::{Cmp, Lane, Prim, Rounding};

macro_rules! names {
    ($($name:ident ( $($arg:ident),+ ) $prim:expr;)*) => {
        impl Block {$(
            pub(super) fn $name(&mut self, $($arg: Val),+) -> Val {
                self.prim($prim, &[$($arg),+])
            }
        )*}
    };
}
names! {
    add(a, b) Prim::Add;
    sub(a, b) Prim::Sub;
    mul(a, b) Prim::Mul;
    div(a, b) Prim::Div;
    sqrt(a) Prim::Sqrt;
    fma(a, b, c) Prim::Fma;
    least(a, b) Prim::Min;
    most(a, b) Prim::Max;
    scale(a, b) Prim::Scale;
    even(a) Prim::Round(Rounding::Even);
    lt(a, b) Prim::Cmp(Cmp::Lt);
    le(a, b) Prim::Cmp(Cmp::Le);
    eq(a, b) Prim::Cmp(Cmp::Eq);
    unordered(a, b) Prim::Cmp(Cmp::Unordered);
    iadd(a, b) Prim::IAdd;
    isub(a, b) Prim::ISub;
    imul(a, b) Prim::IMul;
    imin(a, b) Prim::IMin;
    imax(a, b) Prim::IMax;
    ieq(a, b) Prim::IEq;
    igt(a, b) Prim::IGt;
    and(a, b) Prim::And;
    or(a, b) Prim::Or;
    xor(a, b) Prim::Xor;
    and_not(a, b) Prim::AndNot;
    not(a) Prim::MaskNot;
    both(a, b) Prim::MaskAnd;
    either(a, b) Prim::MaskOr;
    select(mask, a, b) Prim::Select;
    float_of(a) Prim::IntToFloat;
    extend(a) Prim::Extend;
    extend_unsigned(a) Prim::ExtendUnsigned;
    narrow(a) Prim::Narrow;
    bits(a) Prim::Bits;
}

impl Block {
    pub(super) fn shl(&mut self, a: Val, by: u8) -> Val {
        self.prim(Prim::Shl(by), &[a])
    }

    pub(super) fn shr(&mut self, a: Val, by: u8) -> Val {
        self.prim(Prim::Shr(by), &[a])
    }

    pub(super) fn sar(&mut self, a: Val, by: u8) -> Val {
        self.prim(Prim::Sar(by), &[a])
    }

    /// A float toward zero as an integer; what was just rounded to nearest even is so in the same step.
    pub(super) fn int_of(&mut self, a: Val) -> Val {
        match self.steps()[a.index()].0 {
            Step::Prim(Prim::Round(Rounding::Even), [x, ..]) => self.prim(Prim::FloatToInt, &[x]),
            _ => self.prim(Prim::FloatToIntTrunc, &[a]),
        }
    }

    /// A constant of the lane of `like`.
    pub(super) fn lit(&mut self, like: Val, x: f64) -> Val {
        self.number(self.lane(like), x)
    }

    /// The sign bit of a float or an integer lane.
    pub(super) fn sign_bit(&mut self, lane: Lane) -> Val {
        match lane {
            Lane::I32 => self.i32(i32::MIN),
            Lane::I64 => self.i64(i64::MIN),
            _ => self.number(lane, -0.0),
        }
    }

    /// Float `|a|`.
    pub(super) fn magnitude(&mut self, a: Val) -> Val {
        let sign = self.sign_bit(self.lane(a));
        self.and_not(sign, a)
    }

    /// Float `-a`.
    pub(super) fn negated(&mut self, a: Val) -> Val {
        let sign = self.sign_bit(self.lane(a));
        self.xor(a, sign)
    }

    /// Float `a`, not negative, with the sign of `of`.
    pub(super) fn with_sign(&mut self, a: Val, of: Val) -> Val {
        let sign = self.sign_bit(self.lane(of));
        let sign = self.and(sign, of);
        self.or(a, sign)
    }

    /// Whether an integer is negative.
    pub(super) fn negative(&mut self, a: Val) -> Val {
        let zero = self.lit(a, 0.0);
        self.igt(zero, a)
    }

    /// Whether an integer is zero.
    pub(super) fn is_zero(&mut self, a: Val) -> Val {
        let zero = self.lit(a, 0.0);
        self.ieq(a, zero)
    }

    /// A polynomial by Horner's rule, highest coefficient first.
    pub(super) fn poly(&mut self, x: Val, coefficients: &[f64]) -> Val {
        let mut sum = self.lit(x, coefficients[0]);
        for c in &coefficients[1..] {
            let c = self.lit(x, *c);
            sum = self.fma(sum, x, c);
        }
        sum
    }
}
