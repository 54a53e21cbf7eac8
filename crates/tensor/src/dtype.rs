//! Element types: one table states name, width, kind and ONNX code of each.
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    Text,
}

macro_rules! dtypes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $bits:literal, $kind:ident, $code:literal;)*) => {
        /// The type of a tensor's elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum DType {
            $($(#[$doc])* $variant,)*
        }

        impl DType {
            /// Every dtype, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            const fn row(self) -> (&'static str, usize, Kind, i32) {
                match self {
                    $(Self::$variant => ($name, $bits, Kind::$kind, $code),)*
                }
            }
        }
    };
}

dtypes! {
    /// Truth value, one byte: 0 or 1.
    Bool = "bool", 8, Bool, 9;
    /// Signed, 2 bits.
    I2 = "i2", 2, Signed, 26;
    /// Unsigned, 2 bits.
    U2 = "u2", 2, Unsigned, 25;
    /// Signed, 4 bits.
    I4 = "i4", 4, Signed, 22;
    /// Unsigned, 4 bits.
    U4 = "u4", 4, Unsigned, 21;
    /// Signed, 8 bits.
    I8 = "i8", 8, Signed, 3;
    /// Unsigned, 8 bits.
    U8 = "u8", 8, Unsigned, 2;
    /// Signed, 16 bits.
    I16 = "i16", 16, Signed, 5;
    /// Unsigned, 16 bits.
    U16 = "u16", 16, Unsigned, 4;
    /// Signed, 32 bits.
    I32 = "i32", 32, Signed, 6;
    /// Unsigned, 32 bits.
    U32 = "u32", 32, Unsigned, 12;
    /// Signed, 64 bits.
    I64 = "i64", 64, Signed, 7;
    /// Unsigned, 64 bits.
    U64 = "u64", 64, Unsigned, 13;
    /// IEEE 754 binary16.
    F16 = "f16", 16, Float, 10;
    /// bfloat16: the upper half of an f32.
    BF16 = "bf16", 16, Float, 16;
    /// IEEE 754 binary32.
    F32 = "f32", 32, Float, 1;
    /// IEEE 754 binary64.
    F64 = "f64", 64, Float, 11;
    /// 4 exponent and 3 mantissa bits, no infinity.
    F8E4M3FN = "f8e4m3fn", 8, Float, 17;
    /// 4 exponent and 3 mantissa bits, no infinity, one zero, one NaN.
    F8E4M3FNUZ = "f8e4m3fnuz", 8, Float, 18;
    /// 5 exponent and 2 mantissa bits, as IEEE 754 would have it.
    F8E5M2 = "f8e5m2", 8, Float, 19;
    /// 5 exponent and 2 mantissa bits, no infinity, one zero, one NaN.
    F8E5M2FNUZ = "f8e5m2fnuz", 8, Float, 20;
    /// Powers of two from 2^-127 to 2^127 and NaN: the scales of microscaling formats.
    F8E8M0 = "f8e8m0", 8, Float, 24;
    /// 2 exponent bits and 1 mantissa bit: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
    F4E2M1 = "f4e2m1", 4, Float, 23;
    /// UTF-8 text.
    String = "str", 0, Text, 8;
}

impl DType {
    /// Width of an element in bits; 0 for strings, which have no fixed width.
    #[inline]
    pub const fn bits(self) -> usize {
        self.row().1
    }

    /// The name that text forms and messages use: `f32`, `i4`, `f8e4m3fn`, `bool`, `str`.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The dtype of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.name() == name)
    }

    /// Is it a floating-point type?
    pub const fn is_float(self) -> bool {
        matches!(self.row().2, Kind::Float)
    }

    /// Is it an integer type? `bool` is none.
    pub const fn is_int(self) -> bool {
        matches!(self.row().2, Kind::Signed | Kind::Unsigned)
    }

    /// Can it hold negative numbers? True of signed integers and of every float but `f8e8m0`.
    pub const fn is_signed(self) -> bool {
        match self.row().2 {
            Kind::Signed => true,
            Kind::Float => !matches!(self, Self::F8E8M0),
            _ => false,
        }
    }

    /// Do several elements share a byte? They are packed with the first in the low bits.
    pub const fn is_packed(self) -> bool {
        self.bits() != 0 && self.bits() < 8
    }

    /// The code of ONNX's `TensorProto.DataType`.
    pub const fn onnx_code(self) -> i32 {
        self.row().3
    }

    /// The dtype of a code of ONNX's `TensorProto.DataType`; none for undefined, complex and 6-bit types.
    pub fn from_onnx_code(code: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.onnx_code() == code)
    }

    /// Bytes that `len` elements take, the last byte of packed types rounded up; none when it exceeds `isize`.
    pub fn byte_len(self, len: usize) -> Option<usize> {
        let bytes = (len as u128 * self.bits() as u128).div_ceil(8);
        isize::try_from(bytes).ok().map(isize::unsigned_abs)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_unique_and_read_back() {
        for &t in DType::ALL {
            assert_eq!(DType::parse(t.name()), Some(t));
            assert_eq!(DType::from_onnx_code(t.onnx_code()), Some(t));
        }
        assert_eq!(DType::ALL.len(), 24);
        for code in [-1, 0, 14, 15, 27, 28, 99] {
            assert_eq!(DType::from_onnx_code(code), None);
        }
        assert_eq!(DType::parse("float"), None);
    }

    #[test]
    fn bytes_of_packed_types_round_up_and_overflow_is_seen() {
        assert_eq!(DType::I4.byte_len(3), Some(2));
        assert_eq!(DType::U2.byte_len(5), Some(2));
        assert_eq!(DType::F64.byte_len(0), Some(0));
        assert_eq!(DType::F64.byte_len(usize::MAX), None);
        assert_eq!(DType::U8.byte_len(isize::MAX as usize), Some(isize::MAX as usize));
        assert_eq!(DType::U8.byte_len(isize::MAX as usize + 1), None);
    }
}
