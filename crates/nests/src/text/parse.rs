//! Reads kernels.

use super::print::axes;
use super::words::{COLUMNS, COMBINERS, INDICES, KINDS, ORDERS, ROLES, ROWS};
use crate::kernel::{Access, Block, Buffer, Form, Kernel, Leaf, Loop, Place, Size, Stmt};
use std::sync::Arc;
use tilewright_loops::contract::{Product, Steps};
use tilewright_loops::map::{Map, Operand, Order as Along, Sink, Stage};
use tilewright_loops::movement::{Move, Order};
use tilewright_scalar::text::{Names, Parser, Token};
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::DType;

/// What names mean: unique names of buffers and of the loops around.
struct Scope {
    buffers: Vec<String>,
    loops: Names<'static>,
}

pub(super) fn document(text: &str) -> Result<Kernel> {
    let mut p = Parser::new(text)?;
    let kernel = kernel(&mut p)?;
    if p.token != Token::End {
        return p.unexpected("the end of the text");
    }
    kernel.verify().map_err(|e| Box::new(Diagnostic { code: Code::Invalid, ..*e }))?;
    Ok(kernel)
}

fn kernel(p: &mut Parser<'_>) -> Result<Kernel> {
    let mut scope = Scope { buffers: Vec::new(), loops: Names { axes: Vec::new(), operands: &[] } };
    p.word_is("kernel")?;
    let name: Arc<str> = match p.eat_text()? {
        Some(name) => name.into(),
        None => p.word("a name")?.into(),
    };
    let mut parallel = Vec::new();
    if p.eat_word("over")? {
        parallel.push(repeat(p, crate::Kind::Parallel, &mut scope)?);
        while p.eat(",")? {
            parallel.push(repeat(p, crate::Kind::Parallel, &mut scope)?);
        }
    }
    p.expect("{")?;
    let mut buffers = Vec::new();
    while let Some(role) = one_of(p, &ROLES)? {
        let name = declared(p, &mut scope.buffers)?;
        p.expect(":")?;
        buffers.push(Buffer { name, role, dtype: p.dtype()?, bytes: p.integer()? });
    }
    let body = body(p, &mut scope)?;
    Ok(Kernel { name, buffers, parallel, body })
}

/// The value of a word of a list, if it is in hand.
fn one_of<T: Copy>(p: &mut Parser<'_>, list: &[(T, &str)]) -> Result<Option<T>> {
    let Token::Word(word) = p.token else { return Ok(None) };
    let found = list.iter().find(|(_, w)| *w == word).map(|(value, _)| *value);
    if found.is_some() {
        p.advance()?;
    }
    Ok(found)
}

fn some_of<T: Copy>(p: &mut Parser<'_>, list: &[(T, &str)]) -> Result<T> {
    match one_of(p, list)? {
        Some(value) => Ok(value),
        None => {
            let words: Vec<&str> = list.iter().map(|(_, word)| *word).collect();
            p.unexpected(&format!("one of {}", words.join(", ")))
        }
    }
}

/// `i_1 "i"`: what stands for something new, and its name.
fn declared(p: &mut Parser<'_>, known: &mut Vec<String>) -> Result<Arc<str>> {
    let start = p.start();
    let unique = p.word("a name")?;
    if known.iter().any(|k| k == unique) {
        return Err(p.error(start, &format!("two are called `{unique}`")));
    }
    known.push(unique.to_string());
    Ok(p.eat_text()?.map_or_else(|| Arc::from(unique), Arc::from))
}

/// A loop after its kind: the scope has it from here on.
fn repeat(p: &mut Parser<'_>, kind: crate::Kind, scope: &mut Scope) -> Result<Loop> {
    let axis = declared(p, &mut scope.loops.axes)?;
    p.expect(":")?;
    Ok(Loop { axis, kind, trips: p.integer()? })
}

/// Statements and the brace after them.
fn body(p: &mut Parser<'_>, scope: &mut Scope) -> Result<Vec<Stmt>> {
    let mut all = Vec::new();
    while !p.eat("}")? {
        all.push(match one_of(p, &KINDS)? {
            None => Stmt::Leaf(leaf(p, scope)?),
            Some(kind) => {
                let l = repeat(p, kind, scope)?;
                p.expect("{")?;
                let inner = p.nested(|p| body(p, scope))?;
                scope.loops.axes.pop();
                Stmt::Loop(l, inner)
            }
        });
    }
    Ok(all)
}

fn leaf(p: &mut Parser<'_>, scope: &Scope) -> Result<Leaf> {
    match p.token {
        Token::Word("map") => map(p, scope),
        Token::Word("move") => movement(p, scope),
        Token::Word("block") => block(p, scope),
        _ => p.unexpected("a loop, a map, a move or a block"),
    }
}

fn sizes(p: &mut Parser<'_>, scope: &Scope) -> Result<Vec<Size>> {
    p.expect("(")?;
    p.list(")", &mut |p| {
        let block = p.integer()?;
        if !p.eat_word("of")? {
            return Ok(Size::Fixed(block));
        }
        let total = p.integer()?;
        p.expect("@")?;
        let depth = position(p, &scope.loops.axes, "loop")?;
        Ok(Size::Rest { block, total, depth })
    })
}

fn position(p: &mut Parser<'_>, names: &[String], what: &str) -> Result<usize> {
    let start = p.start();
    let word = p.word(&format!("a {what}"))?;
    let found = names.iter().position(|n| n == word);
    found.ok_or_else(|| p.error(start, &format!("there is no {what} `{word}`")))
}

