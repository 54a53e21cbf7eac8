//! Writes kernels.

use super::words::{COLUMNS, COMBINERS, INDICES, KINDS, ORDERS, ROLES, ROWS, word_of};
use crate::kernel::{Access, Form, Kernel, Leaf, Place, Size, Stmt};
use std::sync::Arc;
use tilewright_loops::contract::Steps;
use tilewright_loops::map::{Map, Order as Along, Sink};
use tilewright_loops::movement::{Move, Order};
use tilewright_scalar::text::{Scope, Shown, is_word, quoted};
use tilewright_tensor::ix::{Ix, Names};

pub(super) fn document(kernel: &Kernel) -> String {
    let buffers = Scope::new(kernel.buffers.iter().map(|b| &b.name));
    let mut printer = Printer { buffers, out: String::new() };
    let mut around: Vec<Arc<str>> = kernel.parallel.iter().map(|l| l.axis.clone()).collect();
    let scope = Scope::new(around.iter());
    let shared = kernel.parallel.iter().enumerate();
    let shared: Vec<String> =
        shared.map(|(d, l)| format!("{}: {}", scope.declared(d as u32, &l.axis), l.trips)).collect();
    let name =
        if is_word(&kernel.name) && &*kernel.name != "over" { kernel.name.to_string() } else { quoted(&kernel.name) };
    let over = if shared.is_empty() { String::new() } else { format!(" over {}", shared.join(", ")) };
    printer.line(0, &format!("kernel {name}{over} {{"));
    for (n, b) in kernel.buffers.iter().enumerate() {
        let name = printer.buffers.declared(n as u32, &b.name);
        printer.line(1, &format!("{} {name}: {} {}", word_of(&ROLES, &b.role), b.dtype, b.bytes));
    }
    printer.body(&kernel.body, &mut around, 1);
    printer.line(0, "}");
    printer.out
}

struct Printer {
    buffers: Scope,
    out: String,
}

impl Printer {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn body(&mut self, body: &[Stmt], around: &mut Vec<Arc<str>>, depth: usize) {
        for stmt in body {
            match stmt {
                Stmt::Leaf(leaf) => self.leaf(leaf, &Scope::new(around.iter()), depth),
                Stmt::Loop(l, inner) => {
                    around.push(l.axis.clone());
                    let name = Scope::new(around.iter()).declared(around.len() as u32 - 1, &l.axis);
                    self.line(depth, &format!("{} {name}: {} {{", word_of(&KINDS, &l.kind), l.trips));
                    self.body(inner, around, depth + 1);
                    self.line(depth, "}");
                    around.pop();
                }
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf, scope: &Scope, depth: usize) {
        let sizes: Vec<String> = leaf.sizes.iter().map(|s| size(*s, scope)).collect();
        let sizes = format!("({})", sizes.join(", "));
        let mut operands = leaf.operands.iter().map(|o| self.access(o, scope));
        let mut next = || operands.next().unwrap_or_default();
        let text = match &leaf.form {
            Form::Map(map) => return self.map(map, (leaf, &sizes), scope, depth),
            Form::Move(m) => format!("move {} {} {sizes} {} to {}", m.element, order(m), next(), next()),
            Form::Block(b) => {
                let steps = if b.steps == Steps::Dense { "dense" } else { "strided" };
                let sum = if b.accumulate { "add" } else { "set" };
                let (product, a, b, c) = (b.product.name(), next(), next(), next());
                format!("block {product} {steps} {sum} {sizes} {a} times {b} to {c}")
            }
        };
        drop(operands);
        self.line(depth, &text);
    }

    fn map(&mut self, map: &Map, (leaf, sizes): (&Leaf, &str), scope: &Scope, depth: usize) {
        let columns = if map.order == Along::Columns { " columns" } else { "" };
        let narrow = if map.narrow { " narrow" } else { "" };
        self.line(depth, &format!("map{columns}{narrow} {sizes} {{"));
        for (o, (operand, access)) in map.operands.iter().zip(&leaf.operands).enumerate() {
            let (rows, column) = (word_of(&ROWS, &operand.rows), word_of(&COLUMNS, &operand.column));
            let access = self.access(access, scope);
            self.line(depth + 1, &format!("${o}: {} {rows} {column} = {access}", operand.dtype));
        }
        for (p, Place { offset, steps }) in leaf.places.iter().enumerate() {
            self.line(depth + 1, &format!("place{p} = {}", affine(*offset, steps, scope)));
        }
        let names: Vec<Arc<str>> = axes(leaf.places.len()).into_iter().map(Arc::from).collect();
        let names = Scope::new(names.iter());
        for stage in &map.stages {
            self.line(depth + 1, "pass {");
            for sink in &stage.sinks {
                let text = match sink {
                    Sink::Store { operand, value } => format!("${operand} = {}", names.expression(value)),
                    Sink::Reduce { combiner, value } => {
                        format!("{} {}", word_of(&COMBINERS, combiner), names.expression(value))
                    }
                };
                self.line(depth + 2, &text);
            }
            self.line(depth + 1, "}");
        }
        self.line(depth, "}");
    }

    fn access(&self, access: &Access, scope: &Scope) -> String {
        let (buffer, at) = (self.buffers.axis(access.buffer as u32), affine(access.offset, &access.steps, scope));
        let through =
            access.indices.as_ref().map_or_else(String::new, |i| format!(" through {}", self.access(i, scope)));
        format!("{buffer}[{at}] by {}, {}{through}", access.row, access.column)
    }
}

/// The axes of a map's expressions.
pub(super) fn axes(places: usize) -> Vec<String> {
    let places = (0..places).map(|p| format!("place{p}"));
    ["row".to_string(), "column".to_string()].into_iter().chain(places).collect()
}

fn affine(offset: i64, steps: &[i64], scope: &Scope) -> String {
    let terms = steps.iter().enumerate().map(|(d, step)| &Ix::axis(d as u32) * &Ix::konst(*step));
    Shown(&terms.fold(Ix::konst(offset), |sum, term| &sum + &term), scope).to_string()
}

fn size(size: Size, scope: &Scope) -> String {
    match size {
        Size::Fixed(n) => n.to_string(),
        Size::Rest { block, total, depth } => format!("{block} of {total} @ {}", scope.axis(depth as u32)),
    }
}

fn order(m: &Move) -> String {
    match m.order {
        Order::Copy { .. } | Order::Transpose => word_of(&ORDERS, &m.order).into(),
        Order::Gather(index) => format!("gather {}", word_of(&INDICES, &index)),
        Order::Scatter(index) => format!("scatter {}", word_of(&INDICES, &index)),
        Order::Panel { rows } => format!("panel {rows}"),
        Order::Interleave { group } => format!("interleave {group}"),
        Order::Separate { group } => format!("separate {group}"),
    }
}
