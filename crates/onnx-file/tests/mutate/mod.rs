//! Makes damaged model files from good ones, the same for the same seed, and hostile ones from nothing.
mod bombs;
pub mod frugal;
mod structure;

use crate::common::*;
use bytes::Bytes;
use std::path::{Path, PathBuf};
use tilewright_onnx_file::proto::*;

pub use bombs::bombs;
pub use frugal::survivors;

/// Files to start from, with their names.
pub type Seeds = Vec<(String, Bytes)>;

/// Good models: one that was trained, small ones of every construct, and those of `TW_SHARED`.
pub fn seeds() -> Seeds {
    let trained = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits/model.onnx");
    let mut seeds = vec![("trained".to_owned(), read(&trained)), ("constructs".to_owned(), constructs())];
    match std::env::var_os("TW_SHARED") {
        None => println!("TW_SHARED is not set: only the models of this repository are mutated"),
        Some(shared) => {
            for path in models_below(&PathBuf::from(shared).join("models")) {
                seeds.push((path.display().to_string(), read(&path)));
            }
        }
    }
    seeds
}

/// Models without external tensors, the small ones first: each file is copied for each mutation.
fn models_below(folder: &Path) -> Vec<PathBuf> {
    const LARGEST: u64 = 2 << 20;
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let models = entries.filter_map(|entry| Some(entry.ok()?.path().join("model.onnx")));
    let fits = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() < LARGEST);
    let alone = |path: &PathBuf| !path.with_extension("onnx.data").exists();
    let mut models: Vec<PathBuf> = models.filter(|path| fits(path) && alone(path)).collect();
    models.sort();
    models
}

fn read(path: &Path) -> Bytes {
    Bytes::from(std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// A small model that uses every kind of message.
fn constructs() -> Bytes {
    let inner = graph(&[], &[node("Add", &["x", "k"], &["b"])], &["b"]);
    let branch = with(with(node("If", &["c"], &["z"]), body("then_branch", &inner)), body("else_branch", &inner));
    let alpha = AttributeProto { f: Some(0.5), ..attribute("alpha", attribute_type::FLOAT) };
    let ints = AttributeProto { ints: vec![1, 2, 300, -1], ..attribute("pads", attribute_type::INTS) };
    let value = AttributeProto { t: Some(bytes(&tensor("v"))), ..attribute("value", attribute_type::TENSOR) };
    let words = AttributeProto { strings: vec!["a".into(), "b".into()], ..attribute("w", attribute_type::STRINGS) };
    let refer = AttributeProto { ref_attr_name: "alpha".into(), ..attribute("alpha", attribute_type::FLOAT) };
    let nodes = [
        branch,
        with(with(with(node("Constant", &[], &["v"]), value), ints), words),
        with(foreign("my", "F", &["z"], &["f"]), alpha),
        node("Sum", &["f", "", "v"], &["y"]),
    ];
    let dim = |value| DimensionProto { value: Some(value) };
    let shape = TensorShapeProto {
        dim: vec![
            dim(DimensionValue::Param("n".into())),
            dim(DimensionValue::Value(3)),
            DimensionProto { value: None },
        ],
    };
    let ty = TypeProto { value: Some(TypeValue::Tensor(TensorTypeProto { elem_type: 1, shape: Some(shape) })) };
    let list = ElementTypeProto { elem_type: Some(Box::new(ty.clone())) };
    let list = TypeProto { value: Some(TypeValue::Sequence(Box::new(list))) };
    let mut main = constant(graph(&["x", "c"], &nodes, &["y"]), "k");
    main.input[0].r#type = Some(ty);
    main.value_info.push(bytes(&ValueInfoProto { name: "z".into(), r#type: Some(list) }));
    let mut function = function("F", &["a"], &[with(node("Elu", &["a"], &["b"]), refer)], &["b"]);
    function.attribute.push("alpha".into());
    bytes(&with_functions(model(&main), &[function]))
}

/// A stream of random choices, fixed by its seed.
pub struct Mutator(u64);

impl Mutator {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    /// A damaged file, and what was done to which model.
    pub fn mutate(&mut self, seeds: &Seeds) -> (String, Bytes) {
        let (name, file) = &seeds[self.below(seeds.len())];
        let (_, other) = &seeds[self.below(seeds.len())];
        let mut damaged = file.to_vec();
        let kind = match self.below(8) {
            0 => self.flip_bits(&mut damaged),
            1 => self.truncate(&mut damaged),
            2 => self.splice(&mut damaged, other),
            3 => self.overwrite(&mut damaged),
            4 => self.repeat_slice(&mut damaged),
            5 => self.remove_slice(&mut damaged),
            _ => {
                damaged = self.restructure(file);
                "restructured"
            }
        };
        (format!("{kind} {name}"), Bytes::from(damaged))
    }

    /// Mostly near the structure, which lies between long runs of weights: within a few bytes of a small number.
    fn place(&mut self, file: &[u8]) -> usize {
        let at = self.below(file.len());
        if self.below(2) == 0 {
            return at;
        }
        let window = &file[at..file.len().min(at + 4096)];
        at + window.windows(4).position(|bytes| bytes.iter().all(|byte| *byte < 0x80)).unwrap_or(0)
    }

    fn flip_bits(&mut self, file: &mut [u8]) -> &'static str {
        for _ in 0..=self.below(8) {
            let at = self.place(file);
            file[at] ^= 1 << self.below(8);
        }
        "flipped bits of"
    }

    fn truncate(&mut self, file: &mut Vec<u8>) -> &'static str {
        file.truncate(self.below(file.len()));
        "truncated"
    }

    fn splice(&mut self, file: &mut Vec<u8>, other: &[u8]) -> &'static str {
        let (cut, from) = (self.place(file), self.place(other));
        file.truncate(cut);
        file.extend(&other[from..]);
        "spliced"
    }

    /// Writes bytes that make lengths and numbers extreme.
    fn overwrite(&mut self, file: &mut [u8]) -> &'static str {
        const EXTREMES: [u8; 8] = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x2a, 0x08];
        for _ in 0..=self.below(4) {
            let at = self.place(file);
            let value = EXTREMES[self.below(EXTREMES.len())];
            let end = file.len().min(at + 1 + self.below(10));
            file[at..end].fill(value);
        }
        "overwrote"
    }

    fn slice(&mut self, file: &[u8]) -> std::ops::Range<usize> {
        let at = self.place(file);
        at..file.len().min(at + 1 + self.below(200))
    }

    fn repeat_slice(&mut self, file: &mut Vec<u8>) -> &'static str {
        let range = self.slice(file);
        let copies = file[range.clone()].repeat(1 + self.below(20));
        file.splice(range.end..range.end, copies);
        "repeated a slice of"
    }

    fn remove_slice(&mut self, file: &mut Vec<u8>) -> &'static str {
        let range = self.slice(file);
        file.drain(range);
        "removed a slice of"
    }
}
