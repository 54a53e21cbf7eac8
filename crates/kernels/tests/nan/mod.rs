//! NaNs compare equal: what their bits are, the order of operands decides.

use tilewright_tensor::DType;

/// Elements with one pattern for every NaN.
pub fn canonical(dtype: DType, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let size = dtype.bits() / 8;
    let (exponent, top) = match dtype {
        DType::F16 => (0x7c00, 0x7fff),
        DType::BF16 => (0x7f80, 0x7fff),
        DType::F32 => (0x7f80_0000, 0x7fff_ffff),
        DType::F64 => (0x7ff0_0000_0000_0000, u64::MAX >> 1),
        _ => return bytes,
    };
    for element in bytes.chunks_exact_mut(size) {
        let mut eight = [0; 8];
        eight[..size].copy_from_slice(element);
        if u64::from_le_bytes(eight) & top > exponent {
            element.copy_from_slice(&u64::MAX.to_le_bytes()[..size]);
        }
    }
    bytes
}
