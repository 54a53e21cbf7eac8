//! Offsets in an arena for blocks that live for a while.
//!
//! Two ways of placing them are tried. *By time*: block after block as they come to life, in the memory that was used
//! last, since that is in the cache; else in the smallest gap. *By size*: the largest first, at the lowest place that is
//! free while it lives; then again and again with the block that ended up on top put first. The first is taken unless
//! the second takes less.

use crate::gaps::{Gaps, Left};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where blocks start, in bytes.
const ALIGN: usize = 64;

/// An arena this much larger than what must be live at one time is good enough, in percent.
const ENOUGH: usize = 105;

/// From so many blocks on they are placed by time alone: the other way compares all pairs.
const MANY: usize = 4096;

/// Comparisons of pairs that placing again and again may take.
const PATIENCE: usize = 1 << 23;

/// Places that ended last and are tried before others: those before them have left the cache.
const HOT: usize = 32;

/// A run of bytes that is in use from one step to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its length.
    pub bytes: usize,
    /// The first step that touches it.
    pub from: usize,
    /// The last one.
    pub to: usize,
}

/// The place of each block, and the arena's length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Bytes from the start of the arena.
    pub at: Vec<usize>,
    /// Bytes of the arena.
    pub bytes: usize,
}

impl Block {
    fn room(&self) -> usize {
        self.bytes.checked_next_multiple_of(ALIGN).unwrap_or(usize::MAX)
    }

    /// The end of it where it starts at `at`: at the end of the address space if it does not fit there.
    fn end(&self, at: usize) -> usize {
        at.saturating_add(self.room())
    }

