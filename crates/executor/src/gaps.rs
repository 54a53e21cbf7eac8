//! What is free of an arena while blocks come and go, found in time that hardly grows with their number.

use std::collections::{BTreeMap, BTreeSet};

/// The gaps between blocks that live; the last has no end.
#[derive(Debug)]
pub struct Gaps {
    /// Ends by starts.
    ends: BTreeMap<usize, usize>,
    /// Lengths and starts.
    lengths: BTreeSet<(usize, usize)>,
}

impl Gaps {
    /// One gap from the first byte on.
    pub fn new() -> Self {
        let mut gaps = Self { ends: BTreeMap::new(), lengths: BTreeSet::new() };
        gaps.add(0, usize::MAX);
        gaps
    }

    fn add(&mut self, start: usize, end: usize) {
        if start < end {
            self.ends.insert(start, end);
            self.lengths.insert((end - start, start));
        }
    }

    fn drop(&mut self, start: usize, end: usize) {
        self.ends.remove(&start);
        self.lengths.remove(&(end - start, start));
    }

    /// The gap that a byte is in.
    fn around(&self, at: usize) -> Option<(usize, usize)> {
        let (start, end) = self.ends.range(..=at).next_back()?;
        (at < *end).then_some((*start, *end))
    }

    /// Whether so many bytes from `at` on are free.
    pub fn fits(&self, at: usize, bytes: usize) -> bool {
        self.around(at).is_some_and(|(_, end)| end - at >= bytes)
    }

    /// The start of the smallest gap of so many bytes, the first of equal ones.
    pub fn best(&self, bytes: usize) -> Option<usize> {
        self.lengths.range((bytes, 0)..).next().map(|(_, start)| *start)
    }

    /// Takes bytes that are free.
    pub fn take(&mut self, at: usize, bytes: usize) {
        if let Some((start, end)) = self.around(at).filter(|_| bytes > 0) {
            self.drop(start, end);
            self.add(start, at);
            self.add(at + bytes, end);
        }
    }

    /// Gives bytes back, which joins them to the gaps beside them.
    pub fn give(&mut self, at: usize, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let (mut start, mut end) = (at, at + bytes);
        if let Some((before, _)) = self.ends.range(..at).next_back().filter(|(_, e)| **e == at) {
            start = *before;
            self.drop(start, at);
        }
        if let Some(behind) = self.ends.get(&end).copied() {
            self.drop(end, behind);
            end = behind;
        }
        self.add(start, end);
    }
}

/// Where blocks were that are gone, in the order in which they ended.
#[derive(Debug, Default)]
pub struct Left {
    ticks: BTreeMap<usize, u64>,
    starts: BTreeMap<u64, usize>,
    tick: u64,
}

impl Left {
    /// A block at `start` has ended.
    pub fn push(&mut self, start: usize) {
        self.tick += 1;
        if let Some(tick) = self.ticks.insert(start, self.tick) {
            self.starts.remove(&tick);
        }
        self.starts.insert(self.tick, start);
    }

    /// Forgets those that started in memory that is used again.
    pub fn remove(&mut self, at: usize, bytes: usize) {
        while let Some((start, tick)) = self.ticks.range(at..at + bytes).next().map(|(s, t)| (*s, *t)) {
            self.ticks.remove(&start);
            self.starts.remove(&tick);
        }
    }

    /// The starts of the last of them, the last first.
    pub fn last(&self, most: usize) -> impl Iterator<Item = usize> {
        self.starts.values().rev().take(most).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_split_and_joined() {
        let mut gaps = Gaps::new();
        gaps.take(0, 300);
        assert_eq!((gaps.best(1), gaps.fits(0, 1)), (Some(300), false));
        gaps.give(100, 100);
        assert_eq!((gaps.best(100), gaps.best(101)), (Some(100), Some(300)));
        assert!(gaps.fits(150, 50) && !gaps.fits(150, 51));
        gaps.give(0, 100);
        assert_eq!(gaps.best(150), Some(0));
        gaps.take(50, 20);
        assert_eq!((gaps.best(50), gaps.best(51)), (Some(0), Some(70)));
        gaps.give(50, 20);
        gaps.give(200, 100);
        assert_eq!((gaps.ends.len(), gaps.lengths.len(), gaps.best(1)), (1, 1, Some(0)));
    }

    #[test]
    fn what_ended_last_comes_first() {
        let mut left = Left::default();
        [0, 64, 128, 64].into_iter().for_each(|at| left.push(at));
        assert_eq!(left.last(9).collect::<Vec<_>>(), [64, 128, 0]);
        assert_eq!(left.last(1).collect::<Vec<_>>(), [64]);
        left.remove(32, 64);
        assert_eq!(left.last(9).collect::<Vec<_>>(), [128, 0]);
    }
}