/// `112*i + 4`.
fn affine(p: &mut Parser<'_>, scope: &Scope) -> Result<(i64, Vec<i64>)> {
    let start = p.start();
    let mut rest = p.index(&scope.loops)?;
    let mut steps = vec![0; scope.loops.axes.len()];
    for (d, step) in steps.iter_mut().enumerate() {
        let (c, others) = rest.affine_in(d as u32).ok_or_else(|| p.error(start, "an offset is affine in the loops"))?;
        (*step, rest) = (c, others);
    }
    let offset = rest.as_const().ok_or_else(|| p.error(start, "an offset is affine in the loops"))?;
    let end = steps.iter().rposition(|s| *s != 0).map_or(0, |last| last + 1);
    steps.truncate(end);
    Ok((offset, steps))
}

fn access(p: &mut Parser<'_>, scope: &Scope) -> Result<Access> {
    let buffer = position(p, &scope.buffers, "buffer")?;
    p.expect("[")?;
    let (offset, steps) = affine(p, scope)?;
    p.expect("]")?;
    p.word_is("by")?;
    let row = p.integer()?;
    p.expect(",")?;
    let column = p.integer()?;
    let through = p.eat_word("through")?;
    let indices = if through { Some(Box::new(p.nested(|p| access(p, scope))?)) } else { None };
    Ok(Access { buffer, offset, steps, row, column, indices })
}

fn movement(p: &mut Parser<'_>, scope: &Scope) -> Result<Leaf> {
    p.word_is("move")?;
    let element = p.integer()?;
    let order = match one_of(p, &ORDERS)? {
        Some(order) => order,
        None => match p.word("an order")? {
            "gather" => Order::Gather(some_of(p, &INDICES)?),
            "scatter" => Order::Scatter(some_of(p, &INDICES)?),
            "panel" => Order::Panel { rows: p.integer()? },
            "interleave" => Order::Interleave { group: p.integer()? },
            "separate" => Order::Separate { group: p.integer()? },
            other => return Err(p.error(p.start(), &format!("no order is called `{other}`"))),
        },
    };
    let sizes = sizes(p, scope)?;
    let from = access(p, scope)?;
    p.word_is("to")?;
    let operands = vec![from, access(p, scope)?];
    Ok(Leaf { form: Form::Move(Move { element, order }), sizes, operands, places: Vec::new() })
}

fn block(p: &mut Parser<'_>, scope: &Scope) -> Result<Leaf> {
    p.word_is("block")?;
    let products = Product::ALL.map(|product| (product, product.name()));
    let product = some_of(p, &products)?;
    let steps = some_of(p, &[(Steps::Dense, "dense"), (Steps::Strided, "strided")])?;
    let accumulate = some_of(p, &[(true, "add"), (false, "set")])?;
    let sizes = sizes(p, scope)?;
    let a = access(p, scope)?;
    p.word_is("times")?;
    let b = access(p, scope)?;
    p.word_is("to")?;
    let operands = vec![a, b, access(p, scope)?];
    Ok(Leaf { form: Form::Block(Block { product, steps, accumulate }), sizes, operands, places: Vec::new() })
}

fn map(p: &mut Parser<'_>, scope: &Scope) -> Result<Leaf> {
    p.word_is("map")?;
    let order = if p.eat_word("columns")? { Along::Columns } else { Along::Rows };
    let mut map = Map { order, narrow: p.eat_word("narrow")?, ..Map::default() };
    let sizes = sizes(p, scope)?;
    p.expect("{")?;
    let (mut operands, mut places) = (Vec::new(), Vec::new());
    while p.eat("$")? {
        numbered(p, operands.len())?;
        p.expect(":")?;
        map.operands.push(Operand { dtype: p.dtype()?, rows: some_of(p, &ROWS)?, column: some_of(p, &COLUMNS)? });
        p.expect("=")?;
        operands.push(access(p, scope)?);
    }
    while p.eat_word(&format!("place{}", places.len()))? {
        p.expect("=")?;
        let (offset, steps) = affine(p, scope)?;
        places.push(Place { offset, steps });
    }
    map.places = places.len() as u32;
    let mut dtypes: Vec<Option<DType>> = map.operands.iter().map(|o| Some(o.dtype)).collect();
    while !p.eat("}")? {
        p.word_is("pass")?;
        p.expect("{")?;
        let stage = stage(p, &Names { axes: axes(places.len()), operands: &dtypes })?;
        for sink in &stage.sinks {
            if let Sink::Reduce { combiner, value } = sink {
                dtypes.push(Some(combiner.result(value.dtype())));
            }
        }
        map.stages.push(stage);
    }
    Ok(Leaf { form: Form::Map(Arc::new(map)), sizes, operands, places })
}

/// The number of an operand, which must be the next one.
fn numbered(p: &mut Parser<'_>, next: usize) -> Result<()> {
    let start = p.start();
    if p.integer::<usize>()? == next { Ok(()) } else { Err(p.error(start, &format!("the next operand is ${next}"))) }
}

/// The sinks of a pass and the brace after them.
fn stage(p: &mut Parser<'_>, names: &Names<'_>) -> Result<Stage> {
    let mut sinks = Vec::new();
    while !p.eat("}")? {
        if p.eat("$")? {
            let operand = p.integer()?;
            p.expect("=")?;
            sinks.push(Sink::Store { operand, value: p.expression(names)? });
            continue;
        }
        let combiner = some_of(p, &COMBINERS)?;
        sinks.push(Sink::Reduce { combiner, value: p.expression(names)? });
    }
    Ok(Stage { sinks })
}
