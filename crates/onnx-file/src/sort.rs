//! Order of nodes: each after those whose results it reads, itself or in the bodies among its attributes.
use crate::model::{Graph, Node};
use crate::order::Edges;
use crate::problems::clip;
use std::collections::{HashMap, HashSet};
use tilewright_support::{Diagnostic, Result};

impl Graph {
    /// The names that the graph reads and does not define, in the order of first use.
    pub(crate) fn free_names(&self) -> Vec<String> {
        let defined: HashSet<&str> = self.definitions().collect();
        let mut seen = HashSet::new();
        let outputs = self.outputs.iter().map(|output| output.name.as_str());
        let read = self.nodes.iter().flat_map(Node::reads).chain(outputs);
        let free = read.filter(|name| !name.is_empty() && !defined.contains(name) && seen.insert(*name));
        free.map(str::to_owned).collect()
    }

    /// The names that the graph defines: inputs, initializers, and results of nodes.
    fn definitions(&self) -> impl Iterator<Item = &str> {
        let inputs = self.inputs.iter().map(|input| input.name.as_str());
        let results = self.nodes.iter().flat_map(|node| &node.outputs).map(String::as_str);
        inputs.chain(self.initializers.keys().map(String::as_str)).chain(results)
    }
}

impl Node {
    /// The names that the node reads: its operands, `""` for an absent one, and what its bodies capture.
    pub fn reads(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().chain(self.bodies().flat_map(|body| &body.captures)).map(String::as_str)
    }
}

/// Which nodes each node reads results of.
fn edges(nodes: &[Node]) -> Edges {
    let mut makers: HashMap<&str, u32> = HashMap::new();
    for (i, node) in nodes.iter().enumerate() {
        for name in node.outputs.iter().filter(|name| !name.is_empty()) {
            makers.entry(name).or_insert(i as u32);
        }
    }
    Edges::new(nodes.iter().map(|node| node.reads().filter_map(|name| makers.get(name).copied())))
}

/// Sorts nodes; those in order already stay as they are.
///
/// # Errors
/// Invalid for a cycle, naming its nodes; then the nodes stay as they are.
pub(crate) fn sort(nodes: &mut [Node]) -> Result<()> {
    let edges = edges(nodes);
    if edges.is_sorted() {
        return Ok(());
    }
    let order = edges.order();
    if order.len() < nodes.len() {
        return Err(cycle_error(nodes, &edges.cycle(&order)));
    }
    let mut places = vec![0; nodes.len()];
    order.iter().enumerate().for_each(|(place, node)| places[*node as usize] = place);
    for i in 0..nodes.len() {
        while places[i] != i {
            let place = places[i];
            nodes.swap(i, place);
            places.swap(i, place);
        }
    }
    Ok(())
}

fn cycle_error(nodes: &[Node], cycle: &[usize]) -> Box<Diagnostic> {
    const SHOWN: usize = 8;
    let name = |node: &usize| format!("\"{}\"", clip(nodes[*node].label()));
    let mut names: Vec<String> = cycle.iter().take(SHOWN).map(name).collect();
    if cycle.len() > SHOWN {
        names.push(format!("{} more", cycle.len() - SHOWN));
    }
    names.extend(cycle.first().map(name));
    let text = format!("nodes read each other's results in a cycle: {}", names.join(" -> "));
    let loc = cycle.first().map(|node| nodes[*node].loc());
    Diagnostic::invalid(text).at(&loc.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(inputs: &[&str], outputs: &[&str]) -> Node {
        let own = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        Node { op_type: "F".into(), inputs: own(inputs), outputs: own(outputs), ..Node::default() }
    }

    fn outputs(nodes: &[Node]) -> Vec<&str> {
        nodes.iter().map(|node| node.outputs[0].as_str()).collect()
    }

    #[test]
    fn keeps_what_is_sorted_and_sorts_the_rest() {
        let mut nodes = vec![node(&["x"], &["b"]), node(&["x"], &["a"]), node(&["b", "a"], &["c"])];
        sort(&mut nodes).unwrap();
        assert_eq!(outputs(&nodes), ["b", "a", "c"]);
        let mut nodes = vec![node(&["c", ""], &["d"]), node(&["b", "b"], &["c"]), node(&["x"], &["b"])];
        sort(&mut nodes).unwrap();
        assert_eq!(outputs(&nodes), ["b", "c", "d"]);
    }

    #[test]
    fn names_the_nodes_of_a_cycle() {
        let mut nodes = vec![node(&["d"], &["e"]), node(&["c"], &["d"]), node(&["d"], &["c"]), node(&["x"], &["y"])];
        let error = sort(&mut nodes).unwrap_err();
        assert!(error.message.ends_with("\"c\" -> \"d\" -> \"c\""), "{error}");
        let mut nodes = vec![node(&["a"], &["a"])];
        assert!(sort(&mut nodes).unwrap_err().message.ends_with("\"a\" -> \"a\""));
    }
}
