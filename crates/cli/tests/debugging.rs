//! What shows how a model is run: kernels, traces, fuel, bisection, replay.

mod common;

use common::{F32, I64, digits, model, node, program, tensor, tilewright};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn path(dir: &Path, name: &str) -> String {
    dir.join(name).display().to_string()
}

fn run(extra: &[&str]) -> common::Ended {
    tilewright(&[&["run", &digits("model.onnx"), &digits("four.png")], extra].concat())
}

#[test]
fn kernels_of_plans_are_dumped() {
    for place in ["--dump-ir=kernels", "--dump-ir=after:lower"] {
        let ended = run(&[place]).expect(0).says("// plan 0").says(" bytes").says("kernel ").says("arena ");
        assert!(ended.err.contains("step 0") && !ended.out.contains("kernel "), "{ended:?}");
    }
    run(&["--dump-ir=lower"]).expect(2).says("`kernels` or `after:lower`");
    tilewright(&["inspect", &digits("model.onnx"), "--dump-ir=kernels"]).expect(2).says("tilewright run");
    let ended = run(&["--time-passes"]).expect(0).says("plan 0: ").says("bytes of code");
    assert!(["lower ", "memory ", "code "].iter().all(|part| ended.err.contains(part)), "{ended:?}");
}

fn events(file: &str) -> Vec<Value> {
    let document: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    document["traceEvents"].as_array().unwrap().clone()
}

