//! The protobuf wire format, read in place: the fields of one message, without decoding what is in them.
use tilewright_support::{Diagnostic, Result};

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Field<'a> {
    /// Number of the field.
    pub number: u64,
    /// Its payload.
    pub value: Value<'a>,
}

/// The payload of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// A number of 1 to 10 bytes.
    Varint,
    /// Four or eight bytes.
    Fixed,
    /// Bytes: text, a message, or packed numbers.
    Bytes(&'a [u8]),
}

/// The fields of the message `bytes`, in order; ends after the first error.
pub(crate) fn fields(bytes: &[u8]) -> Fields<'_> {
    Fields { rest: bytes }
}

/// Iterator over the fields of a message.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Result<Field<'a>> {
        let Head { number, bytes, length, is_bytes } = head(self.rest)?;
        let rest = &self.rest[bytes..];
        let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let Some((body, tail)) = split else {
            let text = format!("a field of {length} bytes where only {} are left", rest.len());
            return Err(Diagnostic::invalid(text));
        };
        self.rest = tail;
        let value = match length {
            _ if is_bytes => Value::Bytes(body),
            0 => Value::Varint,
            _ => Value::Fixed,
        };
        Ok(Field { number, value })
    }
}

/// What comes before the body of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// Number of the field.
    pub number: u64,
    /// Bytes of the head. A number of varying length belongs to it.
    pub bytes: usize,
    /// Bytes of the body.
    pub length: u64,
    /// Is the body text, a message, or packed numbers?
    pub is_bytes: bool,
}

/// The head of the field that `rest` begins with.
pub(crate) fn head(mut rest: &[u8]) -> Result<Head> {
    let all = rest.len();
    let key = varint(&mut rest)?;
    let (number, wire_type) = (key >> 3, key & 7);
    if number == 0 || number >= 1 << 29 {
        return Err(Diagnostic::invalid(format!("field number {number} is out of range")));
    }
    let length = match wire_type {
        0 => varint(&mut rest).map(|_| 0)?,
        1 => 8,
        2 => varint(&mut rest)?,
        5 => 4,
        other => {
            return Err(Diagnostic::invalid(format!("field {number} has wire type {other}, which ONNX never uses")));
        }
    };
    Ok(Head { number, bytes: all - rest.len(), length, is_bytes: wire_type == 2 })
}

fn varint(rest: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for (i, &byte) in rest.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            *rest = &rest[i + 1..];
            return Ok(value);
        }
    }
    Err(Diagnostic::invalid("a number is cut off or longer than 10 bytes"))
}

/// How many packed varints `bytes` holds: one ends at each byte below 0x80.
pub(crate) fn count_varints(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte < 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_wire_type() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 0x02, b'o', b'k', 0x1d, 0, 0, 0x80, 0x3f, 0x21, 0, 0, 0, 0, 0, 0, 0, 0];
        let seen: Vec<_> =
            fields(&bytes).map(|field| field.unwrap()).map(|field| (field.number, field.value)).collect();
        assert_eq!(seen, [(1, Value::Varint), (2, Value::Bytes(b"ok")), (3, Value::Fixed), (4, Value::Fixed)]);
    }

    #[test]
    fn refuses_broken_fields_and_ends() {
        let cases: &[(&[u8], &str)] = &[
            (&[0x12, 0x05, b'a'], "only 1 are left"),
            (&[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], "only 0 are left"),
            (&[0x08, 0x80], "cut off"),
            (&[0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], "longer than 10"),
            (&[0x0b], "wire type 3"),
            (&[0x02, 0x00], "field number 0"),
            (&[0x0d, 0, 0], "only 2 are left"),
        ];
        for (bytes, expected) in cases {
            let all: Vec<_> = fields(bytes).collect();
            let error = all.last().unwrap().as_ref().unwrap_err();
            assert!(error.message.contains(expected), "{error}");
        }
        assert_eq!(count_varints(&[1, 0x80, 1, 0xff, 0xff, 3]), 3);
    }
}
