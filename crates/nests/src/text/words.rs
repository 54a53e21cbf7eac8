//! Words of the text form.

use crate::kernel::{Kind, Role};
use tilewright_loops::map::{Combiner, Index, Rows, Stride};
use tilewright_loops::movement::Order;

pub(super) const ROLES: [(Role, &str); 4] =
    [(Role::Read, "read"), (Role::Write, "write"), (Role::Update, "update"), (Role::Scratch, "scratch")];

pub(super) const KINDS: [(Kind, &str); 4] =
    [(Kind::Parallel, "parallel"), (Kind::Sequential, "sequential"), (Kind::Reduce, "reduce"), (Kind::Scan, "scan")];

pub(super) const INDICES: [(Index, &str); 2] = [(Index::I32, "i32"), (Index::I64, "i64")];

pub(super) const ROWS: [(Rows, &str); 5] = [
    (Rows::One, "one"),
    (Rows::Strided, "rows"),
    (Rows::Flat, "flat"),
    (Rows::Indexed(Index::I32), "i32"),
    (Rows::Indexed(Index::I64), "i64"),
];

pub(super) const COLUMNS: [(Stride, &str); 4] =
    [(Stride::Zero, "zero"), (Stride::Unit, "unit"), (Stride::General, "general"), (Stride::Bits, "bits")];

pub(super) const COMBINERS: [(Combiner, &str); 8] = [
    (Combiner::Sum, "sum"),
    (Combiner::Prod, "prod"),
    (Combiner::Max, "max"),
    (Combiner::Min, "min"),
    (Combiner::ArgMax { last: false }, "argmax"),
    (Combiner::ArgMax { last: true }, "argmax_last"),
    (Combiner::ArgMin { last: false }, "argmin"),
    (Combiner::ArgMin { last: true }, "argmin_last"),
];

/// Orders of moves without a number.
pub(super) const ORDERS: [(Order, &str); 3] = [
    (Order::Copy { stream: false }, "copy"),
    (Order::Copy { stream: true }, "stream"),
    (Order::Transpose, "transpose"),
];

/// The word for a value of a list.
pub(super) fn word_of<T: PartialEq>(list: &[(T, &'static str)], value: &T) -> &'static str {
    list.iter().find(|(v, _)| v == value).map_or("?", |(_, word)| word)
}
