//! Messages one by one: attributes, types, tensors, and files that are no model at all.
mod common;

use bytes::Bytes;
use common::*;
use tilewright_onnx_file::proto::attribute_type as code;
use tilewright_onnx_file::proto::*;
use tilewright_onnx_file::{Attribute, DimDecl, Limits, Model, Node, TensorDecl, TypeDecl};
use tilewright_support::{Code, Loc, Result};
use tilewright_tensor::proto::{SparseTensorProto, TensorProto};
use tilewright_tensor::{DType, Tensor};

/// The node of a model with one attribute.
fn node_with(attribute: AttributeProto) -> Result<Node> {
    let main = graph(&["x"], &[with(node("Op", &["x"], &["y"]), attribute)], &["y"]);
    load(&model(&main)).map(|mut model| model.graph.nodes.remove(0))
}

fn tensor_type(elem_type: i32, dims: &[Option<DimensionValue>]) -> TypeProto {
    let dim = dims.iter().map(|value| DimensionProto { value: value.clone() }).collect();
    let tensor = TensorTypeProto { elem_type, shape: Some(TensorShapeProto { dim }) };
    TypeProto { value: Some(TypeValue::Tensor(tensor)) }
}

#[test]
fn reads_attributes_of_every_type() {
    let read = |attribute| node_with(attribute).unwrap();
    let a = |code| attribute("a", code);
    assert_eq!(read(AttributeProto { i: Some(-3), ..a(code::INT) }).attr_int("a").unwrap(), Some(-3));
    assert_eq!(read(AttributeProto { i: Some(2), ..a(code::INT) }).attr_bool("a").unwrap(), Some(true));
    assert_eq!(read(AttributeProto { f: Some(0.5), ..a(code::FLOAT) }).attr_float("a").unwrap(), Some(0.5));
    assert_eq!(read(AttributeProto { s: Some("é".into()), ..a(code::STRING) }).attr_str("a").unwrap(), Some("é"));
    let ints = AttributeProto { ints: vec![1, -1], ..a(code::INTS) };
    assert_eq!(read(ints).attr_ints("a").unwrap(), Some(&[1, -1][..]));
    assert_eq!(read(a(code::INTS)).attr_ints("a").unwrap(), Some(&[][..]));
    let floats = AttributeProto { floats: vec![1.0], ..a(code::FLOATS) };
    assert_eq!(read(floats).attr_floats("a").unwrap(), Some(&[1.0][..]));
    let strings = AttributeProto { strings: vec!["a".into(), "".into()], ..a(code::STRINGS) };
    assert_eq!(read(strings).attr_strs("a").unwrap(), Some(vec!["a", ""]));
    let value = read(AttributeProto { t: Some(bytes(&tensor("t"))), ..a(code::TENSOR) });
    assert_eq!(value.attr_tensor("a").unwrap().unwrap().shape(), [1]);
    let inner = graph(&[], &[node("Neg", &["x"], &["z"])], &["z"]);
    let branch = read(body("a", &inner));
    assert_eq!(branch.attr_graph("a").unwrap().unwrap().captures, ["x"]);
    let ty = read(AttributeProto { tp: Some(tensor_type(7, &[])), ..a(code::TYPE) });
    let expected = TypeDecl::Tensor(TensorDecl { dtype: Some(DType::I64), shape: Some(vec![]) });
    assert_eq!(ty.attr_type("a").unwrap(), Some(&expected));
    let list = read(AttributeProto { tensors: vec![bytes(&tensor("")); 2], ..a(code::TENSORS) });
    assert!(matches!(list.attr("a"), Some(Attribute::Tensors(tensors)) if tensors.len() == 2));
    let old = AttributeProto { i: Some(1), r#type: None, ..a(code::INT) };
    assert_eq!(read(old).attr_int("a").unwrap(), Some(1), "files of the first version have no type");
}

#[test]
fn getters_name_the_node_and_what_they_expect() {
    let node = node_with(AttributeProto { f: Some(1.0), ..attribute("axis", code::FLOAT) }).unwrap();
    let error = node.attr_int("axis").unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[invalid]: node \"y\" (Op-17): attribute \"axis\" is of type float, expected int"
    );
    assert_eq!(node.attr_int("other").unwrap(), None);
    let error = node.required("other", Node::attr_int).unwrap_err();
    assert!(error.message.contains("\"other\" is required but missing"), "{error}");
    assert_eq!(node.required("axis", Node::attr_float).unwrap(), 1.0);
    let node =
        node_with(AttributeProto { s: Some(Bytes::from_static(b"\xff")), ..attribute("mode", code::STRING) }).unwrap();
    assert!(node.attr_str("mode").unwrap_err().message.contains("not UTF-8"));
    assert_eq!(node.attr_bytes("mode").unwrap().unwrap().as_ref(), b"\xff");
}

