//! Boxes that do not overlap better ones.

use super::operand::{expect_dtype, expect_single, float, int, tensor};
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, Value};

/// ONNX `NonMaxSuppression`.
///
/// Inputs: `boxes` f32 `[batches, n, 4]`, `scores` f32 `[batches, classes, n]`, the most boxes per class and batch (one
/// i64, nothing below 1), the overlap threshold (one f32), and a score threshold (one f32; absent: no filter). Output:
/// `[batch, class, box]` of each selected box, i64 `[count, 3]`.
///
/// In each class boxes are taken by falling score, the lower position first among equals. One is dropped when its
/// intersection over union with a selected box exceeds the threshold, computed in f32; boxes without area overlap
/// nothing. Scores must exceed the score threshold; a box whose score is NaN is never selected.
#[derive(Clone, Debug, PartialEq)]
pub struct NonMaxSuppression {
    /// Boxes are `[x center, y center, width, height]`; else two opposite corners, `[y, x, y, x]` in either order.
    pub center_point_box: bool,
}

impl Algorithm for NonMaxSuppression {
    const NAME: &'static str = "nonmaxsuppression";
    const DOC: &'static str =
        "The boxes that do not overlap a box of a higher score too much, as `[batch, class, box]`.";

    attributes!(center_point_box);

    fn inputs(&self) -> RangeInclusive<usize> {
        4..=5
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let boxes = expect_dtype(&inputs[0], &[DType::F32], "boxes")?;
        let scores = expect_dtype(&inputs[1], &[DType::F32], "scores")?;
        let differ = |a: &Ix, b: &Ix| (a - b).as_const().is_some_and(|d| d != 0);
        let (b, s) = (&boxes.shape, &scores.shape);
        let wrong = b.len() != 3 || s.len() != 3;
        if wrong || differ(&b[0], &s[0]) || differ(&b[1], &s[2]) || differ(&b[2], &Ix::konst(4)) {
            return Err(mismatch(&boxes.to_string(), &scores.to_string()));
        }
        expect_single(&inputs[2], DType::I64, "max_output_boxes_per_class")?;
        expect_single(&inputs[3], DType::F32, "iou_threshold")?;
        if let Some(ty) = inputs.get(4) {
            expect_single(ty, DType::F32, "score_threshold")?;
        }
        Ok(vec![Type::tensor(DType::I64, vec![fresh(), Ix::konst(3)])])
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let (boxes, scores) = (tensor(inputs, 0)?, tensor(inputs, 1)?);
        let ([batches, n, 4], [scored, classes, m]) = (boxes.shape(), scores.shape()) else {
            return Err(mismatch(&format!("{:?}", boxes.shape()), &format!("{:?}", scores.shape())));
        };
        let (Some(corners), Some(values)) = (boxes.as_slice::<f32>(), scores.as_slice::<f32>()) else {
            return Err(Diagnostic::dtype("boxes and scores must be f32"));
        };
        if batches != scored || n != m {
            return Err(mismatch(&format!("{:?}", boxes.shape()), &format!("{:?}", scores.shape())));
        }
        let most = usize::try_from(int(inputs, 2, "max_output_boxes_per_class")?).unwrap_or(0);
        let overlap = float(inputs, 3, "iou_threshold")? as f32;
        let least = inputs.get(4).map(|_| float(inputs, 4, "score_threshold")).transpose()?;
        let mut rows: Vec<i64> = Vec::new();
        for batch in 0..*batches {
            let areas: Vec<Area> = corners[batch * n * 4..][..n * 4].chunks_exact(4).map(|c| self.area(c)).collect();
            for class in 0..*classes {
                let scores = &values[(batch * classes + class) * n..][..*n];
                let kept = select(&areas, &candidates(scores, least), most, overlap);
                rows.extend(kept.into_iter().flat_map(|at| [batch as i64, class as i64, at as i64]));
            }
        }
        Ok(vec![Value::Tensor(Tensor::from_vec(&[rows.len() / 3, 3], rows)?)])
    }
}

fn mismatch(boxes: &str, scores: &str) -> Box<Diagnostic> {
    let wanted = "boxes must be [batches, n, 4] and scores [batches, classes, n]";
    Diagnostic::shape(format!("{wanted}, not {boxes} and {scores}"))
}

/// The positions of the scores that pass, best first.
fn candidates(scores: &[f32], least: Option<f64>) -> Vec<usize> {
    let passes = |s: f32| !s.is_nan() && least.is_none_or(|least| f64::from(s) > least);
    let mut found: Vec<usize> = (0..scores.len()).filter(|at| passes(scores[*at])).collect();
    // Adding zero makes -0 equal 0, which `total_cmp` tells apart.
    found.sort_by(|a, b| (scores[*b] + 0.0).total_cmp(&(scores[*a] + 0.0)));
    found
}

/// Goes through `order` and keeps what overlaps nothing kept before.
fn select(areas: &[Area], order: &[usize], most: usize, overlap: f32) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        if kept.len() >= most {
            break;
        }
        if !kept.iter().any(|k| areas[*k].overlaps(&areas[*at], overlap)) {
            kept.push(*at);
        }
    }
    kept
}

/// A box with its corners in order.
struct Area {
    x: [f32; 2],
    y: [f32; 2],
}

impl NonMaxSuppression {
    fn area(&self, c: &[f32]) -> Area {
        let sorted = |a: f32, b: f32| if a >= b { [b, a] } else { [a, b] };
        let around = |center: f32, size: f32| [center - size / 2.0, center + size / 2.0];
        match self.center_point_box {
            true => Area { x: around(c[0], c[2]), y: around(c[1], c[3]) },
            false => Area { x: sorted(c[1], c[3]), y: sorted(c[0], c[2]) },
        }
    }
}