#[test]
fn traces_show_kernels_calls_plans_and_counters() {
    let dir = tempfile::tempdir().unwrap();
    let file = path(dir.path(), "trace.json");
    run(&["--trace", &file]).expect(0);
    let events = events(&file);
    let of = |key: &str, value: &str| events.iter().filter(|e| e[key] == value).cloned().collect::<Vec<_>>();
    let kernels = of("cat", "kernel");
    assert!(!kernels.is_empty());
    for e in &kernels {
        assert!(e["ts"].as_f64().unwrap() > 0.0 && e["dur"].as_f64().unwrap() >= 0.0 && e["tid"].is_u64(), "{e}");
        let args = &e["args"];
        assert!(args["kernel"].is_string() && args["node"].is_string() && args["iterations"].is_u64(), "{e}");
    }
    assert!(of("cat", "plan").iter().any(|e| e["name"] == "code"));
    for counter in ["kernels", "leaves", "bytes moved", "arena bytes", "code bytes"] {
        let last = of("name", counter).last().unwrap()["args"]["value"].as_u64();
        assert!(last.is_some(), "{counter}");
    }
    assert!(of("name", "thread_name").iter().any(|e| e["args"]["name"] == "main"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_run_that_fails_is_traced() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = [("x", tensor(F32, &["2"])), ("i", tensor(I64, &["64"]))];
    let nodes = [node("Exp", &["x"], "e"), node("Gather", &["e", "i"], "y")];
    let made = model(dir.path(), &inputs, &nodes, &[("y", tensor(F32, &["64"]))]);
    let file = path(dir.path(), "trace.json");
    tilewright(&["run", &made, "--random", "--trace", &file]).expect(1);
    assert!(!events(&file).is_empty());
    tilewright(&["run", &made, "--random", "--trace", &path(dir.path(), "no/t.json")]).expect(1);
    run(&["--trace", &path(dir.path(), "no/trace.json")]).expect(1).says("cannot write");
    run(&["--trace", &file, "--backend", "interp"]).expect(2).says("leave out --backend interp");
}

#[test]
fn fuel_changes_no_bit() {
    let dir = tempfile::tempdir().unwrap();
    let outputs = |name: &str, extra: &[&str]| {
        let out = path(dir.path(), name);
        run(&[&["-o", &out], extra].concat()).expect(0);
        fs::read(Path::new(&out).join("output_0.npy")).unwrap()
    };
    let whole = outputs("whole", &[]);
    for fuel in ["0", "1", "4", "1000"] {
        assert_eq!(outputs(fuel, &["--jit-fuel", fuel]), whole, "{fuel}");
    }
}

#[test]
fn nothing_is_found_where_nothing_differs() {
    let dir = tempfile::tempdir().unwrap();
    let file = path(dir.path(), "first.kernel");
    let bisect = |extra: &[&str]| {
        tilewright(&[&["bisect", &digits("model.onnx"), &digits("four.png"), "--save", &file], extra].concat())
            .expect(0)
    };
    let ended = bisect(&[]);
    assert!(ended.out.contains("kernels, bit for bit") && ended.out.contains("within the tolerance"), "{ended:?}");
    for isa in ["portable", "avx2"] {
        let report = bisect(&["--json", "--isa", isa]).json();
        assert_eq!((&report["schema"], &report["differing"]), (&1.into(), &0.into()));
        let first = &report["runs"][0];
        assert!(first["kernels"].as_u64() > Some(0) && first["nodes"].as_u64() > Some(0), "{report}");
        assert!(first["kernel"].is_null() && first["node"].is_null(), "{report}");
    }
    assert!(!Path::new(&file).exists());
    // A tolerance of nothing at all: what the order of additions explains is told.
    let strict = ["bisect", &digits("model.onnx"), &digits("four.png"), "--rtol", "0", "--atol", "0"];
    let ended = tilewright(&strict);
    assert!(matches!(ended.status, 0 | 5), "{ended:?}");
    assert_eq!(ended.status == 5, ended.out.contains("differs"), "{ended:?}");
}

/// The files of the kernels of a run.
fn saved(dir: &Path) -> Vec<PathBuf> {
    run(&["--save-kernels", &dir.display().to_string()]).expect(0);
    let mut files: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn saved_kernels_are_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let files = saved(&dir.path().join("kernels"));
    assert!(!files.is_empty());
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let arguments: Vec<&str> = ["replay"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let ended = tilewright(&arguments).expect(0);
    assert!(ended.out.contains("portable") && !ended.out.contains("differs"), "{ended:?}");
    let report = tilewright(&[&arguments[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(report["kernels"].as_array().unwrap().len(), files.len());
    assert!(report["kernels"][0]["levels"][0]["time_us"].as_f64() > Some(0.0), "{report}");
}

#[test]
fn files_that_were_changed_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let files = saved(&dir.path().join("kernels"));
    let bytes = fs::read(&files[0]).unwrap();
    let changed = |name: &str, bytes: &[u8]| {
        let file = path(dir.path(), name);
        fs::write(&file, bytes).unwrap();
        tilewright(&["replay", &file])
    };
    let mut other = bytes.clone();
    let last = other.len() - 2;
    other[last] ^= 1;
    let ended = changed("other.kernel", &other).expect(5);
    assert!(ended.out.contains("from the file") && ended.out.contains("want "), "{ended:?}");
    changed("short.kernel", &bytes[..bytes.len() - 1]).expect(1).says("at byte").says("short.kernel");
    let text = String::from_utf8_lossy(&bytes).replacen("kernel ", "colonel ", 2);
    changed("text.kernel", text.as_bytes()).expect(1).says("text.kernel");
    changed("empty.kernel", b"").expect(1).says("at byte 0");
    tilewright(&["replay"]).expect(2);
    tilewright(&["replay", "missing.kernel"]).expect(1).says("missing.kernel");
}

#[cfg(target_os = "linux")]
#[test]
fn perf_is_told_of_kernels_by_name() {
    if !(cfg!(target_arch = "x86_64") && std::is_x86_feature_detected!("avx2")) {
        return;
    }
    let mut child = program(&["run", &digits("model.onnx"), "--random", "--perf-map"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert!(child.wait().unwrap().success());
    let file = Path::new("/tmp").join(format!("perf-{}.map", child.id()));
    let map = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(map.lines().any(|line| line.contains("contract_f32") || line.contains("nest_")), "{map}");
}
