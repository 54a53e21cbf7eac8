//! The header of `.npy`: magic, version, length, and a Python dictionary literal of three entries.
use crate::DType;
use std::fmt;
use tilewright_support::{Diagnostic, Result};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Headers beyond this are refused; numpy's own limit is 10,000.
const MAX_HEADER: usize = 1 << 16;
/// Elements start at a multiple of this.
const ALIGNMENT: usize = 64;

/// What the header says.
pub(super) struct Header {
    pub(super) descr: Descr,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
}

/// An element type of numpy's that tensors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Descr {
    Number { dtype: DType, big_endian: bool },
    Unicode { chars: usize, big_endian: bool },
    Bytes { size: usize },
}

/// numpy's letter and size of each dtype it has.
const NUMBERS: [(DType, &str); 12] = [
    (DType::Bool, "b1"),
    (DType::I8, "i1"),
    (DType::U8, "u1"),
    (DType::I16, "i2"),
    (DType::U16, "u2"),
    (DType::I32, "i4"),
    (DType::U32, "u4"),
    (DType::I64, "i8"),
    (DType::U64, "u8"),
    (DType::F16, "f2"),
    (DType::F32, "f4"),
    (DType::F64, "f8"),
];

impl Descr {
    /// Bytes of an element.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Number { dtype, .. } => dtype.bits() / 8,
            Self::Unicode { chars, .. } => chars * 4,
            Self::Bytes { size } => size,
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let (order, code) = match text.chars().next() {
            Some(order @ ('<' | '>' | '=' | '|')) => (order, &text[1..]),
            _ => ('=', text),
        };
        let big_endian = order == '>';
        if code == "?" {
            return Ok(Self::Number { dtype: DType::Bool, big_endian });
        }
        if let Some(&(dtype, _)) = NUMBERS.iter().find(|row| row.1 == code) {
            return Ok(Self::Number { dtype, big_endian });
        }
        // The limit keeps the size in bytes, and text made of it, far from overflow.
        let length = |digits: &str| digits.parse().ok().filter(|&n| (1..1usize << 32).contains(&n));
        match (code.get(..1), code.get(1..).and_then(length)) {
            (Some("U"), Some(chars)) => Ok(Self::Unicode { chars, big_endian }),
            (Some("S" | "a"), Some(size)) => Ok(Self::Bytes { size }),
            (Some("O"), _) => Err(Diagnostic::unsupported("an .npy of pickled Python objects")),
            _ => Err(Diagnostic::unsupported(format!("an .npy of numpy dtype {text:?}"))
                .help("write dtypes that numpy does not have, such as bf16, as an ONNX .pb")),
        }
    }
}

impl fmt::Display for Descr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { dtype, .. } => dtype.fmt(f),
            Self::Unicode { chars, .. } => write!(f, "U{chars}"),
            Self::Bytes { size } => write!(f, "S{size}"),
        }
    }
}

/// numpy's name of a dtype, as headers spell it. Fails for those that numpy does not have.
pub(super) fn descr_of(dtype: DType) -> Result<String> {
    let Some(row) = NUMBERS.iter().find(|row| row.0 == dtype) else {
        return Err(Diagnostic::unsupported(format!("{dtype} in an .npy: numpy has no such dtype"))
            .help("write an ONNX .pb instead"));
    };
    let order = if dtype.bits() == 8 { '|' } else { '<' };
    Ok(format!("{order}{}", row.1))
}

fn invalid(what: &str) -> Box<Diagnostic> {
    Diagnostic::invalid(format!("no valid .npy: {what}"))
}

/// The header of a file, and where its elements start.
pub(super) fn parse(file: &[u8]) -> Result<(Header, usize)> {
    let rest = file.strip_prefix(MAGIC).ok_or_else(|| invalid("the magic string is missing"))?;
    let cut = || invalid("the header is cut off");
    let (length, text_at) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 10),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 12),
        [1..=3, ..] | [] => return Err(cut()),
        [version, ..] => return Err(Diagnostic::unsupported(format!("version {version} of .npy"))),
    };
    if length > MAX_HEADER {
        return Err(Diagnostic::limit(format!("an .npy header of {length} bytes; {MAX_HEADER} are allowed")));
    }
    let text = file.get(text_at..text_at + length).ok_or_else(cut)?;
    let text = std::str::from_utf8(text).map_err(|_| invalid("the header is no text"))?;
    Ok((Literal { rest: text }.header()?, text_at + length))
}

impl Header {
    /// Magic to header's end, for little-endian elements in C order.
    pub(super) fn write(descr: &str, shape: &[usize]) -> Result<Vec<u8>> {
        let extents: Vec<String> = shape.iter().map(|d| format!("{d},")).collect();
        let tuple = match &extents[..] {
            [one] => one.clone(),
            many => many.join(" ").trim_end_matches(',').to_owned(),
        };
        let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({tuple}), }}");
        let start = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(ALIGNMENT);
        let length = start - MAGIC.len() - 4;
        let stated =
            u16::try_from(length).map_err(|_| Diagnostic::unsupported(format!("rank {} in an .npy", shape.len())))?;
        text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
        text.push('\n');
        Ok([MAGIC, &[1, 0], &stated.to_le_bytes(), text.as_bytes()].concat())
    }
}

/// The part of Python's literals that headers use.
struct Literal<'a> {
    rest: &'a str,
}

impl<'a> Literal<'a> {
    fn header(mut self) -> Result<Header> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.expect("{")?;
        while !self.eat("}") {
            let key = self.string()?;
            self.expect(":")?;
            match key {
                "descr" => descr = Some(self.descr()?),
                "fortran_order" => fortran_order = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return Err(invalid(&format!("its header has the key {key:?}"))),
            }
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) if self.rest.trim().is_empty() => {
                Ok(Header { descr, fortran_order, shape })
            }
            _ => Err(invalid("its header lacks descr, fortran_order or shape, or goes on after them")),
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(token);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            return Ok(());
        }
        let found: String = self.rest.chars().take(12).collect();
        Err(invalid(&format!("its header has {found:?} where {token:?} is expected")))
    }

    fn string(&mut self) -> Result<&'a str> {
        let quote = if self.eat("'") { '\'' } else { self.expect("\"").map(|()| '"')? };
        let (string, rest) = self.rest.split_once(quote).ok_or_else(|| invalid("a string in its header is open"))?;
        self.rest = rest;
        Ok(string)
    }

    fn descr(&mut self) -> Result<Descr> {
        if self.eat("[") {
            return Err(Diagnostic::unsupported("an .npy of a structured dtype"));
        }
        Descr::parse(self.string()?)
    }

    fn boolean(&mut self) -> Result<bool> {
        if self.eat("True") { Ok(true) } else { self.expect("False").map(|()| false) }
    }

    fn tuple(&mut self) -> Result<Vec<usize>> {
        let mut extents = Vec::new();
        self.expect("(")?;
        while !self.eat(")") {
            extents.push(self.integer()?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(extents)
    }

    fn integer(&mut self) -> Result<usize> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Python 2 wrote long integers with an L.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        digits.parse().map_err(|_| invalid("an extent in its header is no integer that fits"))
    }
}
