//! Reports of wrong convolutions and pools in other runtimes, with the right answers.

use crate::common::case::*;
use crate::common::{node, with};
use tilewright_onnx::proto::NodeProto;
use tilewright_tensor::Tensor;

const NAN: f64 = f64::NAN;

fn pool(op: &str, kernel: &[i64]) -> NodeProto {
    with(node(op, &["x0"], &["y"]), ints("kernel_shape", kernel))
}

fn counting(shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32).collect();
    f32s(shape, &values)
}

/// A04: a window that `ceil_mode` lets reach beyond the padding has fewer taps that count.
#[test]
fn average_over_the_padded_input_alone() {
    let x = f32s(&[1, 1, 9], &[2.0903, 4.6493, 1.6320, -3.2051, 4.6975, 4.7296, 3.3653, -1.5815, -2.3832]);
    let n = with(with(pool("AveragePool", &[7]), ints("strides", &[3])), ints("pads", &[3, 3]));
    let n = with(with(n, int("ceil_mode", 1)), int("count_include_pad", 1));
    for version in [11, 19, 22] {
        let y = one(version, n.clone(), std::slice::from_ref(&x)).tensor("y");
        assert_close(&y, &[0.738_071, 2.565_557, 0.803_229, -0.0999], 1e-5);
    }
}

/// A05: places of the largest elements, with dilation and padding.
#[test]
fn places_of_dilated_windows() {
    let x = f32s(&[1, 1, 9], &[1., 9., 2., 8., 3., 7., 4., 6., 5.]);
    let n = node("MaxPool", &["x0"], &["y", "at"]);
    let n = with(with(with(n, ints("kernel_shape", &[2])), ints("pads", &[1, 1])), ints("dilations", &[2]));
    let found = one(12, n, &[x]).tensors(&["y", "at"]);
    assert_eq!(found[0].to_vec_f64(), [9., 2., 9., 3., 8., 4., 7., 5., 6.]);
    assert_eq!(found[1].to_vec_i64(), [1, 2, 1, 4, 3, 6, 5, 8, 7]);
}

/// Elements that no padding may beat: minus infinity, the smallest integer, NaN.
#[test]
fn padding_never_wins() {
    let places = |x: Tensor| {
        let n = node("MaxPool", &["x0"], &["y", "at"]);
        let n = with(with(with(n, ints("kernel_shape", &[2])), ints("pads", &[1, 1])), ints("strides", &[2]));
        one(12, n, &[x]).tensors(&["y", "at"])
    };
    let inf = f32::INFINITY;
    let found = places(f32s(&[1, 1, 4], &[-inf, -inf, -0.0, 0.0]));
    assert_eq!(found[0].to_vec_f64(), [f64::NEG_INFINITY, 0.0, 0.0]);
    assert_eq!(found[1].to_vec_i64(), [0, 2, 3]);
    assert_eq!(places(of(&[1, 1, 3], &[-128i8, -128, 5]))[1].to_vec_i64(), [0, 2]);
    let found = places(f32s(&[1, 1, 4], &[1.0, f32::NAN, f32::NAN, inf]));
    assert_close(&found[0], &[1.0, NAN, f64::INFINITY], 0.0);
    assert_eq!(found[1].to_vec_i64(), [0, 1, 3]);
}

/// A06: a window of padding alone. The average of nothing is NaN, the largest is minus infinity, and
/// its place is still one of the input.
#[test]
fn windows_of_padding_alone() {
    let x = f32s(&[1, 1, 5], &[1., 2., 3., 4., 5.]);
    let n = with(with(pool("AveragePool", &[2]), ints("strides", &[2])), ints("pads", &[2, 3]));
    assert_close(&one(12, n, std::slice::from_ref(&x)).tensor("y"), &[NAN, 1.5, 3.5, 5.0, NAN], 0.0);
    let n = with(node("MaxPool", &["x0"], &["y", "at"]), ints("kernel_shape", &[2]));
    let n = with(with(n, ints("strides", &[2])), ints("pads", &[2, 3]));
    let found = one(12, n, &[x]).tensors(&["y", "at"]);
    let inf = f64::INFINITY;
    assert_close(&found[0], &[-inf, 2.0, 4.0, 5.0, -inf], 0.0);
    assert_eq!(found[1].to_vec_i64(), [0, 1, 3, 4, 4]);
}

