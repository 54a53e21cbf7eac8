//! Sequences and optionals.

use crate::TypeDecl;
use crate::import::table::{MANY, Row};
use crate::import::{Call, Cx};
use std::sync::Arc;
use tilewright_graph::types::{is_varying, varying};
use tilewright_graph::{HostOp, Loop, Op, Type, ValueId};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("SequenceConstruct", 1..=MANY, &[], construct).since(11),
    Row::new("SequenceEmpty", 0..=0, &["dtype"], empty).since(11),
    Row::new("SequenceInsert", 2..=3, &[], insert).since(11),
    Row::new("SequenceErase", 1..=2, &[], erase).since(11),
    Row::new("SequenceAt", 2..=2, &[], at).since(11),
    Row::new("SequenceLength", 1..=1, &[], length).since(11),
    Row::new("SplitToSequence", 1..=2, &["axis", "keepdims"], split).since(11),
    Row::new("ConcatFromSequence", 1..=1, &["axis", "new_axis"], concat).since(11),
    Row::new("SequenceMap", 1..=MANY, &["body"], map).since(17).outputs(1..=MANY),
    Row::new("Optional", 0..=1, &["type"], optional).since(15),
    Row::new("OptionalHasElement", 0..=1, &[], has_element).since(15),
    Row::new("OptionalGetElement", 1..=1, &[], get_element).since(15),
];

fn host(cx: &mut Cx<'_>, op: HostOp, inputs: &[ValueId], ty: Type) -> Result<Vec<ValueId>> {
    Ok(vec![cx.b.node1(Op::Host(op), inputs, ty)])
}

/// The operands that are there; absent ones are the last.
fn present(call: &Call<'_>) -> Vec<ValueId> {
    call.inputs.iter().flatten().copied().collect()
}

fn element(cx: &Cx<'_>, v: ValueId) -> Result<Type> {
    match cx.b.ty(v) {
        Type::Sequence(t) => Ok((**t).clone()),
        Type::Optional(inner) => match &**inner {
            Type::Sequence(t) => Ok((**t).clone()),
            other => Err(Diagnostic::invalid(format!("expected a sequence, found opt({other})"))),
        },
        other => Err(Diagnostic::invalid(format!("expected a sequence, found {other}"))),
    }
}

/// Dims that vary become symbols that the value binds.
fn opened(cx: &Cx<'_>, ty: &Type) -> Type {
    match ty {
        Type::Tensor(_) => ty.map_dims(&|d| if is_varying(d) { cx.b.symbol() } else { d.clone() }),
        other => other.clone(),
    }
}

/// Dims with symbols become varying ones: elements outlive what binds the symbols.
fn closed(ty: &Type) -> Type {
    ty.map_dims(&|d| if d.syms().is_empty() { d.clone() } else { varying() })
}

fn construct(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let items = call.all()?;
    let mut ty = closed(cx.b.ty(items[0]));
    for v in &items[1..] {
        ty = ty.join(&closed(cx.b.ty(*v)), &mut |_, _| varying())?;
    }
    host(cx, HostOp::SequenceConstruct, &items, Type::Sequence(Box::new(ty)))
}

fn empty(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let dtype = call.dtype("dtype")?.unwrap_or(DType::F32);
    host(cx, HostOp::SequenceConstruct, &[], Type::Sequence(Box::new(Type::Dynamic(dtype))))
}

fn insert(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let old = element(cx, call.x(0)?)?;
    let ty = old.join(&closed(cx.b.ty(call.x(1)?)), &mut |_, _| varying())?;
    host(cx, HostOp::SequenceInsert, &present(call), Type::Sequence(Box::new(ty)))
}

fn erase(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let ty = element(cx, call.x(0)?)?;
    host(cx, HostOp::SequenceErase, &present(call), Type::Sequence(Box::new(ty)))
}

fn at(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let ty = element(cx, call.x(0)?)?;
    let ty = opened(cx, &ty);
    host(cx, HostOp::SequenceAt, &call.all()?, ty)
}

fn length(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    element(cx, call.x(0)?)?;
    host(cx, HostOp::SequenceLength, &call.all()?, Type::tensor(DType::I64, vec![]))
}

fn split(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let x = cx.b.tensor(call.x(0)?)?;
    let axis_attr = call.int("axis", 0)?;
    let axis = crate::import::call::axis(axis_attr, x.rank())?;
    let keep = call.flag("keepdims", true)?;
    let mut shape = x.shape.clone();
    match call.opt(1) {
        Some(_) => shape[axis] = varying(),
        None if keep => shape[axis] = Ix::konst(1),
        None => {
            shape.remove(axis);
        }
    }
    let ty = closed(&Type::tensor(x.dtype, shape));
    host(cx, HostOp::SplitToSequence { axis: axis_attr, keep }, &present(call), Type::Sequence(Box::new(ty)))
}

