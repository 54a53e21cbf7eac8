//! The free parts of an arena: taken first fit, merged with their neighbours when they come back.

use std::{collections::BTreeMap, ops::Range};

/// Free spans by their starts; no two of them touch.
pub(super) struct Spans {
    free: BTreeMap<usize, usize>,
    /// The end of what was ever taken.
    touched: usize,
}

impl Spans {
    /// One free span from 0 to `len`.
    pub fn new(len: usize) -> Self {
        Self { free: BTreeMap::from([(0, len)]), touched: 0 }
    }

    /// Takes the first span with room for `len` bytes.
    pub fn take(&mut self, len: usize) -> Option<Range<usize>> {
        let (&start, &end) = self.free.iter().find(|(start, end)| *end - *start >= len)?;
        self.free.remove(&start);
        if start + len < end {
            self.free.insert(start + len, end);
        }
        Some(start..start + len)
    }

    /// Whether a span that was just taken has been in use before; from now on it has.
    pub fn reused(&mut self, span: &Range<usize>) -> bool {
        let reused = span.start < self.touched;
        self.touched = self.touched.max(span.end);
        reused
    }

    /// Gives a taken span back.
    pub fn give(&mut self, span: Range<usize>) {
        let Range { mut start, mut end } = span;
        if let Some(after) = self.free.remove(&end) {
            end = after;
        }
        if let Some((&before, &touching)) = self.free.range(..start).next_back()
            && touching == start
        {
            start = before;
        }
        self.free.insert(start, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_merge_with_both_neighbours() {
        let mut spans = Spans::new(192);
        let taken: Vec<_> = std::iter::from_fn(|| spans.take(64)).collect();
        assert_eq!(taken, [0..64, 64..128, 128..192]);
        assert!(taken.iter().all(|span| !spans.reused(span)));
        for back in [0, 2, 1] {
            spans.give(taken[back].clone());
        }
        assert_eq!(spans.take(193), None);
        let all = spans.take(192).unwrap();
        assert_eq!(all, 0..192);
        assert!(spans.reused(&all));
    }
}
