//! The tables of operators, and the checks that they allow before anything is translated.

use super::call::Call;
use super::cx::Cx;
use super::{gone, ops};
use crate::{Graph, Model, Node};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use tilewright_graph::ValueId;
use tilewright_support::{Diagnostic, Result};

/// Translates one node.
pub type Import = fn(&mut Cx<'_>, &Call<'_>) -> Result<Vec<ValueId>>;

/// An operator in a range of versions.
pub struct Row {
    /// Domain; `""` is ai.onnx.
    pub domain: &'static str,
    /// Operator.
    pub name: &'static str,
    /// First version of the operator set that this row serves.
    pub since: i64,
    /// Last version, if the operator was removed after it.
    pub until: Option<i64>,
    /// Numbers of inputs.
    pub inputs: RangeInclusive<usize>,
    /// Numbers of outputs.
    pub outputs: RangeInclusive<usize>,
    /// Names of attributes, of all versions.
    pub attributes: &'static [&'static str],
    /// The translation.
    pub import: Import,
}

/// Any number of inputs.
pub const MANY: usize = usize::MAX;

impl Row {
    /// A row of ai.onnx with one output, for all versions.
    pub const fn new(
        name: &'static str,
        inputs: RangeInclusive<usize>,
        attributes: &'static [&'static str],
        import: Import,
    ) -> Self {
        Self { domain: "", name, since: 1, until: None, inputs, outputs: 1..=1, attributes, import }
    }

    /// The same from a version on.
    pub const fn since(self, since: i64) -> Self {
        Self { since, ..self }
    }

    /// The same up to a version.
    pub const fn until(self, until: i64) -> Self {
        Self { until: Some(until), ..self }
    }

    /// The same with other numbers of outputs.
    pub const fn outputs(self, outputs: RangeInclusive<usize>) -> Self {
        Self { outputs, ..self }
    }

    /// The same in another domain.
    pub const fn domain(self, domain: &'static str) -> Self {
        Self { domain, ..self }
    }

    fn serves(&self, node: &Node) -> bool {
        self.since <= node.version && self.until.is_none_or(|u| node.version <= u)
    }
}

/// The row that serves a node, or why there is none.
pub fn find(node: &Node) -> Result<&'static Row> {
    let rows = || ops::FAMILIES.iter().flat_map(|f| f.iter());
    let named: Vec<&Row> = rows().filter(|r| r.name == node.op_type && r.domain == node.domain).collect();
    if let Some(row) = named.iter().find(|r| r.serves(node)) {
        return Ok(row);
    }
    let what = if node.domain.is_empty() { node.op_type.clone() } else { format!("{}.{}", node.domain, node.op_type) };
    let message = match named.first() {
        None => format!("operator {what} is not supported"),
        Some(first) => {
            let since = named.iter().fold(first.since, |n, r| n.min(r.since));
            let until = named.iter().map(|r| r.until).reduce(|a, b| Some(a?.max(b?))).flatten();
            let until = until.map_or_else(String::new, |u| format!(" to {u}"));
            format!("operator {what} exists from opset {since}{until}, not in opset {}", node.version)
        }
    };
    let error = if named.is_empty() { Diagnostic::unsupported(message) } else { Diagnostic::invalid(message) };
    Err(error.at(&node.loc()))
}

/// Every fault of a model's nodes, bodies and functions against the tables.
pub fn check(model: &Model) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let functions = model.functions.values().flat_map(|f| &f.nodes);
    for node in model.graph.nodes.iter().chain(functions) {
        check_node(model, node, &mut problems);
    }
    problems
}

/// Nodes named for one problem, and problems shown, at most.
const NAMED: usize = 50;

/// One problem for all nodes that have the same, which are named in a note.
pub fn grouped(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut groups: Vec<(Diagnostic, Vec<String>, usize)> = Vec::new();
    let (mut places, mut more) = (HashMap::new(), 0);
    for problem in problems {
        let place = *places.entry(problem.message.clone()).or_insert(groups.len());
        let next = groups.len();
        match groups.get_mut(place) {
            Some((_, nodes, count)) => {
                *count += 1;
                if nodes.len() < NAMED {
                    nodes.push(problem.loc.to_string());
                }
            }
            None if place == next && next < NAMED => groups.push((problem, Vec::new(), 0)),
            None => more += 1,
        }
    }
    let shown = |(first, nodes, count): (Diagnostic, Vec<String>, usize)| match count {
        0 => first,
        _ => {
            let rest = if count > nodes.len() { format!(" and {} more", count - nodes.len()) } else { String::new() };
            *Box::new(first).note(format!("also at {}{rest}", nodes.join(", ")))
        }
    };
    let mut out: Vec<Diagnostic> = groups.into_iter().map(shown).collect();
    if more > 0 {
        out.push(*Diagnostic::unsupported(format!("{more} more problems are not shown")));
    }
    out
}

fn check_graph(model: &Model, graph: &Graph, problems: &mut Vec<Diagnostic>) {
    graph.nodes.iter().for_each(|n| check_node(model, n, problems));
}

fn check_node(model: &Model, node: &Node, problems: &mut Vec<Diagnostic>) {
    node.bodies().for_each(|g| check_graph(model, g, problems));
    if model.function(node).is_some() {
        return;
    }
    match find(node) {
        Err(e) => problems.push(*e),
        Ok(row) => problems.extend(check_signature(row, node).err().map(|e| *e.at(&node.loc()))),
    }
}

fn check_signature(row: &Row, node: &Node) -> Result<()> {
    let count = |names: &[String]| names.iter().rposition(|n| !n.is_empty()).map_or(0, |i| i + 1);
    let (inputs, outputs) = (count(&node.inputs), count(&node.outputs));
    let show = |r: &RangeInclusive<usize>| match (r.start(), r.end()) {
        (a, b) if a == b => a.to_string(),
        (a, &MANY) => format!("at least {a}"),
        (a, b) => format!("{a} to {b}"),
    };
    if !row.inputs.contains(&inputs) && !row.inputs.contains(&node.inputs.len()) {
        let wanted = show(&row.inputs);
        return Err(Diagnostic::invalid(format!("{} takes {wanted} inputs, found {inputs}", row.name)));
    }
    if outputs > *row.outputs.end() || node.outputs.len() < *row.outputs.start() {
        let wanted = show(&row.outputs);
        return Err(Diagnostic::invalid(format!("{} gives {wanted} outputs, found {outputs}", row.name)));
    }
    gone::check(node)?;
    match node.attributes.iter().find(|(name, _)| !row.attributes.contains(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let known = row.attributes.join(", ");
            let message = format!("{} has no attribute \"{name}\"", row.name);
            Err(Diagnostic::invalid(message).help(format!("its attributes are: {known}")))
        }
    }
}
