//! What the tests share: running the program, the shipped model, and small models written byte by byte.
#![allow(dead_code)] // Each test binary uses its part.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file of the digits example.
pub fn digits(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits");
    root.join(file).display().to_string()
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ended {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Asserts the status, and that nothing panicked.
    #[track_caller]
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
        self
    }

    /// Asserts that standard error contains a text.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "{text:?} is not in {self:?}");
        self
    }
}

/// The program with some arguments, in an environment without wishes about colours.
pub fn program<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.args(args);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

/// Runs the program.
pub fn tilewright<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Ended {
    with_input(args, b"")
}

/// Runs the program with some bytes on standard input.
pub fn with_input<S: AsRef<std::ffi::OsStr>>(args: &[S], input: &[u8]) -> Ended {
    let mut command = program(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that ends without reading closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    ended(child.wait_with_output().unwrap())
}

/// How a finished process ended; a signal counts as -1.
pub fn ended(output: std::process::Output) -> Ended {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { status: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// A protobuf message under construction.
#[derive(Clone, Default)]
pub struct Message(Vec<u8>);

impl Message {
    fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    /// An integer field.
    pub fn int(self, field: u64, value: u64) -> Self {
        self.varint(field << 3).varint(value)
    }

    /// A field of bytes, text or another message.
    pub fn bytes(self, field: u64, value: impl AsRef<[u8]>) -> Self {
        let mut message = self.varint(field << 3 | 2).varint(value.as_ref().len() as u64);
        message.0.extend_from_slice(value.as_ref());
        message
    }
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// ONNX's codes of dtypes.
pub const F32: u64 = 1;
pub const I64: u64 = 7;
pub const STRING: u64 = 8;
pub const BF16: u64 = 16;

/// `TypeProto` of a tensor.
pub fn tensor(dtype: u64, dims: &[&str]) -> Message {
    let dim = |d: &&str| match d.parse() {
        Ok(n) => Message::default().int(1, n),
        Err(_) => Message::default().bytes(2, d),
    };
    let shape = dims.iter().fold(Message::default(), |shape, d| shape.bytes(1, dim(d)));
    Message::default().bytes(1, Message::default().int(1, dtype).bytes(2, shape))
}

/// `TypeProto` of a sequence.
pub fn sequence(item: Message) -> Message {
    Message::default().bytes(4, Message::default().bytes(1, item))
}

/// A node without attributes; `name` is also its output.
pub fn node(op: &str, inputs: &[&str], name: &str) -> Message {
    let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, input));
    node.bytes(2, name).bytes(3, name).bytes(4, op)
}

/// An integer attribute for a node.
pub fn int_attribute(name: &str, value: u64) -> Message {
    Message::default().bytes(1, name).int(3, value).int(20, 2)
}

/// Writes a model of opset 17 to a file in `dir`.
pub fn model(dir: &Path, inputs: &[(&str, Message)], nodes: &[Message], outputs: &[(&str, Message)]) -> String {
    let value = |(name, ty): &(&str, Message)| Message::default().bytes(1, name).bytes(2, ty);
    let mut graph = nodes.iter().fold(Message::default(), |graph, node| graph.bytes(1, node)).bytes(2, "test");
    graph = inputs.iter().fold(graph, |graph, input| graph.bytes(11, value(input)));
    graph = outputs.iter().fold(graph, |graph, output| graph.bytes(12, value(output)));
    let opset = Message::default().bytes(1, "").int(2, 17);
    let path = dir.join("made.onnx");
    std::fs::write(&path, Message::default().int(1, 8).bytes(7, graph).bytes(8, opset)).unwrap();
    path.display().to_string()
}

/// Writes an f32 vector as `.npy`.
pub fn npy(path: PathBuf, values: &[f32]) -> String {
    let tensor = tilewright::Tensor::from_slice(&[values.len()], values).unwrap();
    std::fs::write(&path, tilewright::npy::write(&tensor).unwrap()).unwrap();
    path.display().to_string()
}

/// Reads an f32 `.npy`.
pub fn read_npy(path: PathBuf) -> Vec<f64> {
    tilewright::npy::read(std::fs::read(path).unwrap().into()).unwrap().to_vec_f64()
}
