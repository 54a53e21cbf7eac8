//! What the tests of executables share.
#![allow(dead_code)]

use std::sync::Arc;
use tilewright_executor::{Arenas, Executable, Settings, Trial};
use tilewright_graph::Graph;
use tilewright_kernels::Machine;
use tilewright_support::target::Target;
use tilewright_tensor::{DType, Tensor, Value};

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }

    pub fn tensor(&mut self, shape: &[usize]) -> Tensor {
        let values: Vec<f64> = (0..shape.iter().product()).map(|_| self.below(2001) as f64 / 250.0 - 4.0).collect();
        Tensor::from_f64(DType::F32, shape, &values).unwrap()
    }
}

pub fn settings(threads: usize) -> Settings {
    Settings {
        machine: Machine::new(Target::detect()),
        threads,
        arenas: Arc::new(Arenas::default()),
        trial: Trial::default(),
    }
}

pub fn executable(graph: Graph, threads: usize) -> Executable {
    graph.verify().unwrap();
    Executable::new(Arc::new(graph), settings(threads))
}

/// Whether values agree within what the order of additions explains.
pub fn assert_close(found: &[Value], expected: &[Value], about: &str) {
    assert_eq!(found.len(), expected.len());
    for (n, (f, e)) in found.iter().zip(expected).enumerate() {
        let (Value::Tensor(f), Value::Tensor(e)) = (f, e) else { panic!("{about}: output {n} is no tensor") };
        assert_eq!((f.dtype(), f.shape()), (e.dtype(), e.shape()), "{about}: output {n}");
        let largest = e.to_vec_f64().iter().fold(1f64, |m, v| m.max(v.abs()));
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * largest || (a.is_nan() && b.is_nan());
        assert!(f.to_vec_f64().iter().zip(&e.to_vec_f64()).all(close), "{about}: output {n}\n{f:?}\n{e:?}");
    }
}
