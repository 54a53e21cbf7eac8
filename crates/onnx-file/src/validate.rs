//! What a decoded model must satisfy as a whole: names, scopes, operator sets, calls. Every problem is collected.
//!
//! Where ONNX's specification and its users differ, files that are accepted in practice are accepted: nodes need not have
//! names, nor different ones; an output may be listed twice, or be an input or an initializer; a body's inputs and
//! initializers may hide names of an outer graph; com.microsoft need not be imported.
use crate::attribute::Attribute;
use crate::domains::{IR_VERSIONS, MICROSOFT, shown, versions};
use crate::model::{Function, Graph, Model, Node};
use crate::problems::{Problems, clip};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use tilewright_support::{Diagnostic, Result};

/// Collects what is wrong with a model. Names in `lost` belong to tensors whose problems are known.
pub(crate) fn validate(model: &Model, lost: &BTreeSet<String>, problems: &mut Problems) {
    problems.keep(check_ir_version(model.ir_version));
    if model.graph.outputs.is_empty() {
        problems.push(Diagnostic::invalid("the graph has no outputs"));
    }
    let domains = BTreeSet::new();
    let mut check = Check { model, lost, opsets: &model.opsets, attributes: BTreeSet::new(), domains, problems };
    check.body(&Body::of_graph(&model.graph), None);
    for (key, function) in &model.functions {
        let attributes = function.attributes.iter().map(String::as_str);
        let attributes: Vec<&str> = attributes.chain(function.defaults.iter().map(|(name, _)| name)).collect();
        check.attributes = attributes.iter().copied().collect();
        if check.attributes.len() < attributes.len() {
            check.problems.push(Diagnostic::invalid(format!("function {key} declares an attribute twice")));
        }
        check.opsets = &function.opsets;
        check.domains.clear();
        check.body(&Body::of_function(function), None);
    }
}

fn check_ir_version(version: i64) -> Result<()> {
    let (oldest, newest) = (IR_VERSIONS.start(), IR_VERSIONS.end());
    let range = format!("the model has ir_version {version}; versions {oldest} to {newest} are read");
    if version > *newest {
        return Err(Diagnostic::unsupported(range).help("export the model again with an older version of its exporter"));
    }
    if version < *oldest {
        return Err(Diagnostic::invalid(range));
    }
    Ok(())
}

/// A graph or the body of a function.
struct Body<'a> {
    inputs: Vec<&'a str>,
    initializers: Vec<&'a str>,
    nodes: &'a [Node],
    outputs: Vec<&'a str>,
}

impl<'a> Body<'a> {
    fn of_graph(graph: &'a Graph) -> Self {
        Self {
            inputs: graph.inputs.iter().map(|input| input.name.as_str()).collect(),
            initializers: graph.initializers.keys().map(String::as_str).collect(),
            nodes: &graph.nodes,
            outputs: graph.outputs.iter().map(|output| output.name.as_str()).collect(),
        }
    }

    fn of_function(function: &'a Function) -> Self {
        Self {
            inputs: function.inputs.iter().map(String::as_str).collect(),
            initializers: Vec::new(),
            nodes: &function.nodes,
            outputs: function.outputs.iter().map(String::as_str).collect(),
        }
    }
}

/// The names that are defined where a node stands.
struct Scope<'s, 'a> {
    outer: Option<&'s Scope<'s, 'a>>,
    names: HashSet<&'a str>,
}

impl Scope<'_, '_> {
    fn sees(&self, name: &str) -> bool {
        self.names.contains(name) || self.outer.is_some_and(|outer| outer.sees(name))
    }
}

struct Check<'a, 'p> {
    model: &'a Model,
    lost: &'a BTreeSet<String>,
    opsets: &'a BTreeMap<String, i64>,
    /// Attributes of the function around the node.
    attributes: BTreeSet<&'a str>,
    /// Domains, or operators of foreign domains, that were judged already.
    domains: BTreeSet<(&'a str, &'a str)>,
    problems: &'p mut Problems,
}

