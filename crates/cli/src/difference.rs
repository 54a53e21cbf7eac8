//! What differs between two values, element by element.

use crate::summary;
use serde_json::json;
use std::fmt;
use tilewright::{DType, Tensor, Value};

/// How far floats may be apart: `|got - want| <= atol + rtol * |want|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Part of the wanted value.
    pub rtol: Option<f64>,
    /// Beside that.
    pub atol: Option<f64>,
}

impl Tolerance {
    /// The two numbers for a dtype: as given, else what its precision lets one expect.
    pub fn of(self, dtype: DType) -> (f64, f64) {
        let (rtol, atol) = match dtype {
            DType::F32 | DType::F64 => (1e-3, 1e-5),
            DType::F16 => (1e-2, 1e-3),
            _ => (5e-2, 1e-2),
        };
        (self.rtol.unwrap_or(rtol), self.atol.unwrap_or(atol))
    }
}

/// One element.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// Of a float tensor.
    Float(f64),
    /// Of an integer or bool tensor.
    Int(i64),
    /// Of a string tensor.
    Text(String),
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The digits that an f32 needs, where it is one.
            Self::Float(v) if f64::from(*v as f32) == *v => write!(f, "{}", *v as f32),
            Self::Float(v) => write!(f, "{v}"),
            Self::Int(v) => write!(f, "{v}"),
            Self::Text(v) => write!(f, "{v:?}"),
        }
    }
}

impl Element {
    fn at(tensor: &Tensor, i: usize) -> Self {
        match tensor.strings() {
            Some(strings) => Self::Text(strings[i].clone()),
            None if tensor.dtype().is_float() => Self::Float(tensor.get_f64(i)),
            None => Self::Int(tensor.get_i64(i)),
        }
    }

    /// As JSON; numbers that JSON lacks are null.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::Float(v) => json!(v),
            Self::Int(v) => json!(v),
            Self::Text(v) => json!(v),
        }
    }
}

/// The element that is furthest from what it may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// Its index.
    pub index: Vec<usize>,
    /// The value found.
    pub got: Element,
    /// The value expected.
    pub want: Element,
    /// Their distance; infinite where there is none.
    pub error: f64,
    /// The distance allowed.
    pub allowed: f64,
}

impl Worst {
    /// As JSON.
    pub fn json(&self) -> serde_json::Value {
        let (got, want) = (self.got.json(), self.want.json());
        json!({ "index": self.index, "got": got, "want": want, "error": self.error, "allowed": self.allowed })
    }
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Equal but for the largest distance of two elements, which is allowed.
    Within(f64),
    /// Not even the same kind, dtype or shape.
    Type(String),
    /// Elements differ: so many of so many.
    Elements {
        /// Elements that differ.
        count: usize,
        /// All elements.
        of: usize,
        /// The worst of them.
        worst: Worst,
        /// Cosine of the angle between the two as vectors, of floats.
        cosine: Option<f64>,
    },
}

/// Compares what was found with what was expected.
pub fn compare(got: &Value, want: &Value, tolerance: Tolerance) -> Difference {
    match (got, want) {
        (Value::Tensor(got), Value::Tensor(want)) => tensors(got, want, tolerance),
        (Value::Sequence(got), Value::Sequence(want)) => all(got, want, tolerance),
        (Value::Optional(None), Value::Optional(None)) => Difference::Within(0.0),
        (Value::Optional(Some(got)), Value::Optional(Some(want))) => compare(got, want, tolerance),
        (Value::Optional(Some(got)), want) => compare(got, want, tolerance),
        (got, Value::Optional(Some(want))) => compare(got, want, tolerance),
        (Value::Map(got), Value::Map(want)) if got.keys == want.keys => all(&got.values, &want.values, tolerance),
        _ => Difference::Type(format!("a {} where a {} was recorded", got.kind(), want.kind())),
    }
}

/// Compares lists; the first item that differs counts.
fn all(got: &[Value], want: &[Value], tolerance: Tolerance) -> Difference {
    if got.len() != want.len() {
        return Difference::Type(format!("{} values where {} were recorded", got.len(), want.len()));
    }
    let mut largest = 0.0f64;
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        match compare(got, want, tolerance) {
            Difference::Within(error) => largest = largest.max(error),
            Difference::Type(text) => return Difference::Type(format!("value {i}: {text}")),
            Difference::Elements { count, of, mut worst, cosine } => {
                worst.index.insert(0, i);
                return Difference::Elements { count, of, worst, cosine };
            }
        }
    }
    Difference::Within(largest)
}

