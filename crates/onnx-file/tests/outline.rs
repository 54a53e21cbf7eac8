//! Large initializers stay in the file: what is loaded is what the whole file says.
mod common;

use common::*;
use std::fs;
use std::path::PathBuf;
use tilewright_onnx_file::proto::*;
use tilewright_onnx_file::{Limits, Model};
use tilewright_support::Code;
use tilewright_tensor::proto::TensorProto;
use tilewright_tensor::{DType, Tensor};

struct Written(PathBuf);

impl Written {
    fn new(test: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("tilewright-outline-{test}-{}.onnx", std::process::id()));
        fs::write(&path, bytes).unwrap();
        Self(path)
    }

    fn open(&self) -> tilewright_support::Result<Model> {
        Model::open(&self.0, &Limits::default())
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

fn numbers(n: usize, seed: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7 + seed) % 1001) as f32).collect()
}

/// Tensors around the size from which they stay, of dtypes that may and may not.
fn tensors() -> Vec<(&'static str, Tensor)> {
    let truth: Vec<bool> = (0..70_000).map(|i| i % 3 == 0).collect();
    vec![
        ("small", Tensor::from_vec(&[4], numbers(4, 0)).unwrap()),
        ("large", Tensor::from_vec(&[3, 10_001], numbers(30_003, 1)).unwrap()),
        ("truth", Tensor::from_vec(&[70_000], truth).unwrap()),
        (
            "nibbles",
            Tensor::from_i64(DType::I4, &[200_001], &(0..200_001).map(|i| i % 15 - 7).collect::<Vec<_>>()).unwrap(),
        ),
        ("below", Tensor::from_vec(&[16_383], numbers(16_383, 2)).unwrap()),
        ("exact", Tensor::from_vec(&[16_384], numbers(16_384, 3)).unwrap()),
        ("whole", Tensor::from_vec(&[9_000], (0..9_000i64).collect()).unwrap()),
    ]
}

fn model_of(protos: &[TensorProto]) -> ModelProto {
    let mut main = graph(&["x"], &[], &["x"]);
    main.initializer = protos.iter().map(bytes).collect();
    model(&main)
}

#[test]
fn tensors_are_those_of_the_whole_file() {
    let protos: Vec<TensorProto> = tensors().iter().map(|(name, t)| t.to_proto(name)).collect();
    let encoded = bytes(&model_of(&protos));
    let file = Written::new("tensors", &encoded);
    let (outlined, whole) = (file.open().unwrap(), Model::from_bytes(encoded, None, &Limits::default()).unwrap());
    for (name, tensor) in tensors() {
        let stays = matches!(name, "large" | "exact" | "whole");
        assert_eq!(outlined.graph.initializers[name].is_stored(), stays, "{name}");
        assert_eq!(outlined.graph.initializers[name].fetch().unwrap(), tensor, "{name}");
        assert_eq!(whole.graph.initializers[name], tensor, "{name}");
    }
}

#[test]
fn a_file_that_was_written_meanwhile_is_an_error() {
    let encoded = bytes(&model_of(&[tensors()[1].1.to_proto("w")]));
    let file = Written::new("changed", &encoded);
    let model = file.open().unwrap();
    // Another file may take its name.
    fs::remove_file(&file.0).unwrap();
    fs::write(&file.0, &encoded).unwrap();
    assert!(model.graph.initializers["w"].fetch().is_ok());
    let model = file.open().unwrap();
    fs::write(&file.0, &encoded[..encoded.len() - 1]).unwrap();
    assert_eq!(model.graph.initializers["w"].fetch().unwrap_err().code, Code::Io);
}

