//! What compiled values may be: the meaning of comprehensions over sets of values. The bound of a value follows from its
//! own comprehension and the compiled values that it reads, so errors do not add up from node to node.

mod check;
mod combine;
mod errors;
mod functions;
mod planted;
mod range;

pub use check::{Tally, within_bounds};

use functions::Call;
use range::Range;
use tilewright_graph::interp::naive::{Numbers, Values};
use tilewright_graph::{Comp, Func};
use tilewright_tensor::{DType, Tensor};

/// Bodies over sets of values.
struct Ranges;

impl Values for Ranges {
    type Value = Range;

    fn konst(&self, dtype: DType, bits: u64) -> Range {
        Numbers.konst(dtype, bits).into()
    }

    fn index(&self, index: i64) -> Range {
        Range::Int(index, index)
    }

    fn element(&self, operand: &Tensor, place: usize) -> Range {
        Numbers.element(operand, place).into()
    }

    fn call(&self, func: Func, to: DType, from: &[DType], args: &[Range]) -> Range {
        Call { func, to, from }.range(args)
    }

    fn product(&self, a: &Range, b: &Range) -> Range {
        Call { func: Func::Mul, to: DType::F64, from: &[DType::F64; 2] }.range(&[*a, *b])
    }

    fn combine(&self, comp: &Comp, values: &[Range]) -> Range {
        combine::combined(comp, values)
    }
}
