//! Gathers through indices that nobody proved: tested before kernels run, refused by the host as the interpreter does.

use std::sync::Arc;
use tilewright_executor::{Arenas, Executable, Settings, Trial};
use tilewright_graph::ops::{Bounds, Gather, Structured};
use tilewright_graph::{Builder, TensorType, Type, interp};
use tilewright_kernels::Machine;
use tilewright_support::target::Target;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, Value};

#[test]
fn an_index_out_of_range_is_an_error_and_the_next_run_is_right() {
    let x = TensorType::new(DType::F32, vec![Ix::konst(5), Ix::konst(40)]);
    let at = TensorType::new(DType::I64, vec![Ix::konst(300)]);
    let comp = Gather { axis: 0, bounds: Bounds::Error }.comp(&[x.clone(), at.clone()]).unwrap();
    let mut b = Builder::new();
    let inputs = [b.input("x", Type::Tensor(x)), b.input("at", Type::Tensor(at))];
    let out = b.comp(comp, &inputs);
    let graph = b.finish(&[out]);
    let arenas = Arc::new(Arenas::within(usize::MAX));
    let (machine, trial) = (Machine::new(Target::detect()), Trial::default());
    let settings = Settings { machine, threads: 1, arenas, trial };
    let executable = Executable::new(Arc::new(graph.clone()), settings);
    let x = Tensor::from_vec(&[5, 40], (0..200).map(|i| i as f32).collect()).unwrap();
    let run = |bad: Option<i64>| {
        let mut at: Vec<i64> = (0..300).map(|i| i % 5).collect();
        at[299] = bad.unwrap_or(4);
        let inputs = [Value::Tensor(x.clone()), Value::Tensor(Tensor::from_vec(&[300], at).unwrap())];
        (executable.run(&inputs), interp::run(&graph, &inputs))
    };
    for bad in [None, Some(5), None, Some(-1), Some(i64::MAX), None] {
        match run(bad) {
            (Ok(found), Ok(meaning)) => {
                let (Value::Tensor(a), Value::Tensor(b)) = (&found[0], &meaning[0]) else { panic!() };
                assert!(a.bit_eq(b) && bad.is_none());
            }
            (Err(a), Err(b)) => assert!(a.message == b.message && bad.is_some()),
            (a, b) => panic!("{a:?} {b:?}"),
        }
    }
}