#[test]
fn refuses_broken_attributes() {
    let a = |code| attribute("a", code);
    let cases = [
        ("declared with type code 2, its value has type code 1", AttributeProto { f: Some(1.0), ..a(code::INT) }),
        ("values of two types", AttributeProto { f: Some(1.0), i: Some(1), ..a(code::INT) }),
        ("type code 0 has no value", a(code::UNDEFINED)),
        ("type code 4 has no value", a(code::TENSOR)),
        ("type code 5 has no value", a(code::GRAPH)),
        ("type 77 is none", a(77)),
        ("has no name", AttributeProto { name: String::new(), i: Some(1), ..a(code::INT) }),
        ("a value and refers", AttributeProto { i: Some(1), ref_attr_name: "b".into(), ..a(code::INT) }),
        ("takes 4 bytes, but 3", {
            let short = TensorProto { raw_data: Some(Bytes::from_static(b"abc")), ..tensor("") };
            AttributeProto { t: Some(bytes(&short)), ..a(code::TENSOR) }
        }),
        ("the type is empty", AttributeProto { tp: Some(TypeProto { value: None }), ..a(code::TYPE) }),
    ];
    for (expected, attribute) in cases {
        let error = node_with(attribute).expect_err(expected).to_string();
        assert!(error.contains(expected) && error.contains("(Op-17)"), "expected {expected}, got {error}");
    }
    let twice = with(node("Op", &["x"], &["y"]), AttributeProto { i: Some(1), ..a(code::INT) });
    let twice = with(twice, AttributeProto { i: Some(2), ..a(code::INT) });
    let error = load(&model(&graph(&["x"], &[twice], &["y"]))).unwrap_err();
    assert!(error.message.contains("\"a\" is given twice"), "{error}");
}

#[test]
fn reads_declared_types() {
    let dims = [
        Some(DimensionValue::Value(3)),
        Some(DimensionValue::Param("n".into())),
        None,
        Some(DimensionValue::Value(-1)),
    ];
    let decl = TensorDecl {
        dtype: Some(DType::F16),
        shape: Some(vec![DimDecl::Fixed(3), DimDecl::Named("n".into()), DimDecl::Unknown, DimDecl::Unknown]),
    };
    let tensor = tensor_type(10, &dims);
    let element = || ElementTypeProto { elem_type: Some(Box::new(tensor.clone())) };
    let inner = || Some(Box::new(TypeDecl::Tensor(decl.clone())));
    let map = MapTypeProto { key_type: 8, value_type: Some(Box::new(tensor.clone())) };
    let cases = [
        (tensor.value.clone(), Some(TypeDecl::Tensor(decl.clone()))),
        (Some(TypeValue::Sequence(Box::new(element()))), Some(TypeDecl::Sequence(inner()))),
        (Some(TypeValue::Optional(Box::new(element()))), Some(TypeDecl::Optional(inner()))),
        (Some(TypeValue::Map(Box::new(map))), Some(TypeDecl::Map(Some(DType::String), inner()))),
        (None, None),
    ];
    for (value, expected) in cases {
        let mut main = graph(&["x"], &[node("Neg", &["x"], &["y"])], &["y"]);
        main.input[0].r#type = Some(TypeProto { value });
        main.value_info.push(bytes(&main.input[0].clone()));
        let loaded = load(&model(&main)).unwrap();
        assert_eq!(loaded.graph.inputs[0].ty, expected);
        assert_eq!(loaded.graph.value_types.get("x"), expected.as_ref());
    }
}

