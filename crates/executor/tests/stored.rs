//! Constants that stay in their file: what is made of them is that of constants in memory, and they are not kept in memory.

mod common;

use common::*;
use std::path::PathBuf;
use std::sync::Arc;
use tilewright_graph::ops::Contract;
use tilewright_graph::{Builder, Graph, Op, Type, interp};
use tilewright_support::Code;
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, TensorFile, Value};

const K: usize = 65;
const N: usize = 150;

/// A file with two matrices, the first at an odd place.
struct Weights {
    path: PathBuf,
    product: Tensor,
    table: Tensor,
}

impl Weights {
    fn new(test: &str) -> Self {
        let mut random = Random(11);
        let (product, table) = (random.tensor(&[K, N]), random.tensor(&[N, K]));
        let path = std::env::temp_dir().join(format!("tilewright-executor-{test}-{}", std::process::id()));
        std::fs::write(&path, [&[0; 3][..], product.bytes(), table.bytes()].concat()).unwrap();
        Self { path, product, table }
    }

    /// The same tensors where they lie in the file.
    fn stored(&self) -> [Tensor; 2] {
        let file = Arc::new(TensorFile::open(&self.path).unwrap());
        let place = |shape: &[usize], at: usize| Tensor::stored(DType::F32, shape, &file, at as u64).unwrap();
        [place(&[K, N], 3), place(&[N, K], 3 + self.product.byte_len())]
    }
}

impl Drop for Weights {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).ok();
    }
}

/// `x * product + x * table^T`, and a row of the table as it lies.
fn graph([product, table]: [Tensor; 2]) -> Graph {
    let mut b = Builder::new();
    let x = b.input("x", Type::tensor(DType::F32, vec![Ix::konst(N as i64), Ix::konst(K as i64)]));
    let (p, t) = (b.constant(product), b.constant(table));
    let mut product = |notation: &str, weights| b.apply(&Contract::parse(notation), &[x, weights]).unwrap();
    let (first, second) = (product("mk,kn->mn", p), product("mk,nk->mn", t));
    let sum = b.map(&[first, second], |a| &a[0] + &a[1]).unwrap();
    let row = b.map(&[x, t], |a| &a[0] + &a[1]).unwrap();
    b.finish(&[sum, row])
}

fn constants(graph: &Graph) -> Vec<Tensor> {
    let constant = |op: &Op| if let Op::Constant(t) = op { Some(t.clone()) } else { None };
    graph.nodes.iter().filter_map(|n| constant(&n.op)).collect()
}

#[test]
fn stored_constants_are_packed_and_not_kept() {
    let weights = Weights::new("packed");
    let stored = graph(weights.stored());
    let executable = executable(stored.clone(), 2);
    let x = [Value::Tensor(Random(5).tensor(&[N, K]))];
    let expected = interp::run(&graph([weights.product.clone(), weights.table.clone()]), &x).unwrap();
    for _ in 0..2 {
        assert_close(&executable.run(&x).unwrap(), &expected, "stored constants");
    }
    assert!(constants(&stored).iter().all(Tensor::is_stored));
}

#[test]
fn a_file_that_was_written_meanwhile_is_an_error() {
    let weights = Weights::new("written");
    let stored = graph(weights.stored());
    let x = [Value::Tensor(Random(5).tensor(&[N, K]))];
    std::fs::write(&weights.path, vec![0; 4 + 2 * weights.table.byte_len()]).unwrap();
    assert_eq!(executable(stored.clone(), 1).run(&x).unwrap_err().code, Code::Io);
    assert_eq!(interp::run(&stored, &x).unwrap_err().code, Code::Io);
}
