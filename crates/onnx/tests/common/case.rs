//! Small models with their inputs, built node by node, translated and run.
//!
//! ```text
//! case(17).input("x", f32s(&[2], &[1., 2.])).node(node("Neg", &["x"], &["y"])).run(&["y"])
//! ```
use super::{attribute, bytes, graph, import as opset, load, model, ready};
use tilewright_graph::{Type, interp};
use tilewright_onnx::import::{Facts, Outcome, Want, import};
use tilewright_onnx::proto::*;
use tilewright_support::Result;
use tilewright_tensor::{DType, Element, Tensor, Value};

/// A model in the making, and what is fed to it.
pub struct Case {
    opsets: Vec<OperatorSetIdProto>,
    types: Vec<TypeProto>,
    names: Vec<String>,
    values: Vec<Value>,
    nodes: Vec<NodeProto>,
    constants: Vec<(String, Tensor)>,
}

/// A model of an operator set, in which `com.microsoft` may be used.
pub fn case(version: i64) -> Case {
    let opsets = vec![opset("", version), opset("com.microsoft", 1)];
    Case { opsets, types: vec![], names: vec![], values: vec![], nodes: vec![], constants: vec![] }
}

impl Case {
    /// Without any import but ai.onnx.
    pub fn plain(mut self) -> Self {
        self.opsets.truncate(1);
        self
    }

    /// With a version of ai.onnx.ml.
    pub fn learning(mut self, version: i64) -> Self {
        self.opsets.push(opset("ai.onnx.ml", version));
        self
    }

    /// An input, declared with the dtype and shape of its value.
    pub fn input(self, name: &str, value: Tensor) -> Self {
        let dims: Vec<DimensionValue> = value.shape().iter().map(|n| DimensionValue::Value(*n as i64)).collect();
        self.declared(name, value, dims)
    }

    /// An input all of whose dims have names.
    pub fn named(self, name: &str, value: Tensor, dims: &[&str]) -> Self {
        let dims = dims.iter().map(|d| DimensionValue::Param(d.to_string())).collect();
        self.declared(name, value, dims)
    }

    fn declared(mut self, name: &str, value: Tensor, dims: Vec<DimensionValue>) -> Self {
        let dim = dims.into_iter().map(|value| DimensionProto { value: Some(value) }).collect();
        let shape = Some(TensorShapeProto { dim });
        let tensor = TensorTypeProto { elem_type: value.dtype().onnx_code(), shape };
        self.types.push(TypeProto { value: Some(TypeValue::Tensor(tensor)) });
        self.names.push(name.to_string());
        self.values.push(value.into());
        self
    }

    /// An initializer.
    pub fn constant(mut self, name: &str, value: Tensor) -> Self {
        self.constants.push((name.to_string(), value));
        self
    }

    /// A node.
    pub fn node(mut self, node: NodeProto) -> Self {
        self.nodes.push(node);
        self
    }

    /// The file, for wanted outputs.
    pub fn file(&self, outputs: &[&str]) -> ModelProto {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let mut g = graph(&names, &self.nodes, outputs);
        for (input, ty) in g.input.iter_mut().zip(&self.types) {
            input.r#type = Some(ty.clone());
        }
        g.initializer = self.constants.iter().map(|(name, t)| bytes(&t.to_proto(name))).collect();
        ModelProto { opset_import: self.opsets.clone(), ..model(&g) }
    }

    /// The wanted outputs, or the first error of loading, translating and running.
    pub fn run(&self, outputs: &[&str]) -> Result<Vec<Value>> {
        let model = load(&self.file(outputs))?;
        let mut facts = Facts::default();
        loop {
            match import(&model, &facts)? {
                Outcome::Ready(graph) => {
                    graph.verify()?;
                    return ready(&graph, &self.values);
                }
                Outcome::Wants(want) => self.learn(&mut facts, *want)?,
            }
        }
    }

