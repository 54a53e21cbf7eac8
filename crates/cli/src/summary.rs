//! Values in a few lines, and as JSON.

use crate::style;
use serde_json::json;
use tilewright::{Map, Tensor, Value, plain};

/// Elements that are shown.
const SHOWN: usize = 8;

/// Smallest, largest and mean of the finite elements, and how many are not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Elements that are NaN or infinite.
    pub not_finite: usize,
}

impl Range {
    /// That of a tensor; `None` without finite elements and for strings.
    pub fn of(tensor: &Tensor) -> Option<Self> {
        if tensor.strings().is_some() {
            return None;
        }
        let values = tensor.to_vec_f64();
        let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let min = finite.iter().copied().reduce(f64::min)?;
        let max = finite.iter().copied().reduce(f64::max)?;
        let mean = finite.iter().sum::<f64>() / finite.len() as f64;
        Some(Self { min, max, mean, not_finite: values.len() - finite.len() })
    }
}

/// A value for people: its type in the first line, below it a range and the first elements.
pub fn text(name: &str, value: &Value) -> String {
    let (head, dim, name) = (style::HEAD, style::DIM, &plain(name));
    match value {
        Value::Tensor(tensor) => {
            let mut text = format!("{head}{name}{head:#}  {}", type_of(tensor));
            if tensor.len() > 1
                && let Some(r) = Range::of(tensor)
            {
                let [min, max, mean] = [r.min, r.max, r.mean].map(number);
                text += &format!("  {dim}min {min}, max {max}, mean {mean}{dim:#}");
                if r.not_finite > 0 {
                    text += &format!("  {}{} NaN or infinite{:#}", style::BAD, r.not_finite, style::BAD);
                }
            }
            text + "\n  " + &first_elements(tensor)
        }
        Value::Sequence(items) => nested(name, &format!("sequence of {}", items.len()), items),
        Value::Map(Map { keys, values }) => {
            nested(name, &format!("map of {}, keys {}", values.len(), first_elements(keys)), values)
        }
        Value::Optional(Some(inner)) => text(name, inner),
        Value::Optional(None) => format!("{head}{name}{head:#}  none"),
    }
}

fn nested(name: &str, what: &str, items: &[Value]) -> String {
    let head = style::HEAD;
    let mut lines = format!("{head}{name}{head:#}  {what}");
    for (i, item) in items.iter().take(SHOWN).enumerate() {
        lines += &format!("\n  {}", text(&format!("[{i}]"), item).replace('\n', "\n  "));
    }
    if items.len() > SHOWN {
        lines += "\n  ...";
    }
    lines
}

/// `f32[1, 10]`.
pub fn type_of(tensor: &Tensor) -> String {
    let dims: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
    format!("{}[{}]", tensor.dtype(), dims.join(", "))
}

fn first_elements(tensor: &Tensor) -> String {
    let mut shown: Vec<String> = match tensor.strings() {
        Some(strings) => strings.iter().take(SHOWN).map(|s| format!("{s:?}")).collect(),
        None if tensor.dtype().is_float() => first(tensor).into_iter().map(number).collect(),
        None => (0..tensor.len().min(SHOWN)).map(|i| tensor.get_i64(i).to_string()).collect(),
    };
    if tensor.len() > SHOWN {
        shown.push("...".into());
    }
    if shown.is_empty() { "(empty)".into() } else { shown.join("  ") }
}

fn first(tensor: &Tensor) -> Vec<f64> {
    (0..tensor.len().min(SHOWN)).map(|i| tensor.get_f64(i)).collect()
}

/// A number of about five digits.
pub fn number(v: f64) -> String {
    match v.abs() {
        a if v == v.trunc() && a < 1e6 => format!("{v}"),
        a if (1e-3..1e5).contains(&a) => {
            format!("{:.*}", 4usize.saturating_sub(a.log10().floor().max(0.0) as usize), v)
        }
        a if a.is_finite() => format!("{v:.3e}"),
        _ => v.to_string(),
    }
}

/// A value as JSON: kind, dtype, shape, range and the first elements. Numbers that JSON lacks are null.
pub fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Tensor(tensor) => {
            let range = Range::of(tensor);
            let first = match tensor.strings() {
                Some(strings) => json!(&strings[..strings.len().min(SHOWN)]),
                None if tensor.dtype().is_float() => json!(first(tensor)),
                None => json!((0..tensor.len().min(SHOWN)).map(|i| tensor.get_i64(i)).collect::<Vec<_>>()),
            };
            json!({
                "kind": "tensor", "dtype": tensor.dtype().name(), "shape": tensor.shape(),
                "min": range.map(|r| r.min), "max": range.map(|r| r.max), "mean": range.map(|r| r.mean),
                "not_finite": range.map(|r| r.not_finite), "first": first,
            })
        }
        Value::Sequence(items) => json!({ "kind": "sequence", "items": items.iter().map(json).collect::<Vec<_>>() }),
        Value::Map(Map { keys, values }) => {
            let values: Vec<_> = values.iter().map(json).collect();
            json!({ "kind": "map", "keys": json(&Value::Tensor(keys.clone())), "items": values })
        }
        Value::Optional(inner) => json!({ "kind": "optional", "value": inner.as_deref().map(json) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(value: &Value) -> String {
        anstream::adapter::strip_str(&text("y", value)).to_string()
    }

    #[test]
    fn shows_type_range_and_first_elements() {
        let tensor = Tensor::from_slice(&[1, 3], &[0.5f32, -2.0, 1e-7]).unwrap();
        assert_eq!(plain(&tensor.into()), "y  f32[1, 3]  min -2, max 0.5000, mean -0.5000\n  0.5000  -2  1.000e-7");
        let many = Tensor::from_slice(&[10], &(0..10i64).collect::<Vec<_>>()).unwrap();
        assert_eq!(plain(&many.into()), "y  i64[10]  min 0, max 9, mean 4.5000\n  0  1  2  3  4  5  6  7  ...");
        let odd = Tensor::from_slice(&[2], &[f32::NAN, 1.0]).unwrap();
        assert_eq!(plain(&odd.into()), "y  f32[2]  min 1, max 1, mean 1  1 NaN or infinite\n  NaN  1");
        let empty = Tensor::from_slice::<f32>(&[0], &[]).unwrap();
        assert_eq!(plain(&empty.into()), "y  f32[0]\n  (empty)");
        let strings = Tensor::from_strings(&[1], vec!["a\"b".to_string()]).unwrap();
        assert_eq!(plain(&Value::Sequence(vec![strings.into()])), "y  sequence of 1\n  [0]  str[1]\n    \"a\\\"b\"");
        assert_eq!(plain(&Value::Optional(None)), "y  none");
    }

    #[test]
    fn numbers_have_few_digits() {
        for (v, want) in [
            (0.0, "0"),
            (123.456, "123.46"),
            (98765.4, "98765"),
            (0.0123456, "0.0123"),
            (1.5e-9, "1.500e-9"),
            (2.5e7, "2.500e7"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(v), want);
        }
    }

    #[test]
    fn json_has_no_numbers_that_json_lacks() {
        let tensor = Tensor::from_slice(&[2], &[f32::NAN, 1.0]).unwrap();
        let json = json(&tensor.into());
        assert_eq!(json["first"], json!([null, 1.0]));
        assert_eq!(json["not_finite"], json!(1));
    }
}
