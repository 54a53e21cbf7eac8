//! Plans by the types of the inputs, for models whose translation depends on nothing else.

use crate::plan::Plan;
use std::collections::HashSet;
use std::sync::{Arc, Weak};
use tilewright_executor::Guarded;
use tilewright_graph::{Graph, ValueId};
use tilewright_tensor::{DType, Value};

/// The dtype and the shape of each input that is given, all of them tensors.
type Key = Vec<Option<(DType, Vec<usize>)>>;

/// The plans of the input types that came last, the latest first, as long as others keep them.
#[derive(Debug)]
pub struct Recent {
    kept: Guarded<Vec<(Key, Weak<Plan>)>>,
    most: usize,
}

impl Recent {
    /// Keeps so many at the most.
    pub fn new(most: usize) -> Self {
        Self { kept: Guarded::default(), most }
    }

    /// The plan for inputs of the types of these.
    pub fn find(&self, given: &[Option<Value>]) -> Option<Arc<Plan>> {
        self.kept.with(|kept| {
            let at = kept.iter().position(|(key, _)| key.iter().zip(given).all(|(k, value)| fits(k, value)))?;
            kept[..=at].rotate_right(1);
            kept[0].1.upgrade()
        })
    }

    /// Knows a plan that is right for all inputs of these types. It is not found where some are no tensors.
    pub fn keep(&self, given: &[Option<Value>], plan: &Arc<Plan>) {
        let of = |value: &Option<Value>| match value {
            None => Some(None),
            Some(Value::Tensor(t)) => Some(Some((t.dtype(), t.shape().to_vec()))),
            Some(_) => None,
        };
        let Some(key) = given.iter().map(of).collect::<Option<Key>>() else { return };
        let _old = self.kept.with(|kept| {
            kept.retain(|(known, plan)| *known != key && plan.strong_count() > 0);
            kept.insert(0, (key, Arc::downgrade(plan)));
            kept.split_off(kept.len().min(self.most))
        });
    }
}

fn fits(key: &Option<(DType, Vec<usize>)>, value: &Option<Value>) -> bool {
    match (key, value) {
        (Some((dtype, shape)), Some(Value::Tensor(t))) => t.dtype() == *dtype && t.shape() == shape,
        (None, None) => true,
        _ => false,
    }
}

/// Whether a graph gives the same for all inputs of the same types: no node reads one, and none is an output.
pub fn depends_on_types(graph: &Graph) -> bool {
    let inputs: HashSet<ValueId> = graph.inputs.iter().copied().collect();
    let mut read = graph.nodes.iter().flat_map(|n| &n.inputs).chain(&graph.outputs);
    read.all(|v| !inputs.contains(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_graph::{Builder, Type};
    use tilewright_tensor::Tensor;
    use tilewright_tensor::ix::Ix;

    fn given(shape: &[usize]) -> Vec<Option<Value>> {
        vec![Some(Value::Tensor(Tensor::zeros(DType::F32, shape).unwrap())), None]
    }

    fn plan() -> Arc<Plan> {
        Arc::new(Plan::Ready(Arc::new(Builder::new().finish(&[])), None))
    }

    #[test]
    fn plans_are_found_by_the_types_of_inputs() {
        let recent = Recent::new(2);
        let plans = [plan(), plan(), plan()];
        plans.iter().zip(1..).for_each(|(plan, n)| recent.keep(&given(&[n]), plan));
        let found = |shape: &[usize]| recent.find(&given(shape));
        assert!(found(&[1]).is_none() && found(&[2, 1]).is_none());
        assert!(Arc::ptr_eq(&found(&[2]).unwrap(), &plans[1]) && Arc::ptr_eq(&found(&[3]).unwrap(), &plans[2]));
        let both = vec![given(&[2])[0].clone(); 2];
        let other = vec![Some(Value::Tensor(Tensor::zeros(DType::I32, &[2]).unwrap())), None];
        assert!(recent.find(&both).is_none() && recent.find(&other).is_none());
        recent.keep(&[Some(Value::Sequence(Vec::new())), None], &plans[0]);
        assert!(found(&[2]).is_some());
    }

    #[test]
    fn each_type_is_known_once_and_plans_are_not_kept() {
        let recent = Recent::new(3);
        let plans = [plan(), plan()];
        (0..3).for_each(|_| recent.keep(&given(&[1]), &plans[0]));
        recent.keep(&given(&[2]), &plans[1]);
        assert_eq!(recent.kept.with(|kept| kept.len()), 2);
        assert_eq!(Arc::strong_count(&plans[0]), 1);
        let [first, second] = plans;
        drop(first);
        assert!(recent.find(&given(&[1])).is_none());
        recent.keep(&given(&[3]), &second);
        assert_eq!(recent.kept.with(|kept| kept.len()), 2);
    }

    #[test]
    fn graphs_that_read_an_input_depend_on_more() {
        let mut b = Builder::new();
        let x = b.input("x", Type::tensor(DType::I64, vec![Ix::sym("n")]));
        let size = b.dims(&[Ix::sym("n")]).unwrap();
        assert!(depends_on_types(&b.finish(&[size])));
        let mut b = Builder::new();
        let y = b.input("x", Type::tensor(DType::I64, vec![Ix::sym("n")]));
        let twice = b.map(&[y], |a| &a[0] + &a[0]).unwrap();
        assert!(!depends_on_types(&b.finish(&[twice])));
        let mut b = Builder::new();
        let x2 = b.input("x", Type::tensor(DType::I64, vec![Ix::sym("n")]));
        assert_eq!(x, x2);
        assert!(!depends_on_types(&b.finish(&[x2])));
    }
}
