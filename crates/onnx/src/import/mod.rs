//! Translates a decoded [`Model`] into a graph.
//!
//! Every operator is a row of a family's table (`table::Row`): name, versions, arity, attribute
//! names, and a function that builds primitives. Versioned semantics live here and nowhere else.
//!
//! Some operators cannot be translated before a value or size is known (the axes of a reduction
//! given at run time, whether two dims broadcast). Then translation stops with
//! [`Outcome::Wants`]: the graph of what is wanted. Whoever runs the model runs it, adds the
//! result to the [`Facts`], and translates again.

mod call;
mod checks;
mod control;
mod cx;
mod gone;
mod ops;
mod table;
mod types;

pub use call::Call;
pub use cx::Cx;

use crate::Model;
use std::collections::{BTreeMap, HashMap};
use tilewright_graph::{Builder, Graph, Type, ValueId};
use tilewright_support::{Code, Diagnostic, Result};
use tilewright_tensor::Tensor;
use tilewright_tensor::ix::Sym;

/// What is known of a run beforehand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Types of the inputs, where they differ from the declared ones or refine them.
    pub inputs: Vec<Option<Type>>,
    /// Sizes of symbols.
    pub sizes: BTreeMap<Sym, i64>,
    /// Elements of values, by their number in the graph under translation.
    pub values: BTreeMap<ValueId, Tensor>,
}

/// Something that must be known before translation can go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// The types of all inputs.
    InputTypes,
    /// The sizes of symbols: the graph's only output is an i64 vector of them.
    Sizes(Vec<Sym>, Graph),
    /// The elements of a value: the graph's only output.
    Value(ValueId, Graph),
}

/// The end of a translation.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The whole model.
    Ready(Graph),
    /// More must be known first.
    Wants(Box<Want>),
}

/// Translates a model.
///
/// # Errors
/// `Unsupported` with a note for every operator that has no row; otherwise the first fault found.
pub fn import(model: &Model, facts: &Facts) -> Result<Outcome> {
    if let Some(error) = crate::merge(table::grouped(check(model))) {
        return Err(error);
    }
    let sizes: HashMap<Sym, i64> = facts.sizes.iter().map(|(s, n)| (s.clone(), *n)).collect();
    let mut cx = Cx::new(model, facts, Builder::with_sizes(sizes));
    match cx.main() {
        Ok(graph) => Ok(Outcome::Ready(graph)),
        Err(e) if e.code == Code::Dynamic => match cx.want.take() {
            Some(want) => Ok(Outcome::Wants(Box::new(want))),
            None => Err(unsettled(*e)),
        },
        Err(e) => Err(e),
    }
}

/// A dependence on run-time values that no earlier run can settle.
fn unsettled(e: Diagnostic) -> Box<Diagnostic> {
    Box::new(Diagnostic { code: Code::Unsupported, ..e })
}

/// Everything that the operators' tables refuse, all at once: operators without a row, versions,
/// arities, unknown attributes.
pub fn check(model: &Model) -> Vec<Diagnostic> {
    table::check(model)
}

/// The operators that are translated: domain, name, first version, last version.
pub fn supported() -> Vec<(&'static str, &'static str, i64, Option<i64>)> {
    ops::FAMILIES.iter().flat_map(|f| f.iter()).map(|r| (r.domain, r.name, r.since, r.until)).collect()
}
