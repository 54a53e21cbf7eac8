//! Operators of ai.onnx.ml.
mod common;

use common::case::*;
use common::{foreign, with};
use tilewright_onnx::proto::AttributeProto;
use tilewright_tensor::Tensor;

/// One node of a version of ai.onnx.ml over `x0`, `x1`, ..., giving `y` and `z`.
fn ml(version: i64, op: &str, attributes: &[AttributeProto], inputs: &[Tensor]) -> Case {
    let names: Vec<String> = (0..inputs.len()).map(|i| format!("x{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let outputs: &[&str] = if op == "TreeEnsembleClassifier" { &["y", "z"] } else { &["y"] };
    let n = attributes.iter().cloned().fold(foreign("ai.onnx.ml", op, &names, outputs), with);
    one(17, n, inputs).learning(version)
}

#[test]
fn labels_of_every_version() {
    let classes = [texts("classes_strings", &["a", "b"])];
    let y =
        |version, attributes: &[AttributeProto], x: Tensor| ml(version, "LabelEncoder", attributes, &[x]).tensor("y");
    assert_eq!(y(1, &classes, words(&[3], &["b", "c", "a"])), i64s(&[3], &[1, -1, 0]));
    assert_eq!(y(1, &classes, i64s(&[2], &[2, 0])), words(&[2], &["_Unused", "a"]));
    let table = [ints("keys_int64s", &[3, 5]), floats("values_floats", &[0.5, 1.5]), float("default_float", 9.0)];
    assert_eq!(y(2, &table, i64s(&[3], &[5, 4, 3])), f32s(&[3], &[1.5, 9.0, 0.5]));
    let keys = value("keys_tensor", &of(&[2], &[1i16, 2]));
    let values = value("values_tensor", &of(&[2], &[10i32, 20]));
    assert_eq!(y(4, &[keys.clone(), values.clone()], of(&[2], &[2i16, 7])), of(&[2], &[20i32, -1]));
    let default = value("default_tensor", &of(&[1], &[4i32]));
    assert_eq!(y(4, &[keys.clone(), values, default], of(&[1], &[0i16])), of(&[1], &[4i32]));
    let refuse = |attributes: &[AttributeProto]| ml(4, "LabelEncoder", attributes, &[i64s(&[1], &[1])]).refused(&["y"]);
    assert!(refuse(&table[1..]).ends_with("found 0"));
    assert!(refuse(&[ints("keys_int64s", &[1]), table[1].clone()]).ends_with("are no table"));
}

#[test]
fn one_hot_categories() {
    let hot = |zeros, x| ml(1, "OneHotEncoder", &[texts("cats_strings", &["a", "b"]), int("zeros", zeros)], &[x]);
    assert_eq!(hot(1, words(&[2], &["b", "c"])).tensor("y"), f32s(&[2, 2], &[0., 1., 0., 0.]));
    assert_eq!(hot(0, words(&[1], &["a"])).tensor("y"), f32s(&[1, 2], &[1., 0.]));
    assert!(hot(0, words(&[1], &["c"])).refused(&["y"]).contains("none of the categories"));
}

#[test]
fn features_chosen_and_scaled() {
    let extract = |x, at: &[i64]| ml(1, "ArrayFeatureExtractor", &[], &[x, i64s(&[1, at.len()], at)]);
    assert_eq!(extract(f32s(&[2, 2], &[1., 2., 3., 4.]), &[1]).tensor("y"), f32s(&[2, 1], &[2., 4.]));
    assert_eq!(extract(words(&[2], &["a", "b"]), &[1, 0, 1]).tensor("y"), words(&[1, 3], &["b", "a", "b"]));
    extract(f32s(&[2], &[1., 2.]), &[2]).refused(&["y"]);

    let binarize = |x| ml(1, "Binarizer", &[float("threshold", -0.5)], &[x]).tensor("y");
    assert_eq!(binarize(f32s(&[3], &[-0.5, -0.4, 3.])), f32s(&[3], &[0., 1., 1.]));
    assert_eq!(binarize(i64s(&[2], &[-1, 0])), i64s(&[2], &[0, 1]));

    let x = || f32s(&[1, 2], &[1., 4.]);
    let scale = |offset: &[f32]| ml(1, "Scaler", &[floats("offset", offset), floats("scale", &[2.])], &[x()]);
    assert_eq!(scale(&[1., 2.]).tensor("y"), f32s(&[1, 2], &[0., 4.]));
    scale(&[1., 2., 3.]).refused(&["y"]);

    let joined = ml(1, "FeatureVectorizer", &[ints("inputdimensions", &[2, 1])], &[x(), f32s(&[1], &[9.])]);
    assert_eq!(joined.tensor("y"), f32s(&[1, 3], &[1., 4., 9.]));

    let lines = [floats("coefficients", &[1., 2., 0., 1.]), int("targets", 2), floats("intercepts", &[0.5, 0.])];
    assert_eq!(ml(1, "LinearRegressor", &lines, &[x()]).tensor("y"), f32s(&[1, 2], &[9.5, 4.]));

    let missing = [float("replaced_value_float", f32::NAN), floats("imputed_value_floats", &[7., 8.])];
    let holes = f32s(&[1, 2], &[1., f32::NAN]);
    assert_eq!(ml(1, "Imputer", &missing, &[holes]).tensor("y"), f32s(&[1, 2], &[1., 8.]));
}

/// One test of one feature against 0.
fn stump(votes: &str, weights: &[f32], targets: &[i64]) -> Vec<AttributeProto> {
    let name = |part: &str| format!("{votes}_{part}");
    let at: Vec<i64> = (0..weights.len() as i64).map(|i| 1 + i % 2).collect();
    vec![
        ints("nodes_treeids", &[0, 0, 0]),
        ints("nodes_nodeids", &[0, 1, 2]),
        ints("nodes_featureids", &[0, 0, 0]),
        floats("nodes_values", &[0.0; 3]),
        texts("nodes_modes", &["BRANCH_LEQ", "LEAF", "LEAF"]),
        ints("nodes_truenodeids", &[1, 0, 0]),
        ints("nodes_falsenodeids", &[2, 0, 0]),
        ints(&name("treeids"), &vec![0; at.len()]),
        ints(&name("nodeids"), &at),
        ints(&name("ids"), targets),
        floats(&name("weights"), weights),
    ]
}

fn x() -> Tensor {
    f32s(&[2, 1], &[-1., 1.])
}

#[test]
fn trees_that_regress() {
    let base = [int("n_targets", 1), floats("base_values", &[10.0])];
    let of = |more: &[AttributeProto]| {
        let all = [stump("target", &[0.25, 0.75], &[0, 0]), base.to_vec(), more.to_vec()].concat();
        ml(3, "TreeEnsembleRegressor", &all, &[x()])
    };
    assert_eq!(of(&[]).tensor("y"), f32s(&[2, 1], &[10.25, 10.75]));
    of(&[text("aggregate_function", "MEDIAN")]).refused(&["y"]);
    let mut lost = [stump("target", &[0.25, 0.75], &[0, 0]), base.to_vec()].concat();
    lost[5] = ints("nodes_truenodeids", &[5, 0, 0]);
    let message = ml(3, "TreeEnsembleRegressor", &lost, &[x()]).refused(&["y"]);
    assert_eq!(message, "node 0 of tree 0 leads to node 5, which is not there");
    lost[5] = ints("nodes_truenodeids", &[0, 0, 0]);
    ml(3, "TreeEnsembleRegressor", &lost, &[x()]).refused(&["y"]);
}

#[test]
fn trees_that_classify() {
    let of = |weights: &[f32], targets: &[i64], post: &str| {
        let rest = vec![ints("classlabels_int64s", &[5, 9]), text("post_transform", post)];
        ml(1, "TreeEnsembleClassifier", &[stump("class", weights, targets), rest].concat(), &[x()])
    };
    let both = of(&[0.25, 0.75, 0.75, 0.25], &[0, 0, 1, 1], "NONE").tensors(&["y", "z"]);
    assert_eq!(both, [i64s(&[2], &[9, 5]), f32s(&[2, 2], &[0.25, 0.75, 0.75, 0.25])]);
    let half = of(&[0.25, 0.75], &[0, 0], "NONE").tensors(&["y", "z"]);
    assert_eq!(half, [i64s(&[2], &[5, 9]), f32s(&[2, 2], &[0.75, 0.25, 0.25, 0.75])]);
    let sign = of(&[-0.3, 0.4], &[0, 0], "LOGISTIC").tensors(&["y", "z"]);
    assert_eq!(sign[0], i64s(&[2], &[5, 9]));
    assert_close(&sign[1], &[0.5744425, 0.4255575, 0.4013123, 0.5986877], 1e-6);
    assert!(of(&[-0.3, 0.4], &[0, 0], "SOFTMAX").refused(&["y"]).starts_with("one score for two classes"));
}

#[test]
fn trees_with_sets() {
    let tree = |sets: &[f32], modes: &[u8]| {
        let all = [
            ints("tree_roots", &[0]),
            value("nodes_modes", &of(&[2], modes)),
            ints("nodes_featureids", &[0, 0]),
            value("nodes_splits", &f32s(&[2], &[0.0, 0.0])),
            ints("nodes_truenodeids", &[0, 1]),
            ints("nodes_trueleafs", &[1, 1]),
            ints("nodes_falsenodeids", &[1, 2]),
            ints("nodes_falseleafs", &[0, 1]),
            value("leaf_weights", &f32s(&[3], &[1.0, 2.0, 3.0])),
            ints("leaf_targetids", &[0, 1, 1]),
            int("n_targets", 2),
            value("membership_values", &f32s(&[sets.len()], sets)),
        ];
        ml(5, "TreeEnsemble", &all, &[f32s(&[3, 1], &[4.0, -1.0, 7.0])])
    };
    let scores = f32s(&[3, 2], &[1., 0., 0., 2., 0., 3.]);
    assert_eq!(tree(&[4.0, 5.0], &[6, 1]).tensor("y"), scores);
    assert_eq!(tree(&[4.0, 5.0, f32::NAN], &[6, 1]).tensor("y"), scores);
    tree(&[4.0, f32::NAN, 5.0], &[6, 1]).refused(&["y"]);
    tree(&[4.0], &[7, 1]).refused(&["y"]);
}
