//! Writes outputs: `output_<i>.npy`, `.pb` for what NumPy's format cannot carry, and `outputs.json` that lists them.

use crate::files;
use serde_json::json;
use std::path::Path;
use tilewright::{Result, Value, ValueSpec, npy, pb};

/// Writes the outputs of one run into a folder, made if need be; gives the files' names.
///
/// # Errors
/// `Io`.
pub fn write(dir: &Path, specs: &[ValueSpec], outputs: &[Value]) -> Result<Vec<String>> {
    files::make_dir(dir)?;
    let mut names = Vec::with_capacity(outputs.len());
    for (i, value) in outputs.iter().enumerate() {
        let (extension, bytes) = encode(value)?;
        let name = format!("output_{i}.{extension}");
        files::write(&dir.join(&name), &bytes)?;
        names.push(name);
    }
    let list: Vec<_> = specs.iter().zip(&names).map(|(s, f)| json!({ "name": s.name, "file": f })).collect();
    files::write(&dir.join("outputs.json"), format!("{:#}\n", json!(list)).as_bytes())?;
    Ok(names)
}

/// The bytes of a value's file and the extension that fits them. An optional that holds something is written as that.
///
/// # Errors
/// `Usage` for containers that ONNX's messages cannot hold.
pub fn encode(value: &Value) -> Result<(&'static str, Vec<u8>)> {
    match value {
        Value::Optional(Some(inner)) => encode(inner),
        Value::Tensor(tensor) => match npy::write(tensor) {
            Ok(bytes) => Ok(("npy", bytes)),
            Err(_) => Ok(("pb", pb::encode(value)?)),
        },
        Value::Optional(None) | Value::Sequence(_) | Value::Map(_) => Ok(("pb", pb::encode(value)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright::{DType, Tensor};

    #[test]
    fn npy_where_it_can_be_else_pb() {
        let tensor = |dtype| Value::from(Tensor::zeros(dtype, &[3]).unwrap());
        let present = |value| Value::Optional(Some(Box::new(value)));
        let cases = [
            (tensor(DType::F32), "npy"),
            (tensor(DType::String), "npy"),
            (tensor(DType::BF16), "pb"),
            (tensor(DType::I4), "pb"),
            (Value::Sequence(vec![tensor(DType::F32)]), "pb"),
            (present(tensor(DType::F32)), "npy"),
            (Value::Optional(None), "pb"),
        ];
        for (value, extension) in cases {
            assert_eq!(encode(&value).unwrap().0, extension, "{value:?}");
        }
        let list = Value::Sequence(vec![tensor(DType::F32)]);
        assert_eq!(encode(&present(list.clone())).unwrap(), encode(&list).unwrap());
    }
}
