//! What is refused, with which code, and what the message shows.

mod common;

use common::case::*;
use common::{body, graph, node, with};
use tilewright_onnx::proto::{AttributeProto, NodeProto};
use tilewright_support::{Code, Diagnostic};
use tilewright_tensor::{DType, Tensor};

fn error(c: &Case) -> Box<Diagnostic> {
    c.run(&["y"]).expect_err("accepted")
}

/// A node over constants, or over the same as inputs of the run.
fn fed(version: i64, n: NodeProto, inputs: &[Tensor], constant: bool) -> Case {
    let add = |c: Case, (i, t): (usize, &Tensor)| match constant && i > 0 {
        true => c.constant(&format!("x{i}"), t.clone()),
        false => c.input(&format!("x{i}"), t.clone()),
    };
    inputs.iter().enumerate().fold(case(version), add).node(n)
}

/// A bad value is a fault of the model where it stands in the model, and of the run where it comes with the run.
#[test]
fn bad_values_of_the_model_and_of_the_run() {
    let operands = |op: &str, n: usize| {
        let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        node(op, &names.iter().map(String::as_str).collect::<Vec<_>>(), &["y"])
    };
    let (x, image) = (f32s(&[2, 1], &[1., 2.]), f32s(&[1, 1, 2, 2], &[1., 2., 3., 4.]));
    let mel = |bins: i64| [i64s(&[], &[8]), i64s(&[], &[bins]), i64s(&[], &[8]), f32s(&[], &[0.]), f32s(&[], &[4.])];
    let mel_node = node("MelWeightMatrix", &["x1", "x0", "x2", "x3", "x4"], &["y"]);
    let resize = node("Resize", &["x0", "", "x1"], &["y"]);
    let sized = node("Resize", &["x0", "", "", "x1"], &["y"]);
    let cases = [
        (operands("Expand", 2), vec![x.clone(), i64s(&[2], &[2, -1])]),
        (operands("Tile", 2), vec![x.clone(), i64s(&[2], &[2, -1])]),
        (operands("Reshape", 2), vec![x.clone(), i64s(&[2], &[2, -2])]),
        (operands("ReduceSum", 2), vec![x.clone(), i64s(&[2], &[1, 1])]),
        (operands("STFT", 2), vec![f32s(&[1, 4, 1], &[1.; 4]), i64s(&[], &[0])]),
        (resize, vec![image.clone(), f32s(&[4], &[1., 1., -1., 2.])]),
        (sized, vec![image, i64s(&[4], &[1, 1, -1, 2])]),
        (mel_node, mel(0).to_vec()),
    ];
    for (n, inputs) in cases {
        let n = if n.op_type == "STFT" { node("STFT", &["x0", "x1", "", "n"], &["y"]) } else { n };
        let run = |constant| error(&fed(18, n.clone(), &inputs, constant).constant("n", i64s(&[], &[2])));
        let (model, value) = (run(true), run(false));
        assert!(matches!(model.code, Code::Invalid | Code::Shape | Code::Value), "{model}");
        assert!(matches!(value.code, Code::Value | Code::Shape), "{value}");
    }
}

/// A fault of the model stays one although a run told something else.
#[test]
fn faults_of_the_model_after_a_value_of_the_run() {
    let c = case(18).input("x0", f32s(&[2, 3], &[0.; 6])).input("x1", i64s(&[1], &[0]));
    let c = c.node(node("ReduceSum", &["x0", "x1"], &["s"]));
    let c = c.node(with(node("LpPool", &["s"], &["y"]), ints("kernel_shape", &[2, 2])));
    assert_eq!(error(&c).code, Code::Shape);
    let c = case(18).input("x0", f32s(&[2, 3], &[0.; 6])).input("x1", i64s(&[1], &[0]));
    let c = c.node(node("ReduceSum", &["x0", "x1"], &["s"]));
    let c = c.node(with(node("Gelu", &["s"], &["y"]), text("approximate", "none")));
    assert_eq!(error(&c).code, Code::Invalid);
    let c = case(18).input("x0", f32s(&[2, 3], &[0.; 6])).input("x1", i64s(&[1], &[0]));
    let c = c.node(node("ReduceSum", &["x0", "x1"], &["s"]));
    let c = c.node(with(node("Pad", &["s", "p"], &["y"]), text("mode", "none")).clone());
    assert_eq!(error(&c.constant("p", i64s(&[4], &[0; 4]))).code, Code::Invalid);
}

