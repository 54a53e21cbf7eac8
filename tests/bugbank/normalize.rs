//! Reports of wrong normalisations and losses in other runtimes, with the right answers.

use crate::common::case::*;
use crate::common::{node, with};
use tilewright_tensor::{DType, Tensor};

fn fill(shape: &[usize], value: f32) -> Tensor {
    f32s(shape, &vec![value; shape.iter().product()])
}

/// A34: the variance of equal elements is zero, not a rounding error below it.
#[test]
fn rows_of_equal_elements() {
    let norm = node("LayerNormalization", &["x0", "x1"], &["y"]);
    let y = one(17, norm.clone(), &[fill(&[1, 256], 1234.0), fill(&[256], 1.0)]).tensor("y");
    assert_close(&y, &[0.0; 256], 0.0);
    let x = f32s(&[1, 4], &[10001., 10002., 10003., 10004.]);
    let y = one(17, norm, &[x.clone(), fill(&[4], 1.0)]).tensor("y");
    let expected = [-1.341_635, -0.447_212, 0.447_212, 1.341_635];
    assert_close(&y, &expected, 1e-5);
    let channels = [fill(&[1], 1.0), fill(&[1], 0.0)];
    for (op, version) in [("InstanceNormalization", 6), ("GroupNormalization", 21)] {
        let n = node(op, &["x0", "x1", "x2"], &["y"]);
        let n = if version == 21 { with(n, int("num_groups", 1)) } else { n };
        for (x, expected) in [(fill(&[1, 1, 256], 1234.0), vec![0.0; 256]), (x.clone(), expected.to_vec())] {
            let x = Tensor::from_f64(DType::F32, &[1, 1, x.len()], &x.to_vec_f64()).unwrap();
            let y = one(version, n.clone(), &[x, channels[0].clone(), channels[1].clone()]).tensor("y");
            assert_close(&y, &expected, 1e-5);
        }
    }
    let n = with(node("MeanVarianceNormalization", &["x0"], &["y"]), ints("axes", &[0]));
    assert_close(&one(13, n, &[fill(&[3], 1234.0)]).tensor("y"), &[0.0; 3], 0.0);
}

/// A35: in training, the result follows the batch alone; `momentum` weighs the old statistics.
#[test]
fn batch_statistics_and_running_ones() {
    let x = f32s(&[2, 1, 3], &[1., 2., 3., 4., 5., 6.]);
    let others = [1., 0., 10., 20.].map(|v| fill(&[1], v));
    let inputs: Vec<Tensor> = [x].into_iter().chain(others).collect();
    let mut first = Vec::new();
    for (momentum, mean, variance) in [(0.0, 3.5, 2.916_667), (0.5, 6.75, 11.458_333), (1.0, 10.0, 20.0)] {
        let n = node("BatchNormalization", &["x0", "x1", "x2", "x3", "x4"], &["y", "mean", "variance"]);
        let n = with(with(n, float("momentum", momentum)), int("training_mode", 1));
        let found = one(15, n, &inputs).tensors(&["y", "mean", "variance"]);
        assert_close(&found[1], &[mean], 1e-6);
        assert_close(&found[2], &[variance], 1e-6);
        first.push(found[0].to_vec_f64());
    }
    assert!(first[0] == first[1] && first[1] == first[2]);
    let n = node("BatchNormalization", &["x0", "x1", "x2", "x3", "x4"], &["y", "mean", "variance"]);
    assert!(one(15, n, &inputs).refused(&["y", "mean"]).contains("training"));
}

