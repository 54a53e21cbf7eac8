//! Reads graphs, nodes, types and locations.

use super::literal::parse_tensor;
use super::parse_comp::{comp, scatter};
use super::{host_ops, host_with_attributes};
use crate::graph::{Graph, Node, ValueId, ValueInfo};
use crate::op::{Combine, Loop, Mark, Op};
use crate::opaque::Opaque;
use crate::opaque::attribute::{Attr, Attrs, find};
use crate::types::{TensorType, Type};
use std::collections::HashMap;
use std::sync::Arc;
use tilewright_scalar::text::{Parser, Token};
use tilewright_support::{Code, Diagnostic, Loc, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Sym;

/// Reads a whole text.
pub(super) fn document(text: &str) -> Result<Graph> {
    let mut p = Parser::new(text)?;
    p.word_is("graph")?;
    let graph = graph(&mut p)?;
    if p.token != Token::End {
        return p.unexpected("the end of the text");
    }
    let invalid = |e: Box<Diagnostic>| Diagnostic { code: Code::Invalid, ..*e };
    graph.verify().map_err(|e| Box::new(invalid(e)))?;
    Ok(graph)
}

/// The values of the graph that is being read.
type Values = HashMap<u32, ValueInfo>;

/// A graph after its word.
fn graph(p: &mut Parser<'_>) -> Result<Graph> {
    p.nested(graph_here)
}

fn graph_here(p: &mut Parser<'_>) -> Result<Graph> {
    let mut values = Values::new();
    let mut nodes = Vec::new();
    p.expect("(")?;
    let inputs = p.list(")", &mut |p| definition(p, &mut values))?;
    p.expect("{")?;
    while !p.eat_word("return")? {
        if p.eat_word("unused")? {
            definition(p, &mut values)?;
        } else {
            nodes.push(node(p, &mut values)?);
        }
    }
    let outputs = uses(p, &values)?;
    p.expect("}")?;
    let count = values.len();
    let table: Option<Vec<ValueInfo>> = (0..count).map(|v| values.remove(&(v as u32))).collect();
    let values = table.ok_or_else(|| p.error(p.start(), &format!("values must be %0 to %{}", count - 1)))?;
    Ok(Graph { values, inputs, outputs, nodes })
}

fn value_id(p: &mut Parser<'_>) -> Result<u32> {
    p.expect("%")?;
    p.integer()
}

/// `%0 "name": f32[2]`.
fn definition(p: &mut Parser<'_>, values: &mut Values) -> Result<ValueId> {
    let start = p.start();
    let id = value_id(p)?;
    let name = p.eat_text()?.map(Arc::from);
    p.expect(":")?;
    let ty = ty(p)?;
    if values.insert(id, ValueInfo { ty, name }).is_some() {
        return Err(p.error(start, &format!("value %{id} is defined twice")));
    }
    Ok(ValueId(id))
}

fn uses(p: &mut Parser<'_>, values: &Values) -> Result<Vec<ValueId>> {
    p.expect("(")?;
    p.list(")", &mut |p| {
        let start = p.start();
        match value_id(p)? {
            id if values.contains_key(&id) => Ok(ValueId(id)),
            id => Err(p.error(start, &format!("value %{id} is not defined"))),
        }
    })
}

fn node(p: &mut Parser<'_>, values: &mut Values) -> Result<Node> {
    let mut outputs = Vec::new();
    if p.token == Token::Punct("%") {
        outputs.push(definition(p, values)?);
        while p.eat(",")? {
            outputs.push(definition(p, values)?);
        }
        p.expect("=")?;
    }
    let (op, inputs) = op(p, values, outputs.first())?;
    let loc = if p.eat("@")? { loc(p)? } else { Loc::Unknown };
    Ok(Node { op, inputs, outputs, loc })
}

fn op(p: &mut Parser<'_>, values: &Values, output: Option<&ValueId>) -> Result<(Op, Vec<ValueId>)> {
    let start = p.start();
    if let Some(name) = p.eat_text()? {
        return comp_node(p, &name, values);
    }
    let word = p.word("an operation")?;
    if word == "constant" {
        let shape = output.and_then(|v| values[&v.0].ty.as_tensor().ok()).and_then(typed_static);
        let (dtype, shape) = shape.ok_or_else(|| p.error(start, "a constant has one tensor of fixed size"))?;
        return Ok((Op::Constant(parse_tensor(p, dtype, &shape)?), Vec::new()));
    }
    if let Some(op) = plain_op(p, word)? {
        return Ok((op, uses(p, values)?));
    }
    match word {
        "scatter" => {
            let start = p.start();
            let name = p.word("a way to combine")?;
            let combine = Combine::ALL.into_iter().find(|c| c.name() == name);
            let combine = combine.ok_or_else(|| p.error(start, &format!("cannot combine by `{name}`")))?;
            let inputs = uses(p, values)?;
            Ok((Op::Scatter(Arc::new(scatter(p, combine, &dtypes(&inputs, values))?)), inputs))
        }
        "if" => {
            let inputs = uses(p, values)?;
            let then = body(p, "then")?;
            Ok((Op::If { then, otherwise: body(p, "else")? }, inputs))
        }
        "loop" => {
            let attrs = attributes(p)?;
            let inputs = uses(p, values)?;
            let looped = loop_of(&attrs, graph_word(p)?);
            Ok((Op::Loop(looped.map_err(|e| p.error(start, &e.message))?), inputs))
        }
        "call" => {
            let name = p.text()?.into();
            let inputs = uses(p, values)?;
            Ok((Op::Call { name, body: graph_word(p)? }, inputs))
        }
        name => comp_node(p, name, values),
    }
}

/// An operation that is a word, attributes and inputs.
fn plain_op(p: &mut Parser<'_>, word: &str) -> Result<Option<Op>> {
    let start = p.start();
    let op = match word {
        "define" => {
            p.expect("[")?;
            Ok(Op::Define(p.list("]", &mut |p| symbol(p))?))
        }
        "stop_gradient" => Ok(Op::Mark(Mark::StopGradient)),
        "barrier" => Ok(Op::Mark(Mark::Barrier)),
        "assert" => Ok(Op::Mark(Mark::Assert(p.text()?.into()))),
        _ => {
            let host = host_ops().into_iter().find(|h| h.name() == word);
            let opaque = crate::opaque::OPAQUE.iter().any(|(name, _)| *name == word);
            match host {
                Some(op) => host_with_attributes(&op, &attributes(p)?).map(Op::Host),
                None if opaque => Opaque::from_attributes(word, &attributes(p)?).map(Op::Opaque),
                None => return Ok(None),
            }
        }
    };
    op.map(Some).map_err(|e| p.error(start, &e.message))
}

fn comp_node(p: &mut Parser<'_>, name: &str, values: &Values) -> Result<(Op, Vec<ValueId>)> {
    let inputs = uses(p, values)?;
    let comp = comp(p, name, &dtypes(&inputs, values))?;
    Ok((Op::Comp(Arc::new(comp)), inputs))
}

fn body(p: &mut Parser<'_>, word: &str) -> Result<Arc<Graph>> {
    p.word_is(word)?;
    graph_word(p)
}

fn graph_word(p: &mut Parser<'_>) -> Result<Arc<Graph>> {
    p.word_is("graph")?;
    graph(p).map(Arc::new)
}

/// A symbol's name, plain or quoted.
fn symbol(p: &mut Parser<'_>) -> Result<Sym> {
    match p.eat_text()? {
        Some(t) => Ok(t.into()),
        None => p.word("a symbol").map(Sym::from),
    }
}

fn ty(p: &mut Parser<'_>) -> Result<Type> {
    for (word, make) in [("seq", Type::Sequence as fn(Box<Type>) -> Type), ("opt", Type::Optional)] {
        if p.eat_word(word)? {
            p.expect("(")?;
            let inner = p.nested(ty)?;
            p.expect(")")?;
            return Ok(make(Box::new(inner)));
        }
    }
    let dtype = p.dtype()?;
    p.expect("[")?;
    if p.eat("...")? {
        p.expect("]")?;
        return Ok(Type::Dynamic(dtype));
    }
    Ok(Type::tensor(dtype, p.list("]", &mut |p| p.size())?))
}

/// `[name=value, ...]`, or nothing.
fn attributes(p: &mut Parser<'_>) -> Result<Attrs> {
    if !p.eat("[")? {
        return Ok(Attrs::new());
    }
    p.list("]", &mut |p| {
        let name = p.word("an attribute")?.into();
        p.expect("=")?;
        Ok((name, attribute(p)?))
    })
}

fn attribute(p: &mut Parser<'_>) -> Result<Attr> {
    if let Some(text) = p.eat_text()? {
        return Ok(Attr::Text(text.into()));
    }
    if p.eat("[")? {
        return p.nested(|p| p.list("]", &mut attribute)).map(Attr::List);
    }
    if p.eat_word("size")? {
        p.expect("(")?;
        let size = p.size()?;
        p.expect(")")?;
        return Ok(Attr::Size(size));
    }
    let start = p.start();
    let text = p.number_text()?;
    let number = || text.parse().ok().map(Attr::Int).or_else(|| text.parse().ok().map(Attr::Float));
    let read = text.parse().ok().map(Attr::Bool).or_else(number);
    read.ok_or_else(|| p.error(start, &format!("{text} is no value")))
}

fn loc(p: &mut Parser<'_>) -> Result<Loc> {
    if let Some(part) = p.eat_text()? {
        p.word_is("of")?;
        let of = p.nested(loc)?;
        return Ok(Loc::Within { part: part.into(), of: Arc::new(of) });
    }
    let kind = match p.token {
        Token::Word(w @ ("unknown" | "file" | "node" | "source")) => w,
        _ => return p.unexpected("a location"),
    };
    p.advance()?;
    if kind == "unknown" {
        return Ok(Loc::Unknown);
    }
    p.expect("(")?;
    let first = Arc::from(p.text()?);
    if kind != "file" {
        p.expect(",")?;
    }
    let loc = match kind {
        "file" => Loc::File(first),
        "node" => Loc::Node { name: first, op: p.text()?.into() },
        _ => Loc::Source { file: first, line: p.integer()? },
    };
    p.expect(")")?;
    Ok(loc)
}

fn typed_static(t: &TensorType) -> Option<(DType, Vec<usize>)> {
    t.static_shape().map(|shape| (t.dtype, shape))
}

/// The dtypes of operands; none where an operand is no tensor.
fn dtypes(inputs: &[ValueId], values: &Values) -> Vec<Option<DType>> {
    inputs.iter().map(|v| values[&v.0].ty.as_tensor().ok().map(|t| t.dtype)).collect()
}

fn loop_of(attrs: &Attrs, body: Arc<Graph>) -> Result<Loop> {
    Ok(Loop {
        body,
        carried: find(attrs, "carried")?,
        scanned: find(attrs, "scanned")?,
        stacked: find(attrs, "stacked")?,
        counted: find(attrs, "counted")?,
        conditional: find(attrs, "conditional")?,
    })
}