/// Every attribute that an operator lost is refused from then on, and taken before.
#[test]
fn attributes_that_operators_lost() {
    let x = || f32s(&[1, 2, 2], &[1., 2., 3., 4.]);
    let scalar = || f32s(&[1], &[1.]);
    let lost = [
        ("Relu", 6, 1, ints("consumed_inputs", &[0])),
        ("Neg", 6, 1, ints("consumed_inputs", &[0])),
        ("Sum", 6, 1, ints("consumed_inputs", &[0])),
        ("Add", 7, 2, int("broadcast", 1)),
        ("Less", 7, 2, int("broadcast", 1)),
        ("Pow", 7, 2, int("broadcast", 1)),
        ("Dropout", 7, 1, int("is_test", 1)),
        ("TopK", 10, 1, int("k", 1)),
        ("Clip", 11, 1, float("max", 1.0)),
        ("Dropout", 12, 1, float("ratio", 0.5)),
        ("Squeeze", 13, 1, ints("axes", &[0])),
        ("Unsqueeze", 13, 1, ints("axes", &[0])),
        ("DFT", 20, 1, int("axis", 1)),
    ];
    for (op, since, inputs, attribute) in lost {
        let outputs: &[&str] = if op == "TopK" { &["y", "at"] } else { &["y"] };
        let n = with(node(op, &["x0", "x1"][..inputs], outputs), attribute.clone());
        let values = [x(), scalar()];
        one(since - 1, n.clone(), &values[..inputs]).run(&["y"]).unwrap_or_else(|e| panic!("{op}: {e}"));
        for version in [since, 21.max(since)] {
            let e = error(&one(version, n.clone(), &values[..inputs]));
            assert!(e.code == Code::Invalid && e.message.contains("has no attribute"), "{op}-{version}: {e}");
        }
    }
}

/// Attributes of some operators are none of others.
#[test]
fn attributes_that_operators_never_had() {
    for op in ["Neg", "Abs", "Relu", "Sqrt", "Tanh", "Sum", "Max", "Mean"] {
        for version in [1, 6, 7, 21] {
            for name in ["axis", "broadcast"] {
                let e =
                    error(&one(version, with(node(op, &["x0"], &["y"]), int(name, 1)), &[f32s(&[1, 2], &[1., 2.])]));
                assert!(e.code == Code::Invalid && e.message.contains("has no attribute"), "{op}-{version}: {e}");
            }
        }
    }
}

#[test]
fn operators_have_one_range_of_versions() {
    let scatter = || {
        let inputs = [f32s(&[2], &[1., 2.]), i64s(&[1], &[0]), f32s(&[1], &[5.])];
        move |version| one(version, node("Scatter", &["x0", "x1", "x2"], &["y"]), &inputs)
    };
    assert_eq!(scatter()(10).tensor("y").to_vec_f64(), [5., 2.]);
    assert!(scatter()(11).refused(&["y"]).contains("exists from opset 9 to 10, not in opset 11"));
    let upsample = one(10, node("Upsample", &["x0", "x1"], &["y"]), &[f32s(&[1], &[1.]), f32s(&[1], &[1.])]);
    assert!(upsample.refused(&["y"]).contains("exists from opset 1 to 9, not in opset 10"));
}

fn reversed(lengths: &[i64], constant: bool) -> Case {
    let x = f32s(&[2, 2], &[1., 2., 3., 4.]);
    fed(10, node("ReverseSequence", &["x0", "x1"], &["y"]), &[x, i64s(&[2], lengths)], constant)
}

#[test]
fn lengths_of_reversed_sequences() {
    for constant in [false, true] {
        assert_eq!(reversed(&[0, 2], constant).tensor("y").to_vec_f64(), [1., 4., 3., 2.]);
        for bad in [[-1, 2], [2, 3], [i64::MIN, 0], [1, i64::MAX]] {
            let e = error(&reversed(&bad, constant));
            assert!(e.code == Code::Value && e.message.contains("a length of ReverseSequence"), "{e}");
        }
    }
}

/// A loop over a body that gives back its state and one more value.
fn looped(op: &str, outputs: &[&str], attributes: &[AttributeProto]) -> Case {
    let parameters: &[&str] = if op == "Loop" { &["i", "c", "s"] } else { &["s", "e"] };
    let nodes = [
        node("Identity", &[parameters[1]], &["c2"]),
        node("Identity", &["s"], &["s2"]),
        node("Identity", &["s"], &["z"]),
    ];
    let inner = graph(parameters, &nodes, if op == "Loop" { &["c2", "s2", "z"] } else { &["s2", "z"] });
    let inputs: &[&str] = if op == "Loop" { &["n", "", "x"] } else { &["x", "x"] };
    let n = with(node(op, inputs, outputs), body("body", &inner));
    let n = attributes.iter().cloned().fold(n, with);
    case(17).constant("n", i64s(&[], &[2])).input("x", f32s(&[1], &[7.])).node(n)
}