/// A07: the last window of `ceil_mode` that would start in the padding is dropped; dilated averages
/// count their own taps.
#[test]
fn sizes_with_ceil_mode() {
    let n = with(with(pool("MaxPool", &[1]), ints("strides", &[2])), int("ceil_mode", 1));
    assert_eq!(one(12, n, &[counting(&[1, 1, 4])]).tensor("y").to_vec_f64(), [0., 2.]);
    let n = with(with(pool("AveragePool", &[2]), ints("strides", &[3])), ints("dilations", &[2]));
    let y = one(19, with(n, int("ceil_mode", 1)), &[counting(&[1, 1, 7])]).tensor("y");
    assert_eq!(y.to_vec_f64(), [1., 4., 6.]);
}

/// A08: transposed convolution with SAME padding gives `size * stride`.
#[test]
fn transposed_convolution_of_the_same_size() {
    let ones = f32s(&[1, 1, 3, 3], &[1.0; 9]);
    for (way, row) in [("SAME_UPPER", [1., 1., 2., 1., 2., 1.]), ("SAME_LOWER", [1., 2., 1., 2., 1., 1.])] {
        let n = with(node("ConvTranspose", &["x0", "x1"], &["y"]), ints("strides", &[2, 2]));
        let y = one(11, with(n, text("auto_pad", way)), &[ones.clone(), ones.clone()]).tensor("y");
        assert_eq!(y.shape(), [1, 1, 6, 6]);
        assert_eq!(y.to_vec_f64()[..6], row, "{way}");
    }
}

/// A result larger than the whole transposed convolution: the places it lacks are split as padding is, so the
/// first may stand before the elements.
#[test]
fn transposed_convolution_of_less_than_the_same_size() {
    let (x, w) = (f32s(&[1, 1, 3], &[1., 2., 3.]), |taps: usize| f32s(&[1, 1, taps], &vec![1.0; taps]));
    let run = |taps, stride, attributes: [_; 2]| {
        let n = with(node("ConvTranspose", &["x0", "x1"], &["y"]), ints("strides", &[stride]));
        one(11, attributes.into_iter().fold(n, with), &[x.clone(), w(taps)]).tensor("y").to_vec_f64()
    };
    let same = |way| [text("auto_pad", way), ints("output_padding", &[0])];
    assert_eq!(run(1, 2, same("SAME_UPPER")), [0., 1., 0., 2., 0., 3.]);
    assert_eq!(run(1, 2, same("SAME_LOWER")), [1., 0., 2., 0., 3., 0.]);
    assert_eq!(run(1, 3, same("SAME_UPPER")), [0., 1., 0., 0., 2., 0., 0., 3., 0.]);
    assert_eq!(run(1, 3, same("SAME_LOWER")), [0., 1., 0., 0., 2., 0., 0., 3., 0.]);
    assert_eq!(run(2, 3, same("SAME_UPPER")), [0., 1., 1., 0., 2., 2., 0., 3., 3.]);
    assert_eq!(run(2, 3, same("SAME_LOWER")), [1., 1., 0., 2., 2., 0., 3., 3., 0.]);
    let sized = |way| [text("auto_pad", way), ints("output_shape", &[7])];
    assert_eq!(run(2, 2, sized("SAME_UPPER")), [0., 1., 1., 2., 2., 3., 3.]);
    assert_eq!(run(2, 2, sized("NOTSET")), [1., 1., 2., 2., 3., 3., 0.]);
}

