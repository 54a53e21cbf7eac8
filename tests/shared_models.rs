//! The models in the folder that `TW_SHARED` names: outputs are the same bit for bit on any number of threads and run
//! after run, and arenas are hardly larger than what is live. Nothing is tested where the variable is not set.

use std::path::{Path, PathBuf};
use tilewright::{Model, Options, Session, Value, npy};

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

fn session(model: &Model, threads: usize) -> Session {
    let mut options = Options::default();
    options.threads = Some(threads);
    model.compile(&options).expect("a session")
}

#[test]
fn outputs_do_not_depend_on_threads_or_on_the_run() {
    for folder in folders() {
        let model = Model::load(folder.join("model.onnx")).expect("a model");
        let given = inputs(&folder);
        let first = session(&model, 1).run_ordered(given.clone()).expect("outputs");
        for threads in [1, 2, 5] {
            let session = session(&model, threads);
            for run in 0..2 {
                let again = session.run_ordered(given.clone()).expect("outputs");
                assert!(again == first, "{} differs on {threads} threads in run {run}", folder.display());
            }
        }
    }
}

#[test]
fn arenas_are_hardly_larger_than_what_is_live() {
    for folder in folders() {
        let session = session(&Model::load(folder.join("model.onnx")).expect("a model"), 2);
        session.run_ordered(inputs(&folder)).expect("outputs");
        let (arena, live) = session.arena();
        println!("{:60} {arena:>10} of {live:>10} {:.3}", folder.display(), arena as f64 / live.max(1) as f64);
        assert!(arena <= live + live * 15 / 100 + 4096, "{}: {arena} bytes for {live}", folder.display());
    }
}
