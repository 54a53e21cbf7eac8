//! A model file without the elements of its large initializers: these stay in the file until somebody needs them.
use crate::wire::{Head, head};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::TensorFile;

/// Elements of fewer bytes are read with the file.
pub(crate) const LARGE: u64 = 64 << 10;

/// Bytes that are read at a time.
const WINDOW: usize = 64 << 10;

/// Numbers of fields in ONNX's `onnx.proto`.
const GRAPH: u64 = 7;
const INITIALIZER: u64 = 5;
const RAW_DATA: u64 = 9;

/// The large elements that an outline leaves out.
#[derive(Debug)]
pub(crate) struct LeftOut {
    file: Arc<TensorFile>,
    /// Where the raw data of initializers lie, by their number in the main graph.
    raw: HashMap<usize, Range<u64>>,
}

/// Raw data in a file.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a> {
    pub file: &'a Arc<TensorFile>,
    /// Where they begin.
    pub at: u64,
    pub bytes: usize,
}

impl LeftOut {
    /// The raw data of an initializer.
    pub fn raw(&self, n: usize) -> Option<Raw<'_>> {
        let raw = self.raw.get(&n)?;
        Some(Raw { file: &self.file, at: raw.start, bytes: usize::try_from(raw.end - raw.start).ok()? })
    }
}

/// The bytes of a model file without the raw data of large initializers; nothing if these are less than half of it.
///
/// # Errors
/// Io and Limit; Invalid for bytes that are not made of fields. Who reads the whole file finds out where.
pub(crate) fn outline(file: Arc<TensorFile>) -> Result<Option<(Vec<u8>, LeftOut)>> {
    let mut reader = Reader { file: &file, window: Vec::new(), start: 0, raw: HashMap::new() };
    let kept = reader.model(0..file.bytes())?;
    if kept.bytes > file.bytes() / 2 {
        return Ok(None);
    }
    let (bytes, raw) = (kept.read(&file)?, reader.raw);
    Ok(Some((bytes, LeftOut { file, raw })))
}

/// What an outline is made of.
#[derive(Default)]
struct Kept {
    parts: Vec<Part>,
    bytes: u64,
}

enum Part {
    /// Bytes of the file.
    Range(Range<u64>),
    /// The head of a field whose length is another one.
    Head(Vec<u8>),
}

impl Kept {
    fn range(&mut self, range: Range<u64>) {
        self.bytes += range.end - range.start;
        match self.parts.last_mut() {
            Some(Part::Range(last)) if last.end == range.start => last.end = range.end,
            _ => self.parts.push(Part::Range(range)),
        }
    }

    fn field(&mut self, number: u64, body: Self) {
        let mut head = Vec::new();
        varint(&mut head, number << 3 | 2);
        varint(&mut head, body.bytes);
        self.bytes += head.len() as u64 + body.bytes;
        self.parts.push(Part::Head(head));
        self.parts.extend(body.parts);
    }

    fn read(&self, file: &TensorFile) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let size = usize::try_from(self.bytes).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(size).map_err(|_| Diagnostic::limit(format!("no memory for {size} bytes")))?;
        for part in &self.parts {
            match part {
                Part::Head(head) => bytes.extend(head),
                Part::Range(range) => {
                    let at = bytes.len();
                    bytes.resize(at + (range.end - range.start) as usize, 0);
                    file.read(range.start, &mut bytes[at..])?;
                }
            }
        }
        Ok(bytes)
    }
}

/// What becomes of the body of a field.
enum Body {
    Same,
    LeftOut,
    Other(Kept),
}

struct Reader<'a> {
    file: &'a TensorFile,
    /// Bytes of the file from `start` on.
    window: Vec<u8>,
    start: u64,
    raw: HashMap<usize, Range<u64>>,
}

impl Reader<'_> {
    fn model(&mut self, message: Range<u64>) -> Result<Kept> {
        self.message(message, |reader, number, body| match number {
            GRAPH => reader.graph(body).map(Body::Other),
            _ => Ok(Body::Same),
        })
    }

    fn graph(&mut self, message: Range<u64>) -> Result<Kept> {
        let mut count = 0;
        self.message(message, |reader, number, body| {
            if number != INITIALIZER {
                return Ok(Body::Same);
            }
            count += 1;
            if body.end - body.start < LARGE { Ok(Body::Same) } else { reader.initializer(count - 1, body) }
        })
    }

    fn initializer(&mut self, n: usize, message: Range<u64>) -> Result<Body> {
        let mut found = Vec::new();
        let kept = self.message(message, |_, number, body| {
            if number != RAW_DATA {
                return Ok(Body::Same);
            }
            found.push(body);
            Ok(Body::LeftOut)
        })?;
        match found.pop() {
            Some(raw) if found.is_empty() && raw.end - raw.start >= LARGE => {
                self.raw.insert(n, raw);
                Ok(Body::Other(kept))
            }
            _ => Ok(Body::Same),
        }
    }

    /// The fields of a message, their bodies as `other` says.
    fn message(
        &mut self,
        message: Range<u64>,
        mut other: impl FnMut(&mut Self, u64, Range<u64>) -> Result<Body>,
    ) -> Result<Kept> {
        let (mut kept, mut at) = (Kept::default(), message.start);
        while at < message.end {
            let Head { number, bytes, length, is_bytes } = self.head(at..message.end)?;
            let body = at + bytes as u64..at + bytes as u64 + length;
            match if is_bytes { other(self, number, body.clone())? } else { Body::Same } {
                Body::Same => kept.range(at..body.end),
                Body::LeftOut => {}
                Body::Other(body) => kept.field(number, body),
            }
            at = body.end;
        }
        Ok(kept)
    }

    /// The head of the field at the start of `rest`.
    fn head(&mut self, rest: Range<u64>) -> Result<Head> {
        const LONGEST: u64 = 20;
        let size = (rest.end - rest.start).min(LONGEST);
        let inside = rest.start >= self.start && rest.start + size <= self.start + self.window.len() as u64;
        if !inside {
            let left = usize::try_from(self.file.bytes() - rest.start).unwrap_or(WINDOW);
            self.window.resize(left.min(WINDOW), 0);
            self.start = rest.start;
            self.file.read(self.start, &mut self.window)?;
        }
        let first = (rest.start - self.start) as usize;
        let head = head(&self.window[first..first + size as usize])?;
        if head.length > rest.end - rest.start - head.bytes as u64 {
            return Err(Diagnostic::invalid("a field is longer than its message"));
        }
        Ok(head)
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
