//! NumPy's `.npy` files: one array, a short text header before its bytes.
//!
//! Read are versions 1 to 3, both byte orders and both element orders, of the dtypes that numpy has itself: bool,
//! integers of 8 to 64 bits, f16, f32, f64, and strings (`<U`; `S` as UTF-8). Written is version 1, little-endian,
//! row-major.
mod header;
mod strings;
#[cfg(test)]
mod tests;

use crate::{DType, Tensor, TensorMut, element_count};
use bytes::Bytes;
use header::{Descr, Header};
use std::borrow::Cow;
use tilewright_support::{Diagnostic, Result};

/// The array in a file; elements stay a slice of `file` where they are little-endian, row-major and aligned.
///
/// Fails when the file is no `.npy`, is cut off or too long; unsupported are pickled objects, structured, complex and
/// other dtypes that tensors do not have.
pub fn read(file: Bytes) -> Result<Tensor> {
    let (header, start) = header::parse(&file)?;
    let body = file.slice(start..);
    let count = element_count(DType::U8, &header.shape)?;
    let expected = count.checked_mul(header.descr.size());
    if expected != Some(body.len()) {
        let (shape, descr, found) = (&header.shape, &header.descr, body.len());
        let message = format!("an .npy of shape {shape:?} and dtype {descr} does not take the {found} bytes it has");
        return Err(Diagnostic::invalid(message));
    }
    // Elements in Fortran order are those of the reversed shape in C order.
    let mut stored = header.shape.clone();
    if header.fortran_order {
        stored.reverse();
    }
    let tensor = match header.descr {
        Descr::Number { dtype, big_endian: false } => Tensor::from_shared(dtype, &stored, body)?,
        Descr::Number { dtype, big_endian: true } => swapped(dtype, &stored, &body)?,
        Descr::Unicode { chars, big_endian } => strings::read_unicode(&stored, &body, chars, big_endian)?,
        Descr::Bytes { size } => strings::read_bytes(&stored, &body, size)?,
    };
    if !header.fortran_order || stored.len() < 2 {
        return Ok(tensor);
    }
    let reversed: Vec<usize> = (0..stored.len()).rev().collect();
    tensor.view().permute(&reversed)?.to_tensor()
}

fn swapped(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Tensor> {
    let mut tensor = TensorMut::new(dtype, shape)?;
    let size = dtype.bits() / 8;
    for (to, from) in tensor.bytes_mut().chunks_exact_mut(size).zip(bytes.chunks_exact(size)) {
        to.copy_from_slice(from);
        to.reverse();
    }
    Ok(tensor.finish())
}

/// The file of a tensor. Unsupported are dtypes that numpy does not have; strings that end in NUL, which numpy would
/// drop; and strings of very uneven lengths, since numpy gives each the room of the longest.
pub fn write(tensor: &Tensor) -> Result<Vec<u8>> {
    let (descr, body) = match tensor.strings() {
        Some(strings) => strings::write_unicode(strings).map(|(descr, cells)| (descr, Cow::Owned(cells)))?,
        None => (header::descr_of(tensor.dtype())?, Cow::Borrowed(tensor.bytes())),
    };
    let mut file = Header::write(&descr, tensor.shape())?;
    file.extend_from_slice(&body);
    Ok(file)
}
