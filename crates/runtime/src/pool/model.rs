//! The protocol of regions under all interleavings of a caller and a worker or two.

use super::*;
use crate::sync::{AtomicUsize, Ordering};

/// Runs regions, one after the other, of the given numbers of chunks on a pool of `size` threads; a thread is stopped
/// in its course so many times at the most.
fn check(size: usize, regions: &'static [usize], preemptions: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let pool = Pool::new(size);
        for &chunks in regions {
            // Plain memory: the model check fails if the caller could look before a worker has written.
            let cells: Vec<_> = (0..chunks).map(|_| loom::cell::UnsafeCell::new(0)).collect();
            let cells = Shared(cells);
            let order = AtomicUsize::new(0);
            pool.run(chunks, size, &|chunk, _| {
                order.fetch_add(1, Ordering::Relaxed);
                // SAFETY: each chunk is run by one thread, and this is its cell.
                cells.get(chunk).with_mut(|cell| unsafe { *cell += 1 });
            });
            assert_eq!(order.load(Ordering::Relaxed), chunks);
            for chunk in 0..chunks {
                // SAFETY: the region is over.
                assert_eq!(cells.get(chunk).with(|cell| unsafe { *cell }), 1);
            }
        }
    });
}

struct Shared(Vec<loom::cell::UnsafeCell<usize>>);

// SAFETY: each cell is reached by one thread at a time, which the model check verifies.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(&self, chunk: usize) -> &loom::cell::UnsafeCell<usize> {
        &self.0[chunk]
    }
}

#[test]
fn one_worker_two_regions() {
    check(2, &[2, 2], 3);
}

#[test]
fn two_workers() {
    check(3, &[3], 1);
}
