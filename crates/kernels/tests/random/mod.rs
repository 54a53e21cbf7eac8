//! Pseudo-random numbers: the same for the same seed.

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
}
