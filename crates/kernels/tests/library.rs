//! The cache of kernels of the process, asked by many threads at once.

mod scaled;

use scaled::{scaled, scales, works};
use std::thread;
use tilewright_kernels::{Machine, usage};
use tilewright_support::target::{Level, Target};

const KERNELS: usize = 10_000;

#[test]
fn eight_threads_emit_ten_thousand_kernels_once() {
    let machine = Machine::new(Target::detect());
    let before = usage();
    let all = |thread: usize| (0..KERNELS).all(|i| works(&machine, (i * 7 + thread * 1250) % KERNELS));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || all(thread))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    });
    let (cache, code) = usage();
    assert_eq!(cache.emissions - before.0.emissions, KERNELS as u64);
    assert_eq!((cache.values, cache.evictions), (before.0.values + KERNELS, 0));
    if machine.target().level != Level::Portable {
        assert_eq!((cache.bytes, code.kernels), (code.live, cache.values));
        assert!(code.live <= code.reserved, "{code:?}");
    }

    // Another machine of the same instructions has the same kernels, whatever its caches; one of others has its own.
    let other = Machine::new(Target { l2: 1 << 16, ..machine.target() });
    assert!(works(&other, 1) && usage().0.emissions == cache.emissions);
    let plain = Machine::new(Target::PORTABLE);
    assert!(works(&plain, 1));
    assert_eq!(usage().0.emissions > cache.emissions, machine.target().level != Level::Portable);
    assert!(scales(&machine.map(&scaled(1)).unwrap(), 1));
}
