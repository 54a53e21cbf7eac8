//! `tilewright inspect`, `check`, `bench` and `compare`.

mod common;

use common::{F32, digits, model, node, npy, read_npy, tensor, tilewright};
use serde_json::json;
use std::fs;

#[test]
fn inspect_describes_a_model() {
    let ended = tilewright(&["inspect", &digits("model.onnx")]).expect(0);
    for part in
        ["ai.onnx 17", "3,898 (15.2 KiB)", "x  f32[B, 1, 28, 28]", "prob  f32[B, 10]", "Conv", "none: all of it"]
    {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
    let report = tilewright(&["inspect", &digits("model.onnx"), "--json"]).expect(0).json();
    assert_eq!(report["schema"], 1);
    assert_eq!(report["opsets"], json!([{ "domain": "ai.onnx", "version": 17 }]));
    assert_eq!(report["inputs"][0]["dims"], json!(["B", "1", "28", "28"]));
    assert_eq!((&report["parameters"], &report["nodes"]), (&json!(3898), &json!(10)));
    assert_eq!(report["operators"][0], json!({ "op": "Conv", "count": 3 }));
    assert!(report["flops"].is_string());
    assert_eq!(report["problems"], json!([]));
}

#[test]
fn inspect_dumps_the_graph_to_standard_error() {
    let ended = tilewright(&["inspect", &digits("model.onnx"), "--json", "--dump-ir"]).expect(0).says("graph (");
    ended.json();
}

#[test]
fn check_lists_every_problem() {
    let dir = tempfile::tempdir().unwrap();
    let nodes = [node("NoSuch", &["x"], "a"), node("NoSuch", &["a"], "b"), node("NorThis", &["b"], "y")];
    let made = model(dir.path(), &[("x", tensor(F32, &["2"]))], &nodes, &[("y", tensor(F32, &["2"]))]);
    let ended = tilewright(&["check", &digits("model.onnx"), &made]);
    assert!(matches!(ended.status, 3 | 4), "{ended:?}");
    assert!(ended.out.starts_with("ok  "), "{ended:?}");
    for part in ["\"a\", \"b\"", "NorThis", "2 nodes (NoSuch"] {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
    let status = ended.status;
    let report = tilewright(&["check", &made, "--json"]).expect(status).json();
    let problems = report["models"][0]["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 3);
    assert_eq!((&problems[1]["node"], &problems[2]["node"]), (&json!("b"), &json!("y")));
    tilewright(&["check", &digits("model.onnx")]).expect(0);
    tilewright(&["check", "missing.onnx"]).expect(1);
    tilewright(&["check", &digits("README.md")]).expect(4);
    tilewright(&["check"]).expect(2);
}

#[test]
fn bench_keeps_its_contract() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::create_dir(dir.path().join("in")).unwrap();
    fs::copy(digits("case_ten/input_0.npy"), dir.path().join("in/00_x.npy")).unwrap();
    fs::write(dir.path().join("in/names.json"), "[]").unwrap();
    let model = digits("model.onnx");
    let mut args = vec!["bench", &model, "--threads", "1", "--min-time", "0.05", "--json", "--precision", "f32"];
    let (inputs, outputs) = (path("in"), path("out"));
    args.extend(["--inputs", &inputs, "--outputs", &outputs]);
    let ended = tilewright(&args).expect(0);
    assert_eq!(ended.out.lines().count(), 1, "{ended:?}");
    assert!(ended.err.is_empty(), "{ended:?}");
    let report = ended.json();
    let mut keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "arena_live_mb",
            "arena_mb",
            "first_ms",
            "load_s",
            "rss_load_peak_mb",
            "rss_run_peak_mb",
            "times_ms",
            "version"
        ]
    );
    assert!(report["times_ms"].as_array().unwrap().len() >= 5);
    let [got, want] = [dir.path().join("out/00.npy"), digits("case_ten/output_0.npy").into()].map(read_npy);
    assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-4) && got.len() == 100);
    fs::remove_file(dir.path().join("in/00_x.npy")).unwrap();
    tilewright(&args).expect(2).says("holds 0 inputs, the model has 1");
    tilewright(&["bench", &model, "--inputs", &inputs, "--random"]).expect(2);
}

#[test]
fn bench_prints_a_table() {
    let ended = tilewright(&["bench", &digits("model.onnx"), "--shape", "x=2x1x28x28", "--min-time", "0"]).expect(0);
    for part in ["x  f32[2, 1, 28, 28]", "p50", "p90", "p99", "mean", "5 runs"] {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
}

#[test]
fn compare_agrees_with_what_is_recorded() {
    let ended = tilewright(&["compare", &digits("model.onnx")]).expect(0);
    assert!(ended.out.contains("case_ten: prob") && ended.out.ends_with("1 of 1 cases agree\n"), "{ended:?}");
}

#[test]
fn compare_names_the_worst_element() {
    let dir = tempfile::tempdir().unwrap();
    let made =
        model(dir.path(), &[("x", tensor(F32, &["N"]))], &[node("Neg", &["x"], "y")], &[("y", tensor(F32, &["N"]))]);
    let record = |case: &str, x: &[f32], y: &[f32]| {
        fs::create_dir_all(dir.path().join(case)).unwrap();
        npy(dir.path().join(case).join("input_0.npy"), x);
        npy(dir.path().join(case).join("output_0.npy"), y);
    };
    tilewright(&["compare", &made]).expect(2).says("nothing is recorded");
    record("", &[1.0, 2.0], &[-1.0, -2.0]);
    tilewright(&["compare", &made]).expect(0);
    record("case_b", &[1.0, 2.0, 3.0], &[-1.0, -2.5, -3.1]);
    let ended = tilewright(&["compare", &made]).expect(5);
    assert!(ended.out.contains("y[1]: got -2, want -2.5, error 0.5000"), "{ended:?}");
    assert!(
        ended.out.contains("2 of 3 elements, cosine 0.99") && ended.out.contains("1 of 2 cases agree"),
        "{ended:?}"
    );
    tilewright(&["compare", &made, "--rtol", "0.3"]).expect(0);
    let report = tilewright(&["compare", &made, "--json"]).expect(5).json();
    assert_eq!((&report["schema"], &report["differing"]), (&json!(1), &json!(1)));
    let worst = &report["cases"][1]["outputs"][0]["worst"];
    assert_eq!((&worst["index"], &worst["got"], &worst["want"]), (&json!([1]), &json!(-2.0), &json!(-2.5)));
    record("case_b", &[1.0], &[-1.0, -2.0]);
    let ended = tilewright(&["compare", &made]).expect(5);
    assert!(ended.out.contains("is f32[1] where f32[2] was recorded"), "{ended:?}");
}

#[test]
fn compare_reads_the_layout_of_onnx() {
    let dir = tempfile::tempdir().unwrap();
    let made =
        model(dir.path(), &[("x", tensor(F32, &["2"]))], &[node("Neg", &["x"], "y")], &[("y", tensor(F32, &["2"]))]);
    let set = dir.path().join("test_data_set_0");
    fs::create_dir(&set).unwrap();
    for (file, values) in [("input_0.pb", [1.0f32, 2.0]), ("output_0.pb", [-1.0, -2.0])] {
        let tensor = tilewright::Tensor::from_slice(&[2], &values).unwrap();
        fs::write(set.join(file), tilewright::pb::encode(&tensor.into()).unwrap()).unwrap();
    }
    let ended = tilewright(&["compare", &made, "--dir", &dir.path().display().to_string()]).expect(0);
    assert!(ended.out.contains("test_data_set_0: y"), "{ended:?}");
}
