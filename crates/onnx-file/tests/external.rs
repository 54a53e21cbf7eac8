//! Tensors in files beside the model: what is read, and what stays out of reach.
mod common;

use common::*;
use std::fs;
use std::path::{Path, PathBuf};
use tilewright_onnx_file::proto::*;
use tilewright_onnx_file::{Limits, Model};
use tilewright_support::{Code, Diagnostic};
use tilewright_tensor::proto::{DATA_LOCATION_EXTERNAL, StringStringEntryProto, TensorProto};

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tilewright-onnx-{test}-{}", std::process::id()));
        fs::create_dir_all(path.join("model/sub")).unwrap();
        fs::write(path.join("outside.bin"), [0; 64]).unwrap();
        let numbers: Vec<u8> = (0..16).flat_map(|i| (i as f32).to_le_bytes()).collect();
        fs::write(path.join("model/w.bin"), &numbers).unwrap();
        fs::write(path.join("model/sub/w.bin"), &numbers).unwrap();
        Self(path)
    }

    /// Loads a model whose tensors `w0`, `w1`, .. lie at the given entries.
    fn load(&self, tensors: &[TensorProto]) -> Result<Model, Box<Diagnostic>> {
        let path = self.0.join("model/model.onnx");
        fs::write(&path, bytes(&model_of(tensors))).unwrap();
        Model::open(&path, &Limits::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn model_of(tensors: &[TensorProto]) -> ModelProto {
    let mut main = graph(&["x"], &[], &["x"]);
    let named = |(i, tensor): (usize, &TensorProto)| TensorProto { name: Some(format!("w{i}")), ..tensor.clone() };
    main.initializer = tensors.iter().enumerate().map(named).map(|tensor| bytes(&tensor)).collect();
    model(&main)
}

/// An f32 tensor of shape `[len]` in an external file.
fn external(len: i64, entries: &[(&str, &str)]) -> TensorProto {
    let entry =
        |(key, value): &(&str, &str)| StringStringEntryProto { key: Some((*key).into()), value: Some((*value).into()) };
    TensorProto {
        dims: vec![len],
        data_type: Some(1),
        data_location: Some(DATA_LOCATION_EXTERNAL),
        external_data: entries.iter().map(entry).collect(),
        ..TensorProto::default()
    }
}

#[test]
fn reads_ranges_of_files_in_the_folder() {
    let folder = Folder::new("reads");
    let model = folder
        .load(&[
            external(16, &[("location", "w.bin")]),
            external(2, &[("location", "./sub/w.bin"), ("offset", "8"), ("length", "8"), ("checksum", "ignored")]),
            external(0, &[("location", "w.bin"), ("offset", "64"), ("length", "0")]),
            external(1, &[("location", "w.bin"), ("offset", "60")]),
        ])
        .unwrap();
    let values = |name: &str| model.graph.initializers[name].as_slice::<f32>().unwrap().to_vec();
    assert_eq!(values("w0").len(), 16);
    assert_eq!(values("w1"), [2.0, 3.0]);
    assert!(values("w2").is_empty());
    assert_eq!(values("w3"), [15.0]);
}

#[test]
fn refuses_what_leads_out_or_does_not_fit() {
    let folder = Folder::new("refuses");
    let absolute = folder.0.join("outside.bin").display().to_string();
    let entries: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("no location is given", vec![("offset", "0")]),
        ("no location is given", vec![("location", "")]),
        ("is absolute", vec![("location", &absolute)]),
        ("is absolute", vec![("location", "C:\\w.bin")]),
        ("is absolute", vec![("location", "\\\\server\\w.bin")]),
        ("contains `..`", vec![("location", "../outside.bin")]),
        ("contains `..`", vec![("location", "sub/../../outside.bin")]),
        ("contains `..`", vec![("location", "sub\\..\\w.bin")]),
        ("is not a regular file", vec![("location", "sub")]),
        ("is not a regular file", vec![("location", ".")]),
        ("absent.bin", vec![("location", "absent.bin")]),
        ("w\\u{0}.bin", vec![("location", "w\0.bin")]),
        ("is no size", vec![("location", "w.bin"), ("offset", "-1")]),
        ("is no size", vec![("location", "w.bin"), ("length", "all")]),
        ("external length is 4", vec![("location", "w.bin"), ("length", "4")]),
        ("has 64 bytes, too few for 16 at offset 56", vec![("location", "w.bin"), ("offset", "56")]),
        ("too few", vec![("location", "w.bin"), ("offset", "18446744073709551615")]),
    ];
    for (expected, entries) in entries {
        let error = folder.load(&[external(4, &entries)]).expect_err(expected).to_string();
        assert!(error.contains(expected), "expected {expected}, got {error}");
        assert!(error.contains("in tensor \"w0\""), "{error}");
    }
}

#[test]
fn refuses_tensors_that_are_no_plain_numbers_in_a_file() {
    let folder = Folder::new("kinds");
    let place = [("location", "w.bin")];
    let cases = [
        ("strings cannot lie", TensorProto { data_type: Some(8), ..external(4, &place) }),
        ("both in the model and in an external file", TensorProto { float_data: vec![1.0], ..external(1, &place) }),
        ("data location 7", TensorProto { data_location: Some(7), ..external(1, &place) }),
        ("the dim -4", external(-4, &place)),
        ("exceeds the address space", external(i64::MAX, &place)),
        ("too few", external(1 << 40, &place)),
        ("no element type", TensorProto { data_type: None, ..external(4, &place) }),
    ];
    for (expected, tensor) in cases {
        let error = folder.load(&[tensor]).expect_err(expected).to_string();
        assert!(error.contains(expected), "expected {expected}, got {error}");
    }
}

#[test]
fn limits_how_often_a_file_is_shared() {
    let folder = Folder::new("sharing");
    let whole = external(16, &[("location", "w.bin")]);
    assert!(folder.load(&vec![whole.clone(); 4]).is_ok());
    let spelled = ["w.bin", "./w.bin", "././w.bin"].map(|name| external(16, &[("location", name)]));
    for tensors in [vec![whole; 5], [spelled.clone(), spelled].concat()] {
        let error = folder.load(&tensors).unwrap_err();
        assert_eq!(error.code, Code::Limit);
    }
}

#[cfg(unix)]
#[test]
fn follows_links_only_inside_the_folder() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    let inside = |name: &str| folder.0.join("model").join(name);
    symlink("w.bin", inside("alias.bin")).unwrap();
    symlink("../outside.bin", inside("leak.bin")).unwrap();
    symlink("..", inside("up")).unwrap();
    let at = |location: &str| folder.load(&[external(16, &[("location", location)])]);
    assert!(at("alias.bin").is_ok());
    for location in ["leak.bin", "up/outside.bin"] {
        let error = at(location).unwrap_err().to_string();
        assert!(error.contains("leads out of the model's folder"), "{error}");
    }
    // A pipe would block its reader for ever.
    let made = std::process::Command::new("mkfifo").arg(inside("pipe")).status();
    if made.is_ok_and(|status| status.success()) {
        assert!(at("pipe").unwrap_err().to_string().contains("not a regular file"));
    }
}

#[test]
fn a_model_from_bytes_has_no_folder() {
    let model = model_of(&[external(16, &[("location", "w.bin")])]);
    let error = load(&model).unwrap_err();
    assert_eq!(error.code, Code::Usage);
    assert!(error.help.as_ref().is_some_and(|help| help.contains("load the model from its path")), "{error}");
    let folder = Folder::new("bytes");
    let base = folder.0.join("model");
    assert!(Model::from_bytes(bytes(&model), Some(&base), &Limits::default()).is_ok());
    assert!(Model::from_bytes(bytes(&model), Some(Path::new("/absent")), &Limits::default()).is_err());
}
