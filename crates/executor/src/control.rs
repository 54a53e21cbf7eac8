//! Branches and loops: their bodies are executables of their own.

use crate::executable::{Executable, Repeated, Scope};
use tilewright_graph::interp::control::{repeat, truth};
use tilewright_graph::interp::{Bindings, admit, eval_node};
use tilewright_graph::{Op, Type};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Value;

impl Scope<'_> {
    /// Evaluates a node on the host, its bodies by their plans.
    ///
    /// # Errors
    /// What the node refuses.
    pub fn call(&self, at: usize, inputs: &[Value], bindings: &mut Bindings) -> Result<Vec<Value>> {
        let node = &self.graph.nodes[at];
        let bodies = self.bodies.binary_search_by_key(&at, |(n, _)| *n);
        let bodies = bodies.map_or(&[][..], |found| &self.bodies[found].1);
        let outputs = match (&node.op, bodies) {
            (Op::If { .. }, [then, otherwise]) => {
                let (condition, rest) = inputs.split_first().ok_or_else(|| Diagnostic::internal("no condition"))?;
                let arm = if truth(condition).map_err(|e| e.at(&node.loc))? { then } else { otherwise };
                arm.run_within(rest, bindings)
            }
            (Op::Call { .. }, [body]) => body.run_within(inputs, bindings),
            (Op::Loop(l), [body]) => {
                let types: Vec<Type> = node.outputs.iter().map(|v| self.graph.ty(*v).clone()).collect();
                let mut repeated = Repeated::default();
                repeat(l, inputs, (bindings, &types), &mut |args| body.run_again(args, bindings, &mut repeated))
            }
            _ => return eval_node(self.graph, node, inputs, (bindings, self.settings.threads)),
        };
        let outputs = outputs.map_err(|e| e.at(&node.loc))?;
        admit(self.graph, node, &outputs, bindings)?;
        Ok(outputs)
    }
}

/// The executables of a graph's bodies, by the position of their node, in rising order.
pub type Bodies = Vec<(usize, Vec<Executable>)>;
