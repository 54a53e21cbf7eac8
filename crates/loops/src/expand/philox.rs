//! Counter-based random bits: Philox 4x32-10 (Salmon et al. 2011), first word.

use crate::block::{Block, Val};
use crate::prim::Prim;

/// 32 random bits of a 64-bit key and counter.
pub(super) fn philox(block: &mut Block, key: Val, counter: Val) -> Val {
    let [mut k0, c0] = [key, counter].map(|v| block.narrow(v));
    let [mut k1, c1] = [key, counter].map(|v| {
        let high = block.shr(v, 32);
        block.narrow(high)
    });
    let zero = block.i32(0);
    let mut x = [c0, c1, zero, zero];
    let (first, second) = (block.i32(0xD251_1F53u32 as i32), block.i32(0xCD9E_8D57u32 as i32));
    let (step0, step1) = (block.i32(0x9E37_79B9u32 as i32), block.i32(0xBB67_AE85u32 as i32));
    for _ in 0..10 {
        let (a_high, a_low) = (block.prim(Prim::IMulHigh, &[first, x[0]]), block.imul(first, x[0]));
        let (b_high, b_low) = (block.prim(Prim::IMulHigh, &[second, x[2]]), block.imul(second, x[2]));
        let (left, right) = (block.xor(b_high, x[1]), block.xor(a_high, x[3]));
        x = [block.xor(left, k0), b_low, block.xor(right, k1), a_low];
        k0 = block.iadd(k0, step0);
        k1 = block.iadd(k1, step1);
    }
    x[0]
}
