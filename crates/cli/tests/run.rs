//! `tilewright run`.

mod common;

use common::{
    BF16, F32, STRING, digits, int_attribute, model, node, npy, read_npy, sequence, tensor, tilewright, with_input,
};
use serde_json::json;
use std::fs;
use tilewright::{Value, pb};

const NAMES: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

#[test]
fn sees_the_digits() {
    let images: Vec<String> = NAMES.iter().map(|n| digits(&format!("{n}.png"))).collect();
    let args: Vec<String> = ["run".into(), digits("model.onnx")].into_iter().chain(images).collect();
    let ended = tilewright(&[args, vec!["--top".into(), "1".into()]].concat()).expect(0);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert_eq!(lines.len(), 10);
    for (digit, (line, name)) in lines.iter().zip(NAMES).enumerate() {
        assert!(line.contains(&format!("{name}.png")), "{line}");
        assert!(line.contains(&format!("→  {digit} (")) && line.ends_with(" %)"), "{line}");
    }
}

#[test]
fn summarises_outputs() {
    let ended = tilewright(&["run", &digits("model.onnx"), "--input", &format!("x={}", digits("three.png"))]).expect(0);
    assert!(ended.out.starts_with("prob  f32[1, 10]  min "), "{ended:?}");
    let two = tilewright(&["run", &digits("model.onnx"), &digits("one.png"), &digits("two.png")]).expect(0);
    assert!(two.out.contains("one.png\nprob  ") && two.out.contains("two.png\nprob  "), "{two:?}");
}

#[test]
fn writes_outputs_whole() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("deep/er");
    let image = format!("x={}", digits("three.png"));
    let to = out.display().to_string();
    tilewright(&["run", &digits("model.onnx"), "--input", &image, "--output-dir", &to]).expect(0);
    let probabilities = read_npy(out.join("output_0.npy"));
    assert_eq!(probabilities.len(), 10);
    assert!(probabilities[3] > 0.99);
    let list: serde_json::Value = serde_json::from_slice(&fs::read(out.join("outputs.json")).unwrap()).unwrap();
    assert_eq!(list, json!([{ "name": "prob", "file": "output_0.npy" }]));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
    let images = ["one.png", "two.png"].map(digits);
    tilewright(&["run", &digits("model.onnx"), &images[0], &images[1], "-o", &to]).expect(0);
    for (run, digit) in [("run_0", 1), ("run_1", 2)] {
        assert!(read_npy(out.join(run).join("output_0.npy"))[digit] > 0.99);
    }
}

#[test]
fn reports_as_json() {
    let ended = tilewright(&["run", &digits("model.onnx"), &digits("five.png"), "--json", "--top", "2"]).expect(0);
    let report = ended.json();
    assert_eq!(report["schema"], 1);
    let run = &report["runs"][0];
    assert_eq!(run["inputs"], json!([{ "name": "x", "file": digits("five.png") }]));
    let output = &run["outputs"][0];
    assert_eq!((&output["name"], &output["dtype"], &output["shape"]), (&json!("prob"), &json!("f32"), &json!([1, 10])));
    assert_eq!(output["top"][0].as_array().unwrap().len(), 2);
    assert_eq!(output["top"][0][0]["class"], 5);
    for key in ["min", "max", "mean"] {
        assert!(output[key].is_number(), "{key}");
    }
}

#[test]
fn random_inputs_follow_the_seed_and_the_shape() {
    let run =
        |extra: &[&str]| tilewright(&[&["run", &digits("model.onnx"), "--json"], extra].concat()).expect(0).json();
    let outputs = |extra: &[&str]| run(extra)["runs"][0]["outputs"][0]["first"].clone();
    assert_eq!(outputs(&["--random"]), outputs(&["--random=0"]));
    assert_ne!(outputs(&["--random"]), outputs(&["--random=1"]));
    let shaped = run(&["--shape", "x=3x1x28x28"]);
    assert_eq!(shaped["runs"][0]["outputs"][0]["shape"], json!([3, 10]));
    tilewright(&["run", &digits("model.onnx"), "--shape", "x=3x2x28x28"])
        .expect(2)
        .says("does not fit f32[B, 1, 28, 28]");
    tilewright(&["run", &digits("model.onnx"), "--shape", "y=3"]).expect(2).says("inputs with random values: x");
}