impl<'a> Check<'a, '_> {
    fn body(&mut self, body: &Body<'a>, outer: Option<&Scope<'_, 'a>>) {
        let mut scope = Scope { outer, names: HashSet::new() };
        for input in &body.inputs {
            if input.is_empty() {
                self.problems.push(Diagnostic::invalid("an input has no name"));
            } else if !scope.names.insert(input) {
                let text = format!("input \"{}\" is declared twice", clip(input));
                self.problems.push(Diagnostic::invalid(text));
            }
        }
        scope.names.extend(&body.initializers);
        let later: HashSet<&str> = body.nodes.iter().flat_map(|node| &node.outputs).map(String::as_str).collect();
        for node in body.nodes {
            self.node(node, &scope, &later);
            self.results(node, &mut scope);
        }
        for output in &body.outputs {
            self.output(output, &scope);
        }
    }

    fn node(&mut self, node: &'a Node, scope: &Scope<'_, 'a>, later: &HashSet<&str>) {
        for input in node.inputs.iter().filter(|input| !input.is_empty()) {
            // What a later node defines is part of a cycle, which sorting has reported.
            if !scope.sees(input) && !later.contains(input.as_str()) && !self.lost.contains(input) {
                self.invalid(format!("operand \"{}\" is defined nowhere", clip(input)), node);
            }
        }
        let function = self.model.function(node);
        self.domain(node, function.is_some());
        if let Some(function) = function {
            self.call(node, function);
        }
        for (name, value) in node.attributes.iter() {
            self.reference(name, value, node);
        }
        for body in node.bodies() {
            self.body(&Body::of_graph(body), Some(scope));
        }
    }

    fn results(&mut self, node: &'a Node, scope: &mut Scope<'_, 'a>) {
        for result in node.outputs.iter().filter(|result| !result.is_empty()) {
            if scope.sees(result) {
                self.invalid(format!("result \"{}\" is defined already", clip(result)), node);
            }
            scope.names.insert(result);
        }
    }

    fn output(&mut self, output: &str, scope: &Scope<'_, 'a>) {
        if self.lost.contains(output) || scope.names.contains(output) && !output.is_empty() {
            return;
        }
        let text = format!("output \"{}\" is produced by no node", clip(output));
        let mut problem = Diagnostic::invalid(text);
        if scope.sees(output) {
            problem =
                problem.help("a body cannot return a value of an outer graph itself; return it through an Identity");
        }
        self.problems.push(problem);
    }

    fn invalid(&mut self, text: String, node: &Node) {
        self.problems.push(Diagnostic::invalid(text).at(&node.loc()));
    }

    /// A reference to an attribute of the call makes sense in a function only.
    fn reference(&mut self, name: &str, value: &Attribute, node: &Node) {
        let Attribute::Ref(of) = value else { return };
        if !self.attributes.contains(of.as_str()) {
            let (name, of) = (clip(name), clip(of));
            self.invalid(format!("attribute \"{name}\" refers to \"{of}\", which no function around it has"), node);
        }
    }

    fn call(&mut self, node: &Node, function: &Function) {
        let counts = [
            ("operands", node.inputs.len(), function.inputs.len()),
            ("results", node.outputs.len(), function.outputs.len()),
        ];
        for (what, given, declared) in counts {
            if given > declared {
                self.invalid(format!("the call has {given} {what}, the function only {declared}"), node);
            }
        }
    }

    /// The domain must be imported in a version that is known. Each domain is reported once, at its first node; of a
    /// foreign domain each operator.
    /// A function of the model is called if `own`.
    fn domain(&mut self, node: &'a Node, own: bool) {
        let domain = node.domain.as_str();
        let known = versions(domain);
        let subject = if own || known.is_some() { "" } else { node.op_type.as_str() };
        if !self.domains.insert((domain, subject)) {
            return;
        }
        let name = clip(shown(domain));
        let problem = match (self.opsets.get(domain), known) {
            (None, _) if domain == MICROSOFT => return,
            (None, Some(known)) => {
                let (oldest, newest) = known.into_inner();
                let text = format!(
                    "the model uses operators of {name} but imports no version of it; {oldest} to {newest} are supported"
                );
                Diagnostic::invalid(text).help("add the domain to the model's opset_import")
            }
            (None, None) if own => Diagnostic::invalid(format!("domain \"{name}\" of a function is not imported")),
            (_, None) if own => return,
            (_, None) => {
                let text = format!(
                    "operator {} of domain \"{name}\", which is neither known nor a function of the model",
                    clip(&node.op_type)
                );
                Diagnostic::unsupported(text)
            }
            (Some(version), Some(known)) if known.contains(version) => return,
            (Some(version), Some(known)) => bad_version(&name, *version, &known),
        };
        self.problems.push(problem.at(&node.loc()));
    }
}

fn bad_version(domain: &str, version: i64, known: &std::ops::RangeInclusive<i64>) -> Box<Diagnostic> {
    let (oldest, newest) = (known.start(), known.end());
    let text = format!("the model imports version {version} of {domain}; {oldest} to {newest} are supported");
    if version < *oldest {
        return Diagnostic::invalid(text);
    }
    Diagnostic::unsupported(text).help(format!("export the model with opset {newest} or older"))
}