#[test]
fn refuses_types_it_cannot_hold() {
    let with_input = |ty: TypeProto| {
        let mut main = graph(&["x"], &[node("Neg", &["x"], &["y"])], &["y"]);
        main.input[0].r#type = Some(ty);
        load(&model(&main))
    };
    let error = with_input(tensor_type(99, &[])).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Invalid, "element type 99 is none of ONNX's"));
    let error = with_input(tensor_type(14, &[])).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Unsupported, "element type complex64"));
    assert!(with_input(tensor_type(1, &vec![None; 65])).unwrap_err().message.contains("65 axes"));
    let mut main = graph(&["x"], &[node("Neg", &["x"], &["y"])], &["y"]);
    main.value_info.push(bytes(&ValueInfoProto { name: "z".into(), r#type: Some(tensor_type(14, &[])) }));
    assert!(load(&model(&main)).is_ok(), "a type inside the graph is a hint only");
}

#[test]
fn makes_sparse_initializers_dense() {
    let indices = Tensor::from_slice(&[2], &[1i64, 3]).unwrap().to_proto("");
    let values = Tensor::from_slice(&[2], &[5f32, 7.0]).unwrap().to_proto("s");
    let sparse = SparseTensorProto { values: Some(values), indices: Some(indices), dims: vec![2, 2] };
    let with_sparse = |sparse: &SparseTensorProto| {
        let mut main = graph(&[], &[], &["s"]);
        main.sparse_initializer.push(bytes(sparse));
        load(&model(&main))
    };
    let loaded = with_sparse(&sparse).unwrap();
    assert_eq!(loaded.graph.initializers["s"], Tensor::from_slice(&[2, 2], &[0f32, 5.0, 0.0, 7.0]).unwrap());
    let error = with_sparse(&SparseTensorProto { dims: vec![3], ..sparse }).unwrap_err();
    assert!(error.to_string().contains("in tensor \"s\""), "{error}");
}

#[test]
fn recognises_what_is_no_model() {
    let cases: [(&[u8], &str); 7] = [
        (b"", "the file is empty"),
        (b"PK\x03\x04rest", "a zip archive"),
        (b"version https://git-lfs.example/spec/v1\noid", "Git LFS pointer"),
        (b"\x00\x00\x00\x00ORTM", "ORT-format"),
        (b"<!DOCTYPE html>", "not an ONNX model, or a damaged one"),
        (&[0xff; 100], "not an ONNX model, or a damaged one"),
        (&[0x08, 0x08], "the file holds no graph"),
    ];
    for (file, expected) in cases {
        let error = Model::from_bytes(Bytes::from_static(file), None, &Limits::default()).expect_err(expected);
        assert!(error.message.contains(expected), "expected {expected}, got {error}");
    }
    let error = Model::open("absent.onnx", &Limits::default()).unwrap_err();
    assert_eq!((error.code, &error.loc), (Code::Io, &Loc::file("absent.onnx")));
}

#[test]
fn refuses_text_that_is_not_utf8() {
    let mut file = bytes(&model(&graph(&["x"], &[node("Neg", &["x"], &["why"])], &["why"]))).to_vec();
    let at = file.windows(3).position(|text| text == b"why").unwrap();
    file[at] = 0xff;
    let error = Model::from_bytes(file.into(), None, &Limits::default()).unwrap_err();
    assert!(error.message.contains("UTF-8"), "{error}");
}

#[test]
fn keeps_to_its_limits() {
    let default = Limits::default();
    let two = model(&graph(&["x"], &[node("Neg", &["x"], &["z"]), node("Sum", &["x", "z"], &["y"])], &["y"]));
    let nested = (0..4).fold(graph(&[], &[], &[]), |inner, _| {
        graph(&[], &[with(node("If", &["x"], &["z"]), body("b", &inner))], &["z"])
    });
    let cases = [
        ("bytes, more than the limit", Limits { file_bytes: 10, ..default.clone() }, two.clone()),
        ("more than 1 nodes", Limits { nodes: 1, ..default.clone() }, two.clone()),
        ("more than 1 operands", Limits { operands: 1, ..default.clone() }, two.clone()),
        ("nest more than 3 levels", Limits { depth: 3, ..default.clone() }, model(&nested)),
        ("more memory than the file justifies", Limits { memory_base: 0, memory_factor: 1, ..default }, two),
    ];
    for (expected, limits, proto) in cases {
        let error = Model::from_bytes(bytes(&proto), None, &limits).expect_err(expected);
        assert_eq!(error.code, Code::Limit, "{error}");
        assert!(error.message.contains(expected), "expected {expected}, got {error}");
    }
}

#[test]
fn nests_as_deep_as_allowed_on_a_small_stack() {
    let depth = Limits::default().depth;
    let level = |inner: GraphProto, i: usize| {
        let name = format!("z{i}");
        graph(&[], &[with(node("If", &["x"], &[&name]), body("then_branch", &inner))], &[&name])
    };
    let deepest = graph(&[], &[node("Neg", &["x"], &["z"])], &["z"]);
    let mut main = (0..depth).fold(deepest, level);
    main.input = graph(&["x"], &[], &[]).input;
    let file = bytes(&model(&main));
    let load = move || Model::from_bytes(file, None, &Limits::default()).map(|model| model.graph.nodes.len());
    let small = std::thread::Builder::new().stack_size(512 << 10).spawn(load).unwrap();
    assert_eq!(small.join().unwrap().unwrap(), 1);
}