#[test]
fn reads_standard_input() {
    let image = fs::read(digits("seven.png")).unwrap();
    let ended = with_input(&["run", &digits("model.onnx"), "-", "--top", "1"], &image).expect(0);
    assert!(ended.out.starts_with("standard input  →  7 ("), "{ended:?}");
    let bytes = fs::read(digits("model.onnx")).unwrap();
    let ended =
        with_input(&["run", "-", "--input", &format!("x={}", digits("seven.png")), "--top", "1"], &bytes).expect(0);
    assert!(ended.out.starts_with("prob  →  7 ("), "{ended:?}");
    with_input(&["run", "-", "-"], &bytes).expect(2).says("only once");
    // A model from a pipe has no size before it is read.
    #[cfg(unix)]
    with_input(&["check", "/dev/stdin"], &bytes).expect(0);
}

#[test]
fn names_what_is_wrong_with_arguments() {
    let digit = digits("model.onnx");
    tilewright(&["run", &digit]).expect(2).says("input \"x\" is not given").says("f32[B, 1, 28, 28]");
    tilewright(&["run", &digit, "--input", "y=a.npy"]).expect(2).says("no input \"y\"").says("its inputs: x");
    let twice = format!("x={}", digits("one.png"));
    tilewright(&["run", &digit, "-i", &twice, "-i", &twice]).expect(2).says("given twice");
    tilewright(&["run", &digit, "-i", &twice, "a.npy"]).expect(2).says("no input left for a.npy");
    tilewright(&["run", &digit, "missing.npy"]).expect(1).says("cannot read missing.npy");
    tilewright(&["run", "missing.onnx"]).expect(1).says("error[io]").says("missing.onnx");
    tilewright(&["run", &digit, &digit]).expect(1).says("error[io]").says("read for \"x\"");
    tilewright(&["run", &digit, "--random", "--top", "0"]).expect(2);
    tilewright(&["run", &digit, "--random", "--threads", "0"]).expect(2);
}

#[test]
fn names_the_shape_that_does_not_fit() {
    let dir = tempfile::tempdir().unwrap();
    let file = npy(dir.path().join("x.npy"), &[1.0, 2.0]);
    let ended = tilewright(&["run", &digits("model.onnx"), &file]).expect(2);
    let ended = ended.says("input \"x\": expected f32[B, 1, 28, 28], found f32[2]");
    assert!(ended.err.contains("model.onnx") && ended.err.contains("x.npy"), "{ended:?}");
}

#[test]
fn says_what_is_not_supported() {
    let dir = tempfile::tempdir().unwrap();
    let nodes = [node("NoSuchOperator", &["x"], "a"), node("NoSuchOperator", &["a"], "b"), node("Relu", &["b"], "y")];
    let made = model(dir.path(), &[("x", tensor(F32, &["2"]))], &nodes, &[("y", tensor(F32, &["2"]))]);
    let ended = tilewright(&["run", &made, "--random"]);
    assert!(matches!(ended.status, 3 | 4), "{ended:?}");
    let ended = ended.says("NoSuchOperator").says("made.onnx");
    assert_eq!(
        ended.err.matches("NoSuchOperator").count(),
        ended.err.lines().next().unwrap().matches("NoSuchOperator").count()
    );
}

#[test]
fn refuses_invalid_models() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("text.onnx");
    fs::write(&file, "this is no model").unwrap();
    tilewright(&["run", &file.display().to_string(), "--random"]).expect(4).says("error[invalid]").says("text.onnx");
    let inputs = [("a", tensor(F32, &["2"])), ("b", tensor(F32, &["3"]))];
    let made = model(dir.path(), &inputs, &[node("Add", &["a", "b"], "y")], &[("y", tensor(F32, &["?"]))]);
    tilewright(&["run", &made, "--random"]).expect(4).says("error[shape]: node \"y\" (Add-");
}

