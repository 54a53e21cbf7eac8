//! What a model may and may not say, one small model a rule.
mod common;

use common::*;
use tilewright_onnx_file::proto::*;
use tilewright_support::Code;

/// `y = Neg(x)`, changed by each case.
fn neg() -> GraphProto {
    graph(&["x"], &[node("Neg", &["x"], &["y"])], &["y"])
}

/// `y = If(c)` with the same body twice.
fn branch(branch: &GraphProto) -> NodeProto {
    with(with(node("If", &["c"], &["y"]), body("then_branch", branch)), body("else_branch", branch))
}

fn of(nodes: &[NodeProto]) -> ModelProto {
    model(&graph(&["c", "x"], nodes, &["y"]))
}

#[test]
fn accepts_what_is_legal() {
    let cases: Vec<(&str, ModelProto)> = vec![
        ("plain", model(&neg())),
        ("unsorted", of(&[node("Neg", &["z"], &["y"]), node("Abs", &["x"], &["z"])])),
        ("unsorted by a capture", {
            let inner = graph(&[], &[node("Neg", &["late"], &["z"])], &["z"]);
            of(&[branch(&inner), node("Abs", &["x"], &["late"])])
        }),
        ("two nodes of one name", {
            let named = |node| NodeProto { name: "same".into(), ..node };
            of(&[named(node("Neg", &["x"], &["z"])), named(node("Neg", &["z"], &["y"]))])
        }),
        ("an output twice", model(&graph(&["x"], &[node("Neg", &["x"], &["y"])], &["y", "y"]))),
        ("an output that is an input", model(&graph(&["x"], &[], &["x"]))),
        ("an output that is an initializer", model(&constant(graph(&[], &[], &["k"]), "k"))),
        ("an initializer as an input's default", model(&constant(neg(), "x"))),
        ("an absent operand", of(&[node("Clip", &["x", "", "x"], &["y"])])),
        ("a body's result named as the node's", of(&[branch(&graph(&[], &[node("Neg", &["x"], &["y"])], &["y"]))])),
        ("a body's constant hides an outer name", of(&[branch(&constant(graph(&[], &[], &["x"]), "x"))])),
        ("com.microsoft without an import", of(&[foreign("com.microsoft", "Gelu", &["x"], &["y"])])),
        ("ai.onnx by its long name", of(&[foreign("ai.onnx", "Neg", &["x"], &["y"])])),
        ("an unused import of a foreign domain", {
            ModelProto {
                opset_import: vec![import("", 17), import("foo.bar", 3), import("ai.onnx.ml", 99)],
                ..model(&neg())
            }
        }),
        ("no import before version 3", ModelProto { ir_version: Some(2), opset_import: vec![], ..model(&neg()) }),
        ("a function", {
            let call = foreign("my", "F", &["x"], &["y"]);
            with_functions(of(&[call]), &[function("F", &["a"], &[node("Neg", &["a"], &["b"])], &["b"])])
        }),
        ("a function that hides an operator", {
            let hiding = FunctionProto {
                domain: String::new(),
                ..function("Neg", &["a"], &[node("Abs", &["a"], &["b"])], &["b"])
            };
            with_functions(of(&[node("Neg", &["x"], &["y"])]), &[hiding])
        }),
        ("a function that passes a value on", {
            with_functions(of(&[foreign("my", "F", &["x"], &["y"])]), &[function("F", &["a"], &[], &["a"])])
        }),
    ];
    for (label, model) in cases {
        if let Err(error) = load(&model) {
            panic!("{label}: {error}");
        }
    }
}