/// A09: output padding enters the total that SAME padding takes away.
#[test]
fn transposed_convolution_with_output_padding() {
    let (x, w) = (counting(&[1, 2, 3, 3]), f32s(&[2, 1, 3, 3], &[1.0; 18]));
    let n = with(node("ConvTranspose", &["x0", "x1"], &["y"]), ints("strides", &[2, 2]));
    let n = with(with(n, text("auto_pad", "SAME_UPPER")), ints("output_padding", &[1, 1]));
    assert_eq!(one(11, n, &[x, w]).tensor("y").shape(), [1, 1, 6, 6]);
}

/// A10: all begins, then all ends; the batch stays a symbol.
#[test]
fn one_sided_pads_with_a_named_batch() {
    let n = with(with(pool("MaxPool", &[3, 3]), ints("strides", &[2, 2])), ints("pads", &[0, 0, 1, 1]));
    let y = case(12).named("x0", counting(&[2, 3, 12, 12]), &["N", "C", "H", "W"]).node(n).tensor("y");
    assert_eq!(y.shape(), [2, 3, 6, 6]);
    assert_eq!(y.to_vec_f64()[..6], [26., 28., 30., 32., 34., 35.]);
}

/// A11: where the coordinates of regions stand among the elements.
#[test]
fn regions_of_a_few_elements() {
    let align = |version: i64, way: Option<&str>| {
        let n = node("RoiAlign", &["x0", "x1", "x2"], &["y"]);
        let n = with(with(n, int("output_height", 2)), int("output_width", 2));
        let n = with(n, int("sampling_ratio", 1));
        let n = way.map_or(n.clone(), |w| with(n, text("coordinate_transformation_mode", w)));
        let inputs = [counting(&[1, 1, 4, 4]), f32s(&[1, 4], &[0., 0., 2., 2.]), i64s(&[1], &[0])];
        one(version, n, &inputs).tensor("y").to_vec_f64()
    };
    assert_eq!(align(16, None), [0., 1., 4., 5.]);
    assert_eq!(align(16, Some("output_half_pixel")), [2.5, 3.5, 6.5, 7.5]);
    assert_eq!(align(10, None), [2.5, 3.5, 6.5, 7.5]);
}

/// What breaks the rules is refused, not run.
#[test]
fn malformed_windows() {
    let x = counting(&[1, 2, 4, 4]);
    let pools = [
        node("MaxPool", &["x0"], &["y"]),
        pool("MaxPool", &[0, 2]),
        pool("MaxPool", &[2]),
        pool("MaxPool", &[i64::MAX, 2]),
        pool("AveragePool", &[6, 6]),
        with(pool("MaxPool", &[2, 2]), ints("strides", &[0, 1])),
        with(pool("MaxPool", &[2, 2]), ints("pads", &[-1, 0, 0, 0])),
        with(pool("MaxPool", &[2, 2]), text("auto_pad", "SOME")),
    ];
    for n in pools {
        one(12, n, std::slice::from_ref(&x)).refused(&["y"]);
    }
    let conv = |n: NodeProto, w: &[usize]| one(11, n, &[x.clone(), counting(w)]).refused(&["y"]);
    let plain = || node("Conv", &["x0", "x1"], &["y"]);
    conv(plain(), &[3, 3, 2, 2]);
    conv(plain(), &[3, 2, 6, 6]);
    conv(with(plain(), int("group", 2)), &[3, 1, 2, 2]);
    conv(with(plain(), int("group", 0)), &[3, 2, 2, 2]);
    conv(with(plain(), ints("kernel_shape", &[3, 3])), &[3, 2, 2, 2]);
    let n = with(node("MaxUnpool", &["x0", "x1"], &["y"]), ints("kernel_shape", &[2, 2]));
    one(11, n, &[counting(&[1, 1, 1, 1]), i64s(&[1, 1, 1, 1], &[4])]).refused(&["y"]);
}