#[test]
fn feeds_several_inputs_by_name_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = [("a", tensor(F32, &["N"])), ("b=c", tensor(F32, &["N"]))];
    let made = model(dir.path(), &inputs, &[node("Sub", &["a", "b=c"], "y")], &[("y", tensor(F32, &["N"]))]);
    let [one, two] = [("one.npy", [3.0, 5.0]), ("two.npy", [1.0, 1.0])].map(|(n, v)| npy(dir.path().join(n), &v));
    let first = |args: &[&str]| {
        let report = tilewright(&[&["run", &made, "--json"], args].concat()).expect(0).json();
        report["runs"].as_array().unwrap().iter().map(|r| r["outputs"][0]["first"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(first(&[&one, &two]), [json!([2.0, 4.0])]);
    assert_eq!(first(&["-i", &format!("b=c={one}"), "-i", &format!("a={two}")]), [json!([-2.0, -4.0])]);
    assert_eq!(first(&["-i", &format!("b=c={two}"), &one, &two]), [json!([2.0, 4.0]), json!([0.0, 0.0])]);
    assert_eq!(first(&[&one, &two, &two, &one]).len(), 2);
    tilewright(&["run", &made, &one, &two, &one]).expect(2).says("do not come out even").says("a, b=c");
    tilewright(&["run", &made, &one]).expect(2).says("input \"b=c\" is not given");
}

#[test]
fn writes_pb_where_npy_cannot_hold_the_value() {
    let dir = tempfile::tempdir().unwrap();
    let cast = node("Cast", &["x"], "narrow").bytes(5, int_attribute("to", BF16));
    let nodes = [cast, node("SequenceConstruct", &["x", "x"], "list"), node("Identity", &["s"], "text")];
    let outputs =
        [("narrow", tensor(BF16, &["2"])), ("list", sequence(tensor(F32, &["2"]))), ("text", tensor(STRING, &["1"]))];
    let made = model(dir.path(), &[("x", tensor(F32, &["2"])), ("s", tensor(STRING, &["1"]))], &nodes, &outputs);
    let x = npy(dir.path().join("x.npy"), &[1.0, 2.0]);
    let words = tilewright::Tensor::from_strings(&[1], vec!["word".to_string()]).unwrap();
    let s = dir.path().join("s.pb");
    fs::write(&s, pb::encode(&words.into()).unwrap()).unwrap();
    let out = dir.path().join("out");
    let ended = tilewright(&["run", &made, &x, &s.display().to_string(), "-o", &out.display().to_string()]).expect(0);
    assert!(ended.out.contains("list  sequence of 2") && ended.out.contains("\"word\""), "{ended:?}");
    let read = |kind, file: &str| pb::decode(kind, fs::read(out.join(file)).unwrap().into()).unwrap();
    let Value::Tensor(narrow) = read(pb::Kind::Tensor, "output_0.pb") else { panic!("no tensor") };
    assert_eq!((narrow.dtype(), narrow.to_vec_f64()), (tilewright::DType::BF16, vec![1.0, 2.0]));
    let Value::Sequence(list) = read(pb::Kind::Sequence, "output_1.pb") else { panic!("no sequence") };
    assert_eq!(list.len(), 2);
    assert!(out.join("output_2.npy").exists());
    let again = dir.path().join("again");
    fs::create_dir(&again).unwrap();
    let identity =
        model(&again, &[("l", outputs[1].1.clone())], &[node("Identity", &["l"], "m")], &[("m", outputs[1].1.clone())]);
    let list = out.join("output_1.pb").display().to_string();
    tilewright(&["run", &identity, "--input", &format!("l={list}")]).expect(0);
}

#[test]
fn dumps_graphs_times_passes_and_counts_fuel() {
    let model = digits("model.onnx");
    let run = |extra: &str| tilewright(&["run", &model, "--random", extra]);
    let ended = run("--dump-ir").expect(0).says("// after dce");
    assert!(ended.err.contains("graph (") && !ended.out.contains("graph ("), "{ended:?}");
    run("--dump-ir=after:all").expect(0).says("// after fold").says("// after cse");
    run("--dump-ir=after:nothing").expect(2).says("NAME is all");
    run("--time-passes").expect(0).says("pass").says("changes");
    assert!(run("--pass-fuel=0").expect(0).err.is_empty());
}

/// Arguments that say nothing, or two things, are refused before anything runs.
#[test]
fn refuses_arguments_that_are_half_written() {
    let dir = tempfile::tempdir().unwrap();
    let x = npy(dir.path().join("x.npy"), &[1.0, 2.0]);
    npy(dir.path().join("input_0.npy"), &[1.0, 2.0]);
    npy(dir.path().join("output_0.npy"), &[-1.0, -2.0]);
    let made =
        model(dir.path(), &[("x", tensor(F32, &["N"]))], &[node("Neg", &["x"], "y")], &[("y", tensor(F32, &["N"]))]);
    let run = |args: &[&str]| tilewright(&[&["run", &made], args].concat());
    run(&["-i", "x="]).expect(2).says("input \"x\" is given no file");
    run(&["-i", ""]).expect(2).says("is given no file");
    run(&["-i", "=x.npy"]).expect(2);
    for shape in ["2x", "x2", "2xx2", ",", "2,", " "] {
        run(&["--shape", &format!("x={shape}")]).expect(2).says("is no shape");
    }
    run(&["--shape", "x=2", "--shape", "x=2"]).expect(2).says("input \"x\" is given two shapes");
    run(&["--shape", "x=2"]).expect(0);
    for tolerance in ["nan", "-1", "NaN", "much"] {
        tilewright(&["compare", &made, "--rtol", tolerance]).expect(2);
        tilewright(&["compare", &made, &format!("--atol={tolerance}")]).expect(2);
    }
    tilewright(&["compare", &made, "--rtol", "inf", "--atol", "0"]).expect(0);
    let archive = dir.path().join("x.npz");
    fs::write(&archive, b"PK\x03\x04...").unwrap();
    run(&[&archive.display().to_string()]).expect(1).says("ZIP archive").says("x.npz").says("help: unpack it");
    run(&[&x]).expect(0);
}

/// A value that does not fit is told with the input's name, whatever does not fit.
#[test]
fn unfit_values_name_their_input() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = [("a", tensor(F32, &["N", "2"])), ("b", tensor(F32, &["N", "2"]))];
    let made = model(dir.path(), &inputs, &[node("Add", &["a", "b"], "y")], &[("y", tensor(F32, &["N", "2"]))]);
    let write = |name: &str, t: tilewright::Tensor| {
        let path = dir.path().join(name);
        fs::write(&path, tilewright::npy::write(&t).unwrap()).unwrap();
        path.display().to_string()
    };
    let f32s = |shape: &[usize]| tilewright::Tensor::zeros(tilewright::DType::F32, shape).unwrap();
    let good = write("good.npy", f32s(&[3, 2]));
    let bad = [f32s(&[3]), f32s(&[3, 4]), tilewright::Tensor::zeros(tilewright::DType::F64, &[3, 2]).unwrap()];
    for (i, t) in bad.into_iter().enumerate() {
        let bad = write(&format!("bad{i}.npy"), t);
        tilewright(&["run", &made, &good, &bad]).expect(2).says("input \"b\": expected");
        tilewright(&["run", &made, &bad, &good]).expect(2).says("input \"a\": expected");
    }
}

#[cfg(unix)]
#[test]
fn files_need_no_utf8_names() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(OsStr::from_bytes(b"\xff.npy"));
    npy(file.clone(), &[1.0, 2.0]);
    let made =
        model(dir.path(), &[("x", tensor(F32, &["N"]))], &[node("Neg", &["x"], "y")], &[("y", tensor(F32, &["N"]))]);
    let mut named = OsString::from("x=");
    named.push(&file);
    for args in [vec![file.as_os_str()], vec![OsStr::new("-i"), &named], vec![OsStr::new("-i"), file.as_os_str()]] {
        tilewright(&[&[OsStr::new("run"), OsStr::new(&made)], &args[..]].concat()).expect(0);
    }
}
