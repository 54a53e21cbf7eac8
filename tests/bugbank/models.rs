//! Reports of wrong attention, spectra, boxes, recurrences and control flow in other runtimes, with the right answers.

use crate::common::case::*;
use crate::common::{body, constant, graph, node, with};
use tilewright_onnx::proto::NodeProto;
use tilewright_tensor::{Tensor, Value};

fn counting(shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32).collect();
    f32s(shape, &values)
}

fn ones(shape: &[usize]) -> Tensor {
    Tensor::full(shape, 1f32).unwrap()
}

/// Queries and keys of ones, so that the weights of what is seen are equal; values 0 to 5.
fn attention(version: i64, queries: usize, n: NodeProto) -> Case {
    let c = case(version).input("q", ones(&[1, 1, queries, 2])).input("k", ones(&[1, 1, 3, 2]));
    c.input("v", counting(&[1, 1, 3, 2])).node(n)
}

/// A42: the first query stands behind the past, or at the end of the valid keys; else at the first key.
#[test]
fn where_a_causal_mask_begins() {
    let causal = |inputs: &[&str]| with(node("Attention", inputs, &["y"]), int("is_causal", 1));
    for version in [23, 24] {
        let y = attention(version, 1, causal(&["q", "k", "v"])).tensor("y");
        assert_close(&y, &[0., 1.], 1e-6);
        let c = attention(version, 1, causal(&["q", "k", "v", "", "pk", "pv"]));
        let past = f32s(&[1, 1, 2, 2], &[10., 20., 30., 40.]);
        let y = c.input("pk", ones(&[1, 1, 2, 2])).input("pv", past).tensor("y");
        assert_close(&y, &[40. / 3., 61. / 3.], 1e-6);
    }
    for (queries, valid, expected) in [(1, 2, &[1., 2.][..]), (2, 3, &[1., 2., 2., 3.])] {
        let c = attention(24, queries, causal(&["q", "k", "v", "", "", "", "n"]));
        assert_close(&c.input("n", i64s(&[1], &[valid])).tensor("y"), expected, 1e-6);
    }
}

/// A43: the present keys and values, and the scores, without any past.
#[test]
fn present_without_past() {
    for (mode, score) in [(0, 2f64.sqrt()), (3, 1. / 3.)] {
        let n = node("Attention", &["q", "k", "v"], &["y", "nk", "nv", "s"]);
        let out = attention(23, 1, with(n, int("qk_matmul_output_mode", mode))).tensors(&["y", "nk", "nv", "s"]);
        assert_close(&out[0], &[2., 3.], 1e-6);
        assert_eq!((out[1].shape(), out[1].to_vec_f64()), (&[1, 1, 3, 2][..], vec![1.; 6]));
        assert_eq!(out[2].to_vec_f64(), [0., 1., 2., 3., 4., 5.]);
        assert_close(&out[3], &[score; 3], 1e-6);
    }
}

/// A44: a query that sees nothing gives zeros, also when two masks together hide everything.
#[test]
fn attention_to_nothing() {
    let masked = node("Attention", &["q", "k", "v", "m"], &["y"]);
    let c = attention(23, 1, masked.clone()).input("m", of(&[1, 3], &[false; 3]));
    assert_eq!(c.tensor("y").to_vec_f64(), [0., 0.]);
    let c = attention(23, 2, with(masked, int("is_causal", 1)));
    let y = c.input("m", of(&[2, 3], &[false, true, true, true, true, true])).tensor("y");
    assert_close(&y, &[0., 0., 1., 2.], 1e-6);
}

/// A46: the one-sided spectrum of a real signal keeps n / 2 + 1 values.
#[test]
fn one_sided_spectrum() {
    let n = with(node("DFT", &["x0"], &["y"]), int("onesided", 1));
    let root = 3f64.sqrt();
    let expected = [15., 0., -3., 3. * root, -3., root, -3., 0.];
    for version in [17, 20] {
        let y = one(version, n.clone(), &[counting(&[1, 6, 1])]).tensor("y");
        assert_eq!(y.shape(), [1, 4, 2]);
        assert_close(&y, &expected, 1e-5);
    }
}

const BOXES: [[f32; 4]; 6] = [
    [0., 0., 1., 1.],
    [0., 0.1, 1., 1.1],
    [0., -0.1, 1., 0.9],
    [0., 10., 1., 11.],
    [0., 10.1, 1., 11.1],
    [0., 100., 1., 101.],
];
const SCORES: [f32; 6] = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3];

/// A47: boxes whose corners come in any order are the same boxes.
#[test]
fn boxes_with_flipped_corners() {
    let corners = [[0, 1, 2, 3], [2, 1, 0, 3], [0, 3, 2, 1], [2, 3, 0, 1]];
    for shift in 0..4 {
        let turned = BOXES.iter().enumerate().map(|(i, b)| corners[(i + shift) % 4].map(|at| b[at]));
        let boxes = f32s(&[1, 6, 4], &turned.flatten().collect::<Vec<_>>());
        let n = node("NonMaxSuppression", &["x0", "x1", "x2", "x3", "x4"], &["y"]);
        let limits = [i64s(&[1], &[6]), f32s(&[1], &[0.5]), f32s(&[1], &[0.4])];
        let inputs = [&[boxes, f32s(&[1, 1, 6], &SCORES)][..], &limits].concat();
        let y = one(11, n, &inputs).tensor("y");
        assert_eq!((y.shape(), y.to_vec_i64()), (&[2, 3][..], vec![0, 0, 3, 0, 0, 0]), "{shift}");
    }
}