    fn meets(&self, other: &Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// The most bytes that are in use at one step.
pub fn peak(blocks: &[Block]) -> usize {
    let steps = blocks.iter().map(|b| b.to + 1).max().unwrap_or(0);
    let mut change = vec![0i128; steps + 1];
    for b in blocks {
        change[b.from] += b.room() as i128;
        change[b.to + 1] -= b.room() as i128;
    }
    let mut now = 0;
    change.iter().map(|c| (now += c, now).1).max().unwrap_or(0).try_into().unwrap_or(usize::MAX)
}

/// Places blocks so that no two that are in use at one step overlap.
pub fn place(blocks: &[Block]) -> Placement {
    let by_time = by_time(blocks);
    let enough = (peak(blocks) / 100).saturating_mul(ENOUGH);
    if by_time.bytes <= enough || blocks.len() > MANY {
        return by_time;
    }
    let by_size = by_size(blocks, enough);
    if by_size.bytes < by_time.bytes { by_size } else { by_time }
}

fn by_size(blocks: &[Block], enough: usize) -> Placement {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|b| (Reverse(blocks[*b].bytes), blocks[*b].from));
    let mut best = in_order(blocks, &order);
    let mut last = best.clone();
    for _ in 0..PATIENCE / blocks.len().pow(2).max(1 << 16) {
        let top = |b: &usize| blocks[*b].end(last.at[*b]) == last.bytes;
        let Some(top) = order.iter().position(top).filter(|_| best.bytes > enough) else { break };
        order[..=top].rotate_right(1);
        last = in_order(blocks, &order);
        if last.bytes < best.bytes {
            best = last.clone();
        }
    }
    best
}

/// Puts each block at the lowest place that is free of those before it in the order.
fn in_order(blocks: &[Block], order: &[usize]) -> Placement {
    let mut placement = Placement { at: vec![0; blocks.len()], bytes: 0 };
    // Blocks that have a place, by their place.
    let mut placed: Vec<usize> = Vec::new();
    for &b in order {
        let mut at = 0;
        for &other in placed.iter().filter(|o| blocks[**o].meets(&blocks[b])) {
            if placement.at[other] >= blocks[b].end(at) {
                break;
            }
            at = at.max(blocks[other].end(placement.at[other]));
        }
        placement.at[b] = at;
        placement.bytes = placement.bytes.max(blocks[b].end(at));
        placed.insert(placed.partition_point(|o| placement.at[*o] <= at), b);
    }
    placement
}

fn by_time(blocks: &[Block]) -> Placement {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|b| blocks[*b].from);
    let mut placement = Placement { at: vec![0; blocks.len()], bytes: 0 };
    let (mut gaps, mut left) = (Gaps::new(), Left::default());
    // Those that live, the first to end on top.
    let mut live: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    for b in order {
        while let Some(Reverse((_, gone))) = live.peek().filter(|l| l.0.0 < blocks[b].from).copied() {
            live.pop();
            gaps.give(placement.at[gone], blocks[gone].room());
            left.push(placement.at[gone]);
        }
        let room = blocks[b].room();
        let hot = left.last(HOT).find(|at| gaps.fits(*at, room)).filter(|at| blocks[b].end(*at) <= placement.bytes);
        let Some(at) = hot.or_else(|| gaps.best(room)) else { return Placement { bytes: usize::MAX, ..placement } };
        gaps.take(at, room);
        left.remove(at, room);
        placement.at[b] = at;
        placement.bytes = placement.bytes.max(blocks[b].end(at));
        live.push(Reverse((blocks[b].to, b)));
    }
    placement
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (self.0 >> 33) as usize % n
        }
    }

    fn blocks(random: &mut Random, most: usize, sizes: usize) -> Vec<Block> {
        let count = 1 + random.below(most);
        let block = |r: &mut Random| {
            let from = r.below(count);
            Block { bytes: 1 + r.below(sizes), from, to: from + r.below(4) }
        };
        (0..count).map(|_| block(random)).collect()
    }

    #[test]
    fn many_blocks_are_placed_at_once() {
        // Comparing all pairs would take minutes.
        let count = 200_000;
        let block = |from| Block { bytes: 64, from, to: if from % 2 == 0 { count } else { from + 1 } };
        let blocks: Vec<Block> = (0..count).map(block).collect();
        assert_eq!(place(&blocks).bytes, peak(&blocks));
    }

    #[test]
    fn blocks_that_fit_no_memory_take_all_of_it() {
        let block = Block { bytes: isize::MAX as usize, from: 0, to: 1 };
        for count in [3, 5] {
            assert_eq!(place(&vec![block; count]).bytes, usize::MAX);
        }
        assert_eq!(place(&[Block { bytes: usize::MAX, ..block }]).bytes, usize::MAX);
    }

    fn check(blocks: &[Block], placement: &Placement) {
        for (i, a) in blocks.iter().enumerate() {
            assert!(placement.at[i].is_multiple_of(ALIGN) && placement.at[i] + a.bytes <= placement.bytes);
            for (j, b) in blocks.iter().enumerate().filter(|(j, b)| *j != i && a.meets(b)) {
                let (x, y) = (placement.at[i], placement.at[j]);
                assert!(x + a.bytes <= y || y + b.bytes <= x, "{a:?} at {x} and {b:?} at {y}");
            }
        }
        assert!(placement.bytes >= peak(blocks));
    }

    #[test]
    fn no_two_live_blocks_overlap() {
        let mut random = Random(1);
        for _ in 0..500 {
            let blocks = blocks(&mut random, 40, 5_000);
            check(&blocks, &place(&blocks));
            check(&blocks, &by_time(&blocks));
            check(&blocks, &by_size(&blocks, 0));
        }
        assert_eq!(place(&[]), Placement::default());
    }

    /// The least that any order of placing takes; one of them is the best there is.
    fn least(blocks: &[Block], order: &mut Vec<usize>) -> usize {
        let mut best = usize::MAX;
        if order.len() == blocks.len() {
            return in_order(blocks, order).bytes;
        }
        for b in 0..blocks.len() {
            if !order.contains(&b) {
                order.push(b);
                best = best.min(least(blocks, order));
                order.pop();
            }
        }
        best
    }

    #[test]
    fn few_blocks_are_placed_about_as_well_as_can_be() {
        let mut random = Random(2);
        let (mut sum, mut best) = (0, 0);
        for _ in 0..200 {
            let blocks = blocks(&mut random, 6, 1_000);
            let (found, least) = (place(&blocks).bytes, least(&blocks, &mut Vec::new()));
            assert!(found <= least * 5 / 4, "{found} of {least} for {blocks:?}");
            (sum, best) = (sum + found, best + least);
        }
        assert!(sum <= best + best / 50, "{sum} of {best}");
    }

    #[test]
    fn memory_that_was_used_last_comes_first() {
        let block = |bytes, from, to| Block { bytes, from, to };
        let blocks = [block(64, 0, 1), block(64, 0, 2), block(64, 0, 9), block(64, 3, 4)];
        let placement = place(&blocks);
        assert_eq!(placement.at[3], placement.at[1]);
        assert_eq!(placement.bytes, 192);
    }
}
