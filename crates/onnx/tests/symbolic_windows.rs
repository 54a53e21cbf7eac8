//! Networks of convolutions and pools whose batch and image sizes have names translate once.

mod common;

use common::case::*;
use common::{load, node, with};
use tilewright_onnx::import::{Facts, Outcome, import};
use tilewright_onnx::proto::AttributeProto;
use tilewright_tensor::Tensor;

fn counting(shape: &[usize]) -> Tensor {
    let n: usize = shape.iter().product();
    f32s(shape, &(0..n).map(|i| (i % 7) as f32 - 3.0).collect::<Vec<_>>())
}

/// Convolutions, pools, a transposed convolution and normalisations, with every way to pad.
fn network(x: Tensor, named: bool) -> Case {
    let c = case(22);
    let c = if named { c.named("x", x, &["N", "C", "H", "W"]) } else { c.input("x", x) };
    let c = c.constant("w", counting(&[4, 2, 3, 3])).constant("depth", counting(&[4, 1, 3, 3]));
    let c =
        c.constant("up", counting(&[4, 2, 2, 2])).constant("scale", counting(&[2])).constant("m", counting(&[2, 3]));
    let conv = with(with(node("Conv", &["x", "w"], &["a"]), ints("pads", &[1, 1, 1, 1])), ints("strides", &[2, 2]));
    let depth = with(with(node("Conv", &["a", "depth"], &["b"]), int("group", 4)), text("auto_pad", "SAME_UPPER"));
    let sum = node("Add", &["a", "b"], &["s"]);
    let same = with(node("MaxPool", &["s"], &["c", "at"]), ints("kernel_shape", &[3, 3]));
    let same = with(with(same, ints("strides", &[2, 2])), text("auto_pad", "SAME_LOWER"));
    let ceil = with(node("AveragePool", &["c"], &["d"]), ints("kernel_shape", &[2, 2]));
    let ceil = with(with(ceil, ints("strides", &[2, 2])), int("ceil_mode", 1));
    let up = with(node("ConvTranspose", &["d", "up"], &["e"]), ints("strides", &[2, 2]));
    let norm = node("InstanceNormalization", &["e", "scale", "scale"], &["f"]);
    let all = node("GlobalAveragePool", &["f"], &["g"]);
    let flat = node("Flatten", &["g"], &["h"]);
    let nodes = [conv, depth, sum, same, ceil, up, norm, all, flat, node("MatMul", &["h", "m"], &["i"])];
    let c = nodes.into_iter().fold(c, Case::node);
    c.node(with(node("Softmax", &["i"], &["y"]), int("axis", 1)))
}

#[test]
fn image_sizes_may_have_names() {
    let model = load(&network(counting(&[1, 2, 8, 8]), true).file(&["y", "at"])).unwrap();
    assert!(matches!(import(&model, &Facts::default()).unwrap(), Outcome::Ready(_)));
    for shape in [[1, 2, 8, 8], [3, 2, 17, 12], [2, 2, 5, 9]] {
        let named = network(counting(&shape), true).tensors(&["y", "at", "f"]);
        let fixed = network(counting(&shape), false).tensors(&["y", "at", "f"]);
        assert_eq!(named[0].shape(), [shape[0], 3]);
        assert!(named.iter().zip(&fixed).all(|(a, b)| a.bit_eq(b)), "{shape:?}");
    }
}

/// A pool or convolution of `taps` over `size` places, with its size fixed or named.
fn slide(op: &str, (size, taps): (usize, i64), attributes: &[AttributeProto], named: bool) -> Case {
    let x = counting(&[1, 2, size]);
    let c = if named { case(17).named("x", x, &["N", "C", "L"]) } else { case(17).input("x", x) };
    let n = match op {
        "Conv" => node(op, &["x", "w"], &["y"]),
        _ => with(node(op, &["x"], &["y"]), ints("kernel_shape", &[taps])),
    };
    c.constant("w", counting(&[1, 2, taps as usize])).node(attributes.iter().cloned().fold(n, with))
}

/// A window larger than its places fits nowhere: the result is empty, and where even the count of steps would
/// be negative, an error names the window and the places. Whether sizes have names changes neither.
#[test]
fn windows_larger_than_their_input() {
    let (two, pads) = (ints("strides", &[2]), ints("pads", &[1, 1]));
    let same: [(_, &[AttributeProto], _); 8] = [
        ((4, 5), &[], None),
        ((4, 6), &[], Some("6 vs 4")),
        ((1, 3), &[], Some("3 vs 1")),
        ((1, 2), std::slice::from_ref(&two), None),
        ((1, 4), std::slice::from_ref(&two), Some("4 vs 1")),
        ((2, 5), std::slice::from_ref(&pads), None),
        ((2, 6), &[pads.clone(), two.clone()], None),
        ((2, 7), &[pads.clone(), two.clone()], Some("7 vs 4")),
    ];
    for op in ["MaxPool", "AveragePool", "LpPool", "Conv"] {
        for (sizes, attributes, error) in &same {
            for named in [false, true] {
                let found = slide(op, *sizes, attributes, named);
                match error {
                    None => assert_eq!(found.tensor("y").len(), 0, "{op} {sizes:?} {named}"),
                    Some(both) => {
                        let message = found.refused(&["y"]);
                        assert!(message.contains("window") && message.contains(both), "{op} {named}: {message}");
                    }
                }
            }
        }
        for named in [false, true].into_iter().filter(|_| op != "Conv") {
            let ceil = |sizes| slide(op, sizes, &[int("ceil_mode", 1)], named);
            assert_eq!(ceil((4, 5)).tensor("y").len(), 0);
            assert!(ceil((4, 6)).refused(&["y"]).contains("6 vs 4"));
        }
    }
}
