//! What differs, bit for bit, between two results of a kernel.

use tilewright_nests::{Buffer, Kernel, Role};
use tilewright_tensor::{DType, Tensor};

/// Elements that are shown.
const SHOWN: usize = 8;

/// The first buffer in which two results differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Different {
    /// Its name.
    pub buffer: String,
    /// Its elements.
    pub dtype: DType,
    /// How many differ.
    pub count: usize,
    /// How many there are.
    pub of: usize,
    /// The first of those that differ.
    pub first: Vec<Element>,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its number in the buffer.
    pub at: usize,
    /// What was found: the value, and its bits.
    pub got: String,
    /// What was to be found.
    pub want: String,
}

/// The buffers that a caller gives to a kernel, in order.
pub fn arguments(kernel: &Kernel) -> impl Iterator<Item = &Buffer> {
    kernel.buffers.iter().filter(|b| b.role != Role::Scratch)
}

/// Compares what a kernel wrote with what it should have written; both are all arguments.
pub fn compare(kernel: &Kernel, got: &[Vec<u8>], want: &[Vec<u8>]) -> Option<Different> {
    let pairs = arguments(kernel).zip(got.iter().zip(want)).filter(|(b, _)| b.role != Role::Read);
    pairs.map(|(buffer, (got, want))| (buffer, got, want)).find_map(|(b, got, want)| buffers(b, got, want))
}

fn buffers(buffer: &Buffer, got: &[u8], want: &[u8]) -> Option<Different> {
    if got == want {
        return None;
    }
    let size = (buffer.dtype.bits() / 8).max(1);
    let pairs = || got.chunks(size).zip(want.chunks(size)).enumerate().filter(|(_, (g, w))| g != w);
    let shown = |bytes: &[u8]| element(buffer.dtype, bytes);
    let element = |(at, (g, w)): (usize, (&[u8], &[u8]))| Element { at, got: shown(g), want: shown(w) };
    Some(Different {
        buffer: buffer.name.to_string(),
        dtype: buffer.dtype,
        count: pairs().count(),
        of: want.len().div_ceil(size),
        first: pairs().take(SHOWN).map(element).collect(),
    })
}

/// The value and the bits of an element.
fn element(dtype: DType, bytes: &[u8]) -> String {
    let bits: String = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
    match Tensor::from_bytes(dtype, &[1], bytes) {
        Ok(t) if dtype.is_float() => format!("{:e} (0x{bits})", t.get_f64(0)),
        Ok(t) => format!("{} (0x{bits})", t.get_i64(0)),
        Err(_) => format!("0x{bits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Kernel {
        let buffer = |name: &str, role| Buffer { name: name.into(), dtype: DType::F32, bytes: 12, role };
        let buffers = vec![buffer("x", Role::Read), buffer("s", Role::Scratch), buffer("y", Role::Write)];
        Kernel { name: "k".into(), buffers, parallel: Vec::new(), body: Vec::new() }
    }

    fn bytes(v: [f32; 3]) -> Vec<u8> {
        v.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn elements_that_differ_are_told_with_their_bits() {
        let want = [bytes([9.0; 3]), bytes([1.0, 0.0, f32::NAN])];
        // What is only read does not count.
        assert_eq!(compare(&kernel(), &[bytes([8.0; 3]), want[1].clone()], &want), None);
        let found = compare(&kernel(), &[want[0].clone(), bytes([1.0, -0.0, f32::NAN])], &want).unwrap();
        assert_eq!((found.buffer.as_str(), found.count, found.of), ("y", 1, 3));
        let element = Element { at: 1, got: "-0e0 (0x80000000)".into(), want: "0e0 (0x00000000)".into() };
        assert_eq!(found.first, [element]);
    }
}
