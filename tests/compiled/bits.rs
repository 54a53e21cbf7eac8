//! What tests of outputs share.

use tilewright::Value;
use tilewright::kernels::{Level, Target};

/// The levels of this machine.
pub fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|l| *l <= Target::detect().level)
}

/// Bit for bit.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => a.bit_eq(b),
        _ => a == b,
    }
}