/// A48: every batch and class on its own; without a limit nothing is chosen, without a threshold
/// negative scores are.
#[test]
fn boxes_of_batches_and_classes() {
    let negated = SCORES.map(|s| -s);
    let boxes = f32s(&[2, 6, 4], &[BOXES.as_flattened(), BOXES.as_flattened()].concat());
    let scores = f32s(&[2, 2, 6], &[SCORES, negated, SCORES, negated].concat());
    let none = node("NonMaxSuppression", &["x0", "x1"], &["y"]);
    assert_eq!(one(11, none, &[boxes.clone(), scores.clone()]).tensor("y").shape(), [0, 3]);
    let n = node("NonMaxSuppression", &["x0", "x1", "x2", "x3"], &["y"]);
    let y = one(11, n, &[boxes, scores, i64s(&[1], &[2]), f32s(&[1], &[0.5])]).tensor("y");
    let chosen = |b| [[b, 0, 3], [b, 0, 0], [b, 1, 5], [b, 1, 4]].concat();
    assert_eq!(y.to_vec_i64(), [chosen(0), chosen(1)].concat());
}

/// A49: backwards, a short sequence starts at its own end; an empty one gives zeros.
#[test]
fn recurrence_backwards_over_short_sequences() {
    let n = with(node("GRU", &["x0", "x1", "x2", "", "x3"], &["y", "h"]), int("hidden_size", 1));
    let n = with(n, text("direction", "reverse"));
    let x = f32s(&[3, 2, 1], &[1., 1., 2., 2., 3., 3.]);
    let c = one(14, n, &[x, ones(&[1, 3, 1]), ones(&[1, 3, 1]), of(&[2], &[2i32, 0])]);
    let out = c.tensors(&["y", "h"]);
    assert_close(&out[0], &[0.283_016_56, 0., 0.114_914_89, 0., 0., 0.], 1e-6);
    assert_close(&out[1], &[0.283_016_56, 0.], 1e-6);
}

/// A50: the same sample twice in a batch gives the same twice.
#[test]
fn bidirectional_recurrence_of_a_batch() {
    let w: Vec<f32> = (0..16).map(|i| 1. - i as f32 / 8.).collect();
    let r: Vec<f32> = (0..32).map(|i| i as f32 / 16. - 1.).collect();
    let lstm = |batch: usize| {
        let n = with(node("LSTM", &["x0", "x1", "x2"], &["y", "h", "c"]), int("hidden_size", 2));
        let x: Vec<f32> = [1., 2., 3.].iter().flat_map(|v| vec![*v; batch]).collect();
        let inputs = [f32s(&[3, batch, 1], &x), f32s(&[2, 8, 1], &w), f32s(&[2, 8, 2], &r)];
        one(14, with(n, text("direction", "bidirectional")), &inputs).tensors(&["y", "h", "c"])
    };
    for (single, double) in lstm(1).iter().zip(lstm(2)) {
        let rows = single.to_vec_f64();
        let twice: Vec<f64> = rows.chunks(2).flat_map(|row| [row, row].concat()).collect();
        assert_eq!(double.to_vec_f64(), twice);
    }
}

/// A57: a loop of no trips still has scan outputs of the right rank.
#[test]
fn loops_of_no_trips() {
    let inner = [
        node("Add", &["x", "one"], &["next"]),
        node("Identity", &["x"], &["seen"]),
        node("Identity", &["go"], &["on"]),
    ];
    let inner = graph(&["i", "go", "x"], &inner, &["on", "next", "seen"]);
    for (trips, rows) in [(0, 0), (-1, 0), (3, 3)] {
        let n = with(node("Loop", &["m", "", "x0"], &["last", "all"]), body("body", &inner));
        let c = case(13).input("m", i64s(&[], &[trips])).input("x0", f32s(&[2], &[0., 0.]));
        let out = c.constant("one", f32s(&[], &[1.])).node(n).tensors(&["last", "all"]);
        assert_eq!(out[0].to_vec_f64(), [rows as f64; 2]);
        assert_eq!(out[1].shape(), [rows, 2], "{trips}");
        assert_eq!(out[1].to_vec_f64(), (0..rows).flat_map(|i| [i as f64; 2]).collect::<Vec<_>>());
    }
}

