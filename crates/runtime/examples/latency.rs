//! What the parts of the runtime cost on this machine: `cargo run --release -p tilewright-runtime --example latency`.

use std::{
    hint::{black_box, spin_loop},
    sync::Arc,
    time::{Duration, Instant},
};
use tilewright_runtime::{
    code::{self, Cache, CodeMemory, Kernel},
    pool::Pool,
};

/// A key as kernels have it: a form, dtypes, a tile, an expression.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    form: u8,
    dtypes: [u8; 3],
    tile: (u32, u32),
    steps: Vec<(u8, u16, u16)>,
}

impl code::Key for Key {
    type Asked<'a> = &'a Self;

    fn is(&self, asked: &Self) -> bool {
        self == asked
    }

    fn keep(asked: &Self) -> Self {
        asked.clone()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    code()?;
    look_up()?;
    fork_join();
    Ok(())
}

/// The median of the times that `sample` gives.
fn median(count: usize, mut sample: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..count).map(|_| sample()).collect();
    times.sort();
    times[count / 2]
}

fn show(what: &str, time: Duration) {
    println!("{what:<60}{time:>12.1?}");
}

/// Publishing a kernel of 1000 bytes, in fresh memory and where others were.
fn code() -> Result<(), Box<dyn std::error::Error>> {
    const COUNT: u32 = 10_000;
    let memory = CodeMemory::new();
    for what in ["publish in fresh memory", "publish where others were"] {
        let start = Instant::now();
        let kernels = (0..COUNT).map(|_| memory.publish("empty", &[0xc3; 1000], 0)).collect::<Result<Vec<_>, _>>()?;
        show(what, start.elapsed() / COUNT);
        black_box(kernels);
    }
    Ok(())
}

/// Looking up each of a thousand present keys.
fn look_up() -> Result<(), Box<dyn std::error::Error>> {
    let memory = CodeMemory::new();
    let cache = Cache::<Key, _>::new(usize::MAX);
    let key = |m, n| Key { form: 1, dtypes: [0, 0, 1], tile: (m, n), steps: vec![(3, 0, 1), (9, 2, 2)] };
    let keys: Vec<_> = (0..1000).map(|index| key(index / 32, index % 32)).collect();
    let ask = |key: &Key| -> Result<Arc<Kernel>, _> { cache.get_or_emit(key, || memory.publish("empty", &[0xc3], 0)) };
    for key in &keys {
        ask(key)?;
    }
    let time = median(50, || {
        let start = Instant::now();
        assert!(keys.iter().all(|key| ask(key).is_ok()));
        start.elapsed() / 1000
    });
    show("look up a present key", time);
    Ok(())
}

/// Regions of two chunks, a while after the last.
fn fork_join() {
    let pool = Pool::global();
    let wait = |time: Duration| {
        let start = Instant::now();
        while start.elapsed() < time {
            spin_loop();
        }
    };
    for (pause, work) in [(0, 0), (50, 0), (0, 20), (50, 20), (1000, 20), (5000, 20), (5000, 0)] {
        let (pause, work) = (Duration::from_micros(pause), Duration::from_micros(work));
        let time = median(300, || {
            wait(pause);
            let start = Instant::now();
            pool.run(2, 2, &|_, _| wait(work));
            start.elapsed()
        });
        show(&format!("two chunks of {work:?}, {pause:?} after the last region"), time);
    }
}
