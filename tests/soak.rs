//! Eight threads call `run` on one session: each gets what a single thread gets, and memory does not grow.
//!
//! `TW_SOAK` gives other seconds, `TW_SOAK_MODEL` another model (a folder with `model.onnx` and `input_0.npy`, ...).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tilewright::{Model, Options, Tensor, Value, npy};

const CALLERS: usize = 8;

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// The resident memory of this process in kB, where the system tells.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

fn tensor(path: &Path) -> Value {
    Value::Tensor(npy::read(std::fs::read(path).expect("an input").into()).expect("a tensor"))
}

/// Some images of noise.
fn images(seed: usize) -> Vec<Value> {
    let count = [1, 10, 3][seed % 3];
    let pixels = (0..count * 784).map(|i| ((i * 31 + seed * 17) % 257) as f32 / 256.0);
    vec![Value::Tensor(Tensor::from_vec(&[count, 1, 28, 28], pixels.collect()).expect("images"))]
}

/// A model, and different inputs for it.
fn given() -> (Model, Vec<Vec<Value>>) {
    let Some(folder) = variable("TW_SOAK_MODEL") else {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/digits");
        let model = Model::load(folder.join("model.onnx")).expect("a model");
        return (model, (0..6).map(images).collect());
    };
    let files = (0..).map(|n| folder.join(format!("input_{n}.npy"))).take_while(|f| f.exists());
    (Model::load(folder.join("model.onnx")).expect("a model"), vec![files.map(|f| tensor(&f)).collect()])
}

#[test]
fn eight_threads_get_what_one_gets_and_memory_stays() {
    let seconds: f64 = variable("TW_SOAK").map_or(2.0, |s| s.to_str().expect("seconds").parse().expect("seconds"));
    let (model, inputs) = given();
    let mut options = Options::default();
    options.threads = Some(1);
    let alone = model.compile(&options).expect("a session");
    let expected: Vec<Vec<Value>> = inputs.iter().map(|i| alone.run_ordered(i.clone()).expect("outputs")).collect();
    options.threads = Some(2);
    let session = model.compile(&options).expect("a session");
    let (start, time) = (Instant::now(), Duration::from_secs_f64(seconds));
    let runs = AtomicUsize::new(0);
    let warm = std::thread::scope(|threads| {
        for caller in 0..CALLERS {
            let (session, inputs, expected, runs) = (&session, &inputs, &expected, &runs);
            threads.spawn(move || {
                while start.elapsed() < time {
                    let n = (caller + runs.fetch_add(1, Ordering::Relaxed)) % inputs.len();
                    assert!(session.run_ordered(inputs[n].clone()).expect("outputs") == expected[n]);
                }
            });
        }
        std::thread::sleep(time / 5);
        resident()
    });
    let runs = runs.into_inner();
    let (Some(warm), Some(end)) = (warm, resident()) else {
        println!("{runs} runs; the system does not tell the resident memory");
        return;
    };
    println!("{runs} runs, {warm} kB after a fifth of the time, {end} kB at its end");
    assert!(end <= warm + warm / 20 + 2048, "memory grew from {warm} to {end} kB");
}
