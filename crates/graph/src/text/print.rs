//! Graphs, nodes, types and locations as text.

use super::print_comp::{comp, scatter};
use super::{host_attributes, is_op_word, literal};
use crate::graph::{Graph, Node, ValueId};
use crate::op::{Loop, Mark, Op};
use crate::opaque::attribute::{Attr, Attribute, Attrs};
use crate::types::Type;
use std::collections::HashSet;
use tilewright_scalar::text::{Scope, is_word, quoted, symbol};
use tilewright_support::Loc;

/// A graph and a line end.
pub(super) fn document(graph: &Graph, short: bool) -> String {
    Printer { short }.graph(graph, 0) + "\n"
}

struct Printer {
    short: bool,
}

impl Printer {
    fn graph(&self, g: &Graph, indent: usize) -> String {
        let values = |ids: &[ValueId]| ids.iter().map(|v| definition(g, *v)).collect::<Vec<_>>().join(", ");
        let line = |text: &str| format!("{:indent$}{text}\n", "", indent = indent + 2);
        let mut out = format!("graph ({}) {{\n", values(&g.inputs));
        let mut defined: HashSet<ValueId> = g.inputs.iter().copied().collect();
        for node in &g.nodes {
            defined.extend(&node.outputs);
            let sign = if node.outputs.is_empty() { "" } else { " = " };
            let op = self.op(node, indent + 2);
            out.push_str(&line(&format!("{}{sign}{op}{}", values(&node.outputs), location(&node.loc))));
        }
        for v in (0..g.values.len() as u32).map(ValueId).filter(|v| !defined.contains(v)) {
            out.push_str(&line(&format!("unused {}", definition(g, v))));
        }
        out.push_str(&line(&format!("return {}", uses(&g.outputs))));
        out + &format!("{:indent$}}}", "")
    }

    fn op(&self, node: &Node, indent: usize) -> String {
        let inputs = uses(&node.inputs);
        match &node.op {
            Op::Constant(t) => format!("constant {}", literal::tensor(t, self.short)),
            Op::Comp(c) => {
                let plain = is_word(&c.name) && !is_op_word(&c.name);
                let name = if plain { c.name.to_string() } else { quoted(&c.name) };
                format!("{name} {inputs} {}", comp(c))
            }
            Op::Scatter(s) => format!("scatter {} {inputs} {}", s.combine.name(), scatter(s)),
            Op::Define(syms) => {
                let names: Vec<String> = syms.iter().map(|s| symbol(s)).collect();
                format!("define [{}] {inputs}", names.join(", "))
            }
            Op::Opaque(o) => format!("{}{} {inputs}", o.name(), attributes(&o.attributes())),
            Op::If { then, otherwise } => {
                let (then, otherwise) = (self.graph(then, indent), self.graph(otherwise, indent));
                format!("if {inputs} then {then} else {otherwise}")
            }
            Op::Loop(l) => format!("loop{} {inputs} {}", attributes(&loop_attributes(l)), self.graph(&l.body, indent)),
            Op::Call { name, body } => format!("call {} {inputs} {}", quoted(name), self.graph(body, indent)),
            Op::Host(h) => format!("{}{} {inputs}", h.name(), attributes(&host_attributes(h))),
            Op::Mark(Mark::StopGradient) => format!("stop_gradient {inputs}"),
            Op::Mark(Mark::Barrier) => format!("barrier {inputs}"),
            Op::Mark(Mark::Assert(message)) => format!("assert {} {inputs}", quoted(message)),
        }
    }
}

fn loop_attributes(l: &Loop) -> Attrs {
    let counts = [("carried", l.carried), ("scanned", l.scanned), ("stacked", l.stacked)];
    let flags = [("counted", l.counted), ("conditional", l.conditional)];
    let counts = counts.iter().map(|(name, n)| ((*name).into(), n.to_attr()));
    counts.chain(flags.iter().map(|(name, b)| ((*name).into(), b.to_attr()))).collect()
}

/// `%0 "name": f32[2]`; a value that a broken graph lacks has no type.
fn definition(g: &Graph, v: ValueId) -> String {
    let Some(value) = g.values.get(v.index()) else { return format!("%{}: ?", v.0) };
    let name = value.name.as_ref().map_or_else(String::new, |n| format!(" {}", quoted(n)));
    format!("%{}{name}: {}", v.0, ty(&value.ty))
}

fn uses(ids: &[ValueId]) -> String {
    format!("({})", ids.iter().map(|v| format!("%{}", v.0)).collect::<Vec<_>>().join(", "))
}

fn ty(t: &Type) -> String {
    match t {
        Type::Tensor(t) => format!("{}[{}]", t.dtype, Scope::default().indices(&t.shape)),
        Type::Dynamic(d) => format!("{d}[...]"),
        Type::Sequence(t) => format!("seq({})", ty(t)),
        Type::Optional(t) => format!("opt({})", ty(t)),
    }
}

fn attributes(attrs: &Attrs) -> String {
    if attrs.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = attrs.iter().map(|(name, a)| format!("{name}={}", attribute(a))).collect();
    format!(" [{}]", shown.join(", "))
}

fn attribute(a: &Attr) -> String {
    match a {
        Attr::Bool(b) => b.to_string(),
        Attr::Int(i) => i.to_string(),
        Attr::Float(x) => format!("{x:?}"),
        Attr::Text(t) => quoted(t),
        Attr::Size(e) => format!("size({})", Scope::default().indices(std::slice::from_ref(e))),
        Attr::List(all) => format!("[{}]", all.iter().map(attribute).collect::<Vec<_>>().join(", ")),
    }
}

fn location(loc: &Loc) -> String {
    if loc.is_unknown() { String::new() } else { format!(" @ {}", place(loc)) }
}

fn place(loc: &Loc) -> String {
    match loc {
        Loc::Unknown => "unknown".into(),
        Loc::File(path) => format!("file({})", quoted(path)),
        Loc::Node { name, op } => format!("node({}, {})", quoted(name), quoted(op)),
        Loc::Source { file, line } => format!("source({}, {line})", quoted(file)),
        Loc::Within { part, of } => format!("{} of {}", quoted(part), place(of)),
    }
}
