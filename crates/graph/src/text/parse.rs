//! Reads graphs, nodes, types and locations.

use super::lexer::Token;
use super::literal::parse_tensor;
use super::reader::Parser;
use super::{host_ops, host_with_attributes};
use crate::graph::{Graph, Node, ValueId, ValueInfo};
use crate::op::{Combine, Loop, Mark, Op};
use crate::opaque::Opaque;
use crate::opaque::attribute::{Attr, Attrs, find};
use crate::types::{TensorType, Type};
use std::collections::HashMap;
use std::sync::Arc;
use tilewright_support::{Code, Diagnostic, Loc, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Sym;

/// Reads a whole text.
pub(super) fn document(text: &str) -> Result<Graph> {
    let mut p = Parser::new(text)?;
    p.word_is("graph")?;
    let graph = p.graph()?;
    if p.token != Token::End {
        return p.unexpected("the end of the text");
    }
    let invalid = |e: Box<Diagnostic>| Diagnostic { code: Code::Invalid, ..*e };
    graph.verify().map_err(|e| Box::new(invalid(e)))?;
    Ok(graph)
}

/// The values of the graph that is being read.
type Values = HashMap<u32, ValueInfo>;

impl Parser<'_> {
    /// A graph after its word.
    fn graph(&mut self) -> Result<Graph> {
        self.nested(Self::graph_here)
    }

    fn graph_here(&mut self) -> Result<Graph> {
        let mut values = Values::new();
        let mut nodes = Vec::new();
        self.expect("(")?;
        let inputs = self.list(")", &mut |p| p.definition(&mut values))?;
        self.expect("{")?;
        while !self.eat_word("return")? {
            if self.eat_word("unused")? {
                self.definition(&mut values)?;
            } else {
                nodes.push(self.node(&mut values)?);
            }
        }
        let outputs = self.uses(&values)?;
        self.expect("}")?;
        let count = values.len();
        let table: Option<Vec<ValueInfo>> = (0..count).map(|v| values.remove(&(v as u32))).collect();
        let values = table.ok_or_else(|| self.error(self.start(), &format!("values must be %0 to %{}", count - 1)))?;
        Ok(Graph { values, inputs, outputs, nodes })
    }

    fn value_id(&mut self) -> Result<u32> {
        self.expect("%")?;
        self.integer()
    }

    /// `%0 "name": f32[2]`.
    fn definition(&mut self, values: &mut Values) -> Result<ValueId> {
        let start = self.start();
        let id = self.value_id()?;
        let name = self.eat_text()?.map(Arc::from);
        self.expect(":")?;
        let ty = self.ty()?;
        if values.insert(id, ValueInfo { ty, name }).is_some() {
            return Err(self.error(start, &format!("value %{id} is defined twice")));
        }
        Ok(ValueId(id))
    }

    fn uses(&mut self, values: &Values) -> Result<Vec<ValueId>> {
        self.expect("(")?;
        self.list(")", &mut |p| {
            let start = p.start();
            match p.value_id()? {
                id if values.contains_key(&id) => Ok(ValueId(id)),
                id => Err(p.error(start, &format!("value %{id} is not defined"))),
            }
        })
    }

    fn node(&mut self, values: &mut Values) -> Result<Node> {
        let mut outputs = Vec::new();
        if self.token == Token::Punct("%") {
            outputs.push(self.definition(values)?);
            while self.eat(",")? {
                outputs.push(self.definition(values)?);
            }
            self.expect("=")?;
        }
        let (op, inputs) = self.op(values, outputs.first())?;
        let loc = if self.eat("@")? { self.loc()? } else { Loc::Unknown };
        Ok(Node { op, inputs, outputs, loc })
    }

    fn op(&mut self, values: &Values, output: Option<&ValueId>) -> Result<(Op, Vec<ValueId>)> {
        let start = self.start();
        if let Some(name) = self.eat_text()? {
            return self.comp_node(&name, values);
        }
        let word = self.word("an operation")?;
        if word == "constant" {
            let shape = output.and_then(|v| values[&v.0].ty.as_tensor().ok()).and_then(typed_static);
            let (dtype, shape) = shape.ok_or_else(|| self.error(start, "a constant has one tensor of fixed size"))?;
            return Ok((Op::Constant(parse_tensor(self, dtype, &shape)?), Vec::new()));
        }
        if let Some(op) = self.plain_op(word)? {
            return Ok((op, self.uses(values)?));
        }
        match word {
            "scatter" => {
                let start = self.start();
                let name = self.word("a way to combine")?;
                let combine = Combine::ALL.into_iter().find(|c| c.name() == name);
                let combine = combine.ok_or_else(|| self.error(start, &format!("cannot combine by `{name}`")))?;
                let inputs = self.uses(values)?;
                Ok((Op::Scatter(Arc::new(self.scatter(combine, &dtypes(&inputs, values))?)), inputs))
            }
            "if" => {
                let inputs = self.uses(values)?;
                let then = self.body("then")?;
                Ok((Op::If { then, otherwise: self.body("else")? }, inputs))
            }
            "loop" => {
                let attrs = self.attributes()?;
                let inputs = self.uses(values)?;
                let looped = loop_of(&attrs, self.graph_word()?);
                Ok((Op::Loop(looped.map_err(|e| self.error(start, &e.message))?), inputs))
            }
            "call" => {
                let name = self.text()?.into();
                let inputs = self.uses(values)?;
                Ok((Op::Call { name, body: self.graph_word()? }, inputs))
            }
            name => self.comp_node(name, values),
        }
    }

    /// An operation that is a word, attributes and inputs.
    fn plain_op(&mut self, word: &str) -> Result<Option<Op>> {
        let start = self.start();
        let op = match word {
            "define" => {
                self.expect("[")?;
                Ok(Op::Define(self.list("]", &mut |p| p.symbol())?))
            }
            "stop_gradient" => Ok(Op::Mark(Mark::StopGradient)),
            "barrier" => Ok(Op::Mark(Mark::Barrier)),
            "assert" => Ok(Op::Mark(Mark::Assert(self.text()?.into()))),
            _ => {
                let host = host_ops().into_iter().find(|h| h.name() == word);
                let opaque = crate::opaque::OPAQUE.iter().any(|(name, _)| *name == word);
                match host {
                    Some(op) => host_with_attributes(&op, &self.attributes()?).map(Op::Host),
                    None if opaque => Opaque::from_attributes(word, &self.attributes()?).map(Op::Opaque),
                    None => return Ok(None),
                }
            }
        };
        op.map(Some).map_err(|e| self.error(start, &e.message))
    }

    fn comp_node(&mut self, name: &str, values: &Values) -> Result<(Op, Vec<ValueId>)> {
        let inputs = self.uses(values)?;
        let comp = self.comp(name, &dtypes(&inputs, values))?;
        Ok((Op::Comp(Arc::new(comp)), inputs))
    }

    fn body(&mut self, word: &str) -> Result<Arc<Graph>> {
        self.word_is(word)?;
        self.graph_word()
    }

    fn graph_word(&mut self) -> Result<Arc<Graph>> {
        self.word_is("graph")?;
        self.graph().map(Arc::new)
    }

    /// A symbol's name, plain or quoted.
    fn symbol(&mut self) -> Result<Sym> {
        match self.eat_text()? {
            Some(t) => Ok(t.into()),
            None => self.word("a symbol").map(Sym::from),
        }
    }

    fn ty(&mut self) -> Result<Type> {
        for (word, make) in [("seq", Type::Sequence as fn(Box<Type>) -> Type), ("opt", Type::Optional)] {
            if self.eat_word(word)? {
                self.expect("(")?;
                let inner = self.nested(Self::ty)?;
                self.expect(")")?;
                return Ok(make(Box::new(inner)));
            }
        }
        let dtype = self.dtype()?;
        self.expect("[")?;
        if self.eat("...")? {
            self.expect("]")?;
            return Ok(Type::Dynamic(dtype));
        }
        Ok(Type::tensor(dtype, self.list("]", &mut |p| p.size())?))
    }

    /// `[name=value, ...]`, or nothing.
    fn attributes(&mut self) -> Result<Attrs> {
        if !self.eat("[")? {
            return Ok(Attrs::new());
        }
        self.list("]", &mut |p| {
            let name = p.word("an attribute")?.into();
            p.expect("=")?;
            Ok((name, p.attribute()?))
        })
    }

    fn attribute(&mut self) -> Result<Attr> {
        if let Some(text) = self.eat_text()? {
            return Ok(Attr::Text(text.into()));
        }
        if self.eat("[")? {
            return self.nested(|p| p.list("]", &mut Self::attribute)).map(Attr::List);
        }
        if self.eat_word("size")? {
            self.expect("(")?;
            let size = self.size()?;
            self.expect(")")?;
            return Ok(Attr::Size(size));
        }
        let start = self.start();
        let text = self.number_text()?;
        let number = || text.parse().ok().map(Attr::Int).or_else(|| text.parse().ok().map(Attr::Float));
        let read = text.parse().ok().map(Attr::Bool).or_else(number);
        read.ok_or_else(|| self.error(start, &format!("{text} is no value")))
    }

    fn loc(&mut self) -> Result<Loc> {
        if let Some(part) = self.eat_text()? {
            self.word_is("of")?;
            let of = self.nested(Self::loc)?;
            return Ok(Loc::Within { part: part.into(), of: Arc::new(of) });
        }
        let kind = match self.token {
            Token::Word(w @ ("unknown" | "file" | "node" | "source")) => w,
            _ => return self.unexpected("a location"),
        };
        self.advance()?;
        if kind == "unknown" {
            return Ok(Loc::Unknown);
        }
        self.expect("(")?;
        let first = Arc::from(self.text()?);
        if kind != "file" {
            self.expect(",")?;
        }
        let loc = match kind {
            "file" => Loc::File(first),
            "node" => Loc::Node { name: first, op: self.text()?.into() },
            _ => Loc::Source { file: first, line: self.integer()? },
        };
        self.expect(")")?;
        Ok(loc)
    }
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