/// The versions of `BatchNormalization`: parameters for every feature, a vector as a batch.
#[test]
fn batch_normalization_of_features_and_vectors() {
    let n = node("BatchNormalization", &["x0", "x1", "x2", "x3", "x4"], &["y"]);
    let spatial = with(n.clone(), int("spatial", 0));
    let parameter = |values: [f32; 4]| f32s(&[2, 2], &values);
    let inputs = [
        f32s(&[1, 2, 2], &[1., 2., 3., 4.]),
        parameter([1., 2., 1., 2.]),
        parameter([0., 0., 1., 1.]),
        parameter([1., 1., 1., 1.]),
        parameter([1., 1., 4., 4.]),
    ];
    let y = one(7, spatial, &inputs).tensor("y");
    assert_close(&y, &[0., 2., 2., 4.], 1e-4);
    let one_channel: Vec<Tensor> =
        [f32s(&[3], &[1., 2., 3.])].into_iter().chain([2., 1., 1., 4.].map(|v| fill(&[1], v))).collect();
    assert_close(&one(9, n, &one_channel).tensor("y"), &[1., 2., 3.], 1e-4);
}

/// Half-precision inputs are normalised in f32: the squares would overflow.
#[test]
fn narrow_floats_do_not_overflow() {
    let x = numbers(DType::F16, &[1, 4], &[300., 400., 500., 600.]);
    let scale = numbers(DType::F16, &[4], &[1.0; 4]);
    let n = node("LayerNormalization", &["x0", "x1"], &["y", "mean", "inverse"]);
    let found = one(17, n, &[x.clone(), scale.clone()]).tensors(&["y", "mean", "inverse"]);
    assert_close(&found[0], &[-1.341_641, -0.447_214, 0.447_214, 1.341_641], 1e-3);
    assert_eq!((found[0].dtype(), found[1].dtype(), found[1].to_vec_f64()), (DType::F16, DType::F32, vec![450.0]));
    let y = one(23, node("RMSNormalization", &["x0", "x1"], &["y"]), &[x.clone(), scale]).tensor("y");
    assert_close(&y, &[0.646_997, 0.862_662, 1.078_328, 1.293_993], 1e-3);
    let y = one(13, node("ReduceSumSquare", &["x0"], &["y"]), &[x]).tensor("y");
    assert_eq!(y.to_vec_f64(), [f64::INFINITY]);
}

/// A88: labels that are ignored count neither in the sum nor in the mean.
#[test]
fn losses_of_ignored_labels() {
    let scores = f32s(&[2, 3], &[1., 2., 3., 1., 2., 3.]);
    let loss = |op: &str, labels: [i64; 2], reduction: &str| {
        let n = with(node(op, &["x0", "x1"], &["y"]), int("ignore_index", -100));
        one(13, with(n, text("reduction", reduction)), &[scores.clone(), i64s(&[2], &labels)]).tensor("y")
    };
    for op in ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"] {
        assert_close(&loss(op, [-100, -100], "mean"), &[f64::NAN], 0.0);
        assert_close(&loss(op, [-100, -100], "sum"), &[0.0], 0.0);
        assert_close(&loss(op, [-100, -100], "none"), &[0.0, 0.0], 0.0);
    }
    assert_close(&loss("NegativeLogLikelihoodLoss", [-100, 1], "mean"), &[-2.0], 0.0);
    assert_close(&loss("SoftmaxCrossEntropyLoss", [2, -100], "mean"), &[0.407_606], 1e-6);
    let n = node("NegativeLogLikelihoodLoss", &["x0", "x1"], &["y"]);
    one(13, n, &[scores, i64s(&[2], &[0, 3])]).refused(&["y"]);
}

/// The mean by weights divides by the weights of the labels that count.
#[test]
fn losses_by_class_weights() {
    let n = with(node("NegativeLogLikelihoodLoss", &["x0", "x1", "x2"], &["y"]), int("ignore_index", 0));
    let inputs = [f32s(&[3, 2], &[-1., -2., -3., -4., -5., -6.]), i64s(&[3], &[1, 0, 1]), f32s(&[2], &[100., 0.5])];
    assert_close(&one(13, n, &inputs).tensor("y"), &[4.0], 1e-6);
}