/// A58: more scan outputs than inputs, one of them backwards and along another axis, and a body
/// that reads a constant outside.
#[test]
fn scans_with_more_outputs_than_inputs() {
    let inner = [
        node("Add", &["s", "x"], &["sum"]),
        node("Mul", &["x", "seven"], &["scaled"]),
        node("Identity", &["sum"], &["seen"]),
    ];
    let inner = graph(&["s", "x"], &inner, &["sum", "scaled", "seen"]);
    let n = with(node("Scan", &["s0", "xs"], &["last", "scaled", "sums"]), body("body", &inner));
    let n = with(with(n, int("num_scan_inputs", 1)), ints("scan_output_directions", &[1, 0]));
    let n = with(n, ints("scan_output_axes", &[0, 1]));
    let scan = |xs: Tensor| {
        let c = case(16).input("s0", f32s(&[2], &[0., 10.])).input("xs", xs);
        c.constant("seven", f32s(&[], &[7.])).node(n.clone()).tensors(&["last", "scaled", "sums"])
    };
    let out = scan(f32s(&[3, 2], &[1., 2., 3., 4., 5., 6.]));
    assert_eq!(out[0].to_vec_f64(), [9., 22.]);
    assert_eq!(out[1].to_vec_f64(), [35., 42., 21., 28., 7., 14.]);
    assert_eq!((out[2].shape(), out[2].to_vec_f64()), (&[2, 3][..], vec![1., 4., 9., 12., 16., 22.]));
    let out = scan(f32s(&[0, 2], &[]));
    assert_eq!(out[0].to_vec_f64(), [0., 10.]);
    assert_eq!((out[1].shape(), out[2].shape()), (&[0, 2][..], &[2, 0][..]));
}

/// A59: a sequence takes a new element at any place from `-n` to `n`.
#[test]
fn insertion_at_the_end_of_a_sequence() {
    let insert = |at: i64| {
        let c = case(13).input("a", f32s(&[1], &[1.])).input("b", f32s(&[1], &[2.]));
        let c = c.constant("at", i64s(&[], &[at])).node(node("SequenceConstruct", &["a"], &["s"]));
        c.node(node("SequenceInsert", &["s", "b", "at"], &["t"]))
    };
    for (at, expected) in [(1, [1., 2.]), (0, [2., 1.]), (-1, [2., 1.])] {
        let Value::Sequence(items) = insert(at).run(&["t"]).unwrap().remove(0) else { panic!("no sequence") };
        let found: Vec<f64> = items.iter().flat_map(|v| v.as_tensor().unwrap().to_vec_f64()).collect();
        assert_eq!(found, expected, "{at}");
    }
    for at in [2, -2] {
        insert(at).refused(&["t"]);
    }
}

/// A60: outputs that are an initializer or an input, inside a body.
#[test]
fn results_of_a_body_that_no_node_makes() {
    let hidden = constant(graph(&[], &[], &["k"]), "k");
    let passed = graph(&[], &[], &["x"]);
    let n = with(node("If", &["c"], &["y"]), body("then_branch", &hidden));
    let wrapped = graph(&[], &[node("Identity", &["x"], &["z"])], &["z"]);
    for (pick, expected) in [(true, 7.), (false, 2.)] {
        let c = case(13).input("c", of(&[], &[pick])).input("x", f32s(&[1], &[2.]));
        let y = c.node(with(n.clone(), body("else_branch", &wrapped))).tensor("y");
        assert_eq!(y.to_vec_f64(), [expected]);
    }
    let c = case(13).input("c", of(&[], &[false])).input("x", f32s(&[1], &[2.]));
    let message = c.node(with(n, body("else_branch", &passed))).refused(&["y"]);
    assert!(message.contains("output \"x\" is produced by no node"), "{message}");
}

/// A61: a sequence that begins empty, grows and is joined.
#[test]
fn a_sequence_from_nothing() {
    let c = case(13).input("a", f32s(&[2], &[1., 2.])).input("b", f32s(&[1], &[3.]));
    let c = c.node(node("SequenceEmpty", &[], &["s"])).node(node("SequenceInsert", &["s", "a"], &["t"]));
    let c = c.node(node("SequenceInsert", &["t", "b"], &["u"]));
    let y = c.node(with(node("ConcatFromSequence", &["u"], &["y"]), int("axis", 0))).tensor("y");
    assert_eq!(y.to_vec_f64(), [1., 2., 3.]);
}

#[test]
fn recurrent_operands_of_wrong_rank_are_refused() {
    for (op, gates) in [("RNN", 1), ("GRU", 3), ("LSTM", 4)] {
        for bad in [3, 4, 5] {
            let names = ["x", "w", "r", "b", "lengths", "h"];
            let shapes: [&[usize]; 6] = [&[2, 1, 1], &[1, gates, 1], &[1, gates, 1], &[1, 2 * gates], &[1], &[1, 1, 1]];
            let mut model = case(14);
            for (i, (name, shape)) in names.iter().zip(shapes).enumerate() {
                let shape = if i == bad { &[1, 1, 1, 1][..] } else { shape };
                let n = shape.iter().product();
                let value = match i {
                    4 => Tensor::from_vec(shape, vec![1i32; n]).unwrap(),
                    _ => Tensor::from_vec(shape, vec![0.5f32; n]).unwrap(),
                };
                model = model.input(name, value);
            }
            assert!(model.node(node(op, &names, &["y"])).run(&["y"]).is_err(), "{op}, operand {bad}");
        }
    }
}
