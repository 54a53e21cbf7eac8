//! Tests of the cache with real threads.

use super::*;
use std::{
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tilewright_support::Code;

impl Shared for Arc<Vec<u8>> {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn alone(&self) -> bool {
        Arc::strong_count(self) == 1
    }
}

impl Key for u32 {
    type Asked<'a> = u32;

    fn is(&self, asked: u32) -> bool {
        *self == asked
    }

    fn keep(asked: u32) -> Self {
        asked
    }
}

type Bytes = Cache<u32, Arc<Vec<u8>>>;

fn emitted(len: usize) -> Result<Arc<Vec<u8>>> {
    Ok(Arc::new(vec![0; len]))
}

/// Runs eight threads that begin at once.
fn eight<T: Send>(body: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(8);
    let run = |thread| {
        start.wait();
        body(thread)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn each_key_is_emitted_once() {
    let cache = Bytes::new(usize::MAX);
    let emissions = AtomicUsize::new(0);
    for key in 0..200 {
        let values = eight(|_| {
            let emit = || {
                emissions.fetch_add(1, SeqCst);
                std::thread::yield_now();
                emitted(key as usize)
            };
            cache.get_or_emit(key, emit).unwrap()
        });
        assert!(values.iter().all(|value| Arc::ptr_eq(value, &values[0]) && value.len() == key as usize));
    }
    assert_eq!(emissions.load(SeqCst), 200);
    assert_eq!(cache.bytes(), (0..200).sum::<usize>());
}

#[test]
fn errors_reach_all_and_are_not_kept() {
    let cache = Bytes::new(usize::MAX);
    let (emissions, late) = (AtomicUsize::new(0), Duration::from_millis(50));
    let outcomes = eight(|_| {
        let emit = || {
            emissions.fetch_add(1, SeqCst);
            std::thread::sleep(late);
            Err(Diagnostic::unsupported("a form"))
        };
        cache.get_or_emit(1, emit).unwrap_err().code
    });
    assert_eq!(outcomes, [Code::Unsupported; 8]);
    assert!(emissions.load(SeqCst) < 8);
    assert!(cache.get(1).is_none());
    assert_eq!(cache.get_or_emit(1, || emitted(3)).unwrap().len(), 3);
}

#[test]
fn a_panic_leaves_no_one_waiting() {
    let cache = Bytes::new(usize::MAX);
    let (started, late) = (Barrier::new(2), Duration::from_millis(20));
    let emit = || -> Result<Arc<Vec<u8>>> {
        started.wait();
        std::thread::sleep(late);
        panic!("a bug in an emitter");
    };
    std::thread::scope(|scope| {
        let emitter = scope.spawn(|| cache.get_or_emit(1, emit));
        started.wait();
        assert_eq!(cache.get_or_emit(1, || emitted(1)).unwrap_err().code, Code::Internal);
        assert!(emitter.join().is_err());
    });
    assert!(cache.get_or_emit(1, || emitted(1)).is_ok());
}

#[test]
fn an_emission_may_ask_for_others_but_not_for_itself() {
    let cache = Bytes::new(usize::MAX);
    let sum = cache.get_or_emit(1, || emitted(1 + cache.get_or_emit(2, || emitted(5))?.len()));
    assert_eq!(sum.unwrap().len(), 6);
    let circle = cache.get_or_emit(3, || cache.get_or_emit(3, || emitted(1)));
    assert_eq!(circle.unwrap_err().code, Code::Internal);
}

#[test]
fn old_values_go_unless_in_use() {
    let cache = Bytes::new(80);
    let held = cache.get_or_emit(0, || emitted(10)).unwrap();
    for key in 1..8 {
        cache.get_or_emit(key, || emitted(10)).unwrap();
    }
    cache.get(1).unwrap();
    assert_eq!(cache.bytes(), 80);
    cache.get_or_emit(8, || emitted(10)).unwrap();
    let present: Vec<_> = (0..9).filter(|key| cache.get(*key).is_some()).collect();
    assert_eq!(present, [0, 1, 4, 5, 6, 7, 8]);
    let usage = CacheUsage { bytes: 70, values: 7, emissions: 9, evictions: 2 };
    assert_eq!((cache.usage(), held.len()), (usage, 10));
}

#[test]
fn values_in_use_may_exceed_the_limit() {
    let cache = Bytes::new(80);
    let held: Vec<_> = (0..20).map(|key| cache.get_or_emit(key, || emitted(10)).unwrap()).collect();
    assert_eq!(cache.bytes(), 200);
    drop(held);
    for key in 20..23 {
        cache.get_or_emit(key, || emitted(10)).unwrap();
    }
    assert!(cache.bytes() <= 80, "{}", cache.bytes());
}

#[test]
fn eviction_and_emission_race() {
    let cache = Bytes::new(1000);
    eight(|thread| {
        for step in 0..5000 {
            let key = ((step * 7 + thread * 13) % 64) as u32;
            assert_eq!(cache.get_or_emit(key, || emitted(key as usize)).unwrap().len(), key as usize);
        }
    });
    let present = (0..64).filter_map(|key| cache.get(key)).map(|value| value.len()).sum::<usize>();
    assert_eq!(cache.bytes(), present);
}
