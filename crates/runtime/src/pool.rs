//! Threads for fork-join regions: the chunks of a region are claimed by whoever is free, the caller included.
//!
//! Which thread runs a chunk is chance, so that chunks may not depend on it: a chunk number says what to compute, a
//! thread number only which scratch memory is free.

mod board;

use crate::{
    global::{Global, Part, Release, Side},
    sync::{Arc, thread},
};
use board::{Board, MOST_WORKERS};
use std::{
    fmt,
    panic::resume_unwind,
    time::{Duration, Instant},
};

/// How long a worker stays awake after a region: waking one takes longer than most gaps between regions.
const SPIN: Duration = Duration::from_micros(100);

/// The environment variable that bounds the number of threads.
const VARIABLE: &str = "TILEWRIGHT_THREADS";

static POOL: Global<Pool> = Global::new();

/// Worker threads that wait for regions.
pub struct Pool {
    board: Arc<Board>,
    workers: Vec<thread::JoinHandle<()>>,
}

impl Pool {
    /// The pool of this process, built when it is first asked for. With the caller it has as many threads as the
    /// affinity mask, the quota of the control group and `TILEWRIGHT_THREADS`, if that is a positive number, allow. The
    /// child of a fork gets a pool of its own; only a body must not fork.
    pub fn global() -> &'static Self {
        POOL.get_or_build(|| {
            let available = std::thread::available_parallelism().map_or(1, usize::from);
            Self::new(bounded(available, std::env::var(VARIABLE).ok().as_deref()))
        })
    }

    /// Starts a pool of `size` threads, one of which is the caller's; fewer when the system refuses.
    fn new(size: usize) -> Self {
        let count = (size.max(1) - 1).min(MOST_WORKERS);
        let board = Arc::new(Board::new(count));
        let start = |worker| {
            let board = Arc::clone(&board);
            let name = format!("tilewright-{}", worker + 1);
            thread::Builder::new().name(name).spawn(move || serve(&board, worker)).ok()
        };
        let workers = (0..count).map_while(start).collect();
        Self { board, workers }
    }

    /// Threads that a region can have, the caller's included.
    pub fn size(&self) -> usize {
        self.workers.len() + 1
    }

    /// Workers that are awake and would enter a region at once.
    pub fn awake(&self) -> usize {
        self.board.awake().min(self.workers.len())
    }

    /// Runs `body(chunk, thread)` for each chunk below `chunks` on up to `threads` threads; thread numbers are below
    /// `threads`, and the caller is 0. Returns when all are done. When the pool is busy, as it is for a body that runs
    /// a region itself, the calling thread runs all chunks in order.
    ///
    /// # Panics
    /// With the panic of a body, after all threads have left the region; chunks not begun by then are left out.
    pub fn run(&self, chunks: usize, threads: usize, body: &(dyn Fn(usize, usize) + Sync)) {
        let places = threads.min(chunks).saturating_sub(1).min(self.workers.len());
        if places == 0 || !self.board.take() {
            return (0..chunks).for_each(|chunk| body(chunk, 0));
        }
        let wake = |worker: usize| self.wake(worker);
        if let Err(payload) = self.board.run(chunks, places, body, wake) {
            resume_unwind(payload);
        }
    }

    fn wake(&self, worker: usize) {
        if let Some(worker) = self.workers.get(worker) {
            worker.thread().unpark();
        }
    }
}

impl Part for Pool {
    /// The child has none of the workers.
    fn hold(&'static self) -> Release {
        Box::new(|side| {
            if side == Side::Child {
                POOL.forget();
            }
        })
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads, {} of them awake", self.size(), self.awake() + 1)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.board.stop();
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker catches the panics of bodies and has none of its own.
            let _ = worker.join();
        }
    }
}

/// What a worker does all its life.
fn serve(board: &Board, worker: usize) {
    while !board.stopping() {
        board.join();
        if !spin(|| board.calls()) {
            board.sleep(worker, thread::park);
        }
    }
}

/// Waits a little for a condition. In a model check time does not pass.
fn spin(until: impl Fn() -> bool) -> bool {
    if cfg!(loom) {
        return until();
    }
    let start = Instant::now();
    loop {
        for _ in 0..64 {
            if until() {
                return true;
            }
            std::hint::spin_loop();
        }
        // A worker may be woken on the caller's core.
        std::thread::yield_now();
        if start.elapsed() > SPIN {
            return false;
        }
    }
}

/// The number of threads that the system and the user's variable allow.
fn bounded(available: usize, variable: Option<&str>) -> usize {
    let wanted = variable.and_then(|text| text.trim().parse().ok()).filter(|wanted| *wanted > 0);
    available.min(wanted.unwrap_or(usize::MAX))
}

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;
