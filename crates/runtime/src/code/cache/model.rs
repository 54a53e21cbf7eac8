//! The cache's protocol under all interleavings of a few threads.

use super::*;
use loom::{model, sync::Arc as Common};
use std::sync::atomic::{AtomicUsize as Count, Ordering::SeqCst};
use tilewright_support::Code;

struct Value(usize);

impl Shared for Arc<Value> {
    fn bytes(&self) -> usize {
        self.0
    }

    fn alone(&self) -> bool {
        Arc::strong_count(self) == 1
    }
}

impl Key for u8 {
    type Asked<'a> = u8;

    fn is(&self, asked: u8) -> bool {
        *self == asked
    }

    fn keep(asked: u8) -> Self {
        asked
    }
}

type Values = Cache<u8, Arc<Value>>;

/// Two askers beside the first, each on a thread of its own.
fn with_two(cache: &Common<Values>, ask: impl Fn(&Values) + Copy + Send + 'static) {
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let cache = Common::clone(cache);
            thread::spawn(move || ask(&cache))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn three_askers_get_one_value() {
    static EMISSIONS: Count = Count::new(0);
    model(|| {
        EMISSIONS.store(0, SeqCst);
        let cache = Common::new(Values::new(100));
        let ask = |cache: &Values| {
            let emit = || {
                EMISSIONS.fetch_add(1, SeqCst);
                thread::yield_now();
                Ok(Arc::new(Value(7)))
            };
            assert_eq!(cache.get_or_emit(1, emit).unwrap().0, 7);
        };
        with_two(&cache, ask);
        assert_eq!((EMISSIONS.load(SeqCst), cache.bytes()), (1, 7));
    });
}

#[test]
fn an_error_reaches_all_who_wait() {
    model(|| {
        let cache = Common::new(Values::new(100));
        let ask = |cache: &Values| {
            let emit = || {
                thread::yield_now();
                Err(Diagnostic::limit("no room"))
            };
            assert_eq!(cache.get_or_emit(1, emit).err().unwrap().code, Code::Limit);
        };
        with_two(&cache, ask);
        assert!(cache.get(1).is_none());
        assert_eq!(cache.bytes(), 0);
    });
}

#[test]
fn eviction_spares_what_is_in_use() {
    model(|| {
        let cache = Common::new(Values::new(10));
        cache.get_or_emit(1, || Ok(Arc::new(Value(8)))).unwrap();
        let other = {
            let cache = Common::clone(&cache);
            thread::spawn(move || cache.get_or_emit(2, || Ok(Arc::new(Value(8)))).unwrap())
        };
        let held = cache.get(1);
        let other = other.join().unwrap();
        let present = [1, 2].into_iter().filter_map(|key| cache.get(key)).collect::<Vec<_>>();
        assert_eq!(cache.bytes(), present.iter().map(|value| value.0).sum::<usize>());
        assert!(held.is_none_or(|held| present.iter().any(|value| Arc::ptr_eq(value, &held))));
        assert!(present.iter().any(|value| Arc::ptr_eq(value, &other)));
    });
}
