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
        FoldHasher { state: self.seed }
    }
}

/// Multiplies each word into the state and folds the two halves of the product.
pub(super) struct FoldHasher {
    state: u64,
}

impl FoldHasher {
    fn fold(&mut self, word: u64) {
        // An odd number with about as many ones as zeros: the fractional bits of the golden ratio.
        let product = u128::from(self.state ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.state = (product as u64).rotate_left(23) ^ (product >> 64) as u64;
    }
}

impl Hasher for FoldHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.fold(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.fold(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.fold(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.fold(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.fold(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.fold(word as u64);
    }

    fn finish(&self) -> u64 {
        let mut last = Self { state: self.state };
        last.fold(self.state.rotate_left(32));
        last.state
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