impl Area {
    fn size(&self) -> f32 {
        (self.x[1] - self.x[0]) * (self.y[1] - self.y[0])
    }

    /// Is intersection over union above the threshold?
    fn overlaps(&self, other: &Self, threshold: f32) -> bool {
        let shared = |a: [f32; 2], b: [f32; 2]| [a[0].max(b[0]), a[1].min(b[1])];
        let both = Self { x: shared(self.x, other.x), y: shared(self.y, other.y) };
        let meet = both.x[1] > both.x[0] && both.y[1] > both.y[0];
        let union = self.size() + other.size() - both.size();
        let solid = self.size() > 0.0 && other.size() > 0.0 && union > 0.0;
        meet && solid && both.size() / union > threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{floats, ints, refused, run};

    fn nms(center: bool, inputs: [Tensor; 2], most: i64, thresholds: &[f32]) -> Vec<i64> {
        let mut inputs = inputs.to_vec();
        inputs.push(ints(&[1], &[most]));
        inputs.extend(thresholds.iter().map(|t| floats(&[1], &[*t])));
        run(NonMaxSuppression { center_point_box: center }, &inputs)[0].to_vec_i64()
    }

    const BOXES: [f32; 24] = [
        0.0, 0.0, 1.0, 1.0, 0.0, 0.1, 1.0, 1.1, 0.0, -0.1, 1.0, 0.9, 0.0, 10.0, 1.0, 11.0, 0.0, 10.1, 1.0, 11.1, 0.0,
        100.0, 1.0, 101.0,
    ];
    const SCORES: [f32; 6] = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3];

    fn six(batches: usize, classes: usize) -> [Tensor; 2] {
        let boxes = floats(&[batches, 6, 4], &BOXES.repeat(batches));
        [boxes, floats(&[batches, classes, 6], &SCORES.repeat(batches * classes))]
    }

    #[test]
    fn overlap_score_and_count_limit() {
        assert_eq!(nms(false, six(1, 1), 3, &[0.5, 0.0]), [0, 0, 3, 0, 0, 0, 0, 0, 5]);
        assert_eq!(nms(false, six(1, 1), 3, &[0.5, 0.4]), [0, 0, 3, 0, 0, 0]);
        assert_eq!(nms(false, six(1, 1), 2, &[0.5]), [0, 0, 3, 0, 0, 0]);
        assert_eq!(nms(false, six(1, 1), 0, &[0.5]), []);
        assert_eq!(nms(false, six(1, 1), i64::MIN, &[0.5]), []);
    }

    #[test]
    fn batches_and_classes_are_apart() {
        assert_eq!(nms(false, six(1, 2), 2, &[0.5, 0.0]), [0, 0, 3, 0, 0, 0, 0, 1, 3, 0, 1, 0]);
        assert_eq!(nms(false, six(2, 1), 2, &[0.5, 0.0]), [0, 0, 3, 0, 0, 0, 1, 0, 3, 1, 0, 0]);
        assert_eq!(nms(false, [floats(&[2, 0, 4], &[]), floats(&[2, 3, 0], &[])], 2, &[0.5]), []);
    }

    #[test]
    fn corners_in_any_order() {
        let boxes = [
            0.50830555, 0.9977801, 0.92337203, 0.40146697, 0.85780585, 0.92481315, 0.8863284, 0.34971297, 0.8387263,
            0.7752226, 0.40883058, 0.8470917, 0.1270749, 0.5904764, 0.8664146, 0.8541841, 0.53008854, 0.74445647,
            0.46482396, 0.12454158, 0.5697415, 0.7804538, 0.7437527, 0.7868514,
        ];
        let scores = [0.595507, 0.036617756, 0.25852472, 0.6341265, 0.7362056, 0.9318451];
        let inputs = [floats(&[1, 6, 4], &boxes), floats(&[1, 1, 6], &scores)];
        let kept = nms(false, inputs, 1501274884, &[0.9092919, 0.104928255]);
        assert_eq!(kept, [0, 0, 5, 0, 0, 4, 0, 0, 3, 0, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn centers_ties_and_the_threshold_itself() {
        let boxes = floats(&[1, 2, 4], &[0.5, 0.5, 1.0, 1.0, 0.5, 0.6, 1.0, 1.0]);
        assert_eq!(nms(true, [boxes, floats(&[1, 1, 2], &[0.5, 0.5])], 9, &[0.5]), [0, 0, 0]);
        // Intersection 1 over union 4: exactly the threshold, so both stay.
        let boxes = floats(&[1, 2, 4], &[0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(nms(false, [boxes.clone(), floats(&[1, 1, 2], &[0.1, 0.2])], 9, &[0.25]), [0, 0, 1, 0, 0, 0]);
        // Without a score threshold negative scores count; NaN never does.
        assert_eq!(nms(false, [boxes, floats(&[1, 1, 2], &[-1.0, f32::NAN])], 9, &[0.25]), [0, 0, 0]);
    }

    #[test]
    fn shapes_that_do_not_fit() {
        let inputs = [floats(&[1, 6, 4], &BOXES), floats(&[1, 1, 5], &[0.0; 5]), ints(&[], &[1]), floats(&[], &[0.5])];
        let message = refused(NonMaxSuppression { center_point_box: false }, &inputs);
        let wanted = "boxes must be [batches, n, 4] and scores [batches, classes, n]";
        assert_eq!(message, format!("{wanted}, not [1, 6, 4] and [1, 1, 5]"));
    }
}
