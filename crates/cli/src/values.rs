//! Values from files: `.npy`, `.pb`, and images.

use crate::{files, image};
use std::path::Path;
use tilewright::{Bytes, Code, Diagnostic, Result, Value, ValueSpec, npy, pb};

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Npy,
    Png,
    Pnm,
    Pb,
    /// A ZIP archive, such as `.npz`, which is not read.
    Zip,
}

impl Format {
    /// By the file's name, else by its first bytes; what neither shows is protobuf.
    fn of(path: &Path, bytes: &[u8]) -> Self {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        match extension.as_str() {
            "npy" => Self::Npy,
            "png" => Self::Png,
            "pgm" | "ppm" => Self::Pnm,
            "pb" => Self::Pb,
            _ if bytes.starts_with(b"\x93NUMPY") => Self::Npy,
            _ if bytes.starts_with(b"\x89PNG") => Self::Png,
            _ if bytes.starts_with(b"PK\x03\x04") => Self::Zip,
            _ if bytes.starts_with(b"P5") || bytes.starts_with(b"P6") => Self::Pnm,
            _ => Self::Pb,
        }
    }
}

/// Reads the value of an input.
///
/// # Errors
/// `Io` if the file cannot be read or is broken; otherwise why it does not fit, with its name as a note.
pub fn read(path: &Path, spec: &ValueSpec) -> Result<Value> {
    let bytes = files::read(path)?;
    decode(path, bytes, spec).map_err(|mut e| {
        // An invalid model is another matter.
        if e.code == Code::Invalid {
            e.code = Code::Io;
        }
        e.note(format!("in {}, read for \"{}\"", files::shown(path), spec.name))
    })
}

fn decode(path: &Path, bytes: Bytes, spec: &ValueSpec) -> Result<Value> {
    let tensor = match Format::of(path, &bytes) {
        Format::Pb => return decode_pb(bytes, &spec.kinds),
        Format::Zip => {
            let help = "unpack it: .npz holds one .npy for each array";
            return Err(Diagnostic::io("a ZIP archive, of which no value is read").help(help));
        }
        Format::Npy => npy::read(bytes)?,
        Format::Png => image::fit(&image::read_png(&bytes)?, spec)?,
        Format::Pnm => image::fit(&image::read_pnm(&bytes)?, spec)?,
    };
    match spec.kinds.as_slice() {
        [pb::Kind::Optional, ..] => Ok(Value::Optional(Some(Box::new(tensor.into())))),
        [] | [pb::Kind::Tensor, ..] => Ok(tensor.into()),
        _ => Err(Diagnostic::dtype(format!("a tensor, where the model declares {}", spec.ty))),
    }
}

/// Reads a message of the declared kind; for an optional also the message of what it holds.
///
/// The messages of a sequence and of an optional look alike, so the declared kind inside decides.
fn decode_pb(bytes: Bytes, kinds: &[pb::Kind]) -> Result<Value> {
    let [pb::Kind::Optional, inner @ ..] = kinds else {
        return pb::decode(kinds.first().copied().unwrap_or(pb::Kind::Tensor), bytes);
    };
    let optional = pb::decode(pb::Kind::Optional, bytes.clone());
    match &optional {
        Ok(Value::Optional(None)) => return optional,
        Ok(Value::Optional(Some(value))) if inner.first() == Some(&kind_of(value)) => return optional,
        _ => {}
    }
    match decode_pb(bytes, inner) {
        Ok(value) => Ok(Value::Optional(Some(Box::new(value)))),
        Err(_) => optional,
    }
}

/// The message that holds a value.
fn kind_of(value: &Value) -> pb::Kind {
    match value {
        Value::Tensor(_) => pb::Kind::Tensor,
        Value::Sequence(_) => pb::Kind::Sequence,
        Value::Optional(_) => pb::Kind::Optional,
        Value::Map(_) => pb::Kind::Map,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright::Tensor;

    #[test]
    fn formats_by_name_then_by_content() {
        let of = |name: &str, bytes: &[u8]| Format::of(Path::new(name), bytes);
        assert_eq!(of("a.NPY", b""), Format::Npy);
        assert_eq!(of("a.png", b"\x93NUMPY"), Format::Png);
        assert_eq!(of("-", b"\x93NUMPY\x01"), Format::Npy);
        assert_eq!(of("-", b"\x89PNG"), Format::Png);
        assert_eq!(of("x", b"P5 2 2"), Format::Pnm);
        assert_eq!(of("x.npz", b"PK\x03\x04"), Format::Zip);
        assert_eq!(of("x", b"\x08\x01"), Format::Pb);
    }

    #[test]
    fn optionals_read_their_own_message_and_that_of_their_contents() {
        use pb::Kind::{Optional, Sequence, Tensor as Plain};
        let tensor = Value::from(Tensor::from_slice(&[2], &[1.0f32, 2.0]).unwrap());
        let sequence = Value::Sequence(vec![tensor.clone()]);
        for (inner, value) in [(vec![Plain], tensor), (vec![Sequence, Plain], sequence)] {
            let kinds: Vec<pb::Kind> = [Optional].into_iter().chain(inner).collect();
            let wrapped = Value::Optional(Some(Box::new(value.clone())));
            for file in [&wrapped, &value] {
                let bytes = pb::encode(file).unwrap();
                assert_eq!(decode_pb(bytes.into(), &kinds).unwrap(), wrapped);
            }
        }
        let none = Value::Optional(None);
        assert_eq!(decode_pb(pb::encode(&none).unwrap().into(), &[Optional, Plain]).unwrap(), none);
    }
}
