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
    for (i, (spec, value)) in specs.iter().zip(outputs).enumerate() {
        let (extension, bytes) = encode(spec, value)?;
        let name = format!("output_{i}.{extension}");
        files::write(&dir.join(&name), &bytes)?;
        names.push(name);
    }
    let list: Vec<_> = specs.iter().zip(&names).map(|(s, f)| json!({ "name": s.name, "file": f })).collect();
    files::write(&dir.join("outputs.json"), format!("{:#}\n", json!(list)).as_bytes())?;
    Ok(names)
}

/// The bytes of a value's file and the extension that fits them. Outputs declared optional are written as such.
///
/// # Errors
/// `Usage` for containers that ONNX's messages cannot hold.
pub fn encode(spec: &ValueSpec, value: &Value) -> Result<(&'static str, Vec<u8>)> {
    let declared_optional = spec.kinds.first() == Some(&pb::Kind::Optional);
    match value {
        Value::Optional(_) => Ok(("pb", pb::encode(value)?)),
        _ if declared_optional => Ok(("pb", pb::encode(&Value::Optional(Some(Box::new(value.clone()))))?)),
        Value::Tensor(tensor) => match npy::write(tensor) {
            Ok(bytes) => Ok(("npy", bytes)),
            Err(_) => Ok(("pb", pb::encode(value)?)),
        },
        Value::Sequence(_) | Value::Map(_) => Ok(("pb", pb::encode(value)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright::{DType, Tensor};

    #[test]
    fn npy_where_it_can_be_else_pb() {
        let spec = |kinds: &[pb::Kind]| ValueSpec {
            name: "y".into(),
            ty: "as declared".into(),
            dtype: None,
            dims: None,
            kinds: kinds.to_vec(),
        };
        let tensor = |dtype| Value::from(Tensor::zeros(dtype, &[3]).unwrap());
        let extension = |kinds: &[pb::Kind], value: &Value| encode(&spec(kinds), value).unwrap().0;
        assert_eq!(extension(&[], &tensor(DType::F32)), "npy");
        assert_eq!(extension(&[], &tensor(DType::String)), "npy");
        assert_eq!(extension(&[], &tensor(DType::BF16)), "pb");
        assert_eq!(extension(&[], &tensor(DType::I4)), "pb");
        assert_eq!(extension(&[], &Value::Sequence(vec![tensor(DType::F32)])), "pb");
        let (extension, bytes) = encode(&spec(&[pb::Kind::Optional, pb::Kind::Tensor]), &tensor(DType::F32)).unwrap();
        assert_eq!(extension, "pb");
        let read = pb::decode(pb::Kind::Optional, bytes.into()).unwrap();
        assert_eq!(read, Value::Optional(Some(Box::new(tensor(DType::F32)))));
    }
}
