//! Runs a compiled model.

use crate::describe::ValueSpec;
use crate::model::Model;
use crate::options::Options;
use crate::plan::{Plan, Plans};
use crate::recent::Recent;
use std::sync::Arc;
use tilewright_graph::{Graph, Type, interp};
use tilewright_onnx::import::{Facts, Want};
use tilewright_support::{Code, Diagnostic, Loc, Result};
use tilewright_tensor::Value;

/// A compiled model. Runs may go on in many threads at once.
#[derive(Debug)]
pub struct Session {
    model: Model,
    plans: Plans,
    recent: Recent,
    threads: usize,
}

/// Values and sizes that the translation of one model may ask for, one after the other. Each asks for a translation of
/// all before it, so the time grows with the square.
const MOST_STAGES: usize = 1024;

impl Session {
    pub(crate) fn new(model: Model, options: Options) -> Result<Self> {
        let threads = options.threads();
        let recent = Recent::new(options.plans.max(1));
        let plans = Plans::new(options);
        plans.get(&model.onnx, &Facts::default())?;
        Ok(Self { model, plans, recent, threads })
    }

    /// Bytes of the largest arena that values inside the model had so far, and how many of these were in use at one time.
    pub fn arena(&self) -> (usize, usize) {
        self.plans.arena()
    }

