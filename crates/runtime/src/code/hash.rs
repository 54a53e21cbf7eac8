//! A fast hash of structured keys, seeded at random so that no model can choose keys that collide.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// Makes hashers of one seed.
pub(super) struct Fold {
    seed: u64,
}

impl Fold {
    /// With a random seed.
    pub fn new() -> Self {
        Self { seed: RandomState::new().hash_one(0) }
    }
}

impl BuildHasher for Fold {
    type Hasher = FoldHasher;

    fn build_hasher(&self) -> FoldHasher {
        FoldHasher { state: self.seed, pending: 0, filled: 0 }
    }
}

/// Multiplies each word into the state and folds the two halves of the product; small numbers are gathered to words.
pub(super) struct FoldHasher {
    state: u64,
    pending: u64,
    /// Bits of `pending` that are taken.
    filled: u32,
}

/// The state after one more word.
fn fold(state: u64, word: u64) -> u64 {
    // An odd number with about as many ones as zeros: the fractional bits of the golden ratio.
    let product = u128::from(state ^ word) * 0x9e37_79b9_7f4a_7c15;
    (product as u64).rotate_left(23) ^ (product >> 64) as u64
}

impl FoldHasher {
    fn gather(&mut self, number: u64, bits: u32) {
        if self.filled + bits > u64::BITS {
            self.state = fold(self.state, self.pending);
            (self.pending, self.filled) = (0, 0);
        }
        self.pending |= number << self.filled;
        self.filled += bits;
    }
}

impl Hasher for FoldHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.gather(number.into(), 8);
    }

    fn write_u16(&mut self, number: u16) {
        self.gather(number.into(), 16);
    }

    fn write_u32(&mut self, number: u32) {
        self.gather(number.into(), 32);
    }

    fn write_u64(&mut self, word: u64) {
        self.state = fold(self.state, word);
    }

    fn write_usize(&mut self, word: usize) {
        // Lengths and the numbers of variants are small.
        match u8::try_from(word) {
            Ok(small) => self.write_u8(small),
            Err(_) => self.write_u64(word as u64),
        }
    }

    fn finish(&self) -> u64 {
        let state = fold(self.state, self.pending ^ u64::from(self.filled).rotate_right(8));
        fold(state, state.rotate_left(32))
    }
}

/// Takes numbers that are hashes already.
pub(super) type Hashed = BuildHasherDefault<Ready>;

/// The hasher that gives back the one number it gets.
#[derive(Default)]
pub(super) struct Ready {
    hash: u64,
}

impl Hasher for Ready {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.hash = self.hash << 8 | u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.hash = hash;
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn like_keys_have_unlike_hashes() {
        let fold = Fold::new();
        let keys = (0..64u32).flat_map(|m| (0..64u32).flat_map(move |n| [(m, n, false), (m, n, true)]));
        let hashes: Vec<u64> = keys.map(|key| fold.hash_one(key)).collect();
        for bits in [u64::MAX, 0xff_ffff << 40, 0xff_ffff << 20, 0xff_ffff] {
            let distinct = hashes.iter().map(|hash| hash & bits).collect::<HashSet<_>>().len();
            assert!(distinct >= hashes.len() - 16, "{distinct} of {} under {bits:x}", hashes.len());
        }
        assert_ne!(fold.hash_one("abcdefgh"), fold.hash_one("abcdefg"));
    }
}
