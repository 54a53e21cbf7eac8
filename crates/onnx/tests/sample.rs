//! Values at coordinates, and blocks put back into an image.

mod common;

use common::case::*;
use common::{foreign, node, with};
use tilewright_tensor::Tensor;

fn image() -> Tensor {
    f32s(&[1, 1, 2, 2], &[1., 2., 3., 4.])
}

fn sampled(mode: &str, padding: &str, x: Tensor, at: [f32; 2]) -> f64 {
    let n = with(node("GridSample", &["x0", "x1"], &["y"]), text("mode", mode));
    let c = one(20, with(n, text("padding_mode", padding)), &[x, f32s(&[1, 1, 1, 2], &at)]);
    c.tensor("y").get_f64(0)
}

/// Coordinates outside, at infinity and undefined read what the padding says.
#[test]
fn grid_sample_outside() {
    let far = [f32::INFINITY, f32::INFINITY];
    for mode in ["nearest", "linear", "cubic"] {
        assert_eq!(sampled(mode, "zeros", image(), [5., 5.]), 0., "{mode}");
        assert_eq!(sampled(mode, "zeros", f32s(&[1, 1, 2, 2], &[f32::NAN; 4]), [5., 5.]), 0., "{mode}");
        for at in [far, [f32::NAN, 0.], [1e38, -1e38]] {
            for padding in ["zeros", "border", "reflection"] {
                sampled(mode, padding, image(), at);
            }
        }
    }
    assert_eq!(sampled("linear", "border", image(), [5., 5.]), 4.);
    assert_eq!(sampled("nearest", "border", image(), far), 4.);
    // One and a half widths to the right of the centre lies the centre of the mirrored left column.
    assert_eq!(sampled("linear", "reflection", image(), [1.5, -0.5]), 2.);
    assert_eq!(sampled("linear", "zeros", image(), [0., 0.]), 2.5);
}

/// The nearest element, halves to the even one.
#[test]
fn grid_sample_of_halves() {
    let x = f32s(&[1, 1, 1, 4], &[0., 1., 2., 3.]);
    let at = |g: f32| sampled("nearest", "zeros", x.clone(), [g, 0.]);
    assert_eq!([at(-0.5), at(0.), at(0.5)], [0., 2., 2.]);
}

#[test]
fn affine_grid_of_the_identity() {
    let theta = f32s(&[1, 2, 3], &[1., 0., 0., 0., 1., 0.]);
    let grid = |align: i64, size: &[i64]| {
        let n = with(node("AffineGrid", &["x0", "x1"], &["y"]), int("align_corners", align));
        one(20, n, &[theta.clone(), i64s(&[4], size)]).tensor("y")
    };
    assert_eq!(grid(1, &[1, 1, 1, 3]).to_vec_f64(), [-1., -1., 0., -1., 1., -1.]);
    assert_eq!(grid(0, &[1, 1, 2, 2]).to_vec_f64(), [-0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5]);
    let n = node("AffineGrid", &["x0", "x1"], &["y"]);
    assert!(one(20, n, &[theta, i64s(&[4], &[2, 1, 2, 2])]).refused(&["y"]).contains("theta"));
}

/// Blocks that overlap add up; what falls on the padding is dropped.
#[test]
fn blocks_into_an_image() {
    let n = with(node("Col2Im", &["x0", "x1", "x2"], &["y"]), ints("pads", &[0, 1, 0, 0]));
    let x = f32s(&[1, 2, 3], &[1., 2., 3., 10., 20., 30.]);
    let y = one(18, n, &[x, i64s(&[2], &[1, 3]), i64s(&[2], &[1, 2])]).tensor("y");
    assert_eq!((y.shape(), y.to_vec_f64()), (&[1, 1, 1, 3][..], vec![12., 23., 30.]));
}

#[test]
fn crops_of_regions() {
    let n = foreign("com.microsoft", "CropAndResize", &["x0", "x1", "x2", "x3"], &["y"]);
    let regions = f32s(&[2, 4], &[0., 0., 1., 1., 0., -1., 1., 1.]);
    let inputs = [image(), regions, of(&[2], &[0i32, 0]), of(&[2], &[1i32, 3])];
    let y = one(17, with(n, float("extrapolation_value", 9.)), &inputs).tensor("y");
    assert_eq!((y.shape(), y.to_vec_f64()), (&[2, 1, 1, 3][..], vec![2., 2.5, 3., 9., 2., 3.]));
}
