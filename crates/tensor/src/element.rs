//! Rust types that are elements of a dtype.
use crate::DType;
use half::{bf16, f16};

/// A Rust type whose values lie in a tensor's bytes as they are.
pub trait Element: bytemuck::NoUninit + bytemuck::CheckedBitPattern + Send + Sync {
    /// The dtype of such elements.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($rust:ty => $variant:ident),*) => {
        $(impl Element for $rust { const DTYPE: DType = DType::$variant; })*
    };
}

elements! {
    bool => Bool, i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f16 => F16, bf16 => BF16, f32 => F32, f64 => F64
}

/// Alignment in bytes that the elements of `dtype` need to be used in place.
pub(crate) fn alignment(dtype: DType) -> usize {
    (dtype.bits() / 8).max(1)
}