/// What is broken about large tensors is told as for the bytes of the whole file, and nothing of it moves to a neighbour.
#[test]
fn broken_large_tensors_are_told_as_in_the_whole_file() {
    let large = tensors()[1].1.to_proto("w");
    let broken: [fn(&mut TensorProto); 7] = [
        |p| p.dims[0] = 4,
        |p| p.dims = vec![-1],
        |p| p.data_type = None,
        |p| p.data_type = Some(1000),
        |p| p.float_data = vec![1.0],
        |p| p.data_location = Some(7),
        |p| *p = TensorProto { raw_data: p.raw_data.take(), ..TensorProto::default() },
    ];
    for (n, break_it) in broken.iter().enumerate() {
        let mut first = large.clone();
        break_it(&mut first);
        let mut second = large.clone();
        (second.raw_data, second.name) = (None, Some("second".into()));
        for protos in [vec![first.clone()], vec![first, second]] {
            let encoded = bytes(&model_of(&protos));
            let whole = Model::from_bytes(encoded.clone(), None, &Limits::default()).unwrap_err();
            let opened = Written::new("broken", &encoded).open().unwrap_err();
            assert_eq!((opened.code, &opened.message), (whole.code, &whole.message), "{n}");
        }
    }
}

/// Raw data that are given twice count by the last.
#[test]
fn raw_elements_given_twice_count_by_the_last() {
    let (first, second) = (tensors()[1].1.to_proto("w"), Tensor::from_vec(&[3, 10_001], numbers(30_003, 5)).unwrap());
    let again = TensorProto { raw_data: second.to_proto("").raw_data, ..TensorProto::default() };
    let doubled = [&bytes(&first)[..], &bytes(&again)].concat();
    let mut main = graph(&["x"], &[], &["x"]);
    main.initializer = vec![doubled.into()];
    let file = Written::new("doubled", &bytes(&model(&main)));
    let opened = file.open().unwrap();
    assert!(!opened.graph.initializers["w"].is_stored());
    assert_eq!(opened.graph.initializers["w"], second);
}

#[test]
fn a_cut_off_file_is_told_with_its_positions() {
    let encoded = bytes(&model_of(&[tensors()[1].1.to_proto("w")]));
    for end in [encoded.len() - 1, encoded.len() - 50_000, 70_000, 66_000] {
        let whole = Model::from_bytes(encoded.slice(..end), None, &Limits::default()).unwrap_err();
        let opened = Written::new("cut", &encoded[..end]).open().unwrap_err();
        assert_eq!((opened.code, &opened.message), (whole.code, &whole.message), "{end}");
    }
}

/// Bodies inside functions come first in the decoder, and have initializers of the same numbers.
#[test]
fn bodies_of_functions_take_nothing_of_the_main_graph() {
    let (inner, outer) = (tensors()[0].1.to_proto("w"), tensors()[1].1.to_proto("w"));
    let mut arm = graph(&[], &[], &["w"]);
    arm.initializer = vec![bytes(&inner)];
    let branch = with(with(node("If", &["c"], &["y"]), body("then_branch", &arm)), body("else_branch", &arm));
    let mut proto = model_of(&[outer]);
    proto.functions = vec![bytes(&function("F", &["c"], &[branch], &["y"]))];
    proto.opset_import.push(import("my", 1));
    let file = Written::new("functions", &bytes(&proto));
    let opened = file.open().unwrap();
    assert!(opened.graph.initializers["w"].is_stored());
    assert_eq!(opened.graph.initializers["w"].fetch().unwrap(), tensors()[1].1);
}

/// Heads of fields across the ends of what is read at a time.
#[test]
fn many_small_fields_are_kept_as_they_are() {
    for names in [3_000, 3_001, 3_003, 3_007] {
        let mut main = graph(&["x"], &[], &["x"]);
        let small = (0..names).map(|n| bytes(&tensors()[0].1.to_proto(&format!("small{n}{}", "_".repeat(n % 41)))));
        main.initializer = small.collect();
        let large = Tensor::from_vec(&[300_000], numbers(300_000, 9)).unwrap();
        main.initializer.insert(names / 2, bytes(&large.to_proto("large")));
        let encoded = bytes(&model(&main));
        let (opened, whole) = (
            Written::new("small", &encoded).open().unwrap(),
            Model::from_bytes(encoded, None, &Limits::default()).unwrap(),
        );
        assert!(opened.graph.initializers["large"].is_stored());
        opened.graph.initializers["large"].keep().unwrap();
        assert!(opened.graph.initializers == whole.graph.initializers);
    }
}
