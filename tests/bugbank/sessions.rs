//! Reports of other runtimes about sessions and loading, with the right behaviour, through the public interface.

use crate::common::*;
use tilewright::{Code, Model, Options, Session, Tensor};
use tilewright_onnx::proto::*;

/// An f32 value of a graph, with sizes and names of dims.
fn declared(name: &str, dims: &[DimensionValue]) -> ValueInfoProto {
    let dim = dims.iter().cloned().map(|value| DimensionProto { value: Some(value) }).collect();
    let tensor = TensorTypeProto { elem_type: 1, shape: Some(TensorShapeProto { dim }) };
    ValueInfoProto { name: name.into(), r#type: Some(TypeProto { value: Some(TypeValue::Tensor(tensor)) }) }
}

fn sized(name: &str, dims: &[i64]) -> ValueInfoProto {
    declared(name, &dims.iter().map(|n| DimensionValue::Value(*n)).collect::<Vec<_>>())
}

fn symbolic(name: &str, dims: &[&str]) -> ValueInfoProto {
    declared(name, &dims.iter().map(|n| DimensionValue::Param(n.to_string())).collect::<Vec<_>>())
}

fn tensor_type(value: &ValueInfoProto) -> TensorTypeProto {
    match value.r#type.as_ref().and_then(|t| t.value.clone()) {
        Some(TypeValue::Tensor(t)) => t,
        _ => panic!("no tensor"),
    }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { ints: values.to_vec(), ..attribute(name, attribute_type::INTS) }
}

fn read(graph: &GraphProto) -> Model {
    Model::from_bytes(bytes(&model(graph))).unwrap_or_else(|e| panic!("{e}"))
}

fn session(graph: &GraphProto) -> Session {
    read(graph).compile(&Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The numbers of every output.
fn numbers(session: &Session, inputs: &[(&str, Tensor)]) -> Vec<Vec<f64>> {
    let out = session.run(inputs.iter().cloned()).unwrap_or_else(|e| panic!("{e}"));
    out.iter().map(|v| v.as_tensor().unwrap().to_vec_f64()).collect()
}

fn counting(shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32).collect();
    Tensor::from_slice(shape, &values).unwrap()
}

/// Row sums of `x · w + 7`, of rows that a run brings, with `w` counting.
fn rows() -> GraphProto {
    let nodes = [
        node("MatMul", &["x", "w"], &["p"]),
        node("Add", &["p", "k"], &["s"]),
        with(node("ReduceMean", &["s"], &["y"]), ints("axes", &[1])),
    ];
    let mut g = constant(graph(&["x"], &nodes, &["y", "s"]), "k");
    g.input[0] = symbolic("x", &["batch", "three"]);
    g.initializer.push(bytes(&counting(&[3, 5]).to_proto("w")));
    g
}

/// What [`rows`] gives for a counting input.
fn expected_rows(n: usize) -> Vec<Vec<f64>> {
    let at = |i: usize, j: usize| 7. + (0..3).map(|k| ((i * 3 + k) * (k * 5 + j)) as f64).sum::<f64>();
    let sums: Vec<f64> = (0..n).flat_map(|i| (0..5).map(move |j| at(i, j))).collect();
    vec![sums.chunks(5).map(|row| row.iter().sum::<f64>() / 5.).collect(), sums]
}

/// A69: one session, 32 rows, then 1, then 32.
#[test]
fn one_session_for_many_shapes() {
    let session = session(&rows());
    for n in [32, 1, 32, 0, 2] {
        let out = session.run([("x", counting(&[n, 3]))]).unwrap();
        assert_eq!(out[0].as_tensor().unwrap().shape(), [n, 1]);
        assert_eq!(out[1].as_tensor().unwrap().shape(), [n, 5]);
        assert_eq!(numbers(&session, &[("x", counting(&[n, 3]))]), expected_rows(n));
    }
}

/// A70: an output that nobody reads, and a value with two readers, one of which could write over it.
#[test]
fn values_read_by_some_or_none() {
    let nodes = [
        node("Split", &["x"], &["a", "unread", "c"]),
        node("Add", &["a", "c"], &["s"]),
        node("Neg", &["s"], &["n"]),
        node("Mul", &["s", "n"], &["m"]),
        node("Add", &["m", "s"], &["y"]),
    ];
    let mut g = graph(&["x"], &nodes, &["y", "c"]);
    g.input[0] = sized("x", &[6]);
    let session = session(&g);
    for _ in 0..3 {
        // s = [4, 6], y = s - s * s.
        assert_eq!(numbers(&session, &[("x", counting(&[6]))]), [vec![-12., -30.], vec![4., 5.]]);
    }
}

/// A72: many threads share one session, each with its own shapes.
#[test]
fn concurrent_runs() {
    let session = &session(&rows());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for run in 0..100 {
                    let n = 1 + (thread * 7 + run) % 5;
                    assert_eq!(numbers(session, &[("x", counting(&[n, 3]))]), expected_rows(n));
                }
            });
        }
    });
}

