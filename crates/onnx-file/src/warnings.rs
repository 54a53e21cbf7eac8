//! What is accepted in a model although its format's rules forbid it.
use crate::domains::MICROSOFT;
use crate::model::{Model, Node};
use tilewright_support::Diagnostic;

impl Model {
    /// What another runtime may refuse: operators of com.microsoft without an import of that domain.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if !self.opsets.contains_key(MICROSOFT) {
            warnings.extend(contributed(&self.graph.nodes));
        }
        for function in self.functions.values().filter(|f| !f.opsets.contains_key(MICROSOFT)) {
            warnings.extend(contributed(&function.nodes));
        }
        warnings
    }
}

/// A warning for the first node of com.microsoft, bodies included.
fn contributed(nodes: &[Node]) -> Option<Diagnostic> {
    nodes.iter().find_map(|node| {
        if node.domain == MICROSOFT {
            let text = format!("the model uses operators of {MICROSOFT} but does not import the domain");
            let warning = Diagnostic::invalid(text).help("add the domain to the model's opset_import");
            return Some(*warning.at(&node.loc()));
        }
        node.attributes.graphs().find_map(|body| contributed(&body.nodes))
    })
}
