//! Pseudo-random numbers: the same for the same seed.

use tilewright_tensor::DType;
use tilewright_tensor::convert::encode_f64;

/// A linear congruential generator (Knuth, MMIX).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 29
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    /// Elements of a dtype: numbers no larger than `most`; any f16 below 32, denormals too; any bytes.
    pub fn fill(&mut self, dtype: DType, most: f64, bytes: &mut [u8]) {
        if !dtype.is_float() {
            return bytes.iter_mut().for_each(|b| *b = self.next() as u8);
        }
        let size = dtype.bits() / 8;
        for element in bytes.chunks_exact_mut(size) {
            let bits = match dtype {
                DType::F16 => self.next() & 0x8000 | self.below(0x5000) as u64,
                _ => encode_f64(dtype, (self.below(2001) as f64 / 1000.0 - 1.0) * most, false),
            };
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}
