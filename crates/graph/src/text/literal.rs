//! Tensors as text, exact to the bit.

use tilewright_scalar::text::{Parser, bits_of, number};
use tilewright_support::Result;
use tilewright_tensor::{DType, Tensor};

/// Constants of at most this many elements are listed.
const LISTED: usize = 16;
/// Elements of a longer constant that the short form shows.
const SHOWN: usize = 4;

/// The elements of a tensor; those of long ones as bytes, or shortened.
pub(super) fn tensor(t: &Tensor, short: bool) -> String {
    if short && t.is_stored() {
        return format!("[{} in the file]", t.len());
    }
    let Ok(t) = &t.fetch() else { return "[not readable]".into() };
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
