//! Constants.

use crate::import::table::Row;
use crate::import::{Call, Cx};
use crate::{Attribute, Node};
use tilewright_graph::ops::Iota;
use tilewright_graph::{Scalar, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new(
        "Constant",
        0..=0,
        &[
            "sparse_value",
            "value",
            "value_float",
            "value_floats",
            "value_int",
            "value_ints",
            "value_string",
            "value_strings",
        ],
        |cx, c| {
            let value = value(c)?;
            Ok(vec![cx.b.constant(value)])
        },
    ),
    Row::new("ConstantOfShape", 1..=1, &["value"], of_shape).since(9),
    Row::new("EyeLike", 1..=1, &["dtype", "k"], eye_like).since(9),
];

/// The one attribute of a `Constant`.
fn value(c: &Call<'_>) -> Result<Tensor> {
    let mut given = c.node.attributes.iter();
    let (Some((name, _)), None) = (given.next(), given.next()) else {
        return Err(c.invalid("Constant takes one of its attributes"));
    };
    let strings = |list: Vec<&str>, shape: &[usize]| {
        Tensor::from_strings(shape, list.into_iter().map(str::to_string).collect::<Vec<_>>())
    };
    match name {
        "value_float" => Ok(Tensor::scalar(c.node.required(name, Node::attr_float)?)),
        "value_int" => Ok(Tensor::scalar(c.node.required(name, Node::attr_int)?)),
        "value_string" => strings(vec![c.node.required(name, Node::attr_str)?], &[]),
        "value_floats" => {
            let list = c.node.required(name, Node::attr_floats)?;
            Tensor::from_slice(&[list.len()], list)
        }
        "value_ints" => {
            let list = c.node.required(name, Node::attr_ints)?;
            Tensor::from_slice(&[list.len()], list)
        }
        "value_strings" => {
            let list = c.node.required(name, Node::attr_strs)?;
            let shape = [list.len()];
            strings(list, &shape)
        }
        _ => match (name, c.node.attr(name)) {
            ("value", Some(Attribute::SparseTensor(_))) | ("sparse_value", Some(Attribute::Tensor(_))) => {
                Err(c.invalid(format!("attribute \"{name}\" is of the wrong kind of tensor")))
            }
            _ => c.node.required(name, Node::attr_tensor).cloned(),
        },
    }
}

/// ONNX `ConstantOfShape`: one value, an f32 zero unless given, repeated.
fn of_shape(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let shape = c.x(0)?;
    if cx.b.rank(shape)? != 1 {
        return Err(c.invalid(format!("the shape must be a vector, found {}", cx.b.ty(shape))));
    }
    let shape = cx.sizes(shape)?;
    if let Some(n) = shape.iter().find(|n| n.as_const().is_some_and(|n| n < 0)) {
        return Err(c.invalid(format!("ConstantOfShape with the size {n}")));
    }
    let value = match c.tensor("value")? {
        None => Tensor::scalar(0f32),
        Some(t) if t.len() == 1 => t.reshape(&[])?,
        Some(t) => return Err(c.invalid(format!("the value of ConstantOfShape has {} elements", t.len()))),
    };
    let value = cx.b.constant(value);
    Ok(vec![cx.b.broadcast(value, shape)?])
}

/// ONNX `EyeLike`: ones where the column is `k` after the row.
fn eye_like(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = cx.b.tensor(c.x(0)?)?;
    let [rows, columns] = &x.shape[..] else {
        return Err(Diagnostic::shape(format!("EyeLike takes a matrix, found {x}")));
    };
    let to = c.dtype("dtype")?.unwrap_or(x.dtype);
    if to == DType::String {
        return Err(c.invalid("EyeLike of strings"));
    }
    let k = c.int("k", 0)?;
    let row = cx.b.apply(&Iota { shape: vec![rows.clone(), Ix::konst(1)], axis: 0 }, &[])?;
    let column = cx.b.apply(&Iota { shape: vec![columns.clone()], axis: 0 }, &[])?;
    let one = |a: &[Scalar]| (&a[1] - &a[0]).equals(&Scalar::int(DType::I64, k)).cast(to);
    Ok(vec![cx.b.map_named("EyeLike", &[row, column], one)?])
}