fn tensors(got: &Tensor, want: &Tensor, tolerance: Tolerance) -> Difference {
    if got.dtype() != want.dtype() || got.shape() != want.shape() {
        let [got, want] = [got, want].map(summary::type_of);
        return Difference::Type(format!("{got} where {want} was recorded"));
    }
    let (rtol, atol) = tolerance.of(got.dtype());
    let (mut count, mut largest, mut worst) = (0, 0.0f64, None);
    let mut worst_by = 0.0;
    for i in 0..got.len() {
        let pair = (Element::at(got, i), Element::at(want, i));
        let (error, allowed) = distance(&pair.0, &pair.1, rtol, atol);
        if error <= allowed {
            largest = largest.max(error);
            continue;
        }
        count += 1;
        let by = error / allowed.max(f64::MIN_POSITIVE);
        if worst.is_none() || by > worst_by {
            worst_by = by;
            worst = Some(Worst { index: index(i, got.shape()), got: pair.0, want: pair.1, error, allowed });
        }
    }
    match worst {
        None => Difference::Within(largest),
        Some(worst) => Difference::Elements { count, of: got.len(), worst, cosine: cosine(got, want) },
    }
}

fn cosine(got: &Tensor, want: &Tensor) -> Option<f64> {
    if !got.dtype().is_float() {
        return None;
    }
    let [a, b] = [got, want].map(Tensor::to_vec_f64);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    Some(dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()).filter(|c| c.is_finite())
}

/// How far two elements are apart and may be; NaN equals NaN.
fn distance(got: &Element, want: &Element, rtol: f64, atol: f64) -> (f64, f64) {
    match (got, want) {
        (Element::Float(a), Element::Float(b)) if a == b || (a.is_nan() && b.is_nan()) => (0.0, 0.0),
        (Element::Float(a), Element::Float(b)) if a.is_finite() && b.is_finite() => {
            ((a - b).abs(), atol + rtol * b.abs())
        }
        (Element::Int(a), Element::Int(b)) => ((i128::from(*a) - i128::from(*b)).abs() as f64, 0.0),
        (a, b) => (if a == b { 0.0 } else { f64::INFINITY }, 0.0),
    }
}

/// The index of the element at a place in row-major order.
fn index(place: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = place;
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&d| {
            let i = rest % d.max(1);
            rest /= d.max(1);
            i
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Tolerance = Tolerance { rtol: None, atol: None };

    fn floats(values: &[f32]) -> Value {
        Tensor::from_slice(&[values.len() / 2, 2], values).unwrap().into()
    }

    #[test]
    fn names_the_worst_element() {
        let want = floats(&[1.0, 2.0, 3.0, f32::NAN]);
        assert_eq!(compare(&want, &want, DEFAULT), Difference::Within(0.0));
        let got = floats(&[1.0, 2.5, 3.1, f32::NAN]);
        let Difference::Elements { count, of, worst, cosine } = compare(&got, &want, DEFAULT) else { panic!("equal") };
        assert_eq!((count, of, worst.index.as_slice()), (2, 4, &[0, 1][..]));
        assert_eq!((worst.got, worst.want, worst.error), (Element::Float(2.5), Element::Float(2.0), 0.5));
        assert_eq!(cosine, None);
        let loose = Tolerance { rtol: Some(0.5), atol: None };
        assert_eq!(compare(&got, &want, loose), Difference::Within(0.5));
        let infinite = compare(&floats(&[f32::NAN, 0.0]), &floats(&[1.0, 0.0]), loose);
        assert!(matches!(infinite, Difference::Elements { worst: Worst { error: f64::INFINITY, .. }, .. }));
    }

    #[test]
    fn direction_is_told_beside_distance() {
        let Difference::Elements { cosine, .. } = compare(&floats(&[2.0, 4.0]), &floats(&[1.0, 2.0]), DEFAULT) else {
            panic!("equal")
        };
        assert!((cosine.unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn integers_and_strings_are_equal_or_not() {
        let ints = |v: i64| Value::from(Tensor::from_slice(&[1], &[v]).unwrap());
        assert_eq!(compare(&ints(i64::MAX), &ints(i64::MAX), DEFAULT), Difference::Within(0.0));
        assert!(matches!(compare(&ints(i64::MAX), &ints(i64::MAX - 1), DEFAULT), Difference::Elements { .. }));
        let text = |s: &str| Value::from(Tensor::from_strings(&[1], vec![s.to_string()]).unwrap());
        assert!(matches!(compare(&text("a"), &text("b"), DEFAULT), Difference::Elements { .. }));
    }

    #[test]
    fn types_come_before_elements() {
        let got = floats(&[1.0, 2.0]);
        let Difference::Type(text) = compare(&got, &floats(&[1.0; 4]), DEFAULT) else { panic!("equal") };
        assert_eq!(text, "f32[1, 2] where f32[2, 2] was recorded");
        let sequence = Value::Sequence(vec![got.clone()]);
        assert!(matches!(compare(&sequence, &got, DEFAULT), Difference::Type(_)));
        assert_eq!(compare(&sequence, &sequence, DEFAULT), Difference::Within(0.0));
        assert_eq!(compare(&Value::Optional(Some(Box::new(got.clone()))), &got, DEFAULT), Difference::Within(0.0));
    }

    #[test]
    fn places_become_indices() {
        assert_eq!(index(0, &[]), Vec::<usize>::new());
        assert_eq!(index(11, &[2, 2, 3]), [1, 1, 2]);
    }
}
