//! Numbers and tensors as text, exact to the bit.

use super::reader::Parser;
use tilewright_support::Result;
use tilewright_tensor::{DType, Tensor, convert};

/// Constants of at most this many elements are listed.
const LISTED: usize = 16;
/// Elements of a longer constant that the short form shows.
const SHOWN: usize = 4;

/// The bits of a lane ([`crate::scalar::Kind::Const`]) that a number stands for.
pub(super) fn bits_of(dtype: DType, text: &str) -> Option<u64> {
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
pub(super) fn number(dtype: DType, bits: u64) -> String {
    match dtype {
        DType::Bool => (bits != 0).to_string(),
        DType::U64 => bits.to_string(),
        DType::F64 => format!("{:?}", f64::from_bits(bits)),
        _ if dtype.is_float() => format!("{:?}", f64::from_bits(bits) as f32),
        _ => (bits as i64).to_string(),
    }
}

/// A literal of an expression.
pub(super) fn literal(dtype: DType, bits: u64) -> String {
    if dtype == DType::String && bits == 0 {
        return "\"\"".into();
    }
    let text = number(dtype, bits);
    if bits_of(dtype, &text) != Some(bits) {
        return format!("0x{bits:x}:{dtype}");
    }
    if dtype == DType::Bool { text } else { format!("{text}:{dtype}") }
}

/// The elements of a tensor; those of long ones as bytes, or shortened.
pub(super) fn tensor(t: &Tensor, short: bool) -> String {
    let list = |n: usize| (0..n).map(|i| element(t, i)).collect::<Vec<_>>().join(", ");
    if short && t.len() > LISTED {
        return format!("[{}, ... {} more]", list(SHOWN), t.len() - SHOWN);
    }
    let lanes = || (0..t.len()).map(|i| bits_of(t.dtype(), &element(t, i))).collect::<Option<Vec<_>>>();
    let exact = || lanes().and_then(|l| from_lanes(t.dtype(), t.shape(), &l).ok()).is_some_and(|read| read == *t);
    if t.dtype() == DType::String || (t.len() <= LISTED && exact()) {
        return format!("[{}]", list(t.len()));
    }
    let mut out = String::with_capacity(2 + 2 * t.bytes().len());
    out.push_str("0x");
    let digit = |d: u8| char::from(b"0123456789abcdef"[usize::from(d)]);
    t.bytes().iter().for_each(|b| out.extend([digit(b >> 4), digit(b & 15)]));
    out
}

fn element(t: &Tensor, i: usize) -> String {
    match t.strings() {
        Some(strings) => format!("{:?}", strings[i]),
        None if t.dtype().is_float() => number(t.dtype(), t.get_f64(i).to_bits()),
        None => number(t.dtype(), t.get_i64(i) as u64),
    }
}

fn from_lanes(dtype: DType, shape: &[usize], lanes: &[u64]) -> Result<Tensor> {
    if dtype.is_float() {
        return Tensor::from_f64(dtype, shape, &lanes.iter().map(|b| f64::from_bits(*b)).collect::<Vec<_>>());
    }
    Tensor::from_i64(dtype, shape, &lanes.iter().map(|b| *b as i64).collect::<Vec<_>>())
}

/// Reads what [`tensor`] prints.
pub(super) fn parse_tensor(p: &mut Parser<'_>, dtype: DType, shape: &[usize]) -> Result<Tensor> {
    let start = p.start();
    let read = if let Some(digits) = p.eat_hex()? {
        let pairs = digits.as_bytes().chunks(2).map(|d| std::str::from_utf8(d).ok().filter(|d| d.len() == 2));
        let bytes = pairs.map(|d| d.and_then(|d| u8::from_str_radix(d, 16).ok())).collect::<Option<Vec<u8>>>();
        Tensor::from_bytes(dtype, shape, &bytes.ok_or_else(|| p.error(start, "bytes have two digits each"))?)
    } else if dtype == DType::String {
        p.expect("[")?;
        Tensor::from_strings(shape, p.list("]", &mut |p| p.text())?)
    } else {
        p.expect("[")?;
        from_lanes(dtype, shape, &p.list("]", &mut |p| p.number(dtype))?)
    };
    read.map_err(|e| p.error(start, &e.message))
}
