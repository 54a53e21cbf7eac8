//! Strings in `.npy`: cells of one width, filled up with NULs.
use crate::Tensor;
use tilewright_support::{Diagnostic, Result};

/// Cells of `chars` code points of four bytes. Fails when one is no Unicode scalar value.
pub(super) fn read_unicode(shape: &[usize], bytes: &[u8], chars: usize, big_endian: bool) -> Result<Tensor> {
    let strings: Result<Vec<String>> = bytes.chunks_exact(chars * 4).map(|cell| decode(cell, big_endian)).collect();
    Tensor::from_strings(shape, strings?)
}

fn decode(cell: &[u8], big_endian: bool) -> Result<String> {
    let points =
        cell.as_chunks().0.iter().map(|&b| if big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) });
    let text: Option<String> = points.map(char::from_u32).collect();
    let mut text = text.ok_or_else(|| Diagnostic::invalid("a string of an .npy holds what is no Unicode character"))?;
    text.truncate(text.trim_end_matches('\0').len());
    Ok(text)
}

/// Cells of `size` bytes. Fails when one is not UTF-8.
pub(super) fn read_bytes(shape: &[usize], bytes: &[u8], size: usize) -> Result<Tensor> {
    let text = |cell: &[u8]| match std::str::from_utf8(cell) {
        Ok(text) => Ok(text.trim_end_matches('\0').to_owned()),
        Err(_) => Err(Diagnostic::invalid("a byte string of an .npy is not UTF-8")),
    };
    Tensor::from_strings(shape, bytes.chunks_exact(size).map(text).collect::<Result<Vec<_>>>()?)
}

/// numpy's dtype of the strings, and their cells.
pub(super) fn write_unicode(strings: &[String]) -> Result<(String, Vec<u8>)> {
    if strings.iter().any(|s| s.ends_with('\0')) {
        return Err(Diagnostic::unsupported("strings that end in NUL in an .npy").help("write an ONNX .pb instead"));
    }
    let chars = strings.iter().map(|s| s.chars().count()).max().unwrap_or(0).max(1);
    let total: usize = strings.iter().map(|s| s.len()).sum();
    let cells = chars.saturating_mul(4).saturating_mul(strings.len());
    if cells > (total.saturating_mul(64)).max(64 << 20) {
        let message = format!("strings of up to {chars} characters take {cells} bytes in an .npy");
        return Err(Diagnostic::unsupported(message).help("write an ONNX .pb instead"));
    }
    let mut bytes = Vec::with_capacity(cells);
    for string in strings {
        let end = bytes.len() + chars * 4;
        string.chars().for_each(|c| bytes.extend_from_slice(&u32::from(c).to_le_bytes()));
        bytes.resize(end, 0);
    }
    Ok((format!("<U{chars}"), bytes))
}
