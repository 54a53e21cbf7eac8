//! Numbers as text, exact to the bit.

use tilewright_tensor::{DType, convert};

/// The bits of a lane ([`crate::Kind::Const`]) that a number stands for.
pub fn bits_of(dtype: DType, text: &str) -> Option<u64> {
    if dtype.is_float() {
        let value = if dtype == DType::F64 { text.parse().ok()? } else { f64::from(text.parse::<f32>().ok()?) };
        return Some(convert::round_to(dtype, value, false).to_bits());
    }
    match (dtype, text) {
        (DType::Bool, "true") => Some(1),
        (DType::Bool, "false") => Some(0),
        (DType::Bool | DType::String, _) => None,
        _ => {
            let value: i128 = text.parse().ok()?;
            let lane = convert::wrap_to(dtype, value as i64);
            let read = if dtype == DType::U64 { i128::from(lane as u64) } else { i128::from(lane) };
            (read == value).then_some(lane as u64)
        }
    }
}

/// The shortest number that stands for a lane's bits, if they are a value of the dtype.
pub fn number(dtype: DType, bits: u64) -> String {
    match dtype {
        DType::Bool => (bits != 0).to_string(),
        DType::U64 => bits.to_string(),
        DType::F64 => format!("{:?}", f64::from_bits(bits)),
        _ if dtype.is_float() => format!("{:?}", f64::from_bits(bits) as f32),
        _ => (bits as i64).to_string(),
    }
}

/// A literal of an expression.
pub fn literal(dtype: DType, bits: u64) -> String {
    if dtype == DType::String && bits == 0 {
        return "\"\"".into();
    }
    let text = number(dtype, bits);
    if bits_of(dtype, &text) != Some(bits) {
        return format!("0x{bits:x}:{dtype}");
    }
    if dtype == DType::Bool { text } else { format!("{text}:{dtype}") }
}
