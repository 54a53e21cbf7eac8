//! Operators of ai.onnx.ml that look up labels and categories.

use super::learning::DOMAIN;
use crate::Node;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use tilewright_graph::opaque::Lookup;
use tilewright_graph::{Combiner, ValueId};
use tilewright_support::Result;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("LabelEncoder", 1..=1, &["classes_strings", "default_int64", "default_string"], encode_class)
        .until(1)
        .domain(DOMAIN),
    Row::new(
        "LabelEncoder",
        1..=1,
        &[
            "default_float",
            "default_int64",
            "default_string",
            "keys_floats",
            "keys_int64s",
            "keys_strings",
            "values_floats",
            "values_int64s",
            "values_strings",
        ],
        encode,
    )
    .since(2)
    .until(3)
    .domain(DOMAIN),
    Row::new(
        "LabelEncoder",
        1..=1,
        &[
            "default_float",
            "default_int64",
            "default_string",
            "default_tensor",
            "keys_floats",
            "keys_int64s",
            "keys_strings",
            "keys_tensor",
            "values_floats",
            "values_int64s",
            "values_strings",
            "values_tensor",
        ],
        encode,
    )
    .since(4)
    .domain(DOMAIN),
    Row::new("OneHotEncoder", 1..=1, &["cats_int64s", "cats_strings", "zeros"], one_hot).domain(DOMAIN),
];

/// `LabelEncoder` of version 1: from the position of a class to its name, or back.
fn encode_class(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let classes = texts(&c.node.required("classes_strings", Node::attr_strs)?)?;
    let numbers = positions(classes.len())?;
    match cx.b.dtype(c.x(0)?)? {
        DType::String => look_up(cx, c, classes, numbers, Tensor::scalar(c.int("default_int64", -1)?)),
        _ => look_up(cx, c, numbers, classes, texts(&[c.str("default_string", "_Unused")?])?),
    }
}

/// `LabelEncoder` from version 2 on: from keys to values.
fn encode(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let keys = list(c, ["keys_tensor", "keys_strings", "keys_int64s", "keys_floats"])?;
    let values = list(c, ["values_tensor", "values_strings", "values_int64s", "values_floats"])?;
    let dtype = values.dtype();
    let default = match (c.tensor("default_tensor")?, dtype) {
        (Some(given), _) => given.clone(),
        (None, DType::String) => texts(&[c.str("default_string", "_Unused")?])?,
        (None, dtype) if dtype.is_float() => Tensor::from_f64(dtype, &[1], &[c.float("default_float", -0.0)?])?,
        (None, DType::I64) => Tensor::scalar(c.int("default_int64", -1)?),
        (None, dtype) => Tensor::from_i64(dtype, &[1], &[-1])?,
    };
    look_up(cx, c, keys, values, default)
}

/// The value of each element's key; `default` where there is none.
fn look_up(cx: &mut Cx<'_>, c: &Call<'_>, keys: Tensor, values: Tensor, default: Tensor) -> Result<Vec<ValueId>> {
    if keys.len() != values.len() || default.len() != 1 || default.dtype() != values.dtype() {
        let (k, v, d) = (keys.len(), values.len(), default.len());
        let (of, to) = (default.dtype(), values.dtype());
        return Err(c.invalid(format!("{k} keys, {v} values of {to} and {d} defaults of {of} are no table")));
    }
    let (keys, values, default) = (cx.b.constant(keys), cx.b.constant(values), cx.b.constant(default));
    let default = cx.b.reshape(default, vec![Ix::konst(1)])?;
    let values = cx.b.concat(&[values, default], 0)?;
    cx.b.opaque(Lookup.into(), &[c.x(0)?, keys, values])
}

/// `OneHotEncoder`: a new last dim with 1 at an element's category, all 0 where it is none.
fn one_hot(cx: &mut Cx<'_>, c: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = c.x(0)?;
    let (categories, x) = match (c.ints("cats_int64s")?, c.node.attr_strs("cats_strings")?) {
        (Some(numbers), None) if cx.b.dtype(x)? != DType::String => {
            (Tensor::from_slice(&[numbers.len()], numbers)?, cx.b.cast(x, DType::I64)?)
        }
        (None, Some(names)) => (texts(&names)?, x),
        _ => return Err(c.invalid("OneHotEncoder takes categories of its input's kind, strings or integers")),
    };
    let n = categories.len();
    let places = cx.b.constant(positions(n + 1)?);
    let categories = cx.b.constant(categories);
    let place = cx.b.opaque(Lookup.into(), &[x, categories, places])?[0];
    let place = match c.flag("zeros", true)? {
        true => place,
        false => found(cx, place, n)?,
    };
    let shape = [cx.b.shape(place)?, vec![Ix::konst(1)]].concat();
    let place = cx.b.reshape(place, shape)?;
    let all = cx.b.constant(positions(n)?);
    Ok(vec![cx.b.map_named("OneHotEncoder", &[place, all], |a| a[0].equals(&a[1]).cast(DType::F32))?])
}

/// `place`, once every element is below `n`.
fn found(cx: &mut Cx<'_>, place: ValueId, n: usize) -> Result<ValueId> {
    let known = cx.b.map_named("is_category", &[place], |a| a[0].lt(&a[0].lit(n as f64)))?;
    let axes: Vec<usize> = (0..cx.b.rank(known)?).collect();
    let all = cx.b.reduce(known, Combiner::All, &axes, false)?;
    cx.check(place, all, "an element is none of the categories")
}

/// The one list that is given under one of the names: a tensor, strings, integers or floats.
fn list(c: &Call<'_>, names: [&str; 4]) -> Result<Tensor> {
    let given: Vec<&str> = names.into_iter().filter(|n| c.node.attr(n).is_some()).collect();
    let [name] = given.as_slice() else {
        return Err(c.invalid(format!("LabelEncoder takes one of {}, found {}", names.join(", "), given.len())));
    };
    let [tensor, strings, ints, _] = names;
    if *name == tensor {
        let t = c.node.required(name, Node::attr_tensor)?;
        return if t.rank() == 1 { Ok(t.clone()) } else { Err(c.invalid(format!("{name} must be a vector"))) };
    }
    if *name == strings {
        return texts(&c.node.required(name, Node::attr_strs)?);
    }
    if *name == ints {
        let all = c.node.required(name, Node::attr_ints)?;
        return Tensor::from_slice(&[all.len()], all);
    }
    let all = c.node.required(name, Node::attr_floats)?;
    Tensor::from_slice(&[all.len()], all)
}

/// A vector of strings.
pub fn texts(list: &[&str]) -> Result<Tensor> {
    Tensor::from_strings(&[list.len()], list.iter().map(|t| t.to_string()).collect::<Vec<_>>())
}

/// 0, 1, ..., `n` - 1.
fn positions(n: usize) -> Result<Tensor> {
    Tensor::from_vec(&[n], (0..n as i64).collect())
}
