//! Functions of the model: recursion, growth, and attributes that refer to the call's.
mod common;

use common::*;
use tilewright_onnx_file::proto::*;
use tilewright_onnx_file::{FunctionKey, Limits, Model};
use tilewright_support::Code;

fn call(name: &str) -> NodeProto {
    foreign("my", name, &["x"], &["y"])
}

fn calling(nodes: &[NodeProto]) -> ModelProto {
    model(&graph(&["c", "x"], nodes, &["y"]))
}

#[test]
fn refuses_recursion_and_names_the_cycle() {
    let direct = function("F", &["x"], &[call("F")], &["y"]);
    let error = load(&with_functions(calling(&[call("F")]), &[direct])).unwrap_err();
    assert!(error.message.contains("my.F -> my.F"), "{error}");
    let inner = graph(&[], &[call("A")], &["y"]);
    let branch = with(with(node("If", &["x"], &["y"]), body("then_branch", &inner)), body("else_branch", &inner));
    let cycle = [
        function("A", &["x"], &[call("B")], &["y"]),
        function("B", &["x"], &[branch], &["y"]),
        function("C", &["x"], &[call("A")], &["y"]),
    ];
    let error = load(&with_functions(calling(&[call("C")]), &cycle)).unwrap_err();
    let found = ["my.A -> my.B -> my.A", "my.B -> my.A -> my.B"].iter().any(|text| error.message.contains(text));
    assert!(found && error.code == Code::Invalid, "{error}");
}

#[test]
fn limits_growth_and_depth_of_calls() {
    let numbered = |i: usize| format!("F{i}");
    let doubling = |i: usize| {
        let next = numbered(i + 1);
        let calls = [foreign("my", &next, &["x"], &["z"]), foreign("my", &next, &["z"], &["y"])];
        function(&numbered(i), &["x"], &calls, &["y"])
    };
    let mut functions: Vec<_> = (0..40).map(doubling).collect();
    functions.push(function("F40", &["x"], &[node("Neg", &["x"], &["y"])], &["y"]));
    let error = load(&with_functions(calling(&[call("F0")]), &functions)).unwrap_err();
    assert_eq!(error.code, Code::Limit);
    assert!(error.message.contains("nodes; the limit is"), "{error}");
    let chain = |i: usize| function(&numbered(i), &["x"], &[call(&numbered(i + 1))], &["y"]);
    let mut functions: Vec<_> = (0..5000).map(chain).collect();
    functions.push(function("F5000", &["x"], &[node("Neg", &["x"], &["y"])], &["y"]));
    let error = load(&with_functions(calling(&[call("F0")]), &functions)).unwrap_err();
    assert!(error.message.contains("5001 deep"), "{error}");
}

#[test]
fn binds_attributes_of_the_call_or_defaults() {
    let refer =
        |name: &str, to: &str| AttributeProto { ref_attr_name: to.into(), ..attribute(name, attribute_type::FLOAT) };
    let elu = with(
        with(with(node("Elu", &["a"], &["b"]), refer("alpha", "slope")), refer("beta", "bias")),
        refer("gamma", "none"),
    );
    let mut function = function("F", &["a"], &[elu], &["b"]);
    function.attribute = vec!["slope".into(), "none".into()];
    function.attribute_proto.push(bytes(&AttributeProto { f: Some(0.5), ..attribute("bias", attribute_type::FLOAT) }));
    let slope = AttributeProto { f: Some(2.0), ..attribute("slope", attribute_type::FLOAT) };
    let loaded = load(&with_functions(calling(&[with(call("F"), slope)]), &[function])).unwrap();
    let call = &loaded.graph.nodes[0];
    let function = loaded.function(call).unwrap();
    let error = function.nodes[0].attr_float("alpha").unwrap_err();
    assert!(error.message.contains("refers to \"slope\""), "{error}");
    let body = function.body(call);
    assert_eq!(body[0].attr_float("alpha").unwrap(), Some(2.0));
    assert_eq!(body[0].attr_float("beta").unwrap(), Some(0.5));
    assert_eq!(body[0].attr_float("gamma").unwrap(), None);
    assert_eq!(FunctionKey::of(call).to_string(), "my.F");
}

#[test]
fn refuses_broken_functions() {
    let body = || vec![node("Neg", &["a"], &["b"])];
    let one = |function: FunctionProto| with_functions(calling(&[call("F")]), &[function]);
    let reference = AttributeProto { ref_attr_name: "k".into(), ..attribute("alpha", attribute_type::FLOAT) };
    let cases = [
        ("the call has 2 operands, the function only 1", {
            let call = foreign("my", "F", &["x", "x"], &["y"]);
            with_functions(calling(&[call]), &[function("F", &["a"], &body(), &["b"])])
        }),
        ("operand \"x\" is defined nowhere", one(function("F", &["a"], &[node("Neg", &["x"], &["b"])], &["b"]))),
        ("output \"q\" is produced by no node", one(function("F", &["a"], &body(), &["q"]))),
        (
            "refers to \"k\"",
            one(function("F", &["a"], &[with(node("Elu", &["a"], &["b"]), reference.clone())], &["b"])),
        ),
        ("refers to \"k\"", calling(&[with(node("Elu", &["x"], &["y"]), reference)])),
        ("imports no version", one(FunctionProto { opset_import: vec![], ..function("F", &["a"], &body(), &["b"]) })),
        ("is defined twice", {
            let twice = function("F", &["a"], &body(), &["b"]);
            with_functions(calling(&[call("F")]), &[twice.clone(), twice])
        }),
        (
            "is not imported",
            ModelProto { opset_import: vec![import("", 17)], ..one(function("F", &["a"], &body(), &["b"])) },
        ),
    ];
    for (expected, model) in cases {
        let error = load(&model).expect_err(expected);
        assert!(error.to_string().contains(expected), "expected {expected}, got {error}");
    }
}

#[test]
fn separates_overloads() {
    let overload = |name: &str, op: &str| FunctionProto {
        overload: name.into(),
        ..function("F", &["a"], &[node(op, &["a"], &["b"])], &["b"])
    };
    let call = NodeProto { overload: "two".into(), ..call("F") };
    let proto = with_functions(calling(&[call]), &[overload("one", "Neg"), overload("two", "Abs")]);
    let loaded = Model::from_bytes(bytes(&proto), None, &Limits::default()).unwrap();
    assert_eq!(loaded.function(&loaded.graph.nodes[0]).unwrap().nodes[0].op_type, "Abs");
}