#[test]
fn loops_and_their_bodies() {
    assert_eq!(looped("Loop", &["s3", "y"], &[]).tensor("y").to_vec_f64(), [7., 7.]);
    let one = int("num_scan_inputs", 1);
    assert_eq!(looped("Scan", &["s3", "y"], std::slice::from_ref(&one)).tensor("y").to_vec_f64(), [7.]);
    let refused = [
        looped("Loop", &["s3", "z3", "y"], &[]),
        looped("Scan", &["s3", "z3", "y"], std::slice::from_ref(&one)),
        looped("Scan", &["s3", "y"], &[int("num_scan_inputs", 0)]),
        looped("Scan", &["s3", "y"], &[int("num_scan_inputs", 3)]),
        looped("Scan", &["s3", "y"], &[one.clone(), ints("scan_input_directions", &[7])]),
        looped("Scan", &["s3", "y"], &[one.clone(), ints("scan_output_directions", &[-1])]),
        looped("Scan", &["s3", "y"], &[one, ints("directions", &[0])]),
    ];
    for c in refused {
        assert_eq!(error(&c).code, Code::Invalid);
    }
    let arm = |name: &str| body(name, &graph(&[], &[node("Identity", &["x"], &[name])], &[name]));
    let n = with(with(node("If", &["c"], &["y", "z"]), arm("then_branch")), arm("else_branch"));
    let c = case(17).input("c", of(&[], &[true])).input("x", f32s(&[1], &[7.])).node(n);
    assert_eq!(error(&c).code, Code::Invalid);
}

/// An index out of bounds is shown as it stands in the operand.
#[test]
fn indices_out_of_bounds() {
    let matrix = || f32s(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    for index in [i64::MIN, -4, 3, i64::MAX] {
        let by = |op: &str, shape: &[usize], axis: Option<i64>| {
            let n = node(op, &["x0", "x1"], &["y"]);
            let n = axis.map_or(n.clone(), |axis| with(n, int("axis", axis)));
            let of: Vec<i64> = (0..shape.iter().product()).map(|i| if i == 1 { index } else { 0 }).collect();
            error(&one(13, n, &[matrix(), i64s(shape, &of)])).message
        };
        let shown = format!("index {index} is out of bounds");
        let found =
            [by("Gather", &[2], Some(1)), by("GatherElements", &[2, 1], Some(1)), by("GatherND", &[1, 2], None)];
        assert!(found.iter().all(|message| message.contains(&shown)), "{found:?}");
    }
}

/// Sizes that do not fit are shown as the run has them.
#[test]
fn sizes_that_only_the_run_tells() {
    let split = with(node("Split", &["x0", "x1"], &["y", "z"]), int("axis", 0));
    let message = one(13, split, &[f32s(&[6], &[0.; 6]), i64s(&[2], &[3, 4])]).refused(&["y"]);
    assert!(message.ends_with("add up to the dim: 7 vs 6"), "{message}");
    let grid = node("AffineGrid", &["x0", "x1"], &["y"]);
    let inputs = [f32s(&[2, 2, 3], &[0.; 12]), i64s(&[4], &[3, 1, 2, 2])];
    let message = one(20, grid, &inputs).refused(&["y"]);
    assert!(message.ends_with("dims of theta: 2 vs 3"), "{message}");
    let squeeze = node("Squeeze", &["x0", "x1"], &["y"]);
    let c = case(13).named("x0", f32s(&[2, 1], &[0.; 2]), &["A", "B"]).constant("x1", i64s(&[1], &[0])).node(squeeze);
    let message = c.refused(&["y"]);
    assert!(message.ends_with("must have size 1: 2 vs 1"), "{message}");
}

/// A number in a text that the dtype's 64 bits cannot hold is no number of it.
#[test]
fn texts_beyond_64_bits() {
    let read = |text: &str, to: DType| {
        let n = with(node("Cast", &["x0"], &["y"]), int("to", to.onnx_code().into()));
        one(19, n, &[words(&[1], &[text])]).run(&["y"]).map(|out| out[0].as_tensor().unwrap().get_i64(0))
    };
    for (text, to, value) in [
        ("9223372036854775807", DType::I64, i64::MAX),
        ("-9223372036854775808", DType::I64, i64::MIN),
        ("18446744073709551615", DType::U64, -1),
        ("9223372036854775808", DType::U64, i64::MIN),
        ("4611686018427387904.5", DType::I64, 1 << 62),
    ] {
        assert_eq!(read(text, to), Ok(value), "{text}");
    }
    for (text, to) in [
        ("9223372036854775808", DType::I64),
        ("-9223372036854775809", DType::I64),
        ("9223372036854775808.0", DType::I64),
        ("1e19", DType::I64),
        ("18446744073709551616", DType::U64),
        ("1e20", DType::U64),
        ("9223372036854775808", DType::I32),
    ] {
        assert_eq!(read(text, to).unwrap_err().code, Code::Value, "{text}");
    }
}
