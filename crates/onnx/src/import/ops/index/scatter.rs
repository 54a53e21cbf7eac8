//! ScatterElements (once called Scatter), ScatterND, TensorScatter: writes into a copy of a tensor,
//! as if in row-major order of the updates.

use super::gather::{tuple_length, tuples_from_start};
use crate::import::call::axis;
use crate::import::table::Row;
use crate::import::{Call, Cx};
use std::sync::Arc;
use tilewright_graph::{Combine, Scalar, Scatter, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("Scatter", 3..=3, &["axis"], scatter_elements).since(9).until(10),
    Row::new("ScatterElements", 3..=3, &["axis", "reduction"], scatter_elements).since(11),
    Row::new("ScatterND", 3..=3, &["reduction"], scatter_nd).since(11),
    Row::new("TensorScatter", 2..=3, &["axis", "mode"], tensor_scatter).since(24),
];

/// How updates meet what is there.
fn reduction(call: &Call<'_>, dtype: DType) -> Result<Combine> {
    let name = call.str("reduction", "none")?;
    let combine = match name {
        "none" => return Ok(Combine::Replace),
        // Over truth values a sum is "or", a product is "and".
        "add" if dtype == DType::Bool => Combine::Max,
        "mul" if dtype == DType::Bool => Combine::Min,
        "add" => Combine::Add,
        "mul" => Combine::Mul,
        "max" => Combine::Max,
        "min" => Combine::Min,
        _ => return Err(call.invalid(format!("reduction \"{name}\" of {}", call.node.op_type))),
    };
    match dtype {
        DType::String => Err(Diagnostic::dtype(format!("reduction \"{name}\" does not take strings"))),
        _ => Ok(combine),
    }
}

fn axes(extents: &[Ix]) -> Vec<(Arc<str>, Ix)> {
    extents.iter().enumerate().map(|(i, n)| (format!("i{i}").into(), n.clone())).collect()
}

fn places(n: usize) -> Vec<Ix> {
    (0..n as u32).map(Ix::axis).collect()
}

/// The dtype of data and updates, which must be one.
fn common_dtype(cx: &Cx<'_>, x: ValueId, updates: ValueId) -> Result<DType> {
    match (cx.b.dtype(x)?, cx.b.dtype(updates)?) {
        (a, b) if a == b => Ok(a),
        (a, b) => Err(Diagnostic::dtype(format!("data of dtype {} and updates of dtype {}", a.name(), b.name()))),
    }
}

/// Checks that updates have the dims they are read with.
fn check_dims(cx: &mut Cx<'_>, updates: ValueId, wanted: &[Ix]) -> Result<ValueId> {
    let found = cx.b.shape(updates)?;
    if found.len() != wanted.len() {
        let (found, wanted) = (found.len(), wanted.len());
        return Err(Diagnostic::shape(format!("updates of rank {found}, expected rank {wanted}")));
    }
    let mut updates = updates;
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        updates = cx.check_equal(updates, f, w, &format!("dim {i} of the updates"))?;
    }
    Ok(updates)
}

fn scatter_elements(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, indices, updates) = (call.x(0)?, call.x(1)?, call.x(2)?);
    let dtype = common_dtype(cx, x, updates)?;
    let dims = cx.b.shape(x)?;
    let at = axis(call.int("axis", 0)?, dims.len())?;
    let domain = cx.b.shape(indices)?;
    if domain.len() != dims.len() {
        return Err(Diagnostic::shape(format!("indices of rank {} for data of rank {}", domain.len(), dims.len())));
    }
    let updates = check_dims(cx, updates, &domain)?;
    let indices = cx.count_from_start(indices, &dims[at])?;
    let all = places(domain.len());
    let mut index = all.clone();
    index[at] = Ix::load(1, all.clone());
    let combine = reduction(call, dtype)?;
    let body = Scalar::read(2, dtype, all);
    let scatter = Scatter { axes: axes(&domain), index, body, combine };
    Ok(vec![cx.b.scatter(scatter, &[x, indices, updates])?])
}

fn scatter_nd(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (x, indices, updates) = (call.x(0)?, call.x(1)?, call.x(2)?);
    let dtype = common_dtype(cx, x, updates)?;
    let dims = cx.b.shape(x)?;
    let tuple = tuple_length(cx, indices)?;
    if tuple > dims.len() {
        return Err(Diagnostic::shape(format!("index tuples of {tuple} for data of rank {}", dims.len())));
    }
    let mut domain = cx.b.shape(indices)?;
    domain.pop();
    let tuples = domain.len();
    domain.extend_from_slice(&dims[tuple..]);
    let updates = check_dims(cx, updates, &domain)?;
    let indices = tuples_from_start(cx, indices, &dims[..tuple])?;
    let all = places(domain.len());
    let element = |k: usize| {
        let mut at = all[..tuples].to_vec();
        at.push(Ix::from(k));
        Ix::load(1, at)
    };
    let mut index: Vec<Ix> = (0..tuple).map(element).collect();
    index.extend_from_slice(&all[tuples..]);
    let combine = reduction(call, dtype)?;
    let body = Scalar::read(2, dtype, all);
    let scatter = Scatter { axes: axes(&domain), index, body, combine };
    Ok(vec![cx.b.scatter(scatter, &[x, indices, updates])?])
}

/// Writes a block of a sequence into a cache, for each sample of the batch from its own place on.
fn tensor_scatter(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let (cache, update) = (call.x(0)?, call.x(1)?);
    let dtype = common_dtype(cx, cache, update)?;
    let dims = cx.b.shape(cache)?;
    let at = axis(call.int("axis", -2)?, dims.len())?;
    if at == 0 {
        return Err(call.invalid("the axis of TensorScatter must not be the batch dim"));
    }
    let circular = match call.str("mode", "linear")? {
        "linear" => false,
        "circular" => true,
        other => return Err(call.invalid(format!("mode \"{other}\" of TensorScatter"))),
    };
    let mut domain = dims.clone();
    domain[at] = cx.b.shape(update)?.get(at).cloned().unwrap_or_else(Ix::zero);
    let update = check_dims(cx, update, &domain)?;
    let all = places(domain.len());
    let mut index = all.clone();
    let mut inputs = vec![cache, update];
    if let Some(v) = call.opt(2) {
        if cx.b.tensor(v)?.dtype != DType::I64 {
            return Err(Diagnostic::dtype("the write indices of TensorScatter must be i64"));
        }
        inputs.push(check_dims(cx, v, &dims[..1])?);
        index[at] = &index[at] + &Ix::load(2, vec![all[0].clone()]);
    }
    if circular {
        index[at] = index[at].modulo(&dims[at]);
    }
    let body = Scalar::read(1, dtype, all);
    let scatter = Scatter { axes: axes(&domain), index, body, combine: Combine::Replace };
    Ok(vec![cx.b.scatter(scatter, &inputs)?])
}
