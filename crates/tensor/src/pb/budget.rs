//! What a message will take in memory, estimated on its bytes before it is decoded.
//!
//! An empty message of two bytes decodes to hundreds; so whoever counts first cannot be flooded.
use super::Kind;
use crate::proto::TensorProto;
use bytes::Buf;
use prost::encoding::{WireType, decode_key, decode_varint};
use tilewright_support::{Diagnostic, Result};

/// Memory granted to any file, in bytes.
const BASE: usize = 48 << 20;
/// Memory granted for each byte of the file.
const PER_BYTE: usize = 8;
/// A message in a list, the largest of them.
const MESSAGE: usize = size_of::<TensorProto>();
/// An entry of a list of strings, or of key-value pairs.
const ENTRY: usize = 64;
/// As deep as prost decodes.
const MAX_DEPTH: usize = 100;

/// Fails when the message that `bytes` encode would take far more memory than they do.
pub(super) fn check(kind: Kind, bytes: &[u8]) -> Result<()> {
    let granted = BASE + PER_BYTE * bytes.len();
    let needed = match kind {
        Kind::Tensor => tensor(bytes),
        Kind::Sequence | Kind::Optional | Kind::Map => container(kind, bytes, 0),
    };
    match needed {
        Some(needed) if needed <= granted => Ok(()),
        Some(_) => Err(Diagnostic::limit(format!("{} bytes hold too many entries", bytes.len()))),
        None => Err(Diagnostic::invalid("no protobuf message of the expected kind: it is cut off or nested too deep")),
    }
}

/// Sequences and optionals have their elements in fields 3 to 7 alike; a map its keys in 3 and 4, its values in 5.
fn container(kind: Kind, bytes: &[u8], depth: usize) -> Option<usize> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut needed = 0usize;
    each_field(bytes, |field, part| {
        needed += match (field, kind) {
            (3, Kind::Map) => size_of::<i64>() * part.len(),
            (4, Kind::Map) => ENTRY,
            (3, _) => MESSAGE + tensor(part)?,
            (4, _) => 2 * MESSAGE + ENTRY / 2 * part.len(),
            (5, _) => MESSAGE + container(Kind::Sequence, part, depth + 1)?,
            (6, _) => MESSAGE + container(Kind::Map, part, depth + 1)?,
            (7, _) => MESSAGE + container(Kind::Optional, part, depth + 1)?,
            _ => 0,
        };
        Some(())
    })?;
    Some(needed)
}

/// Strings, external locations and metadata are lists of small entries.
fn tensor(bytes: &[u8]) -> Option<usize> {
    let mut entries = 0;
    each_field(bytes, |field, _| {
        entries += usize::from(matches!(field, 6 | 13 | 16));
        Some(())
    })?;
    Some(entries * ENTRY)
}

/// Calls `f` with number and content of every length-delimited field; none when the bytes are no message.
fn each_field<'a>(mut bytes: &'a [u8], mut f: impl FnMut(u32, &'a [u8]) -> Option<()>) -> Option<()> {
    while bytes.has_remaining() {
        let (field, wire) = decode_key(&mut bytes).ok()?;
        let skipped = match wire {
            WireType::Varint => {
                decode_varint(&mut bytes).ok()?;
                0
            }
            WireType::ThirtyTwoBit => 4,
            WireType::SixtyFourBit => 8,
            WireType::LengthDelimited => {
                let len = usize::try_from(decode_varint(&mut bytes).ok()?).ok()?;
                f(field, bytes.get(..len)?)?;
                len
            }
            // Groups are obsolete; what they hold is skipped field by field.
            WireType::StartGroup | WireType::EndGroup => 0,
        };
        bytes = bytes.get(skipped..)?;
    }
    Some(())
}