    pub(crate) fn plans(&self) -> &Plans {
        &self.plans
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Runs the model on named inputs, in any order; gives the outputs in the model's order.
    ///
    /// # Errors
    /// [`Code::Usage`](crate::Code::Usage) for missing, unknown or doubled names;
    /// [`Code::Shape`](crate::Code::Shape) or [`Code::Dtype`](crate::Code::Dtype) for values that
    /// do not fit; [`Code::Value`](crate::Code::Value) for what a node refuses; [`Code::Io`](crate::Code::Io) where sizes
    /// are new and the model's file was written meanwhile.
    pub fn run<N: AsRef<str>, V: Into<Value>>(&self, inputs: impl IntoIterator<Item = (N, V)>) -> Result<Vec<Value>> {
        let (values, plan) = self.planned(inputs)?;
        match &*plan {
            Plan::Ready(_, Some(executable)) => executable.run(&values),
            Plan::Ready(graph, None) => interp::run_on(graph, &values, self.threads),
            Plan::Wants { .. } => Err(Diagnostic::internal("a plan that wants something")),
        }
    }

    /// The values of named inputs in order, and the plan for them.
    pub(crate) fn planned<N: AsRef<str>, V: Into<Value>>(
        &self,
        inputs: impl IntoIterator<Item = (N, V)>,
    ) -> Result<(Vec<Value>, Arc<Plan>)> {
        self.plan_given(self.named(inputs)?)
    }

    /// Values by declared input.
    fn named<N: AsRef<str>, V: Into<Value>>(
        &self,
        inputs: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Vec<Option<Value>>> {
        let declared = &self.model.onnx.graph.inputs;
        let mut given: Vec<Option<Value>> = vec![None; declared.len()];
        for (name, value) in inputs {
            let name = name.as_ref();
            let Some(i) = declared.iter().position(|d| d.name == name) else {
                return Err(self.unknown_input(name));
            };
            if given[i].replace(value.into()).is_some() {
                return Err(Diagnostic::usage(format!("input \"{name}\" is given twice")));
            }
        }
        Ok(given)
    }

    /// Runs the model on inputs in the order of [`Model::inputs`].
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_ordered(&self, inputs: Vec<Value>) -> Result<Vec<Value>> {
        let specs = self.model.inputs();
        if inputs.len() != specs.len() {
            return Err(Diagnostic::usage(format!("{} inputs given, {} expected", inputs.len(), specs.len())));
        }
        self.run(specs.into_iter().map(|s| s.name).zip(inputs))
    }

    fn unknown_input(&self, name: &str) -> Box<Diagnostic> {
        let names: Vec<String> = self.model.inputs().into_iter().map(|i| i.name).collect();
        Diagnostic::usage(format!("the model has no input \"{name}\""))
            .help(format!("its inputs: {}", names.join(", ")))
    }

    /// Plans with one slot a declared input; those with a default may be empty.
    fn plan_given(&self, given: Vec<Option<Value>>) -> Result<(Vec<Value>, Arc<Plan>)> {
        if let Some(plan) = self.recent.find(&given) {
            self.plans.touch(&plan);
            return Ok((given.into_iter().flatten().collect(), plan));
        }
        let graph = &self.model.onnx.graph;
        let mut facts = Facts { inputs: vec![None; given.len()], ..Facts::default() };
        for (i, decl) in graph.inputs.iter().enumerate() {
            match &given[i] {
                None if !graph.initializers.contains_key(&decl.name) => {
                    let spec = ValueSpec::of(decl);
                    return Err(Diagnostic::usage(format!("input \"{}\" is not given", decl.name))
                        .help(format!("it is {}", spec.ty)));
                }
                Some(v) if graph.initializers.contains_key(&decl.name) => facts.inputs[i] = Some(type_of(v)?),
                _ => {}
            }
        }
        let values: Vec<Value> = given.iter().flatten().cloned().collect();
        let exact: Vec<Option<Type>> = given.iter().map(|v| v.as_ref().and_then(|v| type_of(v).ok())).collect();
        if facts.inputs.iter().all(Option::is_none) {
            facts.inputs.clear();
        }
        let (plan, typed) = self.plan_staged(facts, &exact, &values)?;
        if typed {
            self.recent.keep(&given, &plan);
        }
        Ok((values, plan))
    }

    /// The plan, and whether it is the one for all inputs of the same types.
    fn plan_staged(&self, mut facts: Facts, exact: &[Option<Type>], values: &[Value]) -> Result<(Arc<Plan>, bool)> {
        let mut typed = true;
        for stage in 0..=MOST_STAGES {
            let plan = self.plans.get(&self.model.onnx, &facts)?;
            let graph = match &*plan {
                Plan::Wants { want: Want::InputTypes, .. } => {
                    facts.inputs = exact.to_vec();
                    continue;
                }
                Plan::Wants { want: Want::Sizes(_, g) | Want::Value(_, g), .. } => g,
                Plan::Ready(g, _) => g,
            };
            if stage == MOST_STAGES {
                return Err(too_many(graph));
            }
            if let Err(e) = interp::bind_inputs(graph, values) {
                self.refine(&mut facts, exact, e)?;
                continue;
            }
            let (want, executable) = match &*plan {
                Plan::Ready(..) => return Ok((plan, typed)),
                Plan::Wants { want, executable, typed: by_types } => {
                    typed &= by_types;
                    (want, executable)
                }
            };
            let told = match executable {
                Some(executable) => executable.run(values)?,
                None => interp::run_on(graph, values, self.threads)?,
            };
            learn(&mut facts, want, told)?;
        }
        Err(Diagnostic::internal("the translation asks for the types of inputs again and again"))
    }

    /// Takes declared names of dims as hints that turned out wrong. Dtypes, ranks and fixed dims bind.
    fn refine(&self, facts: &mut Facts, exact: &[Option<Type>], mut error: Box<Diagnostic>) -> Result<()> {
        let declared = self.model.onnx.graph.inputs.iter().map(ValueSpec::of);
        let fits = declared.zip(exact).all(|(spec, found)| match found {
            Some(Type::Tensor(t)) => spec.admits(t),
            _ => true,
        });
        if !fits || facts.inputs == exact {
            error.code = Code::Usage;
            return Err(error);
        }
        *facts = Facts { inputs: exact.to_vec(), ..Facts::default() };
        Ok(())
    }
}

/// The error of a model whose translation asks for more and more: `graph` gives what it asks for next.
fn too_many(graph: &Graph) -> Box<Diagnostic> {
    let wanted = graph.nodes.iter().find(|n| n.outputs.iter().any(|v| graph.outputs.contains(v)));
    let message =
        format!("shapes depend on more than {MOST_STAGES} values that only the run tells, one after the other");
    Diagnostic::limit(format!("{message}; the next is that of this node"))
        .at(wanted.map_or(&Loc::Unknown, |n| &n.loc))
        .help("declare fixed sizes, and give axes, shapes and conditions as constants (an ONNX simplifier does it)")
}

/// Adds what a run of a wanted graph gave.
fn learn(facts: &mut Facts, want: &Want, outputs: Vec<Value>) -> Result<()> {
    let Some(Value::Tensor(t)) = outputs.into_iter().next() else {
        return Err(Diagnostic::unsupported("the translation depends on a value that is no tensor"));
    };
    match want {
        Want::InputTypes => {}
        Want::Sizes(syms, _) => facts.sizes.extend(syms.iter().cloned().zip(t.to_vec_i64())),
        Want::Value(v, _) => {
            facts.values.insert(*v, t);
        }
    }
    Ok(())
}

/// The exact type of a value.
fn type_of(value: &Value) -> Result<Type> {
    Ok(match value {
        Value::Tensor(t) => Type::of(t),
        Value::Sequence(items) => {
            let mut types = items.iter().map(type_of);
            let Some(first) = types.next() else {
                return Err(Diagnostic::unsupported("an empty sequence whose element type the model does not declare"));
            };
            let joined = types.try_fold(first?, |a, b| a.join(&b?, &mut |_, _| tilewright_graph::types::varying()))?;
            Type::Sequence(Box::new(joined))
        }
        Value::Optional(Some(v)) => Type::Optional(Box::new(type_of(v)?)),
        Value::Optional(None) => {
            return Err(Diagnostic::unsupported("an empty optional whose type the model does not declare"));
        }
        Value::Map(_) => return Err(Diagnostic::unsupported("inputs that are maps are not supported")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_graph::Builder;
    use tilewright_tensor::DType;
    use tilewright_tensor::ix::Ix;

    #[test]
    fn the_error_of_too_many_wants_names_the_node() {
        let mut b = Builder::default();
        let x = b.input("x", Type::tensor(DType::I64, vec![Ix::konst(1)]));
        b.loc = Loc::node("axes", "Add-14");
        let y = b.map_named("add", &[x], |a| &a[0] + &a[0]).unwrap();
        let error = too_many(&b.finish(&[y])).to_string();
        assert!(error.starts_with("error[limit]: node \"axes\" (Add-14): shapes depend"), "{error}");
        assert!(error.contains("\n  help: "), "{error}");
    }
}
