//! A process that forks while its threads emit kernels and run regions: the child looks up, emits and runs as well.
#![cfg(target_os = "linux")]

mod scaled;

use scaled::{scaled, scales, works};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tilewright_codegen::map;
use tilewright_kernels::{Callable, Machine};
use tilewright_runtime::pool::Pool;
use tilewright_support::target::{Level, Target};

/// One test at a time forks.
fn alone() -> MutexGuard<'static, ()> {
    static FORKS: Mutex<()> = Mutex::new(());
    FORKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `body` in a child; gives its number.
fn child(body: impl FnOnce() -> bool) -> libc::pid_t {
    // SAFETY: the child runs nothing but `body` and ends without unwinding into the test.
    match unsafe { libc::fork() } {
        0 => {
            let fine = catch_unwind(AssertUnwindSafe(body)).unwrap_or(false);
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(if fine { 0 } else { 1 }) }
        }
        pid => pid,
    }
}

/// Whether a child ends in time, and well.
fn ends_well(child: libc::pid_t) -> bool {
    let (begin, mut status) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_secs(60) {
        // SAFETY: the status is ours to write.
        match unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } {
            0 => thread::sleep(Duration::from_millis(1)),
            ended => return ended == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
        }
    }
    // SAFETY: the process is our child.
    unsafe { libc::kill(child, libc::SIGKILL) };
    false
}

/// Whether two threads of the pool meet, if it has two.
fn pool_works() -> bool {
    let (pool, arrived) = (Pool::global(), AtomicUsize::new(0));
    let threads = pool.size().min(2);
    pool.run(threads, threads, &|_, _| {
        arrived.fetch_add(1, SeqCst);
        while arrived.load(SeqCst) < threads {
            thread::yield_now();
        }
    });
    arrived.into_inner() == threads
}

#[test]
fn the_child_looks_up_emits_and_runs() {
    let _alone = alone();
    let machine = Machine::new(Target::detect());
    assert!(works(&machine, 0) && pool_works());
    let (next, stop) = (AtomicUsize::new(1), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(SeqCst) {
                    assert!(works(&machine, next.fetch_add(1, SeqCst) % 100_000));
                }
            });
        }
        scope.spawn(|| {
            while !stop.load(SeqCst) {
                Pool::global().run(16, 2, &|_, _| assert!(works(&machine, 0)));
            }
        });
        let fine = (0..40).all(|_| {
            thread::sleep(Duration::from_millis(2));
            let last = next.load(SeqCst);
            // What the other threads emit right now is among these.
            let near = last.saturating_sub(5)..last + 5;
            ends_well(child(|| {
                let emits = near.clone().chain([0, 200_000]).all(|number| works(&machine, number));
                emits && pool_works() && near.clone().all(|number| works(&machine, number))
            }))
        });
        stop.store(true, SeqCst);
        assert!(fine);
    });
    assert!(works(&machine, 0) && pool_works());
}

#[test]
fn neither_side_writes_over_code_of_the_other() {
    let _alone = alone();
    let machine = Machine::new(Target::detect());
    if machine.target().level == Level::Portable {
        return;
    }
    let publish = |number| {
        let emitted = map::emit(&scaled(number), &machine.target()).unwrap();
        Callable::Code(machine.publish(&emitted).unwrap())
    };
    let kernels: Vec<_> = (0..50).map(publish).collect();
    let mut ends = [0; 2];
    // SAFETY: there is room for the two ends of a pipe.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    let reader = child(|| {
        let mut byte = 0u8;
        // SAFETY: one byte is read: the parent has dropped its kernels by then.
        let read = unsafe { libc::read(ends[0], (&raw mut byte).cast(), 1) };
        let kept = kernels.iter().enumerate().all(|(number, kernel)| scales(kernel, number));
        let own: Vec<_> = (50..100).map(publish).collect();
        read == 1 && kept && own.iter().enumerate().all(|(i, kernel)| scales(kernel, 50 + i))
    });
    drop(kernels);
    let others: Vec<_> = (100..150).map(publish).collect();
    // SAFETY: one byte is written.
    assert_eq!(unsafe { libc::write(ends[1], [1u8].as_ptr().cast(), 1) }, 1);
    assert!(ends_well(reader));
    assert!(others.iter().enumerate().all(|(i, kernel)| scales(kernel, 100 + i)));
    // SAFETY: nobody else knows the two ends.
    ends.iter().for_each(|end| assert_eq!(unsafe { libc::close(*end) }, 0));
}