    fn learn(&self, facts: &mut Facts, want: Want) -> Result<()> {
        let first = |graph| interp::run(graph, &self.values).map(|out| out[0].as_tensor().unwrap().clone());
        match want {
            Want::InputTypes => {
                facts.inputs = self.values.iter().map(|v| v.as_tensor().map(Type::of)).collect();
            }
            Want::Sizes(syms, graph) => facts.sizes.extend(syms.into_iter().zip(first(&graph)?.to_vec_i64())),
            Want::Value(v, graph) => {
                facts.values.insert(v, first(&graph)?);
            }
        }
        Ok(())
    }

    /// The tensors of [`Case::run`].
    pub fn tensors(&self, outputs: &[&str]) -> Vec<Tensor> {
        let values = self.run(outputs).unwrap_or_else(|e| panic!("{e}"));
        values.iter().map(|v| v.as_tensor().unwrap().clone()).collect()
    }

    /// The only tensor.
    pub fn tensor(&self, output: &str) -> Tensor {
        self.tensors(&[output]).remove(0)
    }

    /// The message of the error that a run ends with.
    pub fn refused(&self, outputs: &[&str]) -> String {
        match self.run(outputs) {
            Ok(values) => panic!("accepted: {values:?}"),
            Err(e) => e.message,
        }
    }
}

/// One node over inputs `x0`, `x1`, …, giving `y`.
pub fn one(version: i64, node: NodeProto, inputs: &[Tensor]) -> Case {
    let start = case(version);
    let fed = inputs.iter().enumerate().fold(start, |c, (i, t)| c.input(&format!("x{i}"), t.clone()));
    fed.node(node)
}

/// A tensor of any element type.
pub fn of<T: Element>(shape: &[usize], values: &[T]) -> Tensor {
    Tensor::from_slice(shape, values).unwrap()
}

/// An f32 tensor.
pub fn f32s(shape: &[usize], values: &[f32]) -> Tensor {
    of(shape, values)
}

/// An i64 tensor.
pub fn i64s(shape: &[usize], values: &[i64]) -> Tensor {
    of(shape, values)
}

/// A tensor of any dtype, from numbers that it holds exactly.
pub fn numbers(dtype: DType, shape: &[usize], values: &[f64]) -> Tensor {
    match dtype.is_float() {
        true => Tensor::from_f64(dtype, shape, values).unwrap(),
        false => Tensor::from_i64(dtype, shape, &values.iter().map(|x| *x as i64).collect::<Vec<_>>()).unwrap(),
    }
}

/// Fails unless every element is within `tolerance`, relative above 1; NaN equals NaN.
pub fn assert_close(found: &Tensor, expected: &[f64], tolerance: f64) {
    let found = found.to_vec_f64();
    let close =
        |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * b.abs().max(1.0);
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(close), "{found:?}\nnot {expected:?}");
}

/// An integer attribute.
pub fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { i: Some(value), ..attribute(name, attribute_type::INT) }
}

/// Integers.
pub fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { ints: values.to_vec(), ..attribute(name, attribute_type::INTS) }
}

/// A float attribute.
pub fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto { f: Some(value), ..attribute(name, attribute_type::FLOAT) }
}

/// Floats.
pub fn floats(name: &str, values: &[f32]) -> AttributeProto {
    AttributeProto { floats: values.to_vec(), ..attribute(name, attribute_type::FLOATS) }
}

/// Texts.
pub fn texts(name: &str, values: &[&str]) -> AttributeProto {
    let strings = values.iter().map(|t| t.as_bytes().to_vec().into()).collect();
    AttributeProto { strings, ..attribute(name, attribute_type::STRINGS) }
}

/// A tensor of strings.
pub fn words(shape: &[usize], values: &[&str]) -> Tensor {
    Tensor::from_strings(shape, values.iter().map(|t| t.to_string()).collect::<Vec<_>>()).unwrap()
}

/// A text attribute.
pub fn text(name: &str, value: &str) -> AttributeProto {
    AttributeProto { s: Some(value.to_owned().into_bytes().into()), ..attribute(name, attribute_type::STRING) }
}

/// A tensor attribute.
pub fn value(name: &str, value: &Tensor) -> AttributeProto {
    AttributeProto { t: Some(bytes(&value.to_proto(""))), ..attribute(name, attribute_type::TENSOR) }
}
