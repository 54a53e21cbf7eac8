//! Resize and Upsample over their versions, modes and dtypes.

mod common;

use common::case::*;
use common::{node, with};
use tilewright_onnx::proto::NodeProto;
use tilewright_tensor::{DType, Tensor};

fn row(values: &[f32]) -> Tensor {
    f32s(&[1, 1, 1, values.len()], values)
}

/// A resize by scales in opset 19.
fn by_scales(mode: &str, coordinates: &str) -> NodeProto {
    let n = with(node("Resize", &["x0", "", "x1"], &["y"]), text("mode", mode));
    with(n, text("coordinate_transformation_mode", coordinates))
}

fn scaled(n: NodeProto, x: Tensor, scale: f32) -> Vec<f64> {
    one(19, n, &[x, f32s(&[4], &[1., 1., 1., scale])]).tensor("y").to_vec_f64()
}

/// The text divides by lengths in whole places; the data of two of ONNX's own tests, which divide by
/// a length of 2.4, contradict it.
#[test]
fn corners_stay_corners() {
    let y = scaled(by_scales("linear", "align_corners"), row(&[1., 2., 3., 4.]), 0.6);
    assert_eq!(y, [1., 4.]);
}

/// 3 * (5/3) is 5, though the nearest f32 of 5/3 is a little less.
#[test]
fn sizes_round_as_in_shape_inference() {
    let y = scaled(by_scales("nearest", "asymmetric"), row(&[0., 1., 2.]), 5. / 3.);
    assert_eq!(y, [0., 1., 1., 2., 2.]);
}

/// The offset of the symmetric mode puts the first of two places exactly at 1.
#[test]
fn symmetric_half_pixels_are_exact() {
    let n = with(by_scales("nearest", "half_pixel_symmetric"), text("nearest_mode", "floor"));
    assert_eq!(scaled(n, row(&[0., 1., 2., 3., 4.]), 0.5), [1., 3.]);
}

#[test]
fn antialiasing_widens_the_kernel() {
    let n = with(by_scales("linear", "half_pixel"), int("antialias", 1));
    let y = one(19, n, &[row(&[0., 0., 8., 0., 0., 0.]), f32s(&[4], &[1., 1., 1., 0.5])]).tensor("y");
    assert_close(&y, &[1., 3., 0.], 1e-6);
}

/// Before opset 11 the nearest place is the one before, or behind where the input shrinks.
#[test]
fn nearest_of_old_versions() {
    let old = |version, op: &str, scale: f32| {
        let inputs = [row(&[0., 1., 2., 3.]), f32s(&[4], &[1., 1., 1., scale])];
        one(version, node(op, &["x0", "x1"], &["y"]), &inputs).tensor("y").to_vec_f64()
    };
    assert_eq!(old(10, "Resize", 0.6), [0., 2.]);
    assert_eq!(old(10, "Resize", 1.5), [0., 0., 1., 2., 2., 3.]);
    assert_eq!(old(9, "Upsample", 1.5), [0., 0., 1., 2., 2., 3.]);
    let n = with(node("Upsample", &["x0"], &["y"]), float("width_scale", 2.));
    let y = one(1, with(n, float("height_scale", 1.)), &[row(&[5., 6.])]).tensor("y");
    assert_eq!(y.to_vec_f64(), [5., 5., 6., 6.]);
}

/// Integers drop the fraction and stay in their range; thirds that add up to whole numbers are whole.
#[test]
fn integers() {
    let run = |mode: &str, x: Tensor, size: i64| {
        let n = with(node("Resize", &["x0", "", "", "x1"], &["y"]), text("mode", mode));
        let y = one(19, n, &[x, i64s(&[4], &[1, 1, 1, size])]).tensor("y");
        assert_eq!(y.dtype(), DType::U8);
        y.to_vec_i64()
    };
    let bytes = |values: &[u8]| of(&[1, 1, 1, values.len()], values);
    assert_eq!(run("linear", bytes(&[0, 10]), 4), [0, 2, 7, 10]);
    assert_eq!(run("linear", bytes(&[39, 39, 39]), 7), [39; 7]);
    assert_eq!(run("cubic", bytes(&[255, 255, 0, 0]), 8)[..2], [255, 255]);
    assert_eq!(run("nearest", bytes(&[7, 9]), 3), [7, 7, 9]);
}

#[test]
fn aspect_ratios() {
    let run = |policy: &str| {
        let n = with(node("Resize", &["x0", "", "", "x1"], &["y"]), text("keep_aspect_ratio_policy", policy));
        let n = with(n, ints("axes", &[-1, -2]));
        one(18, n, &[f32s(&[1, 4, 6], &[0.; 24]), i64s(&[2], &[9, 8])]).tensor("y").shape().to_vec()
    };
    assert_eq!(run("stretch"), [1, 8, 9]);
    assert_eq!(run("not_larger"), [1, 6, 9]);
    assert_eq!(run("not_smaller"), [1, 8, 12]);
}

#[test]
fn what_breaks_the_rules_is_refused() {
    let x = row(&[1., 2.]);
    let both = node("Resize", &["x0", "", "x1", "x2"], &["y"]);
    let scales = f32s(&[4], &[1., 1., 1., 2.]);
    let c = one(13, both, &[x.clone(), scales, i64s(&[4], &[1, 1, 1, 4])]);
    assert!(c.refused(&["y"]).contains("not both"));
    for scale in [0., -1., f32::NAN, f32::INFINITY] {
        let c = one(13, by_scales("nearest", "asymmetric"), &[x.clone(), f32s(&[4], &[1., 1., 1., scale])]);
        assert!(c.refused(&["y"]).contains("positive"), "{scale}");
    }
    let c = one(13, by_scales("nearest", "asymmetric"), &[x, f32s(&[3], &[1., 1., 2.])]);
    assert!(c.refused(&["y"]).contains("3 scales for 4 axes"));
}