#[test]
fn refuses_broken_names_and_scopes() {
    let cases: Vec<(&str, ModelProto)> = vec![
        ("operand \"nowhere\" is defined nowhere", of(&[node("Neg", &["nowhere"], &["y"])])),
        ("output \"y\" is produced by no node", of(&[node("Neg", &["x"], &["z"])])),
        ("output \"\" is produced by no node", model(&graph(&["x"], &[], &[""]))),
        ("the graph has no outputs", model(&graph(&["x"], &[], &[]))),
        ("input \"x\" is declared twice", model(&graph(&["x", "x"], &[], &["x"]))),
        ("an input has no name", model(&graph(&["", "x"], &[], &["x"]))),
        ("result \"y\" is defined already", of(&[node("Neg", &["x"], &["y"]), node("Abs", &["x"], &["y"])])),
        ("result \"x\" is defined already", of(&[node("Neg", &["x"], &["x"]), node("Abs", &["x"], &["y"])])),
        ("result \"y\" is defined already", model(&constant(neg(), "y"))),
        ("initializer \"k\" is defined twice", model(&constant(constant(neg(), "k"), "k"))),
        ("an initializer has no name", model(&constant(neg(), ""))),
        (
            "\"b\" -> \"a\" -> \"b\"",
            of(&[node("Neg", &["b"], &["a"]), node("Neg", &["a"], &["b"]), node("Add", &["a", "x"], &["y"])]),
        ),
        ("\"y\" -> \"y\"", of(&[branch(&graph(&[], &[node("Neg", &["y"], &["z"])], &["z"]))])),
        ("result \"x\" is defined already", of(&[branch(&graph(&[], &[node("Neg", &["c"], &["x"])], &["x"]))])),
        ("output \"x\" is produced by no node", of(&[branch(&graph(&[], &[], &["x"]))])),
        ("operand \"inner\" is defined nowhere", {
            let inner = graph(&[], &[node("Neg", &["x"], &["inner"])], &["inner"]);
            of(&[branch(&inner), node("Neg", &["inner"], &["z"])])
        }),
        ("neither operands nor results", of(&[node("Constant", &[], &[]), node("Neg", &["x"], &["y"])])),
        ("names no operator", of(&[node("", &["x"], &["y"])])),
    ];
    refuses(cases, Code::Invalid);
}

#[test]
fn refuses_versions_and_domains_it_does_not_know() {
    let versions = |imports| ModelProto { opset_import: imports, ..model(&neg()) };
    let invalid: Vec<(&str, ModelProto)> = vec![
        ("imports no version of it; 1 to 28 are supported", versions(vec![])),
        ("imports version 0 of ai.onnx; 1 to 28 are supported", versions(vec![import("", 0)])),
        ("imports version -3 of ai.onnx", versions(vec![import("ai.onnx", -3)])),
        ("imported in two versions", versions(vec![import("", 17), import("ai.onnx", 13)])),
        ("has ir_version 0; versions 1 to 14 are read", ModelProto { ir_version: None, ..model(&neg()) }),
        ("ai.onnx.ml but imports no version of it; 1 to 5", of(&[foreign("ai.onnx.ml", "Scaler", &["x"], &["y"])])),
    ];
    refuses(invalid, Code::Invalid);
    let foreign_op = ModelProto {
        opset_import: vec![import("", 17), import("foo.bar", 1)],
        ..of(&[foreign("foo.bar", "Twist", &["x"], &["y"])])
    };
    let unsupported: Vec<(&str, ModelProto)> = vec![
        ("imports version 999 of ai.onnx; 1 to 28 are supported", versions(vec![import("", 999)])),
        ("has ir_version 99; versions 1 to 14 are read", ModelProto { ir_version: Some(99), ..model(&neg()) }),
        ("operator Twist of domain \"foo.bar\"", foreign_op),
        ("operator Twist of domain \"foo.bar\"", of(&[foreign("foo.bar", "Twist", &["x"], &["y"])])),
    ];
    refuses(unsupported, Code::Unsupported);
}

#[test]
fn reports_every_problem_at_once() {
    let mut twice =
        of(&[node("Neg", &["p"], &["y"]), node("Neg", &["q"], &["z"]), foreign("foo", "Twist", &["x"], &["w"])]);
    twice.ir_version = Some(99);
    let error = load(&twice).unwrap_err();
    assert_eq!(error.code, Code::Invalid);
    assert_eq!(error.message, "operand \"p\" is defined nowhere");
    let notes = error.notes.join("\n");
    for expected in ["ir_version 99", "operand \"q\" is defined nowhere", "operator Twist", "node \"z\" (Neg-17)"] {
        assert!(notes.contains(expected), "{expected} in {notes}");
    }
}

fn refuses(cases: Vec<(&str, ModelProto)>, code: Code) {
    for (expected, model) in cases {
        let error = load(&model).expect_err(expected);
        assert!(error.to_string().contains(expected), "expected {expected}, got {error}");
        assert_eq!(error.code, code, "{error}");
    }
}