/// A66, A84: declared types of what nodes give are hints; wrong ones change nothing.
#[test]
fn wrong_types_inside_the_graph() {
    let nodes = [node("Neg", &["x"], &["z"]), node("Exp", &["k"], &["e"]), node("Add", &["z", "e"], &["y"])];
    let mut g = constant(graph(&["x"], &nodes, &["y"]), "k");
    g.input[0] = sized("x", &[1, 1, 1, 1, 2]);
    let right = numbers(&session(&g), &[("x", counting(&[1, 1, 1, 1, 2]))]);
    g.value_info = vec![bytes(&sized("z", &[1, 1, 1, 9])), bytes(&sized("e", &[4, 4]))];
    g.output[0] = sized("y", &[3]);
    let session = session(&g);
    for _ in 0..3 {
        assert_eq!(numbers(&session, &[("x", counting(&[1, 1, 1, 1, 2]))]), right);
    }
}

/// A84: names of dims that do not agree with a run are no reason to refuse it; fixed sizes are.
#[test]
fn names_of_dims_are_hints() {
    let mut g = graph(&["ids", "mask"], &[node("Neg", &["ids"], &["a"]), node("Neg", &["mask"], &["b"])], &["a", "b"]);
    g.input = vec![symbolic("ids", &["b", "seq"]), symbolic("mask", &["b", "seq"])];
    let longer = numbers(&session(&g), &[("ids", counting(&[1, 1])), ("mask", counting(&[1, 3]))]);
    assert_eq!(longer, [vec![-0.], vec![-0., -1., -2.]]);
    g.input[1] = sized("mask", &[1, 2]);
    let error = session(&g).run([("ids", counting(&[1, 1])), ("mask", counting(&[1, 3]))]).unwrap_err();
    assert_eq!(error.code, Code::Usage, "{error}");
}

/// A83: contributed operators without an import are accepted, with a warning.
#[test]
fn a_domain_that_is_not_imported() {
    let mut m = model(&graph(&["x"], &[foreign("com.microsoft", "FastGelu", &["x"], &["y"])], &["y"]));
    m.opset_import.retain(|o| o.domain != "com.microsoft");
    let found = Model::from_bytes(bytes(&m)).unwrap();
    assert!(found.problems().is_empty());
    let warnings: Vec<String> = found.warnings().iter().map(ToString::to_string).collect();
    assert!(matches!(&warnings[..], [w] if w.contains("com.microsoft") && w.contains("FastGelu")), "{warnings:?}");
}

/// A61: everything that is missing is named before any run.
#[test]
fn every_missing_operator_at_once() {
    let nodes = [node("Twist", &["x"], &["a"]), node("Neg", &["a"], &["b"]), node("Bend", &["b"], &["y"])];
    let problems = Model::check_bytes(bytes(&model(&graph(&["x"], &nodes, &["y"]))));
    let all = problems.iter().map(|p| p.to_string()).collect::<String>();
    assert!(all.contains("Twist") && all.contains("Bend"), "{all}");
}

