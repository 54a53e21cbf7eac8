//! Tests of regions with real threads.

use super::*;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

/// Runs a region and counts how often each chunk ran.
fn counts(pool: &Pool, chunks: usize, threads: usize) -> Vec<usize> {
    let counts: Vec<_> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
    pool.run(chunks, threads, &|chunk, thread| {
        assert!(thread < threads.max(1));
        counts[chunk].fetch_add(1, SeqCst);
    });
    counts.into_iter().map(AtomicUsize::into_inner).collect()
}

/// What the panic of a region says.
fn message(region: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(region)).unwrap_err();
    payload.downcast_ref::<&str>().expect("a panic with a text").to_string()
}

#[test]
fn each_chunk_runs_once() {
    for size in [0, 1, 2, 8] {
        let pool = Pool::new(size);
        assert_eq!(pool.size(), size.max(1));
        for (chunks, threads) in [(0, 2), (1, 8), (2, 0), (7, 1), (100, 2), (1000, 8), (3, 100)] {
            for _ in 0..20 {
                assert_eq!(counts(&pool, chunks, threads), vec![1; chunks]);
            }
        }
    }
}

#[test]
fn threads_of_one_region_have_different_numbers() {
    let pool = Pool::new(4);
    for _ in 0..200 {
        let inside: [AtomicUsize; 4] = Default::default();
        pool.run(64, 4, &|_, thread| {
            assert_eq!(inside[thread].fetch_add(1, SeqCst), 0);
            std::hint::spin_loop();
            inside[thread].fetch_sub(1, SeqCst);
        });
    }
}

#[test]
fn workers_take_part() {
    let pool = Pool::new(2);
    let arrived = AtomicUsize::new(0);
    // Each chunk waits for the other: one thread alone would never end.
    pool.run(2, 2, &|_, _| {
        arrived.fetch_add(1, SeqCst);
        while arrived.load(SeqCst) < 2 {
            std::thread::yield_now();
        }
    });
}

#[test]
fn sleeping_workers_are_woken() {
    let pool = Pool::new(2);
    for _ in 0..20 {
        while pool.awake() > 0 {
            std::thread::yield_now();
        }
        let arrived = AtomicUsize::new(0);
        pool.run(2, 2, &|_, _| {
            arrived.fetch_add(1, SeqCst);
            while arrived.load(SeqCst) < 2 {
                std::thread::yield_now();
            }
        });
    }
}

#[test]
fn nested_and_concurrent_regions_run_on_their_own_thread() {
    let pool = Pool::new(4);
    let total = AtomicUsize::new(0);
    let region = || {
        pool.run(8, 4, &|_, _| {
            let caller = std::thread::current().id();
            pool.run(10, 4, &|_, thread| {
                assert_eq!((thread, std::thread::current().id()), (0, caller));
                total.fetch_add(1, SeqCst);
            });
        });
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| region()));
        }
    });
    assert_eq!(total.into_inner(), 4 * 100 * 8 * 10);
}

#[test]
fn panics_reach_the_caller_and_the_pool_lives_on() {
    let pool = Pool::new(3);
    let inside = AtomicUsize::new(0);
    for bad in [0, 1, 49, 99] {
        let region = || {
            pool.run(100, 3, &|chunk, _| {
                inside.fetch_add(1, SeqCst);
                std::thread::yield_now();
                inside.fetch_sub(1, SeqCst);
                assert!(chunk != bad, "a bad chunk");
            });
        };
        assert_eq!(message(region), "a bad chunk");
        assert_eq!(inside.load(SeqCst), 0);
        assert_eq!(counts(&pool, 50, 3), [1; 50]);
    }
    let all_bad = || pool.run(100, 3, &|_, _| panic!("all are bad"));
    assert_eq!(message(all_bad), "all are bad");
    assert_eq!(counts(&pool, 50, 3), [1; 50]);
}

#[test]
fn the_variable_only_lowers() {
    let cases = [(None, 8), (Some("3"), 3), (Some(" 1 "), 1), (Some("64"), 8), (Some("0"), 8), (Some("x"), 8)];
    for (variable, expected) in cases {
        assert_eq!(bounded(8, variable), expected, "{variable:?}");
    }
    assert!(Pool::global().size() >= 1);
    assert_eq!(counts(Pool::global(), 10, 2), [1; 10]);
}
