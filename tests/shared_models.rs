//! The models in the folder that `TW_SHARED` names: outputs are the same bit for bit on any number of threads, run after
//! run, and for a row whatever else is in its batch; and arenas are hardly larger than what is live. Nothing is tested where
//! the variable is not set.

#[path = "compiled/bits.rs"]
mod bits;
#[path = "compiled/maker/random.rs"]
#[allow(dead_code, reason = "it is shared with other tests")]
mod random;
#[path = "compiled/rows/slice.rs"]
mod slice;

use bits::{levels, same};
use random::Random;
use slice::slice;
use std::path::{Path, PathBuf};
use tilewright::kernels::Level;
use tilewright::{Model, Options, Session, Tensor, Value, npy};

fn folders() -> Vec<PathBuf> {
    let Some(shared) = std::env::var_os("TW_SHARED") else { return Vec::new() };
    let entries = std::fs::read_dir(Path::new(&shared).join("models")).expect("the folder of models");
    let mut folders: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    folders.retain(|f| f.join("model.onnx").exists());
    folders.sort();
    folders
}

fn inputs(folder: &Path) -> Vec<Value> {
    let files = (0..).map(|n| folder.join(format!("input_{n}.npy"))).take_while(|f| f.exists());
    files.map(|f| Value::Tensor(npy::read(std::fs::read(&f).expect("an input").into()).expect("a tensor"))).collect()
}

fn session(model: &Model, level: Option<Level>, threads: usize) -> Session {
    let mut options = Options::default();
    (options.threads, options.level) = (Some(threads), level);
    model.compile(&options).expect("a session")
}

#[test]
fn outputs_do_not_depend_on_threads_or_on_the_run() {
    for folder in folders() {
        let model = Model::load(folder.join("model.onnx")).expect("a model");
        let given = inputs(&folder);
        for level in levels() {
            let first = session(&model, Some(level), 1).run_ordered(given.clone()).expect("outputs");
            for threads in [1, 2, 5] {
                let session = session(&model, Some(level), threads);
                for run in 0..2 {
                    let again = session.run_ordered(given.clone()).expect("outputs");
                    let about = || format!("{} at {level:?} on {threads} threads, run {run}", folder.display());
                    assert!(again.iter().zip(&first).all(|(a, b)| same(a, b)), "{} differs", about());
                }
            }
        }
    }
}

/// Rows of a batch.
const ROWS: usize = 8;

/// Models that are declared for one row.
const ONE_ROW: [&str; 3] = ["dfn3-enc", "dfn3-erb-dec", "q-mobilenet-v2-qdq-u8s8"];

/// Operators of these models that look at all rows by their meaning; docs/numerics.md has the whole list.
const EXEMPT: [&str; 2] = ["DynamicQuantizeLinear", "com.microsoft.DynamicQuantizeLSTM"];

/// Which dim of each input has a row for each of the batch: the first that is no number.
fn batches(model: &Model) -> Vec<Option<usize>> {
    let named = |dims: &Vec<String>| {
        let known = dims.iter().position(|d| ["B", "batch"].contains(&d.as_str()));
        known.or_else(|| dims.iter().position(|d| d.parse::<u64>().is_err()))
    };
    model.inputs().iter().map(|i| i.dims.as_ref().and_then(named)).collect()
}

/// As many rows as a batch has, like one that is given: floats a little different, integers drawn from it.
fn varied(x: &Tensor, dim: usize, random: &mut Random) -> Tensor {
    let row = slice(x, dim, 0..1);
    let mut shape = row.shape().to_vec();
    shape[dim] = ROWS;
    let n = row.len();
    if row.dtype().is_float() {
        let values = row.to_vec_f64();
        let more =
            |at: usize| values[at % n] * (0.5 + random.below(1000) as f64 / 1000.0) + random.below(9) as f64 * 0.01;
        return Tensor::from_f64(row.dtype(), &shape, &(0..n * ROWS).map(more).collect::<Vec<_>>()).unwrap();
    }
    let values = x.to_vec_i64();
    let drawn = |_| values[random.below(values.len())];
    Tensor::from_i64(row.dtype(), &shape, &(0..n * ROWS).map(drawn).collect::<Vec<_>>()).unwrap()
}