fn concat(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let axis = call.node.required("axis", crate::Node::attr_int)?;
    let stack = call.flag("new_axis", false)?;
    let ty = match element(cx, call.x(0)?)? {
        Type::Tensor(t) => {
            let place = crate::import::call::axis(axis, t.rank() + stack as usize)?;
            let mut shape = t.shape.clone();
            match stack {
                true => shape.insert(place, varying()),
                false => shape[place] = varying(),
            }
            opened(cx, &Type::tensor(t.dtype, shape))
        }
        other => other,
    };
    host(cx, HostOp::ConcatFromSequence { axis, stack }, &call.all()?, ty)
}

/// A loop over the positions, whose body calls the node's body on the elements there.
fn map(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let body = call.graph("body")?;
    let operands = call.all()?;
    element(cx, operands[0])?;
    let count = host(cx, HostOp::SequenceLength, &operands[..1], Type::tensor(DType::I64, vec![]))?[0];
    let types: Vec<Type> = operands
        .iter()
        .map(|v| match cx.b.ty(*v) {
            Type::Sequence(t) => opened(cx, t),
            other => other.clone(),
        })
        .collect();
    let inner = cx.body(body, &types)?;
    let results: Vec<Type> =
        inner.graph.outputs.iter().map(|v| Type::Sequence(Box::new(closed(inner.graph.ty(*v))))).collect();
    let mut carried = Vec::new();
    for ty in &results {
        carried.extend(host(cx, HostOp::SequenceConstruct, &[], ty.clone())?);
    }
    let mut b = cx.b.body();
    let iteration = b.input("iteration", Type::tensor(DType::I64, vec![]));
    let state: Vec<ValueId> = results.iter().map(|t| b.input("result", t.clone())).collect();
    let mut arguments = Vec::new();
    for (v, ty) in operands.iter().zip(&types) {
        let whole = b.input("operand", cx.b.ty(*v).clone());
        arguments.push(match cx.b.ty(*v) {
            Type::Sequence(_) => b.node1(Op::Host(HostOp::SequenceAt), &[whole, iteration], ty.clone()),
            _ => whole,
        });
    }
    for v in &inner.captures {
        arguments.push(b.input("captured", cx.b.ty(*v).clone()));
    }
    let given: Vec<Type> = inner.graph.outputs.iter().map(|v| inner.graph.ty(*v).clone()).collect();
    let op = Op::Call { name: "SequenceMap".into(), body: Arc::new(inner.graph) };
    let outputs = b.node(op, &arguments, given);
    let next: Vec<ValueId> = state
        .iter()
        .zip(&outputs)
        .zip(&results)
        .map(|((s, v), ty)| b.node1(Op::Host(HostOp::SequenceInsert), &[*s, *v], ty.clone()))
        .collect();
    let n = carried.len();
    let op =
        Loop { body: Arc::new(b.finish(&next)), carried: n, scanned: 0, stacked: 0, counted: true, conditional: false };
    let mut inputs = vec![count];
    inputs.extend(carried.iter().chain(&operands).chain(&inner.captures));
    Ok(cx.b.node(Op::Loop(op), &inputs, results))
}

fn optional(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let inner = match call.opt(0) {
        Some(v) => closed(cx.b.ty(v)),
        None => declared(call.node.required("type", crate::Node::attr_type)?)?,
    };
    host(cx, HostOp::Optional, &present(call), Type::Optional(Box::new(inner)))
}

fn declared(decl: &TypeDecl) -> Result<Type> {
    crate::import::types::element(decl)
}

fn has_element(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    match call.opt(0) {
        Some(v) if matches!(cx.b.ty(v), Type::Optional(_)) => {
            host(cx, HostOp::OptionalHasElement, &[v], Type::tensor(DType::Bool, vec![]))
        }
        other => Ok(vec![cx.b.constant(Tensor::scalar(other.is_some()))]),
    }
}

fn get_element(cx: &mut Cx<'_>, call: &Call<'_>) -> Result<Vec<ValueId>> {
    let v = call.x(0)?;
    match cx.b.ty(v).clone() {
        Type::Optional(inner) => {
            let ty = opened(cx, &inner);
            host(cx, HostOp::OptionalGetElement, &[v], ty)
        }
        _ => Ok(vec![v]),
    }
}
