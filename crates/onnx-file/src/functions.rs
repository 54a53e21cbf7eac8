//! Functions of the model: who calls whom, how large the model becomes without calls, and a body with a call's attributes.
use crate::attribute::{Attribute, Attributes};
use crate::limits::{Budget, Limits};
use crate::model::{Function, FunctionKey, Graph, Model, Node};
use crate::order::Edges;
use crate::problems::clip;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use tilewright_support::{Diagnostic, Result};

impl fmt::Display for FunctionKey {
    /// As in `my.domain.Name:overload`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.domain.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{}", clip(&self.domain), clip(&self.name))?;
        if self.overload.is_empty() { Ok(()) } else { write!(f, ":{}", clip(&self.overload)) }
    }
}

impl Model {
    /// The function that a node calls; `None` when the node is an operator. A function hides an operator of its name.
    pub fn function(&self, node: &Node) -> Option<&Function> {
        if self.functions.is_empty() { None } else { self.functions.get(&FunctionKey::of(node)) }
    }
}

impl Function {
    /// The body for one call: attributes that refer to the call's have its values, or the defaults, or are absent.
    ///
    /// Names stay those of the function; renaming is left to whoever puts the nodes elsewhere.
    pub fn body(&self, call: &Node) -> Vec<Node> {
        let values: HashMap<&str, &Attribute> = self.defaults.iter().chain(call.attributes.iter()).collect();
        self.nodes.iter().map(|node| bind(node, &values)).collect()
    }
}

/// The node with the values of the attributes that it refers to.
fn bind(node: &Node, values: &HashMap<&str, &Attribute>) -> Node {
    let bound = |graph: &Graph| {
        let nodes = graph.nodes.iter().map(|node| bind(node, values)).collect();
        graph.with_nodes(nodes)
    };
    let value = |value: &Attribute| match value {
        Attribute::Ref(name) => values.get(name.as_str()).copied().cloned(),
        Attribute::Graph(graph) => Some(Attribute::Graph(Box::new(bound(graph)))),
        Attribute::Graphs(graphs) => Some(Attribute::Graphs(graphs.iter().map(bound).collect())),
        other => Some(other.clone()),
    };
    let pairs = node.attributes.iter().filter_map(|(name, attr)| Some((name.to_owned(), value(attr)?)));
    node.with_attributes(Attributes::new(pairs.collect()))
}

/// What a list of nodes amounts to: its own nodes with those of all bodies, and the functions they call.
#[derive(Default)]
struct Tally {
    nodes: u64,
    calls: Vec<u32>,
}

impl Tally {
    fn add(&mut self, nodes: &[Node], numbers: &BTreeMap<&FunctionKey, u32>) {
        self.nodes += nodes.len() as u64;
        for node in nodes {
            self.calls.extend(numbers.get(&FunctionKey::of(node)));
            node.bodies().for_each(|body| self.add(&body.nodes, numbers));
        }
    }
}

/// Checks that no function calls itself, and that the model without calls stays within the limits.
///
/// # Errors
/// Invalid for recursion, naming the cycle; Limit for calls nested too deep or a model that grows too large.
pub(crate) fn check_calls(model: &Model, limits: &Limits, budget: &mut Budget) -> Result<()> {
    if model.functions.is_empty() {
        return Ok(());
    }
    let keys: Vec<&FunctionKey> = model.functions.keys().collect();
    let numbers: BTreeMap<&FunctionKey, u32> = keys.iter().enumerate().map(|(i, key)| (*key, i as u32)).collect();
    let tally = |nodes: &[Node]| {
        let mut tally = Tally::default();
        tally.add(nodes, &numbers);
        tally
    };
    let tallies: Vec<Tally> = model.functions.values().map(|function| tally(&function.nodes)).collect();
    let edges = Edges::new(tallies.iter().map(|tally| tally.calls.iter().copied()));
    let order = edges.order();
    if order.len() < keys.len() {
        let mut cycle = edges.cycle(&order);
        cycle.extend(cycle.first().copied());
        let names: Vec<String> = cycle.iter().rev().take(8).map(|function| keys[*function].to_string()).collect();
        return Err(Diagnostic::invalid(format!("a function of the model calls itself: {}", names.join(" -> "))));
    }
    let mut sizes = vec![Size::default(); keys.len()];
    for function in order {
        sizes[function as usize] = Size::of(&tallies[function as usize], &sizes);
    }
    Size::of(&tally(&model.graph.nodes), &sizes).check(limits, budget)
}

/// Nodes and depth of calls once every call is replaced by the body of its function.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: u64,
    depth: usize,
}

impl Size {
    fn of(tally: &Tally, sizes: &[Self]) -> Self {
        let mut size = Self { nodes: tally.nodes, depth: 0 };
        for call in &tally.calls {
            let called = sizes[*call as usize];
            size.nodes = size.nodes.saturating_add(called.nodes);
            size.depth = size.depth.max(called.depth + 1);
        }
        size
    }

    fn check(self, limits: &Limits, budget: &mut Budget) -> Result<()> {
        if self.depth > limits.call_depth {
            let text = format!(
                "functions of the model call each other {} deep; the limit is {}",
                self.depth, limits.call_depth
            );
            return Err(Diagnostic::limit(text));
        }
        if self.nodes > limits.expanded_nodes {
            let text = format!(
                "without calls of functions the model has {} nodes; the limit is {}",
                self.nodes, limits.expanded_nodes
            );
            return Err(Diagnostic::limit(text));
        }
        budget.charge(self.nodes.saturating_mul(size_of::<Node>() as u64), "the model without calls of functions")
    }
}