/// The inputs of some rows.
fn part(all: &[Tensor], batches: &[Option<usize>], row: usize) -> Vec<Value> {
    let one = |(x, dim): (&Tensor, &Option<usize>)| dim.map_or(x.clone(), |dim| slice(x, dim, row..row + 1));
    all.iter().zip(batches).map(|x| Value::Tensor(one(x))).collect()
}

/// Whether a row of an output is what is given alone.
fn is_row(all: &Value, row: usize, alone: &Value) -> bool {
    let (Value::Tensor(all), Value::Tensor(alone)) = (all, alone) else { return false };
    let dim = all.shape().iter().zip(alone.shape()).position(|(a, b)| a != b);
    let dim = dim.expect("a dim with the rows");
    all.shape()[dim] == ROWS * alone.shape()[dim] && {
        let size = alone.shape()[dim];
        slice(all, dim, row * size..(row + 1) * size).bit_eq(alone)
    }
}

#[test]
fn a_row_of_a_batch_is_the_row_alone() {
    for folder in folders() {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        if ONE_ROW.contains(&name.as_str()) {
            continue;
        }
        let model = Model::load(folder.join("model.onnx")).expect("a model");
        let (batches, mut random) = (batches(&model), Random(7));
        let small = folder.join("case_small");
        let given = inputs(if small.exists() { &small } else { &folder }).into_iter().zip(&batches);
        let all = given.map(|(x, dim)| match (x, dim) {
            (Value::Tensor(x), Some(dim)) => varied(&x, *dim, &mut random),
            (Value::Tensor(x), None) => x,
            _ => panic!("{name} has an input that is no tensor"),
        });
        let all: Vec<Tensor> = all.collect();
        let operators = model.describe().operators;
        let exempt: Vec<&str> = EXEMPT.into_iter().filter(|e| operators.iter().any(|o| o.op == *e)).collect();
        for level in levels() {
            let session = session(&model, Some(level), 2);
            let whole = session.run_ordered(all.iter().cloned().map(Value::Tensor).collect()).expect("outputs");
            let differs = |row: &usize| {
                let alone = session.run_ordered(part(&all, &batches, *row)).expect("outputs");
                !whole.iter().zip(&alone).all(|(all, alone)| is_row(all, *row, alone))
            };
            let rows: Vec<usize> = (0..ROWS).filter(differs).collect();
            println!("{name:30} {level:?}: rows that differ {rows:?}, exempt {exempt:?}");
            assert!(rows.is_empty() || !exempt.is_empty(), "{name} at {level:?}: rows {rows:?} differ");
        }
    }
}

#[test]
fn arenas_are_hardly_larger_than_what_is_live() {
    let mut larger = Vec::new();
    for folder in folders() {
        let model = Model::load(folder.join("model.onnx")).expect("a model");
        let (session, given) = (session(&model, None, 2), inputs(&folder));
        session.run_ordered(given.clone()).expect("outputs");
        let named = model.inputs().into_iter().map(|i| i.name).zip(given).collect();
        let mut plain = Options::default();
        plain.pass_fuel = Some(0);
        let live = model.compile(&plain).expect("a session").live(named).expect("sizes");
        let arena = session.arena().0;
        println!("{:60} {arena:>10} of {live:>10} {:.3}", folder.display(), arena as f64 / live.max(1) as f64);
        if arena > live + live * 15 / 100 + 4096 {
            larger.push(format!("{}: {arena} bytes for {live}", folder.display()));
        }
    }
    assert!(larger.is_empty(), "{}", larger.join("\n"));
}