/// A81: a function of the model whose body takes an attribute of the call.
#[test]
fn attributes_of_a_call_reach_the_body() {
    let reference = AttributeProto { ref_attr_name: "slope".into(), ..attribute("alpha", attribute_type::FLOAT) };
    let mut elu = function("G", &["a"], &[with(node("Elu", &["a"], &["b"]), reference)], &["b"]);
    elu.attribute = vec!["slope".into()];
    let slope = AttributeProto { f: Some(2.), ..attribute("slope", attribute_type::FLOAT) };
    let mut g = graph(&["x"], &[with(foreign("my", "G", &["x"], &["y"]), slope)], &["y"]);
    g.input[0] = sized("x", &[2]);
    let model = Model::from_bytes(bytes(&with_functions(model(&g), &[elu]))).unwrap();
    let session = model.compile(&Options::default()).unwrap();
    let y = numbers(&session, &[("x", Tensor::from_slice(&[2], &[1f32, -2.]).unwrap())]).remove(0);
    assert!((y[0] - 1.).abs() < 1e-6 && (y[1] + 1.729_329_4).abs() < 1e-6, "{y:?}");
}

/// A76, A77: sizes that overflow, or that the bytes do not fit, are refused while loading.
#[test]
fn initializers_that_claim_too_much() {
    let cases: [(&[i64], i32, usize); 6] = [
        (&[4_611_686_018_427_387_906], 7, 8),
        (&[-1], 1, 4),
        (&[1 << 40], 1, 4),
        (&[1 << 32, 1 << 32], 1, 0),
        (&[1], 7, 4096),
        (&[2], 1, 4100),
    ];
    for (dims, code, len) in cases {
        let mut w = tensor("w");
        (w.dims, w.data_type, w.raw_data) = (dims.to_vec(), Some(code), Some(vec![0; len].into()));
        let mut g = graph(&["x"], &[node("Neg", &["x"], &["y"])], &["y"]);
        g.initializer.push(bytes(&w));
        let error = Model::from_bytes(bytes(&model(&g))).expect_err(&format!("{dims:?}"));
        assert!(error.to_string().contains("in tensor \"w\""), "{error}");
    }
}

/// A model that cannot be translated before the run tells a value, hundreds of times one after the other.
#[test]
fn hundreds_of_axes_that_only_the_run_tells() {
    let count = 300;
    let mut nodes = Vec::new();
    for i in 0..count {
        let (from, axes) = (if i == 0 { "x".into() } else { format!("s{i}") }, format!("a{i}"));
        nodes.push(node("Add", &["k", "zero"], &[&axes]));
        nodes.push(node("ReduceSum", &[&from, &axes], &[&format!("r{i}")]));
        nodes.push(node("Add", &[&format!("r{i}"), &from], &[&format!("s{}", i + 1)]));
    }
    let mut g = graph(&["x", "k"], &nodes, &[&format!("s{count}")]);
    g.input[0] = sized("x", &[2, 1]);
    let scalar = TensorTypeProto { elem_type: 7, ..tensor_type(&sized("k", &[1])) };
    g.input[1].r#type = Some(TypeProto { value: Some(TypeValue::Tensor(scalar)) });
    g.initializer.push(bytes(&Tensor::from_slice(&[1], &[0i64]).unwrap().to_proto("zero")));
    let inputs = [
        ("x", Tensor::zeros(tilewright::DType::F32, &[2, 1]).unwrap()),
        ("k", Tensor::from_slice(&[1], &[1i64]).unwrap()),
    ];
    assert_eq!(numbers(&session(&g), &inputs), [[0.0, 0.0]]);
}

/// An operator of a domain that nobody knows is one problem, not two.
#[test]
fn a_missing_function_is_told_once() {
    let file = |domain: &str| {
        let nodes = [foreign(domain, "Lost", &["x"], &["a"]), foreign(domain, "Lost", &["a"], &["y"])];
        let mut file = model(&graph(&["x"], &nodes, &["y"]));
        file.opset_import.push(import(domain, 1));
        bytes(&file)
    };
    let problems = Model::check_bytes(file("nobody"));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code, Code::Unsupported);
    assert_eq!(Model::check_bytes(file("ai.onnx.ml")).len(), 2);
}
