//! The protocol of a fork-join region: how workers enter it, claim its chunks and leave it.
//!
//! ```text
//! caller   open ---- work ---- close ---- wait until left = joined ----> region complete
//! worker      enter ---- work ---- close ---- leave
//! ```
//! A worker that comes after the chunks are gone finds the entry closed, so that the caller never waits for a thread
//! that still sleeps. `entry` holds both the free places and the number of those who entered: one word decides.

use crate::sync::{AtomicBool, AtomicU32, AtomicUsize, Mutex, Ordering, UnsafeCell, fence, pause};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::PoisonError,
};

/// What a region runs for each chunk: chunk number, thread number.
pub(super) type Body<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// What a body panicked with.
pub(super) type Payload = Box<dyn Any + Send>;

/// The part of `entry` that counts free places; above it those who entered are counted.
const PLACES: u32 = 0xffff;
const JOINED: u32 = 0x1_0000;

/// The most workers of a region.
pub(super) const MOST_WORKERS: usize = PLACES as usize;

/// Words that different threads write lie on different cache lines, and on different pairs of them.
#[repr(align(128))]
struct Apart<T>(T);

/// Where the caller posts a region and workers find it. One region at a time.
pub(super) struct Board {
    busy: Apart<AtomicBool>,
    entry: Apart<AtomicU32>,
    next: Apart<AtomicUsize>,
    left: Apart<AtomicU32>,
    region: UnsafeCell<Region>,
    panic: Mutex<Option<Payload>>,
    asleep: Box<[AtomicBool]>,
    stopping: AtomicBool,
}

struct Region {
    body: *const Body<'static>,
    chunks: usize,
}

// SAFETY: the region is written only by the holder of `busy` while nobody is in it, and read only by those who entered
// after that and have not left; its body may be shared and outlives it.
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

impl Board {
    /// A board for so many workers.
    pub fn new(workers: usize) -> Self {
        const IDLE: &Body<'static> = &|_, _| {};
        Self {
            busy: Apart(AtomicBool::new(false)),
            entry: Apart(AtomicU32::new(0)),
            next: Apart(AtomicUsize::new(0)),
            left: Apart(AtomicU32::new(0)),
            region: UnsafeCell::new(Region { body: IDLE, chunks: 0 }),
            panic: Mutex::new(None),
            asleep: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            stopping: AtomicBool::new(false),
        }
    }

    /// Takes the board for a region, unless it is taken.
    pub fn take(&self) -> bool {
        !self.busy.0.load(Ordering::Relaxed) && !self.busy.0.swap(true, Ordering::Acquire)
    }

    /// Runs a region on the taken board and gives the board back. `wake` is told which workers sleep but have a place.
    ///
    /// # Errors
    /// The first panic of the body, after all have left the region.
    pub fn run(&self, chunks: usize, places: usize, body: &Body<'_>, wake: impl Fn(usize)) -> Result<(), Payload> {
        self.open(chunks, places as u32, body);
        self.wake(places, wake);
        self.work(0);
        let joined = self.close();
        let mut tries = 0_u32;
        while self.left.0.load(Ordering::Acquire) != joined {
            tries = tries.wrapping_add(1);
            // A worker that lost its core may need this one.
            if tries.is_multiple_of(64) { std::thread::yield_now() } else { pause() }
        }
        let panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.busy.0.store(false, Ordering::Release);
        panic.map_or(Ok(()), Err)
    }

    fn open(&self, chunks: usize, places: u32, body: &Body<'_>) {
        let body: *const Body<'_> = body;
        // SAFETY: only the lifetime changes; `run` returns after all who might use the body have left.
        let body = unsafe { std::mem::transmute::<*const Body<'_>, *const Body<'static>>(body) };
        // SAFETY: the caller holds the board, and those of the region before have left.
        self.region.with_mut(|region| unsafe { *region = Region { body, chunks } });
        self.next.0.store(0, Ordering::Relaxed);
        self.left.0.store(0, Ordering::Relaxed);
        self.entry.0.store(places, Ordering::Release);
    }

    /// Lets nobody enter any more; gives the number of those who did.
    fn close(&self) -> u32 {
        self.entry.0.fetch_and(!PLACES, Ordering::Relaxed) / JOINED
    }

    /// Enters the region, if there is a place, works in it and leaves it.
    pub fn join(&self) {
        let mut entry = self.entry.0.load(Ordering::Relaxed);
        while entry & PLACES != 0 {
            let entered = entry + JOINED - 1;
            match self.entry.0.compare_exchange_weak(entry, entered, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    self.work((entered / JOINED) as usize);
                    self.close();
                    self.left.0.fetch_add(1, Ordering::Release);
                    return;
                }
                Err(now) => entry = now,
            }
        }
    }

    /// Runs chunks until there are no more. After a panic none is begun.
    fn work(&self, thread: usize) {
        // SAFETY: this thread is in the region, so that nobody writes it, and its body is alive.
        let (body, chunks) = self.region.with(|region| unsafe { (&*(*region).body, (*region).chunks) });
        let claim = || Some(self.next.0.fetch_add(1, Ordering::Relaxed)).filter(|chunk| *chunk < chunks);
        let all = || {
            while let Some(chunk) = claim() {
                body(chunk, thread);
            }
        };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(all)) {
            self.next.0.store(chunks, Ordering::Relaxed);
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        }
    }

    /// Wakes as many as are needed beside those awake to fill the places.
    fn wake(&self, places: usize, wake: impl Fn(usize)) {
        // Together with the fence in `sleep`: either the sleeper sees the open entry, or this sees the sleeper.
        fence(Ordering::SeqCst);
        let mut needed = places.saturating_sub(self.awake());
        for (worker, asleep) in self.asleep.iter().enumerate() {
            if needed == 0 {
                return;
            }
            if asleep.load(Ordering::Relaxed) && asleep.swap(false, Ordering::AcqRel) {
                wake(worker);
                needed -= 1;
            }
        }
    }

    /// Number of workers that are not asleep.
    pub fn awake(&self) -> usize {
        self.asleep.iter().filter(|asleep| !asleep.load(Ordering::Relaxed)).count()
    }

    /// Whether a worker has a reason not to sleep.
    pub fn calls(&self) -> bool {
        self.entry.0.load(Ordering::Relaxed) & PLACES != 0 || self.stopping()
    }

    /// Sleeps by `park` until called.
    pub fn sleep(&self, worker: usize, park: impl Fn()) {
        let asleep = &self.asleep[worker];
        asleep.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        while asleep.load(Ordering::Acquire) && !self.calls() {
            park();
        }
        asleep.store(false, Ordering::Relaxed);
    }

    /// Ends the workers; all of them have to be woken.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Whether workers end.
    pub fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }
}
